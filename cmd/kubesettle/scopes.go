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
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/run"
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

// standing is a release, and a folder whose policy it has.
type standing struct {
	id, folder string
	after      bool // it stands there on head
}

// below reports whether a release stands at a folder or below.
func (s standing) below(dir string) bool {
	return s.folder == dir || strings.HasPrefix(s.folder, dir+"/")
}

// standings are the releases of a change that it may reach, or all, each with the folder that it stands in on base and,
// where that differs, on head, and with those that it takes an object over from: a moved object is under the policies
// of both places.
func standings(ch *object.Changes, all bool) []standing {
	var out []standing
	from := takenFrom(ch)
	for _, p := range slice.Pairs(ch) {
		if p.Head != nil && p.Head.Untouched && !all {
			continue
		}
		var at []string
		if p.Base != nil {
			at = append(at, folderOf(p.Base, ch.Base.Tree))
		}
		if p.Head != nil {
			at = with(at, folderOf(p.Head, ch.Head.Tree))
			for _, b := range from[p.ID] {
				at = with(at, folderOf(b, ch.Base.Tree))
			}
		}
		for _, folder := range at {
			after := p.Head != nil && folder == folderOf(p.Head, ch.Head.Tree)
			out = append(out, standing{p.ID, folder, after})
		}
	}
	return out
}

// with adds to a list what is not in it.
func with[T comparable](list []T, more ...T) []T {
	for _, x := range more {
		if !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	return list
}

func folderOf(r *object.Rendered, t fs.FS) string {
	folder := path.Clean(r.Path)
	if info, err := fs.Stat(t, folder); err == nil && !info.IsDir() {
		folder = path.Dir(folder)
	}
	if !fs.ValidPath(folder) {
		return "."
	}
	return folder
}

// takenFrom are the releases of base of which another one of head has an object that they have no longer, by that one's
// ID.
func takenFrom(ch *object.Changes) map[string][]*object.Rendered {
	if ch.Base == nil {
		return nil
	}
	ids := func(r *object.Rendered) map[string]bool {
		out := map[string]bool{}
		if r != nil {
			for _, o := range r.Objects {
				out[o.ID.String()] = true
			}
		}
		return out
	}
	lost, pairs := map[string][]*object.Rendered{}, slice.Pairs(ch)
	for _, p := range pairs {
		if p.Base == nil || p.Head != nil && p.Head.Err != nil {
			continue
		}
		has := ids(p.Head)
		for _, o := range p.Base.Objects {
			if id := o.ID.String(); !has[id] {
				lost[id] = append(lost[id], p.Base)
			}
		}
	}
	out := map[string][]*object.Rendered{}
	for _, p := range pairs {
		if len(lost) == 0 || p.Head == nil {
			continue
		}
		had := ids(p.Base)
		for _, o := range p.Head.Objects {
			if id := o.ID.String(); !had[id] && len(lost[id]) > 0 {
				out[p.ID] = with(out[p.ID], lost[id]...)
			}
		}
	}
	return out
}

// folders reports whether policies of folders count: where no file was named, which then stands alone.
func (g *gating) folders() bool { return g.policy == "" && g.file() == policyFile }

// scopes are the policies of folders that releases of a change have, read from the tree that the root's is of. Errors:
// those of one of them, or of a file that it names.
func (g *gating) scopes(t fs.FS, ch *object.Changes) ([]run.Scope, error) {
	if !g.folders() {
		return nil, nil
	}
	l := &layers{tree: t, by: map[string]*policies.Policy{}}
	root, err := l.of(".")
	if err != nil {
		return nil, analysis(err)
	}
	at := map[*policies.Policy]int{}
	var out []run.Scope
	for _, s := range standings(ch, false) {
		p, err := l.of(s.folder)
		if err != nil {
			return nil, analysis(err)
		}
		i, seen := at[p]
		if !seen {
			i = len(out)
			at[p] = i
			own, err := g.loaded(p, t)
			if err != nil {
				return nil, err
			}
			out = append(out, own)
		}
		out[i].Releases = with(out[i].Releases, s.id)
	}
	if i, has := at[root]; has { // for all that no other is for; named for what moves to or from its place
		rest := slices.Delete(slices.Clone(out), i, i+1)
		out[i].Releases = slices.DeleteFunc(out[i].Releases, func(id string) bool {
			return !slices.ContainsFunc(rest, func(s run.Scope) bool { return slices.Contains(s.Releases, id) })
		})
		if len(out[i].Releases) == 0 {
			out = rest
		}
	}
	slices.SortFunc(out, func(a, b run.Scope) int { return strings.Compare(a.Policy.File, b.Policy.File) })
	return out, nil
}

// loaded is the policy of a folder with what it names, as the flags have it.
func (g *gating) loaded(plain *policies.Policy, t fs.FS) (run.Scope, error) {
	p := *plain
	err := withFiles(&p, g.nodes+g.snapshot == "", func(name string) ([]byte, error) {
		return fs.ReadFile(t, path.Join(path.Dir(p.File), name))
	})
	if err == nil {
		err = g.flagged(&p, t)
	}
	s := run.Scope{Policy: &p, Declared: p.Gate.Gate}
	if err == nil {
		err = g.override(&p.Gate.Gate)
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
func (g *gating) diagnosed(t fs.FS, scopes []run.Scope) []diagnosedScope {
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

// policyFiles are the policies of folders of a tree, sorted; unreadable ones are left out.
func policyFiles(t fs.FS) []string {
	var out []string
	_ = fs.WalkDir(t, ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // an unreadable folder is no release either
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
