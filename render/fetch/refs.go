package fetch

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
)

// named is the commit that a name stands for today.
type named struct {
	commit string
	moves  string // the branch, in a message's words; "": it is a tag
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
		return named{refs.Head.String(), defaultBranch(refs)}, nil
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
		return named{hash.String(), branchText(full)}, nil
	}
	return named{}, noSuchName(u, name)
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
	case versionsRange.MatchString(name):
		return &Error{Refused: true, Reason: fmt.Sprintf("%q is a range of versions, which is not followed", name),
			Remedy: "give a tag: " + list}
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
