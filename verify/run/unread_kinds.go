package run

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/static"
)

// enterUnreadKinds names the kinds of changed objects that no model has, and that are not entered as unknown already:
// one line, however many they are. A policy that mutates is among them if no release has a binding of it.
func enterUnreadKinds(r *finding.Result, ch *object.Changes, own *policies.Policy, has func(release string) bool) {
	changes := ch.Changes
	count := map[string]int{}
	for i := range changes {
		c := &changes[i]
		o := c.Head
		if o == nil {
			o = c.Base
		}
		if has(c.Release) && (c.Kind != object.Modified || len(c.Fields) > 0) && !o.Hook &&
			(static.Unread(o) || slice.Unbound(o, ch)) &&
			!isMade(own, o, changes) &&
			!slices.ContainsFunc(r.Releases, func(rel finding.ReleaseResult) bool { return rel.ID == o.ID.String() }) {
			count[o.ID.Kind]++
		}
	}
	if len(count) == 0 {
		return
	}
	n := finding.Say(finding.KindsUnread)
	for _, kind := range slices.Sorted(maps.Keys(count)) {
		name := kind
		if count[kind] > 1 {
			name = fmt.Sprintf("%s (%d)", kind, count[kind])
		}
		n.Names = append(n.Names, name)
	}
	r.Notices = append(r.Notices, n)
}
