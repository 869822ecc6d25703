package report

import (
	"encoding/hex"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// LogText is s for the log of a CI job, with every line harmless that GitHub's runner or
// Azure Pipelines' agent would take for a command: one that begins with "::" after white space
// or a colour, or has "##[" or "##vso[" anywhere. A carriage return ends a line, as they read it.
func LogText(s string) string {
	if !strings.Contains(s, "::") && !strings.Contains(s, "##") && !strings.Contains(s, "\r") {
		return s
	}
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	ls := strings.Split(s, "\n")
	for i, l := range ls {
		l = azureCommand.ReplaceAllString(l, "## $1[")
		if strings.HasPrefix(strings.TrimSpace(visible(stripANSI(l))), "::") {
			l = ". " + l
		}
		ls[i] = l
	}
	return strings.Join(ls, "\n")
}

// azureCommand begins a logging command (##vso[task.setvariable …]) or a format (##[error]).
var azureCommand = regexp.MustCompile(`(?i)##(vso)?\[`)

// stripANSI takes the sequences out that [Text] colours with.
func stripANSI(s string) string {
	for {
		i := strings.Index(s, "\x1b[")
		if i < 0 {
			return s
		}
		j := strings.IndexByte(s[i:], 'm')
		if j < 0 {
			return s
		}
		s = s[:i] + s[i+j+1:]
	}
}

// OutputEntry is an entry for the files that GITHUB_OUTPUT and GITHUB_ENV name. random
// gives the delimiter, which the value cannot forge: pass crypto/rand's Reader.
// Errors: random's; a name that is none.
func OutputEntry(name, value string, random io.Reader) (string, error) {
	if name == "" || strings.ContainsAny(name, "=<>\r\n\x00 ") {
		return "", fmt.Errorf("output %q: not a name", name)
	}
	seed := make([]byte, 16)
	if _, err := io.ReadFull(random, seed); err != nil {
		return "", fmt.Errorf("output %s: %w", name, err)
	}
	end := "kubesettle_" + hex.EncodeToString(seed)
	if strings.Contains(value, end) {
		return "", fmt.Errorf("output %s: its value holds the delimiter", name)
	}
	return name + "<<" + end + "\n" + value + "\n" + end + "\n", nil
}
