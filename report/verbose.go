package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// whole is everything that a result says, for a terminal: the findings worst first
// with their whole interleavings, then what the verdict rests on.
func (t *textWriter) whole(r *finding.Result) {
	t.verdict(r)
	shown, hidden := shownAt(r.Findings, t.opt.Level)
	if hidden > 0 {
		t.printf("%s\n", hiddenText(hidden, t.opt.Level))
	}
	fresh, existing, fixed := byStatus(shown)
	for i := range fresh {
		t.finding(&fresh[i], true)
	}
	for i := range existing {
		t.finding(&existing[i], false)
	}
	for i := range fixed {
		t.finding(&fixed[i], false)
	}
	t.waived(r.Waived)
	t.releases(failedReleases(r), brokenBeforeIn(r).String())
	t.undecided(undecided(r))
	t.list("Notices", namedTexts(together(r.Notices)))
	t.list("Assumptions", counted(r.Assumptions))
	t.coverage(r)
}

// counted are the texts of assumptions. What each loop's model leaves out is the manual's to tell, and a sentence here;
// JSON and the HTML report have it word by word.
func counted(notes []finding.Note) []string {
	var rest []finding.Note
	var loops []string
	for _, n := range notes {
		if n.Kind == finding.MayHide {
			loops = append(loops, n.Arg(0))
		} else {
			rest = append(rest, n)
		}
	}
	texts := namedTexts(together(rest))
	if len(loops) > 0 {
		texts = append(texts, fmt.Sprintf("The %s of %s may hide a run: %sfidelity.md#actor-by-actor says which.",
			english.PluralWord(len(loops), "model", "models"), english.OxfordWordSeries(loops, "and"), DocsURI))
	}
	return texts
}

// Colours, as the parameters of ANSI's select graphic rendition.
const (
	bold   = "1"
	dim    = "2"
	red    = "1;31"
	green  = "1;32"
	yellow = "1;33"
	cyan   = "36"
)

func (t *textWriter) color(code, s string) string {
	if !t.opt.Color || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (t *textWriter) printf(format string, args ...any) { fmt.Fprintf(&t.buf, format, args...) }

func (t *textWriter) verdict(r *finding.Result) {
	code := map[finding.Verdict]string{finding.Pass: green, finding.Fail: red}[r.Verdict]
	if code == "" {
		code = yellow
	}
	t.printf("%s", t.color(code, strings.ToUpper(line(string(r.Verdict)))))
	if revs := revisions(r); revs != "" {
		t.printf("  %s", revs)
	}
	t.printf("\n%s\n%s.\n", verdictSentence(r), capital(tallyOf(r).String()))
}

func severityColor(s string) string {
	switch severityRank(s) {
	case 0:
		return red
	case 1:
		return yellow
	}
	return cyan
}

// statusText words the status of a finding.
func statusText(f *finding.Finding) string {
	if f.Baselined {
		return line(string(f.Status)) + ", in the baseline"
	}
	return line(string(f.Status))
}

// finding prints one finding; whole says with its interleaving, causes and fix.
func (t *textWriter) finding(f *finding.Finding, whole bool) {
	tag := fmt.Sprintf("%s[%s]", line(f.Severity), line(f.Rule))
	t.printf("\n%s %s  %s", t.color(severityColor(f.Severity), tag), statusText(f), t.color(bold, line(f.Workload)))
	if f.Release != "" {
		t.printf("  (%s)", inFolder(f.Release))
	}
	t.printf("\n  %s\n", t.color(bold, sentence(title(f))))
	if len(f.AlsoIn) > 0 {
		t.printf("  The same in: %s\n", line(strings.Join(f.AlsoIn, ", ")))
	}
	if len(f.Locations) > 0 && f.Status != finding.Fixed {
		t.row("where", where(&f.Locations[0]))
	}
	if !whole {
		return
	}
	if l := declaredAt(f); l != nil {
		t.row("declared", where(l))
	}
	t.row("certainty", certainty(f))
	t.row("scenario", scenario(f))
	t.row("scale", scale(f))
	t.row("events", events(f))
	t.steps(f)
	t.blame(f)
	if f.Fix != nil {
		t.printf("\n  What to change\n    %s\n", fixText(f.Fix))
		if w := where(f.Fix.Location); w != "" {
			t.printf("    at %s\n", w)
		}
		if r := replaced(f.Fix); r != "" && f.Fix.Replacement != "" {
			t.printf("    %s:\n", r)
		}
		for _, l := range editLines(f.Fix) {
			t.printf("      %-1s %s\n", cmp.Or(l.Sign, "|"), l.Text)
		}
	}
}

func (t *textWriter) row(name, value string) {
	if value != "" {
		t.printf("  %s %s\n", t.color(dim, fmt.Sprintf("%-10s", name)), value)
	}
}

// steps numbers the interleaving; a bar marks the loop.
func (t *textWriter) steps(f *finding.Finding) {
	if len(f.Interleaving) == 0 {
		return
	}
	t.printf("\n  Interleaving\n")
	width := len(fmt.Sprint(len(f.Interleaving)))
	for _, s := range elide(f, 400) {
		if s.Gap > 0 {
			t.printf("    %*s  … %s left out\n", width, "", count(s.Gap, "step"))
		}
		bar := " "
		if s.InLoop {
			bar = t.color(yellow, "|")
		}
		t.printf("  %s %*d  %s: %s\n", bar, width, s.Index+1, t.color(cyan, actor(s.Step)), stepText(s.Step))
		for _, b := range s.Because {
			if b.File == "" {
				continue
			}
			t.printf("  %s %*s    %s\n", bar, width, "",
				t.color(dim, strings.TrimSpace("by "+fileLine(b.File, b.Line)+"  "+line(b.Field))))
		}
	}
	if l := loopText(f); l != "" {
		t.printf("  %s\n", t.color(yellow, sentence(l)))
	}
}

func (t *textWriter) blame(f *finding.Finding) {
	if len(f.Blame) == 0 {
		return
	}
	t.printf("\n  What changed\n")
	for i := range f.Blame {
		b := &f.Blame[i]
		t.printf("    %s\n", strings.TrimSpace(where(b.Location)+"  "+line(b.Object)))
		path, what := blamed(b)
		t.printf("      %s\n", strings.TrimPrefix(path+": "+what, ": "))
	}
}

func (t *textWriter) waived(ws []finding.Waived) {
	if len(ws) == 0 {
		return
	}
	t.printf("\n%s\n", t.color(bold, "Waived"))
	for i := range ws {
		w := &ws[i]
		t.printf("  %s %s: %s\n", line(w.Finding.Rule), line(w.Finding.Workload), sentence(title(&w.Finding)))
		t.printf("    %s\n", waiverText(w))
	}
}

// waiverText says why, who and until when.
func waiverText(w *finding.Waived) string {
	if w.Where != nil {
		return fmt.Sprintf("%s Accepted at %s until %s.", sentence(w.Reason), where(w.Where), line(w.Expires))
	}
	return fmt.Sprintf("%s Accepted by %s until %s.", sentence(w.Reason), line(w.Owner), line(w.Expires))
}

func (t *textWriter) releases(rs []finding.ReleaseResult, before string) {
	if len(rs) == 0 && before == "" {
		return
	}
	t.printf("\n%s\n", t.color(bold, "Not analysed"))
	for i := range rs {
		rel := &rs[i]
		t.printf("  %s: %s\n", line(rel.ID), releaseStatus(rel))
		if w := where(rel.Where); w != "" {
			t.printf("    %s: %s\n", w, releaseReason(rel))
		} else if rel.Reason != "" {
			t.printf("    %s\n", releaseReason(rel))
		}
		if rel.Remedy != "" {
			t.printf("    What to do: %s\n", sentence(rel.Remedy))
		}
	}
	if before != "" {
		t.printf("  %s\n", before)
	}
}

func (t *textWriter) undecided(ws []finding.Workload) {
	if len(ws) == 0 {
		return
	}
	t.printf("\n%s\n", t.color(bold, "Not decided"))
	for _, a := range undecidedTogether(ws) {
		t.printf("  %s\n", sentence(a.naming(mostNamed)))
	}
}

// mostNamed is of how many things that share a sentence --verbose gives the names.
const mostNamed = 8

func namedTexts(list []alikes) []string {
	var out []string
	for _, a := range list {
		out = append(out, a.naming(mostNamed))
	}
	return out
}

// undecidedTogether puts workloads that are undecided for one reason into one line: a repository has hundreds.
func undecidedTogether(ws []finding.Workload) []alikes {
	var out []alikes
	for i := range ws {
		why := strings.TrimSuffix(line(cmp.Or(ws[i].Reason, string(ws[i].Verdict))), ".")
		at := slices.IndexFunc(out, func(a alikes) bool { return a.said == why })
		if at < 0 {
			at, out = len(out), append(out, alikes{said: why})
		}
		out[at].of = append(out[at].of, line(ws[i].ID))
	}
	return out
}

func (t *textWriter) list(title string, items []string) {
	if len(items) == 0 {
		return
	}
	t.printf("\n%s\n", t.color(bold, title))
	for _, s := range items {
		t.printf("  - %s\n", sentence(s))
	}
}

func (t *textWriter) coverage(r *finding.Result) {
	t.printf("\n%s\n  %s\n", t.color(bold, "Coverage"), coverageSentence(&r.Coverage))
	t.printf("  %s in %s.\n", capital(count(len(r.Workloads), "workload")), count(len(r.Releases), "release"))
	if s := untouched(r); s != "" {
		t.printf("  %s\n", s)
	}
	if t.opt.Elapsed {
		t.printf("  Took %.1f s.\n", float64(r.Coverage.ElapsedMs)/1000)
	}
}
