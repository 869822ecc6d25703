package redact

import (
	"bytes"
	"regexp"
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

// secretParts are the fields of a Secret and its relatives that hold values.
var secretParts = map[string]bool{"data": true, "stringData": true, "encryptedData": true, "template": true}

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
		if isSecret(doc) {
			k.secret(doc)
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

// isSecret reports whether a document says to be a Secret, or a relative, at any depth.
func isSecret(doc string) bool {
	if !strings.Contains(doc, "Secret") {
		return false
	}
	for {
		i := strings.Index(doc, "kind")
		if i < 0 {
			return false
		}
		doc = doc[i+len("kind"):]
		if secretKind().MatchString(doc) {
			return true
		}
	}
}

// secret adds the values of a document that is a Secret.
func (k *Known) secret(doc string) {
	inside := -1 // the indent of the field of values that we are in
	for _, line := range strings.Split(doc, "\n") {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		text := strings.TrimSpace(line)
		m := anyKey.FindStringSubmatch(line)
		if inside >= 0 && text != "" && indent <= inside && m != nil {
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
		case m != nil && secretParts[m[3]]:
			if rest := strings.TrimSpace(m[4]); rest != "" {
				k.flow(rest)
			}
			inside = indent
		default:
			for part := range secretParts { // {kind: Secret, data: {a: b}} on one line
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

// scalar adds one value as YAML writes it.
func (k *Known) scalar(text string) {
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
