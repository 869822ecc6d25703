package report

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/kubesettle/kubesettle/verify"
	"github.com/kubesettle/kubesettle/verify/judge"
)

// Sizes of the text for a terminal.
const (
	textColumns = 100
	textQuoted  = 4 // lines of a diff
	textTold    = 3 // lines of an interleaving
	textBlocks  = 8 // findings in full; the others are a line each
)

// Text writes the report for a terminal: five lines where nothing is wrong, a screen for
// a finding, worst first. With Verbose it is all that the result says.
// Errors: the writer's.
func Text(w io.Writer, r *verify.Result, opt Options) error {
	r = sanitized(r)
	t := &textWriter{opt: opt, rules: rulesOr(opt.Rules)}
	if opt.Verbose {
		t.whole(r)
	} else {
		t.brief(r)
	}
	_, err := w.Write(t.buf.Bytes())
	return err
}

type textWriter struct {
	buf   bytes.Buffer
	opt   Options
	rules []Rule
}

func (t *textWriter) brief(r *verify.Result) {
	t.headLine(r)
	shown, hidden := shownAt(r.Findings, t.opt.Level)
	fresh, existing, _ := byStatus(shown)
	blocks, before := causes(fresh, existing)
	for i, c := range blocks {
		if i == textBlocks {
			t.printf("\n")
			t.field("more", count(len(blocks)-i, "finding")+" in --verbose, --output html and json")
			break
		}
		t.block(r, c)
	}
	t.unanalysed(r)
	if len(fresh) > 0 || len(before) > 0 || r.Verdict == verify.Errored {
		t.printf("\n")
	}
	for i, c := range before {
		if i == 3 {
			t.field("", count(len(before)-i, "more existing finding"))
			break
		}
		t.field("existing", title(&c[0])+" ["+line(c[0].Rule)+"]")
	}
	t.oneLine("checked", checkedText(r))
	t.oneLine("not", uncheckedText(r))
	t.oneLine("noted", notedText(r.Notices))
	if hidden > 0 {
		t.field("hidden", hiddenText(hidden, t.opt.Level))
	}
	t.more(fresh)
}

// headLine is the verdict, what is counted and both revisions.
func (t *textWriter) headLine(r *verify.Result) {
	code := map[verify.Verdict]string{verify.Pass: green, verify.Fail: red}[r.Verdict]
	if code == "" {
		code = yellow
	}
	t.printf("%s  %s", t.color(code, strings.ToUpper(line(string(r.Verdict)))), t.color(bold, verdictLine(r)))
	if revs := revisions(r); revs != "" {
		t.printf("  %s", t.color(dim, revs))
	}
	t.printf("\n")
}

func (t *textWriter) more(fresh []judge.Finding) {
	s := "--verbose, or --output html=report.html"
	if len(fresh) > 0 {
		s += "; kubesettle explain " + line(fresh[0].Rule)
	}
	t.field("more", s)
}

// field is a named line, wrapped beside its name; nothing where it says nothing.
func (t *textWriter) field(name, value string) {
	t.wrapped("  "+t.color(dim, fmt.Sprintf("%-9s", name)), 11, value)
}

// oneLine is a named line that the terminal may break, not we.
func (t *textWriter) oneLine(name, value string) {
	if value = clipWords(line(value), 240); value != "" {
		t.printf("  %s%s\n", t.color(dim, fmt.Sprintf("%-9s", name)), value)
	}
}

// dangling are words at an end that lead to what is cut off.
var dangling = regexp.MustCompile(`( (a|an|and|as|at|by|for|from|in|more|of|on|or|than|the|to|with))+$`)

// clipWords is [clip] between words, after one that can end a line.
func clipWords(s string, max int) string {
	c := clip(s, max)
	if c == s {
		return s
	}
	if i := strings.LastIndexByte(c, ' '); i > max/2 {
		c = strings.TrimRight(dangling.ReplaceAllString(c[:i], ""), " ,;:(") + " " + ellipsis
	}
	return c
}

// columns is how wide the text is, in runes.
func (t *textWriter) columns() int {
	if t.opt.Columns <= 0 {
		return textColumns
	}
	return min(max(t.opt.Columns, 40), textColumns)
}

// wrapped writes text after a prefix of some columns, further lines under its beginning.
func (t *textWriter) wrapped(prefix string, wide int, value string) {
	value = line(value)
	if value == "" {
		return
	}
	col := wide
	t.printf("%s", prefix)
	for i, w := range strings.Fields(value) {
		n := utf8.RuneCountInString(w)
		switch {
		case i == 0:
		case col+1+n > t.columns():
			t.printf("\n%s", strings.Repeat(" ", wide))
			col = wide
		default:
			t.printf(" ")
			col++
		}
		t.printf("%s", w)
		col += n
	}
	t.printf("\n")
}

// block is one root cause on one screen: what happens to whom, which line does it, what it
// takes, how it comes about, and what mends it.
func (t *textWriter) block(r *verify.Result, c cause) {
	f := &c[0]
	severity := line(f.Severity)
	t.printf("\n")
	t.wrapped(t.color(severityColor(f.Severity), severity)+"  ", len(severity)+2, clipWords(unhedged(f), 175)+" ["+line(f.Rule)+"]")
	for _, o := range c.others(3, textColumns-11) {
		t.field("also", clipWords(o, 240))
	}
	if len(f.Locations) > 0 {
		at := where(&f.Locations[0])
		if l := declaredAt(f); l != nil && where(l) != at {
			at += "; declared at " + where(l)
		}
		if f.Release != "" && f.Release != "." {
			at += " (release " + line(f.Release) + ")"
		}
		t.field("at", clip(strings.TrimSpace(at+" "+affected(f)), 250))
	}
	t.diff(changedLines(f, textQuoted))
	t.field("takes", takes(f))
	for _, c := range f.Holds {
		t.field("while", line(c.While)+" (declare it: "+line(c.Declare)+")")
	}
	t.told(f)
	rest := assumptionsOf(r, f)
	for i, a := range rest[:min(len(rest), shownAssumptions)] {
		name := ""
		if i == 0 {
			name = "assumes"
		}
		t.field(name, clipWords(a.Text, 120)+" ("+a.Page+")")
	}
	say, diff := fixLines(f, textQuoted-1)
	if say != "" {
		if w := where(f.Fix.Location); w != "" && len(f.Locations) > 0 && w != where(&f.Locations[0]) {
			say = w + ": " + say
		}
		t.field("fix", say)
		t.diff(diff)
	}
}

// diff writes lines that begin with + or -.
func (t *textWriter) diff(lines []string) {
	for _, l := range lines {
		if n := t.columns() - 11; utf8.RuneCountInString(l) > n {
			l = string([]rune(l)[:n-1]) + "…"
		}
		t.printf("           %s\n", t.color(map[byte]string{'-': "31", '+': "32"}[l[0]], l))
	}
}

// told writes the steps that decide; their numbers tell how many are left out.
func (t *textWriter) told(f *judge.Finding) {
	all := tell(f)
	if retold(f, all) {
		return // the title says it
	}
	for i, l := range decisive(f, all, textTold) {
		name := ""
		if i == 0 {
			name = "how"
		}
		t.field(name, clipWords(toldText(f, &l), 170))
	}
	if l := loopText(f); l != "" {
		t.field("", l)
	}
}

// toldText is a line of an interleaving with its number.
func toldText(f *judge.Finding, l *toldLine) string {
	number := fmt.Sprint(l.First + 1)
	if l.Last > l.First {
		number += fmt.Sprintf("-%d", l.Last+1)
	}
	return number + ". " + l.Text
}

// unanalysed lists the releases that the change touches and that have no result, those
// with one reason together.
func (t *textWriter) unanalysed(r *verify.Result) {
	groups := reasons(failedReleases(r))
	for i, g := range groups {
		if i == 3 {
			t.field("", count(len(groups)-i, "more reason")+" for which releases have no result")
			break
		}
		rel := &g.first
		head := line(rel.ID) + ": " + releaseStatus(rel)
		if g.more > 0 {
			head += fmt.Sprintf(", and %s for the same reason", count(g.more, "more release"))
		}
		t.printf("\n")
		t.wrapped(t.color(yellow, "release")+"  ", 9, clip(head, 300))
		t.field("at", where(rel.Where))
		t.field("why", clip(releaseReason(rel), 400))
		t.field("fix", clip(sentence(rel.Remedy), 300))
	}
	if s := brokenBefore(r); s != "" {
		t.printf("\n")
		t.wrapped(t.color(yellow, "release")+"  ", 9, clip(s, 500))
	}
}
