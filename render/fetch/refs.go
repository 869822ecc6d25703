package fetch

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
)

// named is the commit that a name stands for today.
type named struct {
	commit string
	moves  string // the branch, in a message's words; "": it is a tag
	ranged bool
}

// named asks what a tag, a branch, or a full name below refs/ stands for. A tag goes before a branch of its name.
func (f *Fetcher) named(ctx context.Context, address, name string) (named, error) {
	u, err := f.gitAddress(address)
	if err != nil {
		return named{}, err
	}
	if !f.opt.Network {
		return named{}, ErrOffline
	}
	refs, err := f.refs.do(ctx, address, func() (*packp.AdvRefs, error) {
		s, err := f.session(u)
		if err != nil {
			return nil, err
		}
		defer s.Close()
		return s.AdvertisedReferencesContext(ctx)
	})
	if err != nil {
		return named{}, gitError(u, name, err)
	}
	if name == "" || name == "HEAD" {
		if refs.Head == nil {
			return named{}, &Error{Reason: show(u) + " has no default branch", Remedy: "name a branch, a tag or a commit"}
		}
		return named{commit: refs.Head.String(), moves: defaultBranch(refs)}, nil
	}
	for _, full := range []string{name, "refs/tags/" + name, "refs/heads/" + name} {
		if !strings.HasPrefix(full, "refs/") {
			continue
		}
		hash, ok := refs.Peeled[full]
		if !ok {
			hash, ok = refs.References[full]
		}
		if !ok {
			continue
		}
		if strings.HasPrefix(full, "refs/tags/") {
			return named{commit: hash.String()}, nil
		}
		return named{commit: hash.String(), moves: branchText(full)}, nil
	}
	if at, err := newest(u, refs, name); at.commit != "" || err != nil {
		return at, err
	}
	return named{}, noSuchName(u, name)
}

// Versions begins a revision that is a range of versions as Flux reads it.
const Versions = "semver:"

// newest is the tag with the highest version in a range; nothing if the name is no range.
//
// Upstream: fluxcd/pkg, git/gogit: (*Client).cloneSemVer, which reads tags strictly; argo-cd, util/versions:
// MaxVersion, which does not. Of two tags of one version, Flux takes the one with the later commit; that is not read
// here.
func newest(u *url.URL, refs *packp.AdvRefs, name string) (named, error) {
	text, strict := strings.CutPrefix(name, Versions)
	if !strict && !versionsRange.MatchString(name) {
		return named{}, nil
	}
	within, err := semver.NewConstraint(text)
	if err != nil {
		return named{}, &Error{Reason: fmt.Sprintf("%q is no range of versions", text), Remedy: "correct the range"}
	}
	var best *semver.Version
	var at named
	twice := false
	for _, full := range slices.Sorted(maps.Keys(refs.References)) {
		tag, is := strings.CutPrefix(full, "refs/tags/")
		v, err := semver.NewVersion(tag)
		if strict {
			v, err = semver.StrictNewVersion(strings.TrimPrefix(tag, "v"))
		}
		if !is || err != nil || !within.Check(v) || best != nil && v.LessThan(best) {
			continue
		}
		hash, ok := refs.Peeled[full]
		if !ok {
			hash = refs.References[full]
		}
		twice = best != nil && v.Equal(best) && hash.String() != at.commit
		best, at = v, named{hash.String(), "tag " + tag + ", the newest in " + text + ",", true}
	}
	switch {
	case best == nil:
		return named{}, &Error{Reason: fmt.Sprintf("%s has no tag in the range %s", show(u), text),
			Remedy: "correct the range: `git ls-remote " + show(u) + "` lists the tags"}
	case twice:
		return named{}, &Error{Refused: true, Reason: fmt.Sprintf("%s has several tags of version %s", show(u), best),
			Remedy: "name one of them"}
	}
	return at, nil
}

var (
	shortCommit   = regexp.MustCompile(`^[0-9a-f]{7,39}$`)
	versionsRange = regexp.MustCompile(`[*<>=^~|, ]|(^|\.)[xX]($|\.)`)
)

// noSuchName is the error of a name that the repository does not have.
func noSuchName(u *url.URL, name string) error {
	list := "`git ls-remote " + show(u) + "` lists them"
	switch {
	case shortCommit.MatchString(name):
		return &Error{Refused: true, Reason: name + " is no tag or branch of " + show(u) + ", and too short for a commit",
			Remedy: "give the full commit of 40 digits"}
	}
	return &Error{Reason: show(u) + " has no tag or branch " + name, Remedy: "correct the name: " + list}
}

func branchText(ref string) string { return "branch " + strings.TrimPrefix(ref, "refs/heads/") }

// defaultBranch names the branch that HEAD is, where the server says so.
func defaultBranch(refs *packp.AdvRefs) string {
	for _, one := range refs.Capabilities.Get(capability.SymRef) {
		if from, to, ok := strings.Cut(one, ":"); ok && from == plumbing.HEAD.String() {
			return branchText(to)
		}
	}
	return "its default branch"
}
