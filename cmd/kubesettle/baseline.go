package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/verify/accept"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// accepting holds the flags of baseline files.
type accepting struct {
	file, writeTo string
	// ours says that the file is read from disk: there is no change that could have written it.
	ours bool
}

func (a *accepting) flags(cmd *cobra.Command, from string) {
	f := cmd.Flags()
	f.StringVar(&a.file, "baseline", "",
		"file of findings that do not fail, "+from+" (default: the policy's gate.baseline)")
	f.StringVar(&a.writeTo, "write-baseline", "",
		"write the findings to this file as accepted; with --baseline: only those that it has already")
}

// baselineFile is the path of the baseline in a tree; "" is none.
// Errors: a path that leaves the repository.
func (g *gating) baselineFile(p *policies.Policy) (string, error) {
	name, said := g.accepting.file, "--baseline"
	if name == "" {
		if name, said = p.Gate.Baseline, p.File+": gate.baseline"; name == "" {
			return "", nil
		}
		name = path.Join(path.Dir(filepath.ToSlash(filepath.Clean(p.File))), name)
	}
	if name = path.Clean(filepath.ToSlash(name)); !fs.ValidPath(name) {
		return "", usage("%s is %s: it is read from base, so give it relative to the repository's root", said, oneLine(name))
	}
	return name, nil
}

// baselineOnDisk is the user's own file, where no change could have written it; "": there is none.
func (g *gating) baselineOnDisk(p *policies.Policy) string {
	switch {
	case !g.accepting.ours:
		return ""
	case g.accepting.file == "" && g.policy != "" && p.Gate.Baseline != "":
		return filepath.Join(filepath.Dir(g.policy), filepath.FromSlash(p.Gate.Baseline))
	}
	return g.accepting.file
}

// loadBaseline gives the policy its baseline, from the tree that the policy is of: a change
// that adds to the file accepts nothing with it.
func (g *gating) loadBaseline(p *policies.Policy, t fs.FS) error {
	if name := g.baselineOnDisk(p); name != "" {
		data, err := os.ReadFile(name)
		if err != nil {
			return usage("baseline: %w", err)
		}
		return g.setBaseline(p, name, data)
	}
	name, err := g.baselineFile(p)
	if name == "" || err != nil {
		return err
	}
	data, err := fs.ReadFile(t, name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && g.accepting.file != "":
		p.Baseline = &policies.Baseline{File: name} // see missingBaseline
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return &exit{exitUsage, fmt.Errorf("%s: gate.baseline: %s is not there: write it with kubesettle verify . --write-baseline %s, or remove the key", p.File, name, name)}
	case err != nil:
		return &exit{exitUsage, fmt.Errorf("baseline %s: %w", name, err)}
	}
	return g.setBaseline(p, name, data)
}

func (g *gating) setBaseline(p *policies.Policy, name string, data []byte) error {
	b, err := policies.LoadBaseline(name, data)
	if err != nil {
		return &exit{exitUsage, err}
	}
	p.Baseline = b
	return nil
}

// baselineNotices say what a change does to the baseline, which is read from base.
// Errors: that neither side has the file that was asked for.
func (g *gating) baselineNotices(p *policies.Policy, base, head tree.Tree) ([]finding.Note, error) {
	b := p.Baseline
	if b == nil || g.accepting.ours {
		return nil, nil
	}
	say := func(k finding.Kind, args ...any) []finding.Note {
		return []finding.Note{finding.Say(k, args...).At(b.File, 0)}
	}
	data, err := fs.ReadFile(head, b.File)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := fs.Stat(base, b.File); errors.Is(err, fs.ErrNotExist) {
			return nil, usage("--baseline %s is neither on base nor on head: write it with kubesettle verify . --write-baseline %s", oneLine(b.File), oneLine(b.File))
		}
		return say(finding.BaselineRemoved), nil
	}
	if err != nil {
		return say(finding.BaselineUnreadable, err), nil
	}
	is, err := policies.LoadBaseline(b.File, data)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return say(finding.BaselineBroken, first), nil
	}
	more := b.Lacks(is)
	if len(more) == 0 {
		return nil, nil
	}
	var names []string
	for _, e := range more {
		names = append(names, strings.TrimSpace(e.Rule+" of "+e.Workload))
	}
	return []finding.Note{finding.Say(finding.BaselineGrows).At(b.File, 0).With(names...)}, nil
}

// write writes the baseline of a result, and judges it by that: findings that were just accepted do not fail. With a
// given baseline, only its remaining entries are written.
func (a *accepting) write(p *process, done *finished, was *policies.Baseline) error {
	r := done.result
	if a.writeTo == "" || r.Verdict == finding.Errored {
		return nil
	}
	b := &policies.Baseline{File: a.writeTo, Entries: accept.Entries(r)}
	if was != nil {
		stale := map[string]bool{}
		for _, s := range r.Baseline.Stale {
			stale[s.Fingerprint] = true
		}
		b.Entries = nil
		for _, e := range was.Entries {
			if !stale[e.Fingerprint] {
				b.Entries = append(b.Entries, e)
			}
		}
	}
	data, err := b.YAML()
	if err == nil {
		err = replaceFile(a.writeTo, data)
	}
	if err != nil {
		return &exit{exitUsage, fmt.Errorf("--write-baseline: %w", err)}
	}
	if was == nil {
		accept.Rejudge(r, b, done.gate)
	}
	open := 0
	for i := range r.Findings {
		if f := &r.Findings[i]; r.Gates(*f, done.gate) {
			open++
		}
	}
	fmt.Fprintf(p.stderr, "kubesettle: %s: %s accepted, %d still %s\n", printable(a.writeTo),
		english.Plural(len(b.Entries), "finding is", "findings are"), open, english.PluralWord(open, "counts", "count"))
	return nil
}
