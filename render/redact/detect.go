package redact

import (
	_ "embed"
	"fmt"
	"math"
	"regexp"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"
)

// rule is one of gitleaks': what it looks for in a text. It is decoded once a text has one of its keywords: the file
// takes longer to decode than most runs have to clean.
type rule struct {
	keywords []string // in lower case; one of them has to be there
	text     string   // its table of the file
	none     bool     // it goes by a file's name
	entropy  float64  // of the secret, in bits a character
	group    int      // that is the secret; 0: the first one that matched
	stops    []string // words that make it none

	once   sync.Once
	find   *regexp.Regexp
	spared []*regexp.Regexp
}

// gitleaks are the rules of github.com/gitleaks/gitleaks (MIT, Copyright (c) 2019 Zachary Rice), as its package config
// has them: that package reads files in six formats, with 20 further modules. A test compares the two.
//
//go:embed gitleaks.toml
var gitleaks string

// rules are gitleaks' own, in their order, with their keywords.
var rules = sync.OnceValue(func() []*rule {
	var out []*rule
	for _, text := range strings.Split(gitleaks, ruleTable)[1:] {
		one := &rule{text: ruleTable + text}
		if _, list, ok := strings.Cut(text, "\nkeywords = ["); ok {
			list, _, _ = strings.Cut(list, "]")
			for _, word := range strings.Split(list, `"`) {
				if word = strings.ToLower(word); strings.Trim(word, ", \n") != "" {
					one.keywords = append(one.keywords, word)
				}
			}
		}
		out = append(out, one)
	}
	return out
})

// ruleTable begins a rule in gitleaks' file.
const ruleTable = "\n[[rules]]\n"

// decode reads all of a rule.
func (r *rule) decode() {
	var file struct {
		Rules []struct {
			Regex, Path string
			Entropy     float64
			SecretGroup int
			Allowlists  []struct {
				RegexTarget        string
				Regexes, StopWords []string
			}
		}
	}
	if _, err := toml.Decode(r.text, &file); err != nil || len(file.Rules) != 1 {
		panic(fmt.Sprintf("redact: a rule of gitleaks': %v: %s", err, r.text)) // they are compiled in
	}
	own := file.Rules[0]
	r.entropy, r.group = own.Entropy, own.SecretGroup
	if r.none = own.Regex == "" || own.Path != ""; r.none {
		return
	}
	r.find = regexp.MustCompile(own.Regex)
	for _, a := range own.Allowlists {
		if a.RegexTarget == "" || a.RegexTarget == "secret" {
			for _, text := range a.Regexes {
				r.spared = append(r.spared, regexp.MustCompile(text))
			}
			r.stops = append(r.stops, a.StopWords...)
		}
	}
}

// detected masks the matches of gitleaks' rules (github.com/gitleaks/gitleaks, MIT), except known names: a second net,
// for other forms of credentials.
func detected(text string, names *Known) string {
	if len(text) < 8 {
		return text
	}
	lower := strings.ToLower(text)
	for _, r := range rules() {
		if r.near(lower) {
			text = r.mask(text, names)
		}
	}
	return text
}

func (r *rule) near(lower string) bool {
	for _, k := range r.keywords {
		if strings.Contains(lower, k) {
			return true
		}
	}
	return len(r.keywords) == 0
}

func (r *rule) mask(text string, names *Known) string {
	if r.once.Do(r.decode); r.none {
		return text
	}
	var out strings.Builder
	end := 0
	for _, m := range r.find.FindAllStringSubmatchIndex(text, -1) {
		from, to := r.secret(m)
		if from < end || from == to || r.spares(text[from:to]) || names.named(text[from:to]) {
			continue
		}
		out.WriteString(text[end:from])
		out.WriteString(Mask)
		end = to
	}
	return out.String() + text[end:]
}

// secret is the part of a match that is the secret, as gitleaks takes it.
func (r *rule) secret(m []int) (from, to int) {
	if g := 2 * r.group; g > 0 && g+1 < len(m) && m[g] >= 0 {
		return m[g], m[g+1]
	}
	for g := 2; g+1 < len(m); g += 2 {
		if m[g] >= 0 && m[g+1] > m[g] {
			return m[g], m[g+1]
		}
	}
	return m[0], m[1]
}

// groupVersion is an apiVersion with a group, which gitleaks takes for a key of some API.
var groupVersion = regexp.MustCompile(`^[a-z-]{1,40}(\.[a-z0-9-]{1,20}){0,4}/v[0-9]{1,2}((alpha|beta)[0-9]{1,2})?$`)

// folders is a path of words in lower case, which gitleaks takes for a key that belongs to the word before it: three at
// least, as base64 has a stroke in it, too.
var folders = regexp.MustCompile(`^[a-z]{2,}[0-9]?([-.][a-z]{2,}[0-9]?)*(/[a-z]{2,}[0-9]?([-.][a-z]{2,}[0-9]?)*){2,}$`)

func (r *rule) spares(secret string) bool {
	if groupVersion.MatchString(secret) || folders.MatchString(secret) {
		return true
	}
	if entropy(secret) <= r.entropy && r.entropy > 0 || strings.Contains(secret, "<redacted") {
		return true
	}
	for _, a := range r.spared {
		if a.MatchString(secret) {
			return true
		}
	}
	lower := strings.ToLower(secret)
	for _, s := range r.stops {
		if strings.Contains(lower, s) {
			return true
		}
	}
	return false
}

// entropy is Shannon's, in bits a character.
func entropy(s string) float64 {
	var count [256]int
	for i := range len(s) {
		count[s[i]]++
	}
	var h float64
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			h -= p * math.Log2(p)
		}
	}
	return h
}
