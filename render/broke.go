package render

import (
	"regexp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/side"
	"github.com/kubesettle/kubesettle/render/typed"
)

// Broke reports whether the change is the reason why a release does not render on head; base is nil where it is new. A
// release that does not render on base either was broken before, unless the change breaks another line, or breaks it in
// another way. A release that only moved, or that there was no time for, is not broken by the change.
func Broke(c *object.Changes, base, head *object.Rendered) bool {
	err := head.Lacks()
	switch {
	case err == nil, err.Cut:
		return false
	case base == nil:
		// A new one of which something is not here takes nothing away, unless it may stand for one that was looked at
		// and is gone.
		return !movedFrom(c, head) && !listedAlike(c, head) && (!err.Skipped || err.Refused || lostAny(c))
	case err.Skipped && withheld(base) && withheld(head): // what it is made with is not known
		return false
	case base.Lacks() == nil:
		return !err.Skipped || !stoodIn(base, err)
	case err.Skipped, helm.Asks(base.Lacks()) && helm.Asks(err):
		return false
	}
	at, was := err.Where, base.Lacks().Where
	if at.File == was.File && c.Edited(at.File, at.StartLine) && !baseHas(c, at.File) {
		return true // a file of chart-testing, which base was rendered with too
	}
	same := at.File == was.File && at.StartLine == was.StartLine || helm.Cause(base.Lacks()) == helm.Cause(err)
	return c.Edited(at.File, at.StartLine) && (base.Lacks().Skipped || !same)
}

// withheld reports whether a chart is rendered without a file whose content is not known.
func withheld(r *object.Rendered) bool {
	j := side.MadeOf(r).Recipe
	return j != nil && j.Chart != nil && j.Chart.Withheld != nil
}

// Lent reports whether a file is head's alone. Base was rendered with head's copy only for the comparison: a file of
// chart-testing.
func Lent(c *object.Changes, file string) bool {
	return c.Base != nil && file != "" && !baseHas(c, file)
}

func baseHas(c *object.Changes, file string) bool {
	src, err := listed(c.Base)
	return err != nil || src.Lists(file)
}

// stoodIn reports whether a chart of the repository stood for a dependency on base that head says is not at hand: it is
// published elsewhere on both sides, and what lies beside has got another version.
func stoodIn(base *object.Rendered, err *object.Failure) bool {
	recipe := side.MadeOf(base).Recipe
	return recipe != nil && slices.ContainsFunc(recipe.StandIns, func(name string) bool {
		return regexp.MustCompile(`(^|[ ,])` + regexp.QuoteMeta(name) + `@`).MatchString(err.Reason)
	})
}

// moved reports whether a release of head fails as one does that base has and head has not, over a file that is the
// same in another place: a folder was renamed.
func movedFrom(c *object.Changes, head *object.Rendered) bool {
	if c.Base == nil {
		return false
	}
	here := map[string]bool{}
	for _, r := range c.Head.Releases {
		here[r.ID] = true
	}
	err := head.Lacks()
	at := digests(c.Head, []string{err.Where.File})[0]
	return at != "" && slices.ContainsFunc(c.Base.Releases, func(r *object.Rendered) bool {
		return r.Err != nil && !here[r.ID] && r.Err.Skipped == err.Skipped && helm.Cause(r.Err) == helm.Cause(err) &&
			digests(c.Base, []string{r.Err.Where.File})[0] == at
	})
}

// listed reports whether a new release fails like all others of this repository that the same file lists: the file is
// for another place, such as a test that copies the charts beside it.
func listedAlike(c *object.Changes, head *object.Rendered) bool {
	err := head.Lacks()
	if c.Base == nil || err.Where.File == "" {
		return false
	}
	file, alike := err.Where.File, 0
	for _, r := range c.Base.Releases {
		if r.Err != nil && !r.Err.Skipped && r.Err.Where.File == file &&
			anyName(helm.Cause(r.Err)) == anyName(helm.Cause(err)) {
			alike++
		}
	}
	return alike > 1 && !slices.ContainsFunc(c.Head.Releases, func(r *object.Rendered) bool {
		return r.Err == nil && r.ID != file && (r.By.File == file || slices.Contains(r.Reads, file))
	})
}

// ownNames are paths, versions and addresses.
var ownNames = regexp.MustCompile(`\S*[/@:.0-9]\S*`)

func anyName(s string) string { return ownNames.ReplaceAllString(s, "") }

// lost reports whether a release of which base has workloads is gone on head. One that only lists what
// others are made of is none: a renamed application brings another such list. Nor is one whose files
// head renders as they are for another release, wherever they lie.
func lostAny(c *object.Changes) bool {
	if c.Base == nil {
		return false
	}
	here, read := map[string]bool{}, map[string]bool{}
	for _, r := range c.Head.Releases {
		here[r.ID] = true
		if r.Err != nil {
			continue
		}
		for _, d := range digests(c.Head, r.Reads) {
			read[d] = true
		}
	}
	taken := func(r *object.Rendered) bool {
		was := digests(c.Base, r.Reads)
		return len(was) > 0 && !slices.ContainsFunc(was, func(d string) bool { return d == "" || !read[d] })
	}
	for _, r := range c.Base.Releases {
		if r.Err == nil && !here[r.ID] && (r.Untouched || slices.ContainsFunc(r.Objects, hasPods)) && !taken(r) {
			return true
		}
	}
	return false
}

// TakenOver reports whether a release that base has and head has not lives on under another ID: one of the same
// kind is new on head that reads half of its files or more, by their paths or as base has them.
func TakenOver(c *object.Changes, r *object.Rendered) bool {
	if c.Base == nil || len(r.Reads) == 0 {
		return false
	}
	before := map[string]bool{}
	for _, b := range c.Base.Releases {
		before[b.ID] = true
	}
	was := digests(c.Base, r.Reads)
	return slices.ContainsFunc(c.Head.Releases, func(h *object.Rendered) bool {
		if before[h.ID] || h.Kind != r.Kind {
			return false
		}
		is, shared := digests(c.Head, h.Reads), 0
		for i, f := range r.Reads {
			if slices.Contains(h.Reads, f) || was[i] != "" && slices.Contains(is, was[i]) {
				shared++
			}
		}
		return 2*shared >= len(r.Reads)
	})
}

// digests are those of some files of a revision; "" of one that it has not.
func digests(r *object.Revision, files []string) []string {
	out := make([]string, len(files))
	src, err := listed(r)
	if err != nil {
		return out
	}
	for i, f := range files {
		if src.Lists(f) {
			out[i] = src.Digest(f)
		}
	}
	return out
}

func hasPods(o *object.Object) bool {
	_, pod := o.Typed.(*corev1.Pod)
	return pod || typed.PodTemplate(o.Typed) != nil
}
