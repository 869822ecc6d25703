package accept

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/run"
)

// mostTaken bounds the loops that are each taken back, to tell which of them is to blame.
const mostTaken = 8

// blame says which loops each finding hangs on: those without which it is gone.
func (r *replanned) blame(ctx context.Context, resting, moving []finding.Finding) error {
	if len(resting)+len(moving) == 0 {
		return nil
	}
	without := make([][][]finding.Finding, len(r.loops)) // by loop: of resting, and of moving
	for i, l := range r.loops {
		if len(r.loops) == 1 || len(r.loops) > mostTaken {
			break
		}
		without[i] = make([][]finding.Finding, 2)
		for k, of := range [][]finding.Finding{resting, moving} {
			if len(of) == 0 {
				continue
			}
			o := r.under(r.now.WithLoops(r.Base, []policies.Loop{l}))
			o.Plain, o.Rules = true, ruleNames(of)
			ch := r.ch
			if k == 0 {
				ch = r.alone()
			}
			a, err := run.Analyse(ctx, ch, o, k == 0)
			if err != nil {
				return err
			}
			without[i][k] = a.Result.Findings
		}
	}
	for k, of := range [][]finding.Finding{resting, moving} {
		for n := range of {
			f := &of[n]
			var on []policies.Loop
			for i, l := range r.loops {
				if without[i] != nil && Graver(*f, without[i][k]) {
					on = append(on, l)
				}
			}
			if len(on) == 0 {
				on = r.loops
			}
			r.enterBlame(f, on)
		}
	}
	return nil
}

// enterBlame puts the loops before the other culprits of a finding.
func (r *replanned) enterBlame(f *finding.Finding, loops []policies.Loop) {
	var blame []finding.Blame
	var at []finding.Location
	for _, l := range loops {
		b := finding.Blame{Object: "Policy " + r.file(), Path: l.Path, Old: l.Words(r.Base), New: l.Words(r.Head)}
		switch {
		case r.Added:
			b.Old = ""
		case b.Old == b.New: // in a file, or in too many words
			b.New += ", as edited"
		}
		if where, ok := r.where(l); ok {
			b.Location = &where
			at = append(at, where)
		}
		blame = append(blame, b)
	}
	f.Blame = append(blame, f.Blame...)
	f.Locations = judge.Distinct(append(at, f.Locations...))
}

// file is the policy file that counts.
func (r *replanned) file() string {
	if r.Head.File != "" {
		return r.Head.File
	}
	return r.Base.File
}

// where is the line that says a loop: the first one that the change edits, in the policy file or a file above that it
// stands on, or in a file that the policy names.
func (r *replanned) where(l policies.Loop) (finding.Location, bool) {
	pl := judge.NewPlaces(r.ch)
	at := func(file string, line int, side string) (finding.Location, bool) {
		out := pl.Location(object.Location{File: file, StartLine: line, StartColumn: 1, EndLine: line, EndColumn: 2,
			Rung: "policy"}, side)
		out.Field = l.Path
		return out, true
	}
	lines := l.Lines(r.Head)
	for _, file := range above(r.Head.File) {
		for _, line := range lines {
			if r.ch.EditedWithin(file, line, line) {
				return at(file, line, "head")
			}
		}
	}
	if l.File != nil && l.File(r.Head) != "" {
		named := path.Join(path.Dir(r.Head.File), l.File(r.Head))
		hunks, err := r.ch.Hunks(named)
		if err == nil && len(hunks) > 0 {
			return at(named, max(hunks[0].HeadFirst, 1), "head")
		}
	}
	if gone := l.Lines(r.Base); len(gone) > 0 && fs.ValidPath(r.Base.File) {
		return at(r.Base.File, gone[0], "base")
	}
	if len(lines) > 0 && fs.ValidPath(r.Head.File) {
		return at(r.Head.File, lines[0], "head")
	}
	return finding.Location{}, false
}

// above are a policy file and those of the same name that it stands on, the nearest first.
func above(file string) []string {
	if !fs.ValidPath(file) {
		return nil
	}
	out := []string{file}
	for dir := path.Dir(file); dir != "."; {
		dir = path.Dir(dir)
		out = append(out, path.Join(dir, path.Base(file)))
	}
	return out
}

// paths names loops.
func (r *replanned) paths(loops []policies.Loop) []string {
	var out []string
	for _, l := range loops {
		out = append(out, l.Path)
	}
	return out
}

// word says in a finding under which policy it was found. The findings of a first policy were there before it, and do
// not fail the change.
func (r *replanned) word(f *finding.Finding) {
	var on []string
	for i := range f.Blame {
		if strings.HasPrefix(f.Blame[i].Object, "Policy ") {
			on = append(on, f.Blame[i].Path)
		}
	}
	f.Message = fmt.Sprintf("with %s as head's policy has it, %s", strings.Join(on, ", "), f.Message)
	if r.Added {
		f.Severity = atMost(f.Severity, rules.Warning)
	}
}
