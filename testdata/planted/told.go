package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/testdata/clones"
)

// An outcome is a planted mistake and what was found.
type outcome struct {
	repo, kind, target string
	files              []string
	best               clones.Finding
	told, atLine       bool
	result             clones.Result
	applied            string // what a check says with the fix as text; "": it is no edit
}

// plant makes a mistake of a kind in the first target that takes it; every kind begins with
// another target, so that a repository's charts and overlays all have their turn.
func (p *plants) plant(r *clones.Repository, targets []target, nth int, k kind) (outcome, error) {
	base, err := r.Resolve("HEAD")
	if err != nil {
		return outcome{}, err
	}
	for i := range targets {
		t := targets[(nth+i)%len(targets)]
		m, ok := k.make(t)
		if !ok {
			continue
		}
		ways, err := changes(r, base, t, m)
		if errors.Is(err, errNoPlace) {
			continue
		} else if err != nil {
			return outcome{}, err
		}
		for _, c := range ways[:min(3, len(ways))] {
			head, err := r.Commit(base, c.files)
			if err != nil {
				return outcome{}, err
			}
			planted, err := p.differs(r, base, head, t, m)
			if err != nil {
				return outcome{}, err
			}
			if !planted {
				continue
			}
			result, err := p.kubesettle.Check(r, base, head, "--policy", p.emptyPolicy, t.release.Path)
			if err != nil {
				return outcome{}, err
			}
			o := outcome{repo: r.Name, kind: k.name, target: t.release.Path + " " + t.name, result: result, files: slices.Sorted(maps.Keys(c.lines))}
			o.judge(m, c)
			o.applied, err = p.heals(r, base, head, t, o)
			return o, err
		}
	}
	return outcome{}, nil
}

// heals makes the edit that is offered, and checks again: the finding is to be gone, and none to come.
func (p *plants) heals(r *clones.Repository, base, head string, t target, o outcome) (string, error) {
	if !o.told || o.best.Fix == nil || !o.best.Fix.Mechanical {
		return "", nil
	}
	file := o.best.Fix.Location.File
	text, err := r.Read(head, file)
	if err != nil {
		return "", err
	}
	edited, ok := o.best.Fix.Edit(text)
	if !ok {
		return "does not apply", nil
	}
	mended, err := r.Commit(head, map[string]*string{file: &edited})
	if err != nil {
		return "", err
	}
	again, err := p.kubesettle.Check(r, base, mended, "--policy", p.emptyPolicy, t.release.Path)
	if err != nil {
		return "", err
	}
	for _, f := range again.Findings {
		known := slices.ContainsFunc(o.result.Findings, func(g clones.Finding) bool { return g.Rule == f.Rule && g.Workload == f.Workload && g.New() })
		if f.New() && (!known || f.Rule == o.best.Rule && f.Workload == o.best.Workload) {
			return f.Status + " " + f.Rule + " of " + f.Workload, nil
		}
	}
	return "holds", nil
}

// differs says that a change renders, and does what it was meant to: it changes the
// target's field, where the mistake is one, and any object where it is one of its own.
func (p *plants) differs(r *clones.Repository, base, head string, t target, m mistake) (bool, error) {
	changed, err := p.kubesettle.Changed(r, base, head, "--policy", p.emptyPolicy, t.release.Path)
	if err != nil || len(m.fields) == 0 {
		return len(changed) > 0, err
	}
	want := m.shows
	for _, f := range m.fields {
		want = append(want, strings.Join(f.path[:prefix(f.path)], "."))
	}
	for _, c := range changed {
		for _, f := range c.Fields {
			if c.ID == t.object.ID && slices.ContainsFunc(want[:len(m.shows)+1], func(w string) bool { return strings.HasPrefix(f.Path, w) }) {
				return true, nil
			}
		}
	}
	return false, nil
}

// judge looks for the gravest finding of the mistake's rules.
func (o *outcome) judge(m mistake, c change) {
	var found []clones.Finding
	for _, f := range o.result.Findings {
		if f.New() && (slices.Contains(m.rules, f.Rule) || slices.Contains(m.rules, "any")) {
			found = append(found, f)
		}
	}
	if len(found) == 0 {
		return
	}
	slices.SortStableFunc(found, func(a, b clones.Finding) int { return cmp.Compare(rank(a), rank(b)) })
	o.best, o.told = found[0], found[0].Gates()
	for _, f := range found {
		for file, lines := range c.lines {
			o.atLine = o.atLine || f.Gates() && f.At(file, lines)
		}
	}
}

func rank(f clones.Finding) int {
	return slices.Index([]string{"error", "warning", "note"}, f.Severity)
}

func (o outcome) line() string {
	told := "- (" + o.why() + ")"
	if o.best.Rule != "" {
		told = o.best.Severity + " " + o.best.Rule
	}
	yes := map[bool]string{true: "yes", false: ""}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s | %.1f |", o.repo, o.kind, told, yes[o.atLine], yes[o.told && o.best.HasFix()], o.applied, o.target, o.result.Took.Seconds())
}

// why says what kept a mistake from being told.
func (o outcome) why() string {
	var other []string
	for _, f := range o.result.Findings {
		if f.Gates() && !slices.Contains(other, f.Rule) {
			other = append(other, f.Rule)
		}
	}
	switch {
	case len(other) > 0:
		return "other: " + strings.Join(other, " ")
	case len(o.result.Workloads) == 0:
		return "no workload changes"
	case !o.result.Searched():
		return "not searched"
	case o.result.Coverage.Bound != "complete":
		return "cut off: " + o.result.Coverage.Bound
	}
	return "searched, nothing found"
}

func sums(done []outcome) {
	type count struct{ all, told, line, fix, errors, edits, held int }
	sum := map[string]*count{"all": {}}
	repos := map[string]bool{}
	for _, o := range done {
		repos[o.repo] = true
		for _, k := range []string{o.kind, "all"} {
			c := sum[k]
			if c == nil {
				c = &count{}
				sum[k] = c
			}
			c.all++
			if o.told {
				c.told++
			}
			if o.told && o.best.Severity == "error" {
				c.errors++
			}
			if o.atLine {
				c.line++
			}
			if o.told && o.best.HasFix() {
				c.fix++
			}
			if o.applied != "" {
				c.edits++
			}
			if o.applied == "holds" {
				c.held++
			}
		}
	}
	fmt.Printf("\n%d repositories\n\n| kind | planted | told | as errors | at the planted line | with a fix | edits | that hold |\n|---|---|---|---|---|---|---|---|\n", len(repos))
	for _, k := range append(slices.Clone(kinds), kind{name: "all"}) {
		if c := sum[k.name]; c != nil {
			fmt.Printf("| %s | %d | %d | %d | %d | %d | %d | %d |\n", k.name, c.all, c.told, c.errors, c.line, c.fix, c.edits, c.held)
		}
	}
}

// details lists what was found where a mistake was not told at its line.
func details(done []outcome) {
	for _, o := range done {
		if o.told && o.atLine && o.best.HasFix() && (o.applied == "holds" || o.applied == "") {
			continue
		}
		fmt.Printf("\n%s, %s, %s, in %s: exit %d, %s, %d states, %s\n", o.repo, o.kind, o.target, strings.Join(o.files, " "), o.result.ExitCode, o.result.Verdict, o.result.Coverage.States, o.result.Coverage.Bound)
		show(o.result)
	}
}

// show lists new findings with their place.
func show(r clones.Result) {
	for _, f := range r.Findings {
		if !f.New() {
			continue
		}
		if f.Fix != nil {
			fmt.Printf("  fix: %s\n", f.Fix.Text)
		}
		fmt.Printf("  %s %s (%s, %s) of %s: %s\n", f.Severity, f.Rule, f.Certainty, f.Scenario, f.Workload, f.Message)
		if len(f.Blame) > 0 {
			fmt.Printf("    %s\n", f.Blame[0])
		}
	}
}

// replay shows the last changes of a repository that touch YAML or templates.
func (p *plants) replay(r *clones.Repository, n int) error {
	if n == 0 {
		return nil
	}
	out, err := r.Git("", "log", "--first-parent", "--format=%H", fmt.Sprintf("--max-count=%d", n), "HEAD", "--", "*.yaml", "*.yml", "*.tpl")
	if err != nil {
		return err
	}
	count := map[string]int{}
	var found []string
	var errs []error
	for _, commit := range strings.Fields(out) {
		result, err := p.kubesettle.Check(r, commit+"^1", commit, "--policy", p.emptyPolicy)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		count[result.Verdict]++
		for _, f := range result.Findings {
			if f.Gates() {
				found = append(found, fmt.Sprintf("  %.10s %s %s of %s: %s", commit, f.Severity, f.Rule, f.Workload, f.Message))
			}
		}
	}
	fmt.Printf("\n%s, its last changes:", r.Name)
	for _, v := range slices.Sorted(maps.Keys(count)) {
		fmt.Printf(" %d %s", count[v], v)
	}
	fmt.Printf("; %d new findings\n%s\n\n", len(found), strings.Join(found, "\n"))
	return errors.Join(errs...)
}

// prefix is how many names of a field's path stand before what labels it may have.
func prefix(path []string) int {
	if i := slices.Index(path, "matchLabels"); i > 0 {
		return i + 1
	}
	return len(path)
}
