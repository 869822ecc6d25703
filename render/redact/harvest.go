package redact

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

var (
	secretKind = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^["']?\s*:\s*["']?(Secret|SealedSecret|ExternalSecret|ClusterExternalSecret|PushSecret|SecretList)\b`)
	})
	anyKey    = regexp.MustCompile(`^(\s*)(- )?["']?([^\s"':{}\[\],]+)["']?\s*:(?:\s+(.*))?$`)
	flowToken = regexp.MustCompile(`[^\s{}\[\],:"']{4,}|"[^"\n]*"|'[^'\n]*'`)
)

// secretParts are the fields of a Secret and its relatives that hold values; referenceParts those of an ExternalSecret,
// whose data say by which names the values are found elsewhere.
var (
	secretParts    = map[string]bool{"data": true, "stringData": true, "encryptedData": true, "template": true}
	referenceParts = map[string]bool{"template": true}
)

// Harvest adds what the Secrets and secretGenerators in a file hold, be it YAML or not: it
// goes by lines, so that an error about a file that cannot be read does not show it.
func (k *Known) Harvest(file []byte) {
	if bytes.Contains(file, []byte("ecretGenerator")) {
		k.generators(string(file))
	}
	if !bytes.Contains(file, []byte("Secret")) {
		return
	}
	for _, doc := range documents(string(file)) {
		if parts := partsOf(doc); parts != nil {
			k.secret(k.actions(doc), parts)
		}
	}
}

// documents cuts a text at lines that begin with three dashes. It goes by hand, as isSecret
// does: an expression takes most of the time of a run where definitions are megabytes.
func documents(text string) []string {
	var out []string
	start := 0
	for at := 0; at < len(text); {
		end := len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		if strings.HasPrefix(text[at:end], "---") {
			out = append(out, text[start:at])
			start = end
		}
		at = end + 1
	}
	return append(out, text[start:])
}

// partsOf gives the fields that hold values in a document that says to be a Secret, or a relative, at any depth; nil of
// any other.
func partsOf(doc string) map[string]bool {
	if !strings.Contains(doc, "Secret") {
		return nil
	}
	var parts map[string]bool
	for {
		i := strings.Index(doc, "kind")
		if i < 0 {
			return parts
		}
		doc = doc[i+len("kind"):]
		switch m := secretKind().FindStringSubmatch(doc); {
		case m == nil:
		case strings.Contains(m[1], "ExternalSecret") || m[1] == "PushSecret":
			parts = referenceParts
		default:
			return secretParts
		}
	}
}

var (
	action  = regexp.MustCompile(`(?s)\{\{.*?\}\}`)
	literal = regexp.MustCompile("\"(?:[^\"\\\\\n]|\\\\.)*\"|`[^`]*`")
	// lookup is a function of a template with the literals that it takes for names or for a message.
	lookup = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("\\b(?:include|template|define|block|env|requiredEnv|required|fail|index|hasKey|get|" +
			"lookup)\\b(?:\\s+(?:[$.][\\w.$]*|\"(?:[^\"\\\\\n]|\\\\.)*\"|`[^`]*`))+")
	})
)

// gap stands where the action of a template stood.
const gap = "\x00"

// actions takes the actions of a template out of a document, and adds what they quote: functions, fields and
// the names that they look up are no values.
func (k *Known) actions(doc string) string {
	if !strings.Contains(doc, "{{") {
		return doc
	}
	return action.ReplaceAllStringFunc(doc, func(a string) string {
		for _, text := range literal.FindAllString(lookup().ReplaceAllString(a, ""), 1000) {
			k.Add(text[1 : len(text)-1])
			if plain, err := strconv.Unquote(text); err == nil {
				k.Add(plain)
			}
		}
		return gap
	})
}

// secret adds the values in those parts of a document that is a Secret. The end of an example in a page ends them.
func (k *Known) secret(doc string, parts map[string]bool) {
	inside := -1 // the indent of the field of values that we are in
	for _, line := range strings.Split(doc, "\n") {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		text := strings.TrimSpace(line)
		m := anyKey.FindStringSubmatch(line)
		if inside >= 0 && text != "" && indent <= inside && (m != nil || strings.HasPrefix(text, "```")) {
			inside = -1
		}
		switch {
		case inside >= 0:
			if m != nil {
				k.scalar(m[4])
			} else if strings.HasPrefix(text, "{") {
				k.flow(text)
			} else {
				k.scalar(text)
			}
		case m != nil && parts[m[3]]:
			if rest := strings.TrimSpace(m[4]); rest != "" {
				k.flow(rest)
			}
			inside = indent
		default:
			for part := range parts { // {kind: Secret, data: {a: b}} on one line
				if _, rest, ok := strings.Cut(text, part); ok && strings.HasPrefix(strings.TrimLeft(rest, `"' `), ":") {
					k.flow(rest)
				}
			}
		}
	}
}

// flow adds each token of a text in braces, and what stands between its commas.
func (k *Known) flow(text string) {
	for _, at := range flowToken.FindAllStringIndex(text, 10000) {
		if rest := strings.TrimLeft(text[at[1]:], " "); strings.HasPrefix(rest, ":") {
			continue // a key
		}
		k.scalar(text[at[0]:at[1]])
	}
	for _, pair := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("{},", r) }) {
		if _, value, ok := strings.Cut(pair, ":"); ok {
			k.scalar(value)
		}
	}
}

// scalar adds one value as YAML writes it, in parts where actions stood in it.
func (k *Known) scalar(text string) {
	if strings.Contains(text, gap) {
		for part := range strings.SplitSeq(text, gap) {
			k.scalar(part)
		}
		return
	}
	text = strings.TrimSpace(text)
	if before, _, ok := strings.Cut(text, " #"); ok {
		k.Add(strings.Trim(strings.TrimSpace(before), `"'`))
	}
	k.Add(strings.Trim(text, `"'`))
	if i := strings.LastIndex(text, ": "); i > 0 { // no YAML, and so all the likelier in an error
		k.Add(strings.Trim(text[i+2:], `"'`))
	}
}

// generators adds the literals of a kustomization's secretGenerator.
func (k *Known) generators(text string) {
	inside := false
	for _, line := range strings.Split(text, "\n") {
		if m := anyKey.FindStringSubmatch(line); m != nil && m[1] == "" && m[2] == "" {
			inside = m[3] == "secretGenerator"
		}
		if !inside {
			if _, rest, ok := strings.Cut(line, "secretGenerator"); ok {
				k.literals(rest)
			}
			continue
		}
		k.literals(line)
	}
}

func (k *Known) literals(line string) {
	line = strings.TrimSpace(line)
	if m := anyKey.FindStringSubmatch(line); m != nil && !strings.Contains(m[4], "literals") {
		switch m[3] {
		case "name", "namespace", "type", "files", "envs", "env", "options", "behavior":
			return
		}
	}
	for _, t := range flowToken.FindAllString(line, 1000) {
		k.literal(t)
	}
	if item, ok := strings.CutPrefix(line, "- "); ok {
		k.literal(item)
	}
}

// literal adds KEY=VALUE, and what should have been one.
func (k *Known) literal(text string) {
	text = strings.Trim(strings.TrimSpace(text), `"'`)
	switch text {
	case "name", "literals", "files", "envs", "type", "options", "secretGenerator":
		return
	}
	if _, value, ok := strings.Cut(text, "="); ok {
		k.Add(strings.Trim(value, `"'`))
		return
	}
	k.Add(text)
}
