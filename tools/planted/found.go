package planted

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/tools/corpus"
)

// An outcome is a planted mistake and what was found.
type outcome struct {
	repo, kind, target string
	files              []string
	best               corpus.Finding
	told, atLine       bool
	result             corpus.Result
	rules              []string
	applied            string // the result of a check with the fix as text; "": it is no edit
}

// plant makes a mistake of a kind in the first target that takes it; every kind begins with
// another target, so that a repository's charts and overlays all have their turn.
func (p *plants) plant(r *corpus.Repository, targets []target, nth int, k kind) (outcome, error) {
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
			result, err := p.Check(r, base, head, p.emptyPolicy, t.release.Path)
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
func (p *plants) heals(r *corpus.Repository, base, head string, t target, o outcome) (string, error) {
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
	again, err := p.Check(r, base, mended, p.emptyPolicy, t.release.Path)
	if err != nil {
		return "", err
	}
	for _, f := range again.Findings {
		known := slices.ContainsFunc(o.result.Findings, func(g corpus.Finding) bool { return g.Rule == f.Rule && g.Workload == f.Workload && g.New() })
		if f.New() && (!known || f.Rule == o.best.Rule && f.Workload == o.best.Workload) {
			return f.Status + " " + f.Rule + " of " + f.Workload, nil
		}
	}
	return "holds", nil
}

// differs says that a change renders, and has its intended effect: it changes the target's field, where the mistake is
// one, and any object where it is one of its own.
func (p *plants) differs(r *corpus.Repository, base, head string, t target, m mistake) (bool, error) {
	changed, err := p.Changed(r, base, head, p.emptyPolicy, t.release.Path)
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

// judge looks for the gravest finding of the mistake's rules, and for one at a planted line.
func (o *outcome) judge(m mistake, c change) {
	o.rules = m.rules
	o.best, o.told = o.result.Gravest(m.rules)
	for _, f := range o.result.Findings {
		for file, lines := range c.lines {
			o.atLine = o.atLine || f.Gates() && (slices.Contains(m.rules, f.Rule) || slices.Contains(m.rules, "any")) && f.At(file, lines)
		}
	}
}

func (o outcome) print() {
	yes := map[bool]string{true: "yes", false: ""}
	corpus.Row(os.Stdout, o.repo, o.kind, o.result.Cell(o.rules), yes[o.atLine], yes[o.told && o.best.HasFix()], o.applied, o.target, fmt.Sprintf("%.1f", o.result.Wall.Seconds()))
}

func sums(done []outcome) {
	sum, repos := corpus.NewSums("planted", "reported", "as errors", "at the planted line", "with a fix", "edits", "that hold"), map[string]bool{}
	for _, o := range done {
		repos[o.repo] = true
		sum.Add(o.kind, o.told, o.told && o.best.Severity == "error", o.atLine, o.told && o.best.HasFix(), o.applied != "", o.applied == "holds")
	}
	fmt.Printf("\n%d repositories\n\n", len(repos))
	sum.Print(os.Stdout)
}

// details lists what was found where a mistake was not found at its line.
func details(done []outcome) {
	for _, o := range done {
		if !o.told || !o.atLine || !o.best.HasFix() || o.applied != "holds" && o.applied != "" {
			fmt.Printf("\n%s, %s, %s, in %s\n", o.repo, o.kind, o.target, strings.Join(o.files, " "))
			o.result.Describe(os.Stdout, "nothing declared")
		}
	}
}

// prefix is how many names of a field's path come before those that may be labels.
func prefix(path []string) int {
	if i := slices.Index(path, "matchLabels"); i > 0 {
		return i + 1
	}
	return len(path)
}
