package main

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/run"
)

// policySides are the policies of both trees, as files have them.
type policySides struct {
	g          *gating
	base, head *layers
	known      map[string]bool // whether what a folder's policy says may differ
}

// policySides compares policies of two trees; nil where the user names one, which is the same for both.
func (g *gating) policySides(base, head tree.Tree) *policySides {
	if g.policy != "" {
		return nil
	}
	return &policySides{g, &layers{tree: base, by: map[string]*policies.Policy{}},
		&layers{tree: head, by: map[string]*policies.Policy{}}, map[string]bool{}}
}

// plain is the policy of a folder on one side, of which no file is loaded.
func (s *policySides) plain(l *layers, folder string) (*policies.Policy, error) {
	if s.g.folders() {
		return l.of(folder)
	}
	if p := l.by["."]; p != nil {
		return p, nil
	}
	data, err := fs.ReadFile(l.tree, s.g.file())
	p := policies.Default()
	if err == nil {
		p, err = policies.Load(s.g.file(), data)
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil {
		l.by["."] = p
	}
	return p, err
}

// differ reports whether the change edits a policy of a folder, or a file that it names.
func (s *policySides) differ(folder string) bool {
	if known, ok := s.known[folder]; ok {
		return known
	}
	files := []string{s.g.file()}
	if s.g.folders() {
		for at := folder; at != "."; at = path.Dir(at) {
			files = append(files, path.Join(at, policyFile))
		}
	}
	for _, l := range []*layers{s.base, s.head} {
		if p, err := s.plain(l, folder); err == nil && p.File != "" {
			for _, name := range p.Files() {
				files = append(files, path.Join(path.Dir(p.File), name))
			}
		}
	}
	s.known[folder] = slices.ContainsFunc(files, func(f string) bool {
		was, errBase := fs.ReadFile(s.base.tree, f)
		is, errHead := fs.ReadFile(s.head.tree, f)
		return (errBase == nil) != (errHead == nil) || !bytes.Equal(was, is)
	})
	return s.known[folder]
}

// renders has releases rendered whose policy changes, though the change reaches nothing of them.
func (s *policySides) renders(opt *render.Options) {
	if s == nil {
		return
	}
	also := opt.Beside
	opt.Beside = func(r release.Release) bool {
		folder := path.Clean(r.Path)
		if !fs.ValidPath(folder) {
			folder = "."
		}
		return also != nil && also(r) || s.differ(folder)
	}
}

// changes are the edits of the policies of releases, and the messages about head's policies that do not load. root and
// scopes are base's, as they are in use.
func (s *policySides) changes(ch *object.Changes, root *policies.Policy,
	scopes []run.Scope) (out []run.PolicyChange, notices []finding.Note) {
	if s == nil {
		return nil, nil
	}
	say := func(err error) {
		first, _, _ := strings.Cut(err.Error(), "\n")
		notices = finding.AppendNew(notices, finding.Say(finding.PolicyBroken, first))
	}
	switched := map[string]bool{}
	for _, r := range ch.Head.Releases {
		switched[r.ID] = r.Switched != "" // an undeclared setting has no policy to meet
	}
	at, loaded := map[[2]*policies.Policy]int{}, map[*policies.Policy]*policies.Policy{}
	for _, one := range standings(ch, true) {
		if switched[one.id] || !one.after || !s.differ(one.folder) {
			continue
		}
		was, is := root, s.headOf(one.folder, loaded, say)
		from, err := s.plain(s.base, one.folder)
		for i := range scopes {
			if err == nil && slices.Contains(scopes[i].Releases, one.id) && scopes[i].Policy.File == from.File {
				was = scopes[i].Policy
			}
		}
		if is == nil {
			continue
		}
		i, seen := at[[2]*policies.Policy{was, is}]
		if !seen {
			i = len(out)
			at[[2]*policies.Policy{was, is}] = i
			out = append(out, run.PolicyChange{Base: was, Head: is, Added: was.File == ""})
		}
		out[i].Releases = with(out[i].Releases, one.id)
	}
	return out, notices
}

// headOf is head's policy of a folder with what it names; nil where it does not load.
func (s *policySides) headOf(folder string, loaded map[*policies.Policy]*policies.Policy,
	say func(error)) *policies.Policy {
	p, err := s.plain(s.head, folder)
	if err != nil {
		if _, root := s.plain(s.head, "."); root != nil { // of those below [gating.scopeNotices] says so
			say(root)
		}
		return nil
	}
	if l := loaded[p]; l != nil {
		return l
	}
	plain := *p
	plain.Gate.Baseline = "" // base's counts
	full, err := s.g.loaded(&plain, s.head.tree)
	if err != nil {
		say(err)
		return nil
	}
	loaded[p] = full.Policy
	return full.Policy
}
