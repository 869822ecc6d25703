package render

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/render/document"
)

// Broke reports whether the change is the reason why a release does not render on head; base
// is nil where it is new. What does not render on base either is not, unless the change
// breaks a line of its own in what could only not be fetched, or in another way. What there
// was no time for is the change's doing where head took it.
func (c *Changes) Broke(base, head *Rendered) bool {
	switch {
	case head == nil || head.Err == nil:
		return false
	case head.Err.Cut:
		return head.Err.Slow
	case base == nil:
		// A new one that nothing is wrong with but what is not here takes nothing away,
		// unless it may stand for one that was looked at and is gone.
		return !head.Err.Skipped || c.lost()
	case base.Err == nil:
		return true
	case head.Err.Skipped:
		return false
	}
	at, was := head.Err.Where, base.Err.Where
	same := at.File == was.File && at.StartLine == was.StartLine || cause(base.Err) == cause(head.Err)
	return c.Edited(at.File, at.StartLine) && (base.Err.Skipped || !same)
}

// cause is what a failure says without the place.
func cause(f *document.Failure) string {
	s := strings.TrimPrefix(f.Reason, f.Where.File)
	if i := strings.Index(s, ": "); strings.HasPrefix(s, ":") && i > 0 {
		s = s[i:]
	}
	return s
}

// lost reports whether a release of which base has workloads is gone on head. One that only lists what
// others are made of is none: a renamed application brings another such list. Nor is one whose files
// head renders as they are for another release.
func (c *Changes) lost() bool {
	if c.Base == nil {
		return false
	}
	here, read := map[string]bool{}, map[string]bool{}
	for _, r := range c.Head.Releases {
		here[r.ID] = true
		for _, f := range r.Reads {
			read[f] = read[f] || r.Err == nil
		}
	}
	taken := func(r *Rendered) bool {
		return len(r.Reads) > 0 && !slices.ContainsFunc(r.Reads, func(f string) bool { return !read[f] })
	}
	for _, r := range c.Base.Releases {
		if r.Err == nil && !here[r.ID] && !taken(r) && (r.Untouched || slices.ContainsFunc(r.Objects, hasPods)) {
			return true
		}
	}
	return false
}

func hasPods(o *Object) bool {
	_, pod := o.Typed.(*corev1.Pod)
	return pod || podTemplate(o) != nil
}
