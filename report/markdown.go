package report

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/kubesettle/kubesettle/verify"
)

// Budgets of the Markdown surfaces, in bytes.
const (
	CommentBytes = 60_000    // GitHub refuses more than 65,536 characters
	SummaryBytes = 1_000_000 // GitHub drops a step's summary of more than 1 MiB
	DiffBytes    = 1_000_000
)

// Comment is the body of the comment on a pull request, with its marker at byte 0. It
// is the same at each run with the same result and options.
func Comment(r *verify.Result, opt Options) string {
	m := newMarkdown(r, opt)
	m.diagrams, m.folded = 5, true
	return m.document(opt.Marker.String() + "\n").render(cmp.Or(opt.Bytes, CommentBytes))
}

// Resolved is the body that replaces a comment once its findings are gone.
func Resolved(r *verify.Result, opt Options) string {
	r = sanitized(r)
	head := mdCode(short(r.Head))
	if isCheck(r) {
		head += ", compared with " + mdCode(short(r.Base))
	}
	return fmt.Sprintf("%s\nKubesettle: resolved in %s. %s\n\n%s", opt.Marker, head,
		mdText(verdictSentence(r)), mdText(clip(coverageSentence(&r.Coverage), 600))+"\n")
}

// Summary writes the Markdown of the job summary.
// Errors: the writer's.
func Summary(w io.Writer, r *verify.Result, opt Options) error {
	m := newMarkdown(r, opt)
	m.diagrams = 20
	_, err := io.WriteString(w, m.document("").render(cmp.Or(opt.Bytes, SummaryBytes)))
	return err
}

// markdown makes the document of one result.
type markdown struct {
	opt        Options
	r          *verify.Result
	repository string // address, or ""
	diagrams   int    // findings that may have a diagram
	folded     bool   // existing findings in one line each
}

func newMarkdown(r *verify.Result, opt Options) *markdown {
	return &markdown{opt: opt, r: sanitized(r), repository: repositoryAddress(opt.Repository)}
}

func (m *markdown) document(prefix string) *document {
	r := m.r
	shown, hidden := shownAt(r.Findings, m.opt.Level)
	fresh, existing, fixed := byStatus(shown)
	d := &document{head: prefix + m.head(hidden), foot: m.foot(), elsewhere: elsewhere(m.opt.Run)}
	d.groups = []group{
		{noun: "unanalysed release", stands: 1, open: "### Not analysed\n\n", close: "\n", max: 20, pieces: m.failures()},
		{noun: "undecided workload", stands: 1, open: "### Not decided\n\n", close: "\n", max: 20, pieces: m.undecided()},
		{noun: "notice", stands: 1, open: "### Notices\n\n", close: "\n", max: 20, pieces: lines(r.Notices)},
		{noun: "new finding", first: 3, pieces: m.fresh(fresh)},
		{noun: "waived finding", stands: 2, open: fold("Waived", len(r.Waived)), close: foldEnd, pieces: m.waived()},
		{noun: "existing finding", stands: 2, open: fold("Existing findings, on base too", len(existing)), close: foldEnd, pieces: m.older(existing)},
		{noun: "fixed finding", stands: 2, open: fold("Fixed findings", len(fixed)), close: foldEnd, pieces: m.older(fixed)},
	}
	changed := changedObjects(r, m.opt.Changes)
	d.groups = append(d.groups, group{noun: "change", stands: 2, open: fold("What changed, rendered", len(changed)), close: foldEnd, pieces: changePieces(changed)},
		group{noun: "assumption", stands: 2, open: fold("Assumptions", len(r.Assumptions)), close: foldEnd, max: 200, pieces: lines(r.Assumptions)})
	return d
}

const foldEnd = "\n</details>\n\n"

// fold opens a details element; its body is Markdown after the blank line.
func fold(title string, n int) string {
	return fmt.Sprintf("<details>\n<summary>%s (%s)</summary>\n\n", htmlText(title), thousands(n))
}

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

// head is the verdict, and what is counted.
func (m *markdown) head(hidden int) string {
	r := m.r
	s := fmt.Sprintf("## Kubesettle: %s\n\n%s\n%s.\n", mdText(clip(string(r.Verdict), 40)),
		mdText(verdictSentence(r)), mdText(capital(tallyOf(r).String())))
	if hidden > 0 {
		s += mdText(hiddenText(hidden, m.opt.Level)) + "\n"
	}
	return s + "\n"
}

// foot has the bound, and both revisions.
func (m *markdown) foot() string {
	r := m.r
	s := "---\n\n" + mdText(clip(strings.TrimSpace(coverageSentence(&r.Coverage)+" "+untouched(r)), 600)) + "\n"
	side := func(name string, side verify.Side) string {
		if side.Name == "" && side.Commit == "" {
			return ""
		}
		out := " " + name + " " + mdCode(Plain(side.Name, 100))
		if side.Commit != "" && side.Commit != side.Name {
			out += " at " + mdCode(clip(side.Commit, 64))
		}
		return out + "."
	}
	sides := strings.TrimPrefix(side("Base", r.Base)+side("Head", r.Head), " ")
	return s + "\n" + strings.TrimSpace(sides+" By "+mdCode(Plain(r.Tool, 100))) + ".\n"
}

// fresh are the new findings: in one line, with the steps, with a diagram.
func (m *markdown) fresh(fs []verify.Finding) []piece {
	var out []piece
	for i := range fs {
		f := &fs[i]
		out = append(out, piece{
			func() string { return m.title(f) + m.facts(f, 10) + m.remedy(f, false) },
			func() string {
				return m.title(f) + m.facts(f, 10) + m.steps(f, 12) + m.causes(f, 5) + m.remedy(f, false)
			},
			func() string {
				s := m.title(f) + m.facts(f, 50)
				if i < m.diagrams {
					s += m.diagram(f)
				}
				return s + m.steps(f, 60) + m.causes(f, 20) + m.remedy(f, true)
			},
		})
	}
	return out
}

func (m *markdown) title(f *verify.Finding) string {
	return fmt.Sprintf("### %s %s: %s\n\n", mdText(capital(clip(line(f.Severity)+" ", 20))), mdCode(Plain(f.Rule, 100)), mdText(clip(headline(f), 600)))
}

// facts are the workload, the certainty and the scale.
func (m *markdown) facts(f *verify.Finding, also int) string {
	s := "- In " + mdCode(Plain(f.Workload, 300))
	if f.Release != "" {
		s += ", release " + mdCode(Plain(f.Release, 200))
	}
	if len(f.Locations) > 0 && f.Locations[0].File != "" {
		s += ", at " + m.link(&f.Locations[0])
	}
	s += ".\n"
	if n := len(f.AlsoIn); n > 0 {
		var names []string
		for _, a := range f.AlsoIn[:min(n, also)] {
			names = append(names, mdCode(Plain(a, 100)))
		}
		s += "- The same in " + strings.Join(names, ", ")
		if n > also {
			s += fmt.Sprintf(" and %s more", thousands(n-also))
		}
		s += ".\n"
	}
	return s + fmt.Sprintf("- %s\n- What it takes: %s; events: %s.\n- Size: %s.\n\n",
		mdText(clip(sentence(certainty(f)), 300)), mdText(clip(scenario(f), 200)), mdText(clip(events(f), 300)), mdText(clip(scale(f), 400)))
}

func (m *markdown) diagram(f *verify.Finding) string {
	d := mermaid(f)
	if d == "" {
		return ""
	}
	return mdFence("mermaid", d) + "\n"
}

// steps is the interleaving as a numbered list; a gap is said between two lists.
func (m *markdown) steps(f *verify.Finding, limit int) string {
	if len(f.Interleaving) == 0 {
		return ""
	}
	var b strings.Builder
	for _, s := range elide(f, limit) {
		if s.Gap > 0 {
			fmt.Fprintf(&b, "\n*%s left out*\n\n", count(s.Gap, "step"))
		}
		fmt.Fprintf(&b, "%d. ", s.Index+1)
		if s.Loops {
			b.WriteString("(the loop begins here) ")
		}
		fmt.Fprintf(&b, "%s: %s", mdCode(clip(actor(s.Step), 100)), mdText(clip(stepText(s.Step), 300)))
		b.WriteString(m.because(s.Step) + "\n")
	}
	if l := loopText(f); l != "" {
		fmt.Fprintf(&b, "\n**%s**\n", mdText(sentence(l)))
	}
	return b.String() + "\n"
}

func (m *markdown) because(s *verify.Step) string {
	var out []string
	for _, b := range s.Because[:min(len(s.Because), 3)] {
		if b.File == "" {
			continue
		}
		one := m.link(&verify.Location{File: b.File, StartLine: b.Line, Side: "head"})
		if b.Field != "" {
			one += " " + mdCode(Plain(b.Field, 150))
		}
		out = append(out, one)
	}
	if len(out) == 0 {
		return ""
	}
	return " (" + strings.Join(out, ", ") + ")"
}

// causes are the changed fields that the violation rests on.
func (m *markdown) causes(f *verify.Finding, limit int) string {
	if len(f.Blame) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("**What changed**\n\n")
	for i := range f.Blame[:min(len(f.Blame), limit)] {
		c := &f.Blame[i]
		b.WriteString("- ")
		if c.Location != nil && c.Location.File != "" {
			b.WriteString(m.link(c.Location) + ": ")
		}
		path, what := blamed(c)
		if path == "" {
			fmt.Fprintf(&b, "%s was %s\n", mdCode(Plain(c.Object, 200)), what)
			continue
		}
		fmt.Fprintf(&b, "%s of %s: %s\n", mdCode(clip(path, 200)), mdCode(Plain(c.Object, 200)), mdCode(clip(what, 400)))
	}
	if n := len(f.Blame) - limit; n > 0 {
		fmt.Fprintf(&b, "- and %s more\n", count(n, "field"))
	}
	return b.String() + "\n"
}

func (m *markdown) remedy(f *verify.Finding, whole bool) string {
	if f.Fix == nil || line(f.Fix.Text) == "" {
		return ""
	}
	s := "**What to change**\n\n" + mdText(clip(fixText(f.Fix), 1000))
	if f.Fix.Location != nil && f.Fix.Location.File != "" {
		s += " See " + m.link(f.Fix.Location) + "."
	}
	s += "\n\n"
	if whole && strings.TrimSpace(f.Fix.Replacement) != "" && len(f.Fix.Replacement) <= 4000 {
		if place := replaced(f.Fix); place != "" {
			s += mdText(clip(place, 400)) + ":\n\n"
		}
		s += mdFence("yaml", f.Fix.Replacement) + "\n"
	}
	return s
}

// repositoryAddress is an address that paths can follow, or "".
func repositoryAddress(s string) string { return strings.TrimRight(address(s), "/") }

// link is a place in a file, as a link where the repository's address is known.
func (m *markdown) link(l *verify.Location) string {
	text := mdCode(clip(where(l), 300))
	if u := m.blob(l); u != "" {
		return "[" + text + "](" + u + ")"
	}
	return text
}

// blob is the address of a place in the repository, or "" where it is not known.
func (m *markdown) blob(l *verify.Location) string {
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
