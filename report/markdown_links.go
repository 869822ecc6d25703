package report

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/kubesettle/kubesettle/verify/finding"
)

func elsewhere(run string) string {
	if u := address(run); u != "" && len(u) <= 1000 {
		return "The whole report is with [this workflow run](" + u + ")."
	}
	return "The JSON and HTML reports have all of it."
}

// address is an http(s) URL that can stand in a Markdown link, or "".
func address(s string) string {
	u, err := url.Parse(Clean(s))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return ""
	}
	return linkEscaper.Replace(u.String())
}

var linkEscaper = strings.NewReplacer("(", "%28", ")", "%29", "<", "%3C", ">", "%3E", " ", "%20", "\\", "%5C")

// rule is a rule's name, as a link to its page where it has one.
func (m *markdown) rule(id string) string {
	code := mdCode(Plain(id, 100))
	if plainID.MatchString(id) && titleOf(Rules(), id) != "" {
		return "[" + code + "](" + rulePage(id) + ")"
	}
	return code
}

var plainID = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)

// rulePage is where a rule of this build is explained.
func rulePage(id string) string { return DocsURI + "rules.md#" + id }

// repositoryAddress is an address that paths can follow, or "".
func repositoryAddress(s string) string { return strings.TrimRight(address(s), "/") }

// link is a place in a file, as a link where the repository's address is known.
func (m *markdown) link(l *finding.Location) string {
	text := mdCode(clip(where(l), 300))
	if u := m.blob(l); u != "" {
		return "[" + text + "](" + u + ")"
	}
	return text
}

// blob is the address of a place in the repository, or "" where it is not known.
func (m *markdown) blob(l *finding.Location) string {
	side := m.r.Head
	if l.Side == "base" {
		side = m.r.Base
	}
	path := uri(l.File)
	if m.repository == "" || path == "" || side.Commit == "" || len(path) > 1000 {
		return ""
	}
	u := m.repository + "/blob/" + url.PathEscape(side.Commit) + "/" + path
	if l.StartLine > 0 {
		u += fmt.Sprintf("#L%d", l.StartLine)
	}
	return linkEscaper.Replace(u)
}
