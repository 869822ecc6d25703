package redact

import (
	_ "embed"
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// words are those that this program's own texts have, one a line: a Secret that holds one of them does not make it one.
// A test holds the list against the source and writes it.
//
//go:embed words.txt
var words string

var ownWords = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for w := range strings.Lines(words) {
		out[strings.TrimSpace(w)] = true
	}
	return out
})

// Own reports whether a text is a word of this program's own messages, at the beginning of a sentence or in the plural
// too.
func Own(text string) bool {
	for _, w := range []string{text, strings.TrimSuffix(text, "s"), strings.TrimSuffix(text, "es")} {
		if w != "" && (ownWords()[w] || ownWords()[strings.ToLower(w[:1])+w[1:]]) {
			return true
		}
	}
	return false
}

// aVersion is that of a chart: digits, and words as names have them after a dash or a plus.
var aVersion = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[v^~<>=!* ]{0,3}\d{1,8}(\.(\d{1,8}|[xX*])){0,3}([-+][A-Za-z]{0,12}([.-]?\d{1,8}){0,4})?$`)
})

// Chart makes public the name of a chart, its version and the address that it comes from: a Secret for Argo CD has the
// same address in it. One with a user, a query or a folder that is not plain words, as of a webhook, stays masked.
func (k *Known) Chart(name, version, repository string) {
	k.Public(name, strings.TrimLeft(repository, "@"), strings.TrimPrefix(repository, "alias:"))
	if aVersion().MatchString(version) {
		k.open(version)
	}
	u, err := url.Parse(repository)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" ||
		!plainAsName(u.Hostname()) {
		return
	}
	k.Public(u.Hostname())
	k.open(u.Host)
	for folder := range strings.SplitSeq(strings.Trim(u.Path, "/"), "/") {
		if folder != "" && !plainAsName(folder) && !SafeForm(folder) {
			return
		}
	}
	bare := strings.TrimRight(repository, "/")
	_, rest, _ := strings.Cut(bare, "//")
	for _, form := range []string{bare, rest, "//" + rest} { // the last is what [settings] takes for a password
		k.open(form)
		k.open(form + "/")
	}
}

// open lets a text be read, of whatever form, with the pieces that it is looked for in.
func (k *Known) open(text string) {
	if k.opened == nil {
		k.opened = map[string]bool{}
	}
	for _, p := range pieces(text) {
		k.opened[p] = true
	}
}

// openOwn opens the long words of the program's own, which are looked for in pieces.
func (k *Known) openOwn() {
	for w := range ownWords() {
		if len(w) > piece {
			k.open(w)
		}
	}
}

// pieces cover a text, each as long as the others; a short one is its only piece.
func pieces(text string) []string {
	if len(text) <= piece {
		return []string{text}
	}
	var out []string
	for ; len(text) > piece; text = text[piece:] {
		out = append(out, text[:piece], text[len(text)-piece:])
	}
	return out
}
