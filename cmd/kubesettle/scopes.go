package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// layers are the policies of a tree by folder, as files have them: nothing that they name is loaded.
type layers struct {
	tree fs.FS
	by   map[string]*policies.Policy
}

// of gives the policy of a folder: the nearest file's, over those above it.
func (l *layers) of(folder string) (*policies.Policy, error) {
	if p := l.by[folder]; p != nil {
		return p, nil
	}
	file := path.Join(folder, policyFile)
	data, err := fs.ReadFile(l.tree, file)
	there := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", oneLine(file), err)
	}
	var p *policies.Policy
	switch {
	case folder == "." && there:
		p, err = policies.Load(file, data)
	case folder == ".":
		p, err = policies.Default(), nil
	default:
		if p, err = l.of(path.Dir(folder)); err == nil && there {
			p, err = p.Below(file, data)
		}
	}
	if err == nil {
		l.by[folder] = p
	}
	return p, err
}

// standing is a release, and the folder whose policy it has.
type standing struct{ id, folder string }

// below reports whether a release stands at a folder or below.
func (s standing) below(dir string) bool {
	return s.folder == dir || strings.HasPrefix(s.folder, dir+"/")
}

// standings are the releases of a change that it may reach, or all, where base has them; one that moves stays under its
// policy until after the merge.
func standings(ch *object.Changes, all bool) []standing {
	var out []standing
	for _, p := range slice.Pairs(ch) {
		at, t := p.Base, ch.Head.Tree
		if at == nil {
			at = p.Head
		} else {
			t = ch.Base.Tree
		}
		if at == nil || p.Head != nil && p.Head.Untouched && !all {
			continue
		}
		folder := path.Clean(at.Path)
		if info, err := fs.Stat(t, folder); err == nil && !info.IsDir() {
			folder = path.Dir(folder)
		}
		if !fs.ValidPath(folder) {
			folder = "."
		}
		out = append(out, standing{p.ID, folder})
	}
	return out
}

// folders reports whether policies of folders count: where no file was named, which then stands alone.
func (g *gating) folders() bool { return g.policy == "" && g.file() == policyFile }

// scopes are the policies of folders that releases of a change have, read from the tree that the root's is of.
// Errors: what is wrong with one of them, or with what it names.
func (g *gating) scopes(t fs.FS, ch *object.Changes) ([]verify.Scope, error) {
	if !g.folders() {
		return nil, nil
	}
	l := &layers{tree: t, by: map[string]*policies.Policy{}}
	root, err := l.of(".")
	if err != nil {
		return nil, analysis(err)
	}
	at := map[string]int{}
	var out []verify.Scope
	for _, s := range standings(ch, false) {
		p, err := l.of(s.folder)
		if err != nil {
			return nil, analysis(err)
		}
		if p == root {
			continue
		}
		i, seen := at[p.File]
		if !seen {
			i = len(out)
			at[p.File] = i
			own, err := g.loaded(p, t)
			if err != nil {
				return nil, err
			}
			out = append(out, own)
		}
		out[i].Releases = append(out[i].Releases, s.id)
	}
	slices.SortFunc(out, func(a, b verify.Scope) int { return strings.Compare(a.Policy.File, b.Policy.File) })
	return out, nil
}

// loaded is the policy of a folder with what it names, as the flags have it.
func (g *gating) loaded(plain *policies.Policy, t fs.FS) (verify.Scope, error) {
	p := *plain
	err := withFiles(&p, g.nodes+g.snapshot == "", func(name string) ([]byte, error) {
		return fs.ReadFile(t, path.Join(path.Dir(p.File), name))
	})
	if err == nil {
		err = g.flagged(&p, t)
	}
	s := verify.Scope{Policy: &p, Declared: p.Gate}
	if err == nil {
		err = g.override(&p.Gate)
	}
	return s, err
}

// scopeNotices say what a change does to policies of folders, that head's do not load, and that one is for no release.
func (g *gating) scopeNotices(ch *object.Changes) []finding.Note {
	if !g.folders() || ch.Base == nil {
		return nil
	}
	var out []finding.Note
	all := standings(ch, true)
	for _, f := range ch.Files {
		dir := path.Dir(f)
		if path.Base(f) != policyFile || dir == "." {
			continue
		}
		what := "changes"
		if _, err := fs.Stat(ch.Base.Tree, f); err != nil {
			what = "adds"
		}
		if _, err := fs.Stat(ch.Head.Tree, f); err != nil {
			what = "removes"
		}
		switch {
		case slices.ContainsFunc(all, func(s standing) bool { return s.below(dir) }):
			out = append(out, finding.Say(finding.FolderPolicyEdited, what).At(f, 0))
		case what != "removes":
			out = append(out, finding.Say(finding.FolderPolicyIdle).At(f, 0))
		}
	}
	if len(out) == 0 {
		return nil
	}
	l := &layers{tree: ch.Head.Tree, by: map[string]*policies.Policy{}}
	for _, s := range all {
		if _, err := l.of(s.folder); err != nil {
			first, _, _ := strings.Cut(err.Error(), "\n")
			out = finding.AppendNew(out, finding.Say(finding.FolderPolicyBroken, first))
		}
	}
	return out
}

// diagnosed are the policies of folders for the page of doctor: which releases each is for, and those that are for
// none.
func (g *gating) diagnosed(t fs.FS, scopes []verify.Scope) []diagnosedScope {
	out := []diagnosedScope{}
	if !g.folders() {
		return out
	}
	for _, file := range policyFiles(t) {
		one := diagnosedScope{Policy: file, Releases: []string{}, Gives: []string{}, Locked: []string{}}
		for _, s := range scopes {
			switch {
			case s.Policy.File == file:
				one.Releases, one.Gives = s.Releases, append(one.Gives, s.Policy.Gives()...)
				for _, l := range s.Policy.Locked {
					if l.File != file && !slices.Contains(one.Locked, l.Field) {
						one.Locked = append(one.Locked, l.Field)
					}
				}
			case strings.HasPrefix(s.Policy.File, path.Dir(file)+"/"): // through one below
				one.Releases = append(one.Releases, s.Releases...)
			}
		}
		out = append(out, one)
	}
	return out
}

// policyFiles are the policies of folders of a tree, sorted; what cannot be read is left out.
func policyFiles(t fs.FS) []string {
	var out []string
	_ = fs.WalkDir(t, ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // what cannot be read is no release either
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case !d.IsDir() && d.Name() == policyFile && file != policyFile:
			out = append(out, file)
		}
		return nil
	})
	return out
}

// text is a line of the page.
func (s *diagnosedScope) text() string {
	if len(s.Releases) == 0 {
		return s.Policy + ": has no effect: there is no release in its folder or below it"
	}
	out := fmt.Sprintf("%s: for %s", s.Policy, strings.Join(s.Releases[:min(len(s.Releases), 3)], ", "))
	if n := len(s.Releases) - 3; n > 0 {
		out += fmt.Sprintf(" and %d more", n)
	}
	if len(s.Gives) > 0 {
		out += "; gives " + strings.Join(s.Gives, ", ")
	}
	if len(s.Locked) > 0 {
		out += "; may not give " + strings.Join(s.Locked, ", ")
	}
	return out
}
