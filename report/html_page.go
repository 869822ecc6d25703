package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// page has the fields that the HTML template reads. All strings are plain text except for Style and Script, which are
// ours.
type page struct {
	Policy                                                           string
	Style                                                            template.CSS
	Script                                                           template.JS
	Verdict, VerdictClass, Sentence, Tally, Revisions, Coverage, Run string
	Tool, Manual                                                     string
	Sections                                                         []pageSection
	Failures                                                         []pageRelease
	Undecided, Notices, Assumptions                                  []string
	Groups                                                           []pageGroup
	Changes                                                          []pageChange
	MoreChanges, MoreReleases                                        string
	Releases                                                         []finding.ReleaseResult
	Runs                                                             [][]*snapshot
}

type pageSection struct{ ID, Title, Count string }

// pageGroup is the findings of one status, a card a cause; those past [htmlFindings] are a line each.
type pageGroup struct {
	ID, Title, Above, More string // Above: how many are on other cards
	Findings               []pageFinding
	Lines                  []pageLine
	full                   int // that are told in full
}

type place struct{ Text, URL string }

// Parts are a place's text in pieces between which a line may break.
func (p place) Parts() []string { return strings.SplitAfter(p.Text, "/") }

type pageRelease struct {
	ID, Status, Reason, Remedy string
	Where                      place
}

type pageChange struct {
	ID, Title, Release, More string
	Fields                   []pageField
}

type pageField struct{ Path, Old, New, Where string }

type pageFinding struct {
	ID, Severity, SeverityClass, Rule, Headline, Workload, Release, AlsoIn string
	Waiver, Loop                                                           string
	Top, Rows                                                              []pageHelp // above and below the run
	Where                                                                  place
	Fold                                                                   bool
	Pictured, Decided                                                      bool // some step has a picture, or decides
	Run, LastStep, TurnStep                                                int
	Lanes                                                                  template.HTML
	Turn, LuckyTitle                                                       string
	Lucky                                                                  []pageStep
	Steps                                                                  []pageStep
	Blame                                                                  []pageBlame
	Fix, Replaced, Field                                                   string
	Edit                                                                   []editLine
	FixWhere                                                               place
	Assumes                                                                []assumption
	Others                                                                 []string      // further symptoms of the cause
	Parts                                                                  []pageFinding // the other findings of the cause
	Lines                                                                  []pageLine    // those of them past the limit
	PartsTitle                                                             string
	Help                                                                   []pageHelp
}

type pageStep struct {
	ID                   string
	Number               int
	Actor, Text, Gap     string
	Ready                string // of the finding's workload, where the step changes it
	InLoop, Loops, Event bool
	Decides              bool
	Because              []pageBecause
}

type pageBecause struct {
	Where place
	Field string
}

type pageBlame struct {
	Where                         place
	Path, Object, Old, New, Whole string // Whole: added or removed as a whole
}

type pageHelp struct{ Title, Text string }

// pageMaker fills a page from one result.
type pageMaker struct {
	page
	r     *finding.Result
	links *markdown // for addresses of lines
	rules map[string]Rule
}

func newPage(r *finding.Result, opt Options) *page { return &newMaker(r, opt).page }

func newMaker(r *finding.Result, opt Options) *pageMaker {
	m := &pageMaker{r: r, links: &markdown{r: r, repository: repositoryAddress(opt.Repository)}, rules: map[string]Rule{}}
	for _, rule := range rulesOr(opt.Rules) {
		m.rules[rule.ID] = rule
	}
	m.page = page{
		Policy: htmlPolicy(), Style: template.CSS(htmlStyle), Script: template.JS(htmlScript),
		Verdict: line(string(r.Verdict)), VerdictClass: verdictClass(r.Verdict), Sentence: verdictSentence(r),
		Tally: capital(tallyOf(r).String()) + ".", Revisions: revisions(r),
		Coverage: strings.TrimSpace(coverageSentence(&r.Coverage) + " " + untouched(r)),
		Run:      address(opt.Run), Tool: line(r.Tool), Manual: DocsURI + "fidelity.md", Runs: [][]*snapshot{},
		Notices: sentences(alikeTexts(together(r.Notices))), Assumptions: sentences(alikeTexts(together(resting(r)))),
	}
	m.failures()
	m.findings()
	m.changes(changedObjects(r, opt.Changes))
	m.sections()
	return m
}

// verdictClass is a verdict that may stand in a class name.
func verdictClass(v finding.Verdict) string {
	switch v {
	case finding.Pass, finding.Fail, finding.Errored, finding.Inconclusive:
		return string(v)
	}
	return "unknown"
}

// sentences are lines as sentences; past the limit, one says how many are left out.
func sentences(items []string) []string {
	var out []string
	for i, s := range items {
		if i == htmlItems {
			return append(out, fmt.Sprintf("%s more left out; the JSON report has all.", thousands(len(items)-i)))
		}
		out = append(out, sentence(s))
	}
	return out
}

func (m *pageMaker) place(l *finding.Location) place {
	if l == nil || l.File == "" {
		return place{}
	}
	return place{Text: where(l), URL: m.links.blob(l)}
}

func (m *pageMaker) failures() {
	for _, rel := range failedReleases(m.r) {
		if len(m.Failures) == htmlItems {
			m.Failures = append(m.Failures, pageRelease{ID: "…", Status: "more are left out; the JSON report has all"})
			break
		}
		m.Failures = append(m.Failures, pageRelease{
			line(rel.ID), releaseStatus(&rel), releaseReason(&rel), sentence(rel.Remedy), m.place(rel.Where),
		})
	}
	if b := brokenBeforeIn(m.r); len(b.names) > 0 {
		m.Failures = append(m.Failures, pageRelease{
			ID: some(b.names, namedReleases), Status: b.status(), Reason: b.why, Remedy: b.remedy,
		})
	}
	var lines []string
	for _, w := range undecided(m.r) {
		lines = append(lines, line(w.ID)+": "+line(cmp.Or(w.Reason, string(w.Verdict))))
	}
	m.Undecided = sentences(lines)
	m.Releases = m.r.Releases[:min(len(m.r.Releases), htmlItems)]
	if n := len(m.r.Releases) - htmlItems; n > 0 {
		m.MoreReleases = count(n, "more release") + " left out; the JSON report has all."
	}
}

func (m *pageMaker) findings() {
	fresh, existing, fixed := byStatus(m.r.Findings)
	now, before := causes(fresh, existing)
	m.group("new", "New findings", len(fresh), now, 20)
	m.group("existing", "Existing findings, on base too", len(existing), before, 0)
	if n := len(existing) - size(before); n > 0 {
		m.Groups[1].Above = count(n, "existing finding") + " above, with a new finding of the same cause."
	}
	m.group("fixed", "Fixed findings", len(fixed), byCause(fixed), 0)
	m.waived()
}

func (m *pageMaker) finding(f *finding.Finding, id string, fold bool) pageFinding {
	out := pageFinding{
		ID: id, Severity: line(f.Severity), SeverityClass: severityClass(f),
		Rule: line(f.Rule), Headline: sentence(title(f)), Workload: line(f.Workload), Release: inFolder(f.Release),
		AlsoIn: line(strings.Join(f.AlsoIn, ", ")), Fold: fold, Loop: sentence(loopText(f)),
		Rows: pageRows("Certainty", certainty(f), "Scenario", scenario(f), "Events", events(f), "Scale", scale(f)),
	}
	if len(f.Locations) > 0 {
		out.Where, out.Field = m.place(&f.Locations[0]), line(f.Locations[0].Field)
	}
	if f.Baselined {
		out.Waiver = "In the baseline file: it does not gate."
	}
	if f.Status != finding.Fixed {
		m.steps(f, &out)
	}
	for i := range f.Blame[:min(len(f.Blame), htmlFields)] {
		b := &f.Blame[i]
		one := pageBlame{Where: m.place(b.Location), Path: line(b.Path), Object: line(b.Object),
			Old: line(b.Old), New: line(b.New)}
		if one.Path == "" {
			_, one.Whole = blamed(b)
		}
		out.Blame = append(out.Blame, one)
	}
	if f.Fix != nil {
		out.Fix, out.FixWhere, out.Replaced = fixText(f.Fix), m.place(f.Fix.Location), replaced(f.Fix)
		out.Edit = editLines(f.Fix)
	}
	out.Assumes = assumptionsOf(m.r, f)
	if rule, ok := m.rules[f.Rule]; ok {
		for _, a := range rule.answers() {
			out.Help = append(out.Help, pageHelp{a.title, plain(a.text)})
		}
		if s := strings.Join(rule.Sources, "\n"); s != "" {
			out.Help = append(out.Help, pageHelp{"Sources", s})
		}
	}
	return out
}

// pageRows are titles and sentences in turns, those without a text left out.
func pageRows(said ...string) []pageHelp {
	var out []pageHelp
	for i := 0; i < len(said); i += 2 {
		if said[i+1] != "" {
			out = append(out, pageHelp{said[i], sentence(said[i+1])})
		}
	}
	return out
}

// steps adds the interleaving, and its pictures for the explorer.
func (m *pageMaker) steps(f *finding.Finding, out *pageFinding) {
	shown := elide(f, htmlSteps)
	if len(shown) == 0 {
		return
	}
	ready := readyOf(f)
	for _, s := range shown {
		p := pageStep{ID: fmt.Sprintf("%s-step-%d", out.ID, s.Index+1), Number: s.Index + 1, Actor: laneName(s.Step),
			Text: stepText(s.Step), InLoop: s.InLoop, Loops: s.Loops, Event: s.Class == "event", Decides: decides(f, s.Index),
			Ready: ready(s.After)}
		if s.Gap > 0 {
			p.Gap = count(s.Gap, "step") + " left out"
		}
		for _, b := range s.Because {
			if b.File != "" {
				l := finding.Location{File: b.File, StartLine: b.Line, Side: "head"}
				p.Because = append(p.Because, pageBecause{m.place(&l), line(b.Field)})
			}
		}
		out.Steps = append(out.Steps, p)
	}
	m.turn(f, shown, out)
	pictures := shots(shown)
	if !slices.ContainsFunc(pictures, func(s *snapshot) bool { return s != nil }) {
		return
	}
	out.Pictured, out.Run, out.LastStep = true, len(m.Runs), len(shown)-1
	m.Runs = append(m.Runs, pictures)
}

// turn adds the diagram of an interleaving, its decisive step, and the lucky run beside it.
func (m *pageMaker) turn(f *finding.Finding, shown []shownStep, out *pageFinding) {
	out.Turn, out.TurnStep, out.Decided = sentence(turnText(f)), opensAt(f, shown), f.Decisive != nil
	if f.Hopeless && out.Turn != "" {
		out.Turn += " The manifests are the cause."
	}
	if len(shown) < 2 {
		return
	}
	drawn := shown[:min(len(shown), laneSteps)]
	l := newLanes(f, drawn, out.ID)
	out.Lanes = l.svg()
	if len(f.Lucky) == 0 {
		return
	}
	lucky := *f
	lucky.Interleaving, lucky.Decisive, lucky.CycleStart = f.Lucky, nil, nil
	steps, ready := elide(&lucky, laneSteps), readyOf(f)
	for i := range f.Interleaving[:*f.Decisive] {
		ready(f.Interleaving[i].After)
	}
	out.LuckyTitle = fmt.Sprintf("The lucky run: the same events, another choice at step %d", *f.Decisive+1)
	for _, s := range steps {
		out.Lucky = append(out.Lucky, pageStep{ID: fmt.Sprintf("%s-lucky-step-%d", out.ID, s.Index+1),
			Number: *f.Decisive + s.Index + 1, Actor: laneName(s.Step), Text: stepText(s.Step), Event: s.Class == "event",
			Ready: ready(s.After)})
	}
}

// opensAt is the step that the explorer shows first: the one that decides, else where the loop begins, else the last.
func opensAt(f *finding.Finding, shown []shownStep) int {
	for i, s := range shown {
		if decides(f, s.Index) || f.Decisive == nil && s.Loops {
			return i
		}
	}
	return len(shown) - 1
}

// laneSteps bounds the steps of a diagram.
const laneSteps = 48

func (m *pageMaker) changes(os []changedObject) {
	for i := range os[:min(len(os), htmlChanges)] {
		o := &os[i]
		c := pageChange{ID: line(o.id), Title: o.title(), Release: line(o.release)}
		for _, f := range o.fields[:min(len(o.fields), htmlFields)] {
			c.Fields = append(c.Fields, pageField{line(f.path), line(f.old), line(f.new), f.where})
		}
		if n := len(o.fields) - htmlFields; n > 0 {
			c.More = count(n, "more field") + " left out."
		}
		m.Changes = append(m.Changes, c)
	}
	if n := len(os) - htmlChanges; n > 0 {
		m.MoreChanges = count(n, "more change") + " left out; the JSON report has all."
	}
}

// sections lists what the page has, for its head.
func (m *pageMaker) sections() {
	add := func(id, title string, n int) {
		if n > 0 {
			m.Sections = append(m.Sections, pageSection{id, title, thousands(n)})
		}
	}
	add("failures", "Not analysed", len(m.Failures))
	add("undecided", "Not decided", len(m.Undecided))
	add("notices", "Notices", len(m.Notices))
	t := tallyOf(m.r)
	add("new", "New", t.fresh)
	add("existing", "Existing", t.existing)
	add("fixed", "Fixed", t.fixed)
	add("waived", "Waived", t.waived)
	add("changes", "Changes", len(m.Changes))
	m.Sections = append(m.Sections, pageSection{ID: "coverage", Title: "Coverage"})
}
