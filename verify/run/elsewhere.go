package run

import (
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/slice"
)

const compareDelivered = "render what it delivers before and after, and compare that: --base-dir and --head-dir"

// enterElsewhere names the changed deliveries from outside the repository: their content is unknown.
func enterElsewhere(r *finding.Result, ch *object.Changes, opt *Options) {
	for _, e := range render.ChangedElsewhere(ch) {
		if !opt.Has(e.Change.Release) {
			continue
		}
		side, name := "head", e.Object.ID.Kind+" "+e.Object.ID.Name
		rel := finding.ReleaseResult{ID: e.Object.ID.String(), Kind: string(object.Manifests), Status: "skipped",
			Changed: true, Before: true, Selected: name,
			Remedy: compareDelivered}
		if e.Fetchable {
			rel.Remedy = "run without --offline, or " + compareDelivered
		}
		switch {
		case e.Data != "":
			rel.Reason = fmt.Sprintf("%s changes, which %s takes, and its objects are not in the repository", e.Data, name)
		case e.Change.Kind == object.Added:
			rel.OnBase, rel.Reason = "absent", name+" comes, and delivers objects that are not in the repository"
		case e.Change.Kind == object.Removed:
			side, rel.Reason = "base", name+" goes, and its objects are not in the repository"
		default:
			rel.Reason = name + " changes, and its objects are not in the repository"
			if e.Field != "" {
				rel.Reason = fmt.Sprintf("%s of %s changes, and its objects are not in the repository", e.Field, name)
			}
		}
		if e.Change.Base != nil && tookFrom(ch.Base, e.Change.Base) {
			rel.OnBase = "renders"
		}
		at := judge.Places{Changes: ch}.Location(e.Object.Locate(e.Field), side)
		rel.Where = &at
		again := func(other finding.ReleaseResult) bool { // several releases have the object
			return other.ID == rel.ID && other.Where != nil && *other.Where == at
		}
		if !slices.ContainsFunc(r.Releases, again) {
			r.Releases = append(r.Releases, rel)
		}
	}
}

// enterUndecided enters a release of base of which it is not known whether head has it; false: it is known.
func enterUndecided(rel *finding.ReleaseResult, p slice.Pair, ch *object.Changes) bool {
	if p.Head != nil || ch.Undecided(p.Base) == "" {
		return false
	}
	at := judge.Places{Changes: ch}.Location(p.Base.By, "base")
	rel.Status, rel.Changed, rel.Before, rel.Where = "skipped", true, true, &at
	rel.Reason, rel.Remedy = "what "+ch.Undecided(p.Base)+" delivers on head is not known", compareDelivered
	return true
}

// tookFrom reports whether a release of a side was rendered that comes from the git repository that an object names.
func tookFrom(rev *object.Revision, source *object.Object) bool {
	url, _ := slice.ValueAt(source.Content, "spec", "url").(string)
	from := object.FromGit(url, "").Repository
	return from != "" && slices.ContainsFunc(rev.Releases, func(r *object.Rendered) bool {
		return r.Err == nil && r.Delivery.From.Repository == from
	})
}
