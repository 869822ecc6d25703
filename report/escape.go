package report

import (
	"html"
	"regexp"
	"strings"
)

// zwsp is a zero-width space as an entity: it keeps GitHub from turning text into a
// mention, a cross-reference, a link or an emoji, and cannot be seen.
const zwsp = "&#8203;"

// mdText is s as one line of Markdown text that renders as s: no markup, no HTML, no
// link, no mention, no reference.
func mdText(s string) string {
	s = line(s)
	if harmless(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + len(s)/8)
	for i, r := range s {
		switch r {
		case '<':
			b.WriteString("&lt;")
		case '&':
			b.WriteString("&amp;")
		case '$':
			b.WriteString("<span>$</span>") // GitHub's way to keep it from being mathematics
		case '\\', '`', '*', '_', '[', ']', '|', '~':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '#', '@':
			b.WriteByte('\\')
			b.WriteRune(r)
			b.WriteString(zwsp)
		case '-', '+', '=', '>', '/': // '/' begins a quick action of GitLab
			if i == 0 {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return breakReferences(b.String())
}

// harmless reports whether s has letters and spaces only.
func harmless(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != ' ' {
			return false
		}
	}
	return true
}

var (
	// x: starts a link or, as :x:, an emoji; www. a link, GH-1 a reference.
	colon   = regexp.MustCompile(`:([A-Za-z0-9_+/.-]|\\_)`)
	www     = regexp.MustCompile(`(?i)www\.`)
	ghIssue = regexp.MustCompile(`(?i)\bgh-(\d)`)
	// !1, %1, ~name and &1 are GitLab's merge request, milestone, label and epic.
	gitLab = regexp.MustCompile(`(!|%|~|&amp;)([A-Za-z0-9"])`)
	listed = regexp.MustCompile(`^(\d+)([.)])`)
)

// breakReferences puts zero-width spaces where GitHub or GFM would see a link.
func breakReferences(s string) string {
	if listed.MatchString(s) {
		s = listed.ReplaceAllString(s, `$1\$2`)
	}
	s = gitLab.ReplaceAllString(s, "${1}"+zwsp+"$2")
	if !strings.ContainsAny(s, ":-.") {
		return s
	}
	s = www.ReplaceAllStringFunc(s, func(m string) string { return m[:3] + zwsp + "." })
	s = ghIssue.ReplaceAllStringFunc(s, func(m string) string { return m[:3] + zwsp + m[3:] })
	return colon.ReplaceAllString(s, ":"+zwsp+"$1")
}

// mdCode is s as a code span on one line; GitHub looks for no reference in it.
func mdCode(s string) string {
	s = line(s)
	if s == "" {
		return "–"
	}
	fence := strings.Repeat("`", longestRun(s, '`')+1)
	if s[0] == '`' || s[len(s)-1] == '`' {
		s = " " + s + " "
	}
	return fence + s + fence
}

// mdFence is s as a fenced block; the fence is longer than any run of it in s.
func mdFence(language, s string) string {
	s = strings.TrimRight(Clean(s), "\n")
	fence := strings.Repeat("`", max(3, longestRun(s, '`')+1))
	return fence + language + "\n" + s + "\n" + fence + "\n"
}

// longestRun is the length of the longest run of c in s.
func longestRun(s string, c byte) int {
	best, n := 0, 0
	for i := range len(s) {
		if s[i] != c {
			n = 0
			continue
		}
		n++
		best = max(best, n)
	}
	return best
}

// htmlText is s as one line of HTML text within Markdown, for a <summary>.
func htmlText(s string) string {
	s = html.EscapeString(line(s))
	s = strings.NewReplacer("@", "@"+zwsp, "$", "<span>$</span>").Replace(s)
	return breakReferences(s)
}

// htmlCode is s in a code element within Markdown, for a <summary>.
func htmlCode(s string) string { return "<code>" + html.EscapeString(line(s)) + "</code>" }
