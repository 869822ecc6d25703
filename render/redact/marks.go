package redact

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Most texts of a run have nothing of a credential, and each expression that is looked for in one takes longer than
// to see that the words are not there without which it finds nothing. All are in lower case, as expressions may fold.
var (
	formMarks = []string{"private key-----", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox",
		"akia", "asia", "aiza", "sk-", "npm_", "eyj", "enc[aes256_gcm"}
	userMarks = []string{"://"}
	// spokenMarks are those of each expression of [spoken]; nil: see [marks.hex].
	spokenMarks = [][]string{
		{"bearer", "basic", "digest"},
		{"-u", "--proxy-user"},
		{"mysql", "mariadb", "mongo", "sshpass", "redis-cli", "ldap"},
		{"password"},
		{"password"},
		{":"},
		{"chpasswd"},
		{"$"},
		nil,
		{"hooks.slack.com/services", "webhook"},
	}
	assignmentMarks = []string{"pass", "secret", "token", "credential", "creds", "auth", "key", "webhook"}
)

// marks is a text that marks are looked for in.
type marks struct {
	lower string
	other bool // it has letters beyond ASCII, some of which fold to it
}

func marksOf(text string) marks {
	m := marks{lower: text}
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			m.other = true
			return m
		}
	}
	m.lower = strings.ToLower(text)
	return m
}

// hex reports whether the text has so many digits of a number in a row as a key in hex.
func (m marks) hex() bool {
	run := 0
	for i := range len(m.lower) {
		if c := m.lower[i]; '0' <= c && c <= '9' || 'a' <= c && c <= 'f' {
			if run++; run == 48 {
				return true
			}
			continue
		}
		run = 0
	}
	return m.other
}

// any reports whether an expression with such marks may find something. Masks that were put in the text meanwhile add
// none of them but "redacted", and take none away that an expression would have needed.
func (m marks) any(list []string) bool {
	if list == nil {
		return m.hex()
	}
	return m.other || slices.ContainsFunc(list, func(mark string) bool { return strings.Contains(m.lower, mark) })
}
