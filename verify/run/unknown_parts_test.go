package run

import (
	"testing"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// What a release is said to come from is compared where both sides were read there, or base is this tree's; a side that
// only stands for a revision that could not be had leaves the comparison open.
func TestContentOfAnotherRevisionIsComparedIfItWasRead(t *testing.T) {
	here := object.FromGit("https://example.com/org/repo", "HEAD")
	at := func(revision string, read, guessed bool) object.From {
		f := object.FromGit("https://example.com/org/repo", revision)
		f.Read, f.Guessed = read, guessed
		return f
	}
	for name, c := range map[string]struct {
		base, head object.From
		open       bool
	}{
		"both read":                    {at("v1", true, false), at("v2", true, false), false},
		"this tree, then read":         {here, at("v2", true, false), false},
		"a guess, then read":           {at("v1", false, true), at("v2", true, false), true},
		"read, then a guess":           {at("v1", true, false), at("v2", false, true), true},
		"neither, as offline":          {at("v1", false, false), at("v2", false, false), true},
		"the same, neither read":       {at("v1", false, true), at("v1", false, true), false},
		"read, then taken for this":    {at("v1", true, false), here, true},
		"the default branch, by names": {here, at("main", false, false), false},
	} {
		b, h := &object.Rendered{}, &object.Rendered{}
		b.Delivery.From, h.Delivery.From = c.base, c.head
		ch := &object.Changes{Base: &object.Revision{Releases: []*object.Rendered{b}}}
		if got := movedAway(slice.Pair{ID: "web", Base: b, Head: h}, ch); (len(got) > 0) != c.open {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
