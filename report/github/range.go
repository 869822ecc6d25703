package github

import (
	"fmt"
	"slices"
)

// History answers what base and head rest on, from the repository that is checked out.
type History interface {
	// Commit is the full hash of a revision.
	Commit(rev string) (string, error)
	// Parents of a revision, first parent first; known even where a shallow clone lacks
	// their objects.
	Parents(rev string) ([]string, error)
	// MergeBase is the best common ancestor of two revisions.
	MergeBase(a, b string) (string, error)
}

// Range is what a run compares.
type Range struct {
	Base string // a full hash; "" where one state is verified alone
	Head string // a full hash
}

// Range finds base and head of an event: the revision that the merge would deploy against the one deployed now.
// override is the user's own base, or "".
//
// A pull request's base is the first parent of the merge commit that is checked out;
// the payload's base.sha is stale on a re-run and is not looked at. Where the head
// itself is checked out, base is its merge base with the branch that it goes to.
// Errors: [ErrStaleMerge] and those of h.
func (e *Event) Range(h History, override string) (Range, error) {
	head, err := h.Commit("HEAD")
	if err != nil {
		return Range{}, err
	}
	r := Range{Head: head}
	switch {
	case override != "":
		r.Base, err = forkPoint(h, override, head)
		if err == nil {
			err = e.checkedOut(h, head)
		}
	case e.Name == "merge_group":
		r.Base, err = e.BaseSHA, e.checkedOut(h, head)
	case e.Name == "push":
		r.Base, err = e.BaseSHA, e.checkedOut(h, head) // without a base: a new branch or tag
	case e.PullRequest():
		r.Base, err = e.pullRange(h, head)
	case e.Name == "workflow_run":
		err = e.checkedOut(h, head)
	}
	return r, err
}

// forkPoint is where head left a base that the user names.
func forkPoint(h History, base, head string) (string, error) {
	at, err := h.Commit(base)
	if err != nil {
		return "", fmt.Errorf("input base: %w", err)
	}
	if from, err := h.MergeBase(at, head); err == nil {
		return from, nil
	}
	return at, nil // no common history here, as in a shallow clone: base itself
}

// pullRange is the range of a pull request.
func (e *Event) pullRange(h History, head string) (string, error) {
	parents, err := h.Parents(head)
	if err != nil {
		return "", err
	}
	if len(parents) == 2 && parents[1] == e.HeadSHA {
		return parents[0], nil
	}
	if head != e.HeadSHA {
		return "", e.stale(head, parents)
	}
	if e.BaseRef == "" {
		return "", nil
	}
	base, err := h.MergeBase("refs/remotes/origin/"+e.BaseRef, head)
	if err != nil {
		return "", fmt.Errorf("the pull request's head is checked out, not its merge, so base is its merge base with %s: %w (set 'fetch-depth: 0' for actions/checkout, or leave its 'ref' unset)", e.BaseRef, err)
	}
	return base, nil
}

// checkedOut demands that the commit of the event is what lies in the work tree.
func (e *Event) checkedOut(h History, head string) error {
	if e.HeadSHA == "" || e.HeadSHA == head {
		return nil
	}
	parents, err := h.Parents(head)
	if err != nil {
		return err
	}
	if slices.Contains(parents, e.HeadSHA) {
		return nil
	}
	return e.stale(head, parents)
}

func (e *Event) stale(head string, parents []string) error {
	if len(parents) == 2 {
		return fmt.Errorf("%w: %.12s is checked out, the merge of %.12s, but the event is about %.12s: re-run the workflow for the newest commit", ErrStaleMerge, head, parents[1], e.HeadSHA)
	}
	return fmt.Errorf("%w: %.12s is checked out, but the event is about %.12s: leave the 'ref' of actions/checkout unset, or re-run the workflow", ErrStaleMerge, head, e.HeadSHA)
}
