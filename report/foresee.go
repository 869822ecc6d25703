package report

import (
	"fmt"
	"html/template"
	"io"
	"slices"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// foretoldDoc is what kubesettle foresee writes as JSON: a part of the contract of a result.
type foretoldDoc struct {
	SchemaVersion string             `json:"schemaVersion"`
	Tool          string             `json:"tool"`
	Base          finding.Side       `json:"base"`
	Head          finding.Side       `json:"head"`
	Forecasts     []finding.Forecast `json:"forecasts"`
	Unknown       []string           `json:"unknown"` // workloads without a forecast, with the reason
	Notices       []string           `json:"notices"`
}

// Foresee writes the answers to a question, as text, JSON or HTML.
// Errors: the writer's.
func Foresee(w io.Writer, r *finding.Result, format string, opt Options) error {
	switch r = sanitized(r); format {
	case "json":
		doc := foretoldDoc{r.SchemaVersion, r.Tool, r.Base, r.Head, r.Forecasts, unforeseen(r), noteTexts(r.Notices)}
		if doc.Forecasts == nil {
			doc.Forecasts = []finding.Forecast{}
		}
		b, err := encodeJSON(doc)
		if err != nil {
			return err
		}
		_, err = w.Write(b)
		return err
	case "html":
		return foreseeHTML(w, r, opt)
	}
	t := &textWriter{opt: opt}
	t.foresee(r)
	_, err := w.Write(t.buf.Bytes())
	return err
}

// unforeseen are the workloads without a forecast.
func unforeseen(r *finding.Result) []string {
	out := []string{}
	for _, w := range undecided(r) {
		out = append(out, line(w.ID)+": "+line(w.Reason))
	}
	return out
}

func (t *textWriter) foresee(r *finding.Result) {
	of := "nothing"
	if len(r.Forecasts) > 0 {
		of = line(r.Forecasts[0].Of)
	}
	t.printf("%s  %s\n", t.color(bold, of), t.color(dim, revisions(r)))
	for _, l := range forecastLines(r) {
		t.rows(l[0], l[1], 3)
	}
	if len(forecastLines(r)) == 0 {
		t.field("rollout", "nothing is known")
	}
	for i, s := range unforeseen(r) {
		if i == foretold {
			t.field("unknown", count(len(unforeseen(r))-i, "more workload"))
			break
		}
		t.field("unknown", clip(s, 240))
	}
	hasRun := func(f finding.Forecast) bool { return forecastRun(&f) != nil }
	if !t.opt.Verbose && slices.ContainsFunc(r.Forecasts, hasRun) {
		t.field("more", "--verbose, or --output html=report.html, has the likeliest run step by step")
		return
	}
	for i := range r.Forecasts {
		run := forecastRun(&r.Forecasts[i])
		if run == nil {
			continue
		}
		t.printf("\n  The likeliest run%s\n", inRelease(r.Forecasts[i].Release))
		for k := range run.Interleaving {
			s := &run.Interleaving[k]
			t.wrapped(fmt.Sprintf("  %3d. ", k+1), 7, actor(s)+": "+stepText(s))
		}
	}
}

func inRelease(id string) string {
	if id == "" || id == "." {
		return ""
	}
	return ", release " + line(id)
}

// forecastRun is the likeliest run in the form that findings have; nil: there is none.
func forecastRun(f *finding.Forecast) *finding.Finding {
	if f.Run == nil || len(f.Run.Steps) == 0 {
		return nil
	}
	out := &finding.Finding{Rule: "foresee", Severity: "note", Release: f.Release, Interleaving: f.Run.Steps,
		Events: []string{f.Of}}
	foldUnseen(out)
	return out
}

// foreseeHTML is the page of a report, with a player for each run.
func foreseeHTML(w io.Writer, r *finding.Result, opt Options) error {
	t, err := template.New("report").Parse(htmlTemplate)
	if err != nil {
		return fmt.Errorf("html: %w", err)
	}
	forecasts := r.Forecasts
	m := newMaker(r, opt)
	g := pageGroup{ID: "foreseen", Title: "Forecast"}
	for i := range forecasts {
		one := []finding.Forecast{forecasts[i]}
		p := pageFinding{ID: fmt.Sprintf("foreseen-%d", i+1), Severity: "foreseen", SeverityClass: "note",
			Rule: line(forecasts[i].Of), Headline: sentence(rolloutText(one)),
			Top:  pageRows("Moves", movesText(one), "Lasts", lastsText(one), "In", inFolder(forecasts[i].Release)),
			Rows: pageRows("Certainty", "the numbers hold for every order of the loops; the run is the likeliest one")}
		if run := forecastRun(&forecasts[i]); run != nil {
			m.steps(run, &p)
			p.TurnStep = 0
		}
		g.Findings = append(g.Findings, p)
	}
	m.Verdict, m.VerdictClass = "foreseen", "unknown"
	m.Sentence, m.Tally = "What happens, and in which bounds, in every order of the loops.", ""
	m.Coverage, m.Releases, m.MoreReleases = "Each number is the least or the most of all states that follow.", nil, ""
	if r.Base.Name == "" { // nothing changes
		m.Changes, m.MoreChanges = nil, ""
	}
	m.Groups = append([]pageGroup{g}, m.Groups...)
	m.Sections = []pageSection{{"foreseen", "Foreseen", thousands(len(forecasts))}}
	if err := t.Execute(w, &m.page); err != nil {
		return fmt.Errorf("html: %w", err)
	}
	return nil
}
