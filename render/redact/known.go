package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	shortest  = 4      // characters of a text that is looked for
	unlike    = 8      // and of one that no longer word holds by chance
	piece     = 32     // longer ones are looked for in pieces
	mostTexts = 200000 // beyond it, the rest is left to the field that it stands in
)

// Known are texts that must never be printed, because a Secret holds them. It is filled, then sealed with [Known.Seal],
// and read from then on, from any number of goroutines. A nil *Known knows nothing.
type Known struct {
	added  map[string]bool // what [Known.Add] was given: releases and sides repeat most of it
	long   []string        // texts that are to be looked for in pieces
	texts  map[string]bool // true: a weak one, which counts as its own name only
	public map[string]bool
	opened map[string]bool // by [Known.Chart] and [Known.Named], of any form
	names  map[string]bool // by [Known.Named]
	parts  map[string]bool // of paths, by [Known.Path]
	// lengths of the texts that begin with four bytes.
	lengths map[[shortest]byte][]int
	first   [256]bool
}

// Public adds words that everybody may read: names of objects and files, and keys. A text
// that is one of them, and plain words at that, as names have them, is no secret for being in a Secret too.
func (k *Known) Public(words ...string) {
	if k.public == nil {
		k.public = map[string]bool{}
	}
	for _, w := range words {
		if len(w) >= shortest && plainAsName(w) {
			k.public[w] = true
		}
	}
}

// Add adds a value with the forms in which it may turn up: decoded and encoded, escaped, its
// lines, and the values in it where it is a file of settings.
func (k *Known) Add(value string) {
	if k.added[value] {
		return
	}
	if k.added == nil {
		k.added = map[string]bool{}
	}
	k.added[value] = true
	k.add(value, 0)
}

// isScheme reports whether a value is the beginning of an address, with nothing behind it.
func isScheme(value string) bool {
	scheme, ok := strings.CutSuffix(value, "://")
	return ok && !strings.ContainsFunc(scheme, func(r rune) bool { return r < 'a' || r > 'z' })
}

func (k *Known) add(value string, depth int) {
	value = strings.TrimSpace(value)
	if len(value) < shortest || len(value) > 4<<20 || SafeForm(value) || Placeholder(value) || isScheme(value) {
		return
	}
	lines := strings.Split(value, "\n")
	for _, l := range lines {
		l = strings.TrimSpace(l)
		if len(lines) > 1 && (PlainWords(l) || plainSetting().MatchString(l)) {
			continue // lines that every such file has
		}
		k.whole(l)
	}
	if len(lines) > 1 {
		k.encoded(value)
	}
	if depth > 3 {
		return
	}
	for _, inner := range settings(value) {
		k.add(inner, depth+1)
	}
	if b, err := base64.StdEncoding.DecodeString(value); err == nil && len(b) >= shortest && isText(b) {
		k.add(string(b), depth+1)
	}
	if m := userInfo.FindStringSubmatch(value); m != nil {
		k.whole(m[3])
	}
}

// plainSetting is a line of a file of settings whose value is plain words or safe.
var plainSetting = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[-\s"'\w./]{1,60}\s*[:=]\s*["']?(?:[A-Za-z][A-Za-z ./_-]{0,40}|\d{1,5}|true|false)?["']?,?[{}\[\]()]?$|^[{}\[\](),;]+$|^#.*$`)
})

var (
	settingValue = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^[ \t]*(?:export[ \t]+)?["']?([\w./-]{1,80})["']?[ \t]*[:=][ \t]*["']?([^\s"',][^"'\n]*?)["']?,?[ \t]*$`)
	})
	userAndWord = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[\w.@+-]{1,64}:(\S{4,})$`)
	})
	wordAfter = regexp.MustCompile(`(?i)\b(?:password|passwd|token|secret)\b[\s:="']+([^\s"',]{4,})`)
)

// settings are the values in a text that is a file: JSON, or lines of keys and values.
func settings(text string) []string {
	var out []string
	var v any
	if (text[0] == '{' || text[0] == '[') && json.Unmarshal([]byte(text), &v) == nil {
		return appendStrings(nil, v)
	}
	if m := userAndWord().FindStringSubmatch(text); m != nil {
		out = append(out, m[1])
	}
	for _, m := range wordAfter.FindAllStringSubmatch(text, 1000) {
		out = append(out, m[1])
	}
	if !strings.Contains(text, "\n") && !strings.Contains(text, "=") {
		return out
	}
	for _, m := range settingValue().FindAllStringSubmatch(text, 10000) {
		if Tells(m[1]) || !PlainWords(m[2]) {
			out = append(out, m[2])
		}
	}
	return out
}

func appendStrings(out []string, v any) []string {
	switch x := v.(type) {
	case map[string]any:
		for key, e := range x {
			s, isString := e.(string)
			if isString && PlainWords(s) && !Tells(key) {
				continue
			}
			out = appendStrings(out, e)
		}
	case []any:
		for _, e := range x {
			out = appendStrings(out, e)
		}
	case string:
		out = append(out, x)
	}
	return out
}

func isText(b []byte) bool {
	if !utf8.Valid(b) {
		return false
	}
	for _, c := range b {
		if c < 0x20 && c != '\n' && c != '\t' && c != '\r' || c == 0x7f {
			return false
		}
	}
	return true
}

// whole enters a text and its encodings.
func (k *Known) whole(text string) {
	if len(text) < shortest || SafeForm(text) || Placeholder(text) {
		return
	}
	k.enter(text)
	if bare := strings.TrimLeft(text, "*&!|>%@`-?: "); len(bare) >= shortest && bare != text {
		k.enter(bare) // a parser quotes it without its mark
	}
	quoted, _ := json.Marshal(text)
	for _, form := range []string{
		string(quoted[1 : len(quoted)-1]), html.EscapeString(text), url.QueryEscape(text), url.PathEscape(text),
		hex.EncodeToString([]byte(text)), strings.ToUpper(text), strings.ToLower(text),
	} {
		if form != text && len(form) >= 6 {
			k.enter(form)
		}
	}
	k.encoded(text)
}

// encoded enters the base64 forms of a text.
func (k *Known) encoded(text string) {
	k.look(base64.StdEncoding.EncodeToString([]byte(text)), false)
	k.look(base64.StdEncoding.EncodeToString([]byte(text+"\n")), false)
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for shift := range 3 { // where it stands in the middle of something else
			s := enc.EncodeToString([]byte("\x00\x00"[:shift] + text))
			from, to := (shift*8+5)/6, len(s)
			if (shift+len(text))%3 != 0 {
				to--
			}
			if to-from >= 6 {
				k.look(s[from:to], false)
			}
		}
	}
}

// enter enters a text; one that is short or plain words is weak, and counts as a name of its
// own only, lest it cut up words that merely hold it: "postgres" in "postgresql".
func (k *Known) enter(text string) { k.look(text, len(text) < unlike || PlainWords(text)) }

// look enters a text: a long one, when all is known, in pieces that cover it, each as long as the others.
func (k *Known) look(text string, weak bool) {
	if k.texts == nil {
		k.texts = map[string]bool{}
	}
	if len(text) <= piece {
		if len(k.texts) < mostTexts {
			k.texts[text] = weak
		}
		return
	}
	if len(k.long) < mostTexts {
		k.long = append(k.long, text)
	}
}

// Seal ends the filling.
func (k *Known) Seal() {
	k.openOwn()
	for _, text := range k.long {
		for _, p := range pieces(text) {
			if len(k.texts) < mostTexts && !k.isPath(strings.TrimRight(text, ",;:.")) {
				k.texts[p] = false
			}
		}
	}
	k.long = nil
	for text := range k.texts {
		bare := strings.TrimRight(text, ",;:.") // "true," of a table is no more than true
		if k.public[bare] || k.opened[text] || k.opened[bare] || Own(bare) || k.calls(bare) || k.isPath(bare) {
			delete(k.texts, text)
		}
	}
	k.added = nil
	k.lengths = map[[shortest]byte][]int{}
	seen := map[[shortest]byte]map[int]bool{}
	for text := range k.texts {
		p := [shortest]byte([]byte(text[:shortest]))
		if seen[p] == nil {
			seen[p] = map[int]bool{}
		}
		seen[p][len(text)] = true
		k.first[text[0]] = true
	}
	for p, set := range seen {
		for n := range set {
			k.lengths[p] = append(k.lengths[p], n)
		}
		sort.Sort(sort.Reverse(sort.IntSlice(k.lengths[p])))
	}
}

// Len is how many texts are looked for.
func (k *Known) Len() int {
	if k == nil {
		return 0
	}
	return len(k.texts)
}

// Holds reports whether a text holds one that is known.
func (k *Known) Holds(text string) bool {
	found := false
	k.find(text, func(int, int) bool { found = true; return false })
	return found
}

// Scrub masks known texts in a text. It splits no word: a mask reaches to the ends of the words that it begins and ends
// in, such as the rest of a text that was encoded with a secret.
func (k *Known) Scrub(text string) string {
	var out strings.Builder
	masked := 0 // the end of the last mask
	k.find(text, func(from, to int) bool {
		if to <= masked {
			return true
		}
		for from > masked && inside(text, from) {
			from--
		}
		for to < len(text) && inside(text, to) {
			to++
		}
		if from > masked || out.Len() == 0 {
			out.WriteString(text[masked:max(from, masked)])
			out.WriteString(Mask)
		}
		masked = to
		return true
	})
	if masked == 0 {
		return text
	}
	return out.String() + text[masked:]
}

// inside reports whether a place is within a word, or within one character.
func inside(text string, at int) bool {
	return isWord(text[at-1]) && isWord(text[at]) || !utf8.RuneStart(text[at])
}

// find calls f for the longest known text at each place, in order, until it says stop.
func (k *Known) find(text string, f func(from, to int) bool) {
	if k == nil || len(k.lengths) == 0 {
		return
	}
	for i := 0; i+shortest <= len(text); i++ {
		if !k.first[text[i]] {
			continue
		}
		for _, n := range k.lengths[[shortest]byte([]byte(text[i:i+shortest]))] {
			if i+n > len(text) {
				continue
			}
			weak, ok := k.texts[text[i:i+n]]
			if !ok || weak && inName(text, i, i+n) || k.inNamed(text, i, i+n) {
				continue
			}
			if !f(i, i+n) {
				return
			}
			break
		}
	}
}

// inName reports whether a part of a text is part of a longer name: of a word, or of words that
// dots and dashes join, as in the names of files, hosts and objects.
func inName(text string, from, to int) bool {
	return from > 0 && (isWord(text[from-1]) || from > 1 && joins(text[from-1]) && isWord(text[from-2])) &&
		isWord(text[from]) ||
		to < len(text) && (isWord(text[to]) || to+1 < len(text) && joins(text[to]) && isWord(text[to+1])) &&
			isWord(text[to-1])
}

func joins(c byte) bool { return c == '.' || c == '-' }

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}
