package report

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// Sizes of the text for a terminal.
const (
	textColumns = 100
	textQuoted  = 4 // lines of a diff
	textTold    = 3 // lines of an interleaving
	textBlocks  = 8 // findings in full; the others are a line each
	textWell    = 5 // rows where all is well
	textScreen  = 24
)

// Text writes the report for a terminal: five lines where nothing is wrong, a screen for
// a finding, worst first. With Verbose it is all that the result says.
// Errors: the writer's.
func Text(w io.Writer, r *finding.Result, opt Options) error {
	r = drawn(r)
	t := &textWriter{opt: opt, rules: rulesOr(opt.Rules)}
	if opt.Verbose {
		t.whole(r)
	} else {
		t.brief(r)
	}
	_, err := io.WriteString(w, t.words(t.buf.String()))
	return err
}

type textWriter struct {
	buf   bytes.Buffer
	opt   Options
	rules []Rule
	said  map[string]bool // sentences of a finding that are not said again
}

func (t *textWriter) brief(r *finding.Result) {
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
	well := len(blocks) == 0 && len(failedReleases(r)) == 0 && len(brokenBeforeIn(r).names) == 0
	if !well || r.Verdict == finding.Errored {
		t.printf("\n")
	}
	t.foot(r, before, hidden, well)
	t.more(r, fresh)
}

// foot lists existing findings, and the checked and unchecked parts. If there is nothing else, it has three rows.
func (t *textWriter) foot(r *finding.Result, before []cause, hidden int, well bool) {
	noted := notedText(r.Notices)
	if hidden > 0 {
		noted = strings.TrimPrefix(noted+"; "+hiddenText(hidden, t.opt.Level), "; ")
	}
	fields := [][2]string{{"checked", checkedText(r)}, {"proved", provedText(r)}, {"not", uncheckedText(r)},
		{"noted", noted}}
	fields = slices.DeleteFunc(fields, func(f [2]string) bool { return line(f[1]) == "" })
	left := textWell - 2 - len(fields) // rows, of the lines of the head and of where there is more
	if n := len(before); n > 0 && (left > 0 || !well) {
		s := title(&before[0][0]) + " [" + line(before[0][0].Rule) + "]"
		if n > 1 {
			s += ", and " + count(n-1, "more existing finding")
		}
		fields = append([][2]string{{"existing", s}}, fields...)
		left--
	}
	if !well || t.opt.Columns <= 0 {
		left = len(fields) * textColumns
	}
	for _, l := range forecastLines(r) {
		t.rows(l[0], l[1], 0)
	}
	for _, f := range fields {
		left -= t.rows(f[0], f[1], left)
	}
}

// rows is a named line of at most so many rows of a terminal after the first, and how many it took. In
// a log it is one.
func (t *textWriter) rows(name, value string, more int) int {
	value = clip(line(t.words(value)), 240)
	if t.opt.Columns <= 0 {
		t.printf("  %s%s\n", t.color(dim, fmt.Sprintf("%-9s", name)), value)
		return 0
	}
	wide := t.columns() - 11
	rows := folded(value, wide)
	if last := max(more, 0); len(rows) > last+1 {
		rows = append(rows[:last:last], clip(rows[last]+" "+rows[last+1], wide))
	}
	t.field(name, strings.Join(rows, " "))
	return len(rows) - 1
}

// headLine is the verdict, the counts and both revisions.
func (t *textWriter) headLine(r *finding.Result) {
	code := map[finding.Verdict]string{finding.Pass: green, finding.Fail: red}[r.Verdict]
	if code == "" {
		code = yellow
	}
	verdict := strings.ToUpper(line(string(r.Verdict)))
	t.printf("%s  ", t.color(code, verdict))
	rows, indent := []string{verdictLine(r)}, len(verdict)+2
	if t.opt.Columns > 0 {
		rows = folded(rows[0], t.columns()-indent)
	}
	for i, row := range rows {
		if i > 0 {
			t.printf("\n%s", strings.Repeat(" ", indent))
		}
		t.printf("%s", t.color(bold, row))
	}
	room := t.columns() - indent - 2 - utf8.RuneCountInString(rows[len(rows)-1])
	for _, revs := range []string{revisions(r), line(r.Head.Name)} {
		if revs != "" && (t.opt.Columns <= 0 || utf8.RuneCountInString(revs) <= room) {
			t.printf("  %s", t.color(dim, revs))
			break
		}
	}
	t.printf("\n")
}

func (t *textWriter) more(r *finding.Result, fresh []finding.Finding) {
	s := "--verbose, or --output html=report.html"
	switch {
	case len(r.Releases) == 0 && r.Verdict == finding.Errored && isCheck(r):
		s = "kubesettle check PATH"
	case len(r.Releases) == 0 && r.Verdict == finding.Errored:
		s = "kubesettle verify PATH"
	case len(fresh) > 0:
		s += "; kubesettle explain " + line(fresh[0].Rule)
	}
	t.field("more", s)
}

// field is a named line, wrapped beside its name; nothing where it says nothing.
func (t *textWriter) field(name, value string) {
	t.wrapped("  "+t.color(dim, fmt.Sprintf("%-9s", name)), 11, value)
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
	for i, row := range folded(line(t.words(value)), t.columns()-wide) {
		if i > 0 {
			prefix = strings.Repeat(" ", wide)
		}
		t.printf("%s%s\n", prefix, row)
	}
}

// folded are the words of a text in rows of at most so many columns; a longer word, such as a path, has its own.
func folded(s string, columns int) []string {
	var rows []string
	col := 0
	for i, w := range strings.Fields(s) {
		n := utf8.RuneCountInString(w)
		if i == 0 || col+1+n > columns {
			rows, col = append(rows, w), n
			continue
		}
		rows[len(rows)-1] += " " + w
		col += 1 + n
	}
	return rows
}

// room is how much of a finding is shown.
type room struct{ others, quoted, assumed, clip int }

// block is one root cause on one screen: what happens to whom, which line does it, what it
// takes, how it comes about, and what repairs it.
func (t *textWriter) block(r *finding.Result, c cause) {
	before, said := t.buf.Len(), maps.Clone(t.said)
	for _, room := range []room{{3, textQuoted, shownAssumptions, 170}, {2, 3, 1, 150}, {1, 2, 0, 110}} {
		t.buf.Truncate(before)
		t.said = maps.Clone(said)
		t.cause(r, c, room)
		if bytes.Count(t.buf.Bytes()[before:], []byte("\n")) <= textScreen+1 { // an empty one is above it
			break
		}
	}
}

func (t *textWriter) cause(r *finding.Result, c cause, room room) {
	f := &c[0]
	severity := line(f.Severity)
	t.printf("\n")
	said := clip(unhedged(f), 240) + " [" + line(f.Rule) + "]"
	t.wrapped(t.color(severityColor(f.Severity), severity)+"  ", len(severity)+2, said)
	for _, o := range c.others(room.others, textColumns-11) {
		t.field("also", clip(o, 240))
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
	t.diff(changedLines(f, room.quoted))
	t.field("takes", takes(f))
	for _, c := range f.Holds {
		say := line(c.While)
		if c.Declare != "" {
			say += " (declare it: " + line(c.Declare) + ")"
		}
		t.field("while", say)
	}
	t.told(f, room.clip)
	name := "assumes"
	rest := assumptionsOf(r, f)
	for _, a := range rest[:min(len(rest), room.assumed)] {
		if t.first(a.Text) {
			t.field(name, clip(a.Text, 120)+" ("+a.Page+")")
			name = ""
		}
	}
	say, diff := fixLines(f, max(room.quoted-1, 2))
	if say != "" {
		say += otherFix(f)
	}
	if say != "" && !t.first(say+strings.Join(diff, "\n")) {
		t.field("fix", "the same as above")
	} else if say != "" {
		if w := where(f.Fix.Location); w != "" && len(f.Locations) > 0 && w != where(&f.Locations[0]) {
			say = w + ": " + say
		}
		t.field("fix", say)
		t.diff(diff)
	}
}

// first reports whether a sentence is said for the first time.
func (t *textWriter) first(s string) bool {
	if t.said == nil {
		t.said = map[string]bool{}
	}
	again := t.said[s]
	t.said[s] = true
	return !again
}

// diff writes lines that begin with + or -.
func (t *textWriter) diff(lines []string) {
	for _, l := range narrow(lines, t.columns()-11) {
		t.printf("           %s\n", t.color(map[byte]string{'-': "31", '+': "32"}[l[0]], l))
	}
}

// told writes the steps that decide; their numbers tell how many are left out.
func (t *textWriter) told(f *finding.Finding, limit int) {
	all := tell(f)
	if retold(f, all) {
		return // the title says it
	}
	for i, l := range eachOnce(decisive(f, all, textTold)) {
		name := ""
		if i == 0 {
			name = "how"
		}
		text := toldText(f, &l)
		if step, aside, ok := strings.Cut(text, "; "); ok && !t.first(aside) {
			text = step
		}
		room := limit
		if l.Decides { // the one to be read whole
			room *= 2
		}
		t.field(name, clip(text, room))
	}
	if l := loopText(f); l != "" {
		t.field("", l)
	}
	if l := turnText(f); l != "" {
		t.field("", clip(l, limit+60))
	}
}

// toldText is a line of an interleaving with its number.
func toldText(f *finding.Finding, l *toldLine) string {
	number := fmt.Sprint(l.First + 1)
	if l.Last > l.First {
		number += fmt.Sprintf("-%d", l.Last+1)
	}
	return number + ". " + l.Text
}

// unanalysed lists the releases that the change touches and that have no result, those
// with one reason together.
func (t *textWriter) unanalysed(r *finding.Result) {
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
	if b := brokenBeforeIn(r); len(b.names) > 0 {
		t.printf("\n")
		t.wrapped(t.color(yellow, "release")+"  ", 9, clip(b.who(3), 500))
		t.field("why", clip(b.why, 400))
		t.field("fix", clip(b.remedy, 300))
	}
}
