package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// Budgets of the Markdown surfaces, in bytes.
const (
	CommentBytes = 60_000    // GitHub refuses more than 65,536 characters
	SummaryBytes = 1_000_000 // GitHub drops a step's summary of more than 1 MiB
	DiffBytes    = 1_000_000
)

// Comment is the body of the comment on a pull request, with its marker at byte 0. It
// is the same at each run with the same result and options.
func Comment(r *finding.Result, opt Options) string {
	m := newMarkdown(r, opt)
	m.stepsShown = 12
	return m.document(opt.Marker.String() + "\n").render(cmp.Or(opt.Bytes, CommentBytes))
}

// Resolved is the body that replaces a comment once its findings are gone.
func Resolved(r *finding.Result, opt Options) string {
	r = sanitized(r)
	head := mdCode(short(r.Head))
	if isCheck(r) {
		head += ", compared with " + mdCode(short(r.Base))
	}
	return fmt.Sprintf("%s\nKubesettle: resolved in %s. %s\n\n%s", opt.Marker, head,
		mdText(capital(verdictLine(r))+"."), mdText(clip(sentence(checkedText(r)), 600))+"\n")
}

// Summary writes the Markdown of the job summary.
// Errors: the writer's.
func Summary(w io.Writer, r *finding.Result, opt Options) error {
	m := newMarkdown(r, opt)
	m.whole, m.stepsShown = true, 60
	_, err := io.WriteString(w, m.document("").render(cmp.Or(opt.Bytes, SummaryBytes)))
	return err
}

// markdown makes the document of one result.
type markdown struct {
	opt        Options
	r          *finding.Result
	repository string // address, or ""
	whole      bool   // with the change set, all steps, notices, assumptions and releases
	stepsShown int    // of an interleaving
	assumed    map[*finding.Finding][]assumption
}

func newMarkdown(r *finding.Result, opt Options) *markdown {
	return &markdown{opt: opt, r: drawn(r), repository: repositoryAddress(opt.Repository),
		assumed: map[*finding.Finding][]assumption{}}
}

func (m *markdown) document(prefix string) *document {
	r := m.r
	shown, hidden := shownAt(r.Findings, m.opt.Level)
	fresh, existing, fixed := byStatus(shown)
	news, _ := causes(fresh, existing)
	d := &document{head: prefix + m.head(hidden), foot: m.foot(), elsewhere: elsewhere(m.opt.Run)}
	d.groups = []group{
		{noun: "unanalysed release", stands: 1, open: "### Not analysed\n\n", close: "\n", max: 20, pieces: m.failures()},
		{noun: "undecided workload", stands: 1, open: "### Not decided\n\n", close: "\n", max: 20, pieces: m.undecided()},
		{noun: "new finding", first: 3, pieces: m.fresh(news)},
		{noun: "waived finding", stands: 2, open: fold("Waived", len(r.Waived)), close: foldEnd, pieces: m.waived()},
		{noun: "existing finding", stands: 2, open: fold("Existing findings, on base too", len(existing)), close: foldEnd,
			pieces: m.older(existing)},
		{noun: "fixed finding", stands: 2, open: fold("Fixed findings", len(fixed)), close: foldEnd, pieces: m.older(fixed)},
	}
	if m.whole {
		changed, notices, resting := changedObjects(r, m.opt.Changes), together(r.Notices), together(resting(r))
		d.groups = append(d.groups,
			group{noun: "change", stands: 2, open: fold("What changed, rendered", len(changed)), close: foldEnd,
				pieces: changePieces(changed)},
			group{noun: "notice", stands: 2, open: fold("Notices", len(notices)), close: foldEnd, max: 100,
				pieces: lines(alikeTexts(notices))},
			group{noun: "untouched release", stands: 2,
				open: fold("Without a result, and not touched by the change", len(m.besides())), close: foldEnd, max: 100,
				pieces: lines(m.besides())},
			group{noun: "assumption", stands: 2, open: fold("Assumptions of this result", len(resting)), close: foldEnd,
				max: 100, pieces: lines(alikeTexts(resting))})
	}
	return d
}

const foldEnd = "\n</details>\n\n"

// fold opens a details element; its body is Markdown after the blank line.
func fold(title string, n int) string {
	return fmt.Sprintf("<details>\n<summary>%s (%s)</summary>\n\n", htmlText(title), thousands(n))
}

// head is the verdict and what is counted, then what was checked and what was not, a line
// each.
func (m *markdown) head(hidden int) string {
	r := m.r
	s := fmt.Sprintf("## Kubesettle: %s\n\n**%s**\n\n", mdText(clip(string(r.Verdict), 40)),
		mdText(clip(sentence(verdictLine(r)), 300)))
	add := func(name, text string) {
		if text != "" {
			s += "- " + name + ": " + mdText(clip(text, 500)) + "\n"
		}
	}
	if !m.whole {
		add("Changed", changedText(changedObjects(r, m.opt.Changes)))
	}
	add("Checked", m.checked())
	add("Not checked", uncheckedText(r))
	for _, l := range forecastLines(r) {
		add(capital(l[0]), l[1])
	}
	add("Noted", notedText(r.Notices))
	if hidden > 0 {
		s += "- " + mdText(hiddenText(hidden, m.opt.Level)) + "\n"
	}
	return s + "\n"
}

// checked says which parts were checked, and claims no more.
func (m *markdown) checked() string {
	s := checkedText(m.r)
	if s != "" && m.r.Coverage.States > 0 {
		s += ". No claim beyond this bound"
	}
	return s
}

// foot has both revisions.
func (m *markdown) foot() string {
	r := m.r
	side := func(name string, side finding.Side) string {
		if side.Name == "" && side.Commit == "" {
			return ""
		}
		out := " " + name + " " + mdCode(clip(line(side.Name), 100))
		if side.Commit != "" && side.Commit != side.Name {
			out += " at " + mdCode(clip(side.Commit, 64))
		}
		return out + "."
	}
	sides := strings.TrimPrefix(side("Base", r.Base)+side("Head", r.Head), " ")
	return "---\n" + strings.TrimSpace(sides+" By "+mdCode(Plain(r.Tool, 100))) + ".\n"
}

// commentBlocks are the causes that a comment tells in full; each further one is a line, with the
// rest in the summary and the reports.
const commentBlocks = 8

// commentHits are the findings of one cause that a comment lists.
const commentHits = 6

// fresh are the new findings, one block a cause: what and where, then how and the fix, then
// the picture and all steps.
func (m *markdown) fresh(cs []cause) []piece {
	var out []piece
	for i := range cs {
		c := cs[i]
		f := &c[0]
		if i >= commentBlocks && !m.whole {
			out = append(out, piece{func() string { return m.item(f) + "\n" }})
			continue
		}
		out = append(out, piece{
			func() string { return m.title(f) + m.place(c, 2) + m.remedy(f, false) },
			func() string {
				return m.title(f) + m.place(c, 4) + m.quoted(changedLines(f, mdQuoted)) + m.told(f) +
					m.remedy(f, true)
			},
			func() string { return m.full(c) },
		})
	}
	return out
}

// commentLines bounds a finding in a comment, so that a comment about one has sixty.
const commentLines = 46

// full is all that a surface says of a cause: in a comment as many of the folded lines as there is room for.
func (m *markdown) full(c cause) string {
	type room struct{ others, steps, hits int }
	f, s := &c[0], ""
	diagram := diagram(f)
	for _, room := range []room{{4, m.stepsShown, commentHits}, {4, 6, commentHits}, {4, 4, 2}, {3, 3, 0}, {2, 2, 0}} {
		s = m.title(f) + m.place(c, room.others) + m.quoted(changedLines(f, mdQuoted)) + m.told(f) + m.drawn(f) +
			m.remedy(f, true) + m.everything(f, room.steps, diagram) + m.hits(c, room.hits)
		if m.whole || strings.Count(s, "\n")-strings.Count(diagram, "\n") <= commentLines {
			break // a diagram is not read as lines
		}
	}
	return s
}

const mdQuoted = 4 // lines of a diff

func (m *markdown) title(f *finding.Finding) string {
	return fmt.Sprintf("### %s: %s\n\n", mdText(capital(Plain(f.Severity+" ", 20))), mdText(clip(title(f), 300)))
}

// place is the rule, the line and the release, and what else comes of the cause.
func (m *markdown) place(c cause, others int) string {
	f := &c[0]
	s := "Rule " + m.rule(f.Rule)
	if len(f.Locations) > 0 && f.Locations[0].File != "" {
		s += " at " + m.link(&f.Locations[0])
	}
	if f.Release != "" && f.Release != "." {
		s += ", release " + mdCode(Plain(f.Release, 200))
	}
	if l := declaredAt(f); l != nil {
		s += ", declared at " + m.link(l)
	}
	if also := affected(f); also != "" {
		s += ", " + mdText(clip(also, 300))
	}
	s += "\n"
	for _, o := range c.others(others, 120) {
		s += "- Also: " + mdText(clip(o, 300)) + "\n"
	}
	return s + "\n"
}

// hits lists what a cause is found in, where the lines above do not: in a comment at most so many.
func (m *markdown) hits(c cause, limit int) string {
	if len(c) <= mostSame || limit == 0 && !m.whole {
		return ""
	}
	s := fold("All of this cause", len(c))
	for i := range c {
		if i == limit && !m.whole {
			s += "- " + count(len(c)-i, "more finding") + " in the job summary and the reports\n"
			break
		}
		s += m.item(&c[i]) + "\n"
	}
	return s + foldEnd
}

func (m *markdown) quoted(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return mdFence("diff", strings.Join(lines, "\n")) + "\n"
}

// told are the conditions of a finding, and the deciding steps.
func (m *markdown) told(f *finding.Finding) string {
	s := "**Takes:** " + mdText(clip(takes(f), 400)) + "\n\n"
	rest, known := m.assumed[f] // a finding is written in several lengths, and a large run assumes thousands of things
	if !known {
		rest = assumptionsOf(m.r, f)
		m.assumed[f] = rest
	}
	for _, a := range rest[:min(len(rest), shownAssumptions)] {
		s += "- Assumes: " + mdText(clip(a.Text, 200)) + " ([" + mdText(a.Page) + "](" + a.URI() + "))\n"
	}
	if len(rest) > 0 {
		s += "\n"
	}
	all := tell(f)
	if retold(f, all) {
		return s
	}
	for _, l := range decisive(f, all, 3) {
		s += m.toldLine(f, &l) + "\n"
	}
	if l := loopText(f); l != "" {
		s += "- **" + mdText(sentence(l)) + "**\n"
	}
	if l := turnText(f); l != "" {
		s += "- **" + mdText(sentence(l)) + "**\n"
	}
	return s + "\n"
}

// diagram is an interleaving's sequence, folded with the steps: mail and other readers of text do not draw it.
func diagram(f *finding.Finding) string {
	if d := sequence(f); d != "" {
		return mdFence("mermaid", d) + "\n"
	}
	return ""
}

func (m *markdown) drawn(f *finding.Finding) string {
	if p := picture(f); p != "" {
		return mdFence("text", p) + "\n"
	}
	return ""
}

// everything is the whole interleaving and the changed fields, folded.
func (m *markdown) everything(f *finding.Finding, limit int, diagram string) string {
	steps := m.toldSteps(f, limit)
	if m.whole {
		steps = m.steps(f, m.stepsShown) + m.causes(f, 20)
	}
	if steps == "" || len(f.Interleaving) <= 1 {
		return ""
	}
	return "<details>\n<summary>" + htmlText(count(len(f.Interleaving), "step")+", and the lines that allow them") +
		"</summary>\n\n" + diagram + steps + "</details>\n\n"
}

// causes are the changed fields that the violation rests on.
func (m *markdown) causes(f *finding.Finding, limit int) string {
	var b strings.Builder
	for i := range f.Blame[:min(len(f.Blame), limit)] {
		c := &f.Blame[i]
		b.WriteString("- Changed: ")
		if c.Location != nil && c.Location.File != "" {
			b.WriteString(m.link(c.Location) + " ")
		}
		path, what := blamed(c)
		if path == "" {
			fmt.Fprintf(&b, "%s was %s\n", mdCode(Plain(c.Object, 200)), what)
			continue
		}
		fmt.Fprintf(&b, "%s of %s: %s\n", mdCode(clip(path, 200)), mdCode(Plain(c.Object, 200)), mdCode(clip(what, 400)))
	}
	if n := len(f.Blame) - limit; n > 0 {
		fmt.Fprintf(&b, "- and %s\n", count(n, "more changed field"))
	}
	if b.Len() == 0 {
		return ""
	}
	return b.String() + "\n"
}

func (m *markdown) remedy(f *finding.Finding, whole bool) string {
	say, diff := fixLines(f, mdQuoted)
	if say == "" {
		return ""
	}
	s := "**Fix:** " + mdText(clip(say, 600))
	if f.Fix.Location != nil && f.Fix.Location.File != "" {
		s += " at " + m.link(f.Fix.Location)
	}
	s += mdText(clip(otherFix(f), 400)) + "\n\n"
	if whole {
		s += m.quoted(diff)
	}
	return s
}
