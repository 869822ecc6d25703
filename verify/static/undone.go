package static

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

var undoes = Analyzer{Name: "remediation", Rule: rules.ApplyStuck, Run: undone,
	Doc: "a remediation that never comes, or takes data along"}

// undone reports surprising effects of a HelmRelease's failed upgrade: a remediation that never comes, as the strategy
// retries, or one that takes data along.
//
// One that goes on forever is reported here if no pod template changes: otherwise the search shows it.
//
// Upstream: helm-controller v1.5, internal/reconcile: (*AtomicRelease).actionForState, which asks for a retry before it
// asks for a remediation.
func undone(p *Pass) []Remark {
	where := p.where()
	if p.Head == nil || p.Head.Delivery.Tool != object.FluxHelmRelease {
		return nil
	}
	o := declaringObject(where.ch.Head, p.Head)
	if o == nil {
		return nil
	}
	now, was := p.Head.Delivery, object.Delivery{}
	if p.Base != nil {
		was = p.Base.Delivery
	}
	var out []Remark
	for _, a := range []struct {
		action   string
		now, was object.Attempt
	}{{"install", now.Install, was.Install}, {"upgrade", now.Upgrade, was.Upgrade}} {
		if a.now.Unused && !a.was.Unused {
			at := "spec." + a.action
			out = append(out, Remark{
				Rule: rules.ApplyStuck, release: o.Release, Object: o, status: finding.New, Conditional: true,
				occasion: "bad-revision", paths: []string{at + ".strategy", at + ".remediation"},
				text: fmt.Sprintf("%s tries a failed %s again without end (RetryOnFailure), so that its remediation never comes: nothing is undone",
					o.ID, a.action),
				remedies: byHand("remove " + at + ".strategy, so that a failed upgrade is undone"),
			})
		}
	}
	if endless(now.Upgrade) && now.Upgrade.Undo != object.NoUndo && p.Base != nil && !endless(was.Upgrade) &&
		!rolls(p.Pair) {
		const at = "spec.upgrade.remediation.retries"
		out = append(out, Remark{
			Rule: rules.ApplyStuck, release: o.Release, Object: o, status: finding.New, Conditional: true,
			occasion: "bad-revision", paths: []string{at},
			text: fmt.Sprintf("%s undoes an upgrade that fails and tries it again without end, until the release is changed: its pods come and go forever",
				o.ID),
			remedies: byHand("set " + at + " to a number, such as 3: the last failed upgrade is undone, too, and nothing more is tried"),
		})
	}
	lost := slices.IndexFunc(p.Head.Objects, func(x *object.Object) bool {
		return precious[x.ID.Group+"/"+x.ID.Kind] && !kept(x) && !x.Hook
	})
	if lost >= 0 && now.Upgrade.Undone() == object.Uninstall && was.Upgrade.Undone() != object.Uninstall {
		const at = "spec.upgrade.remediation.strategy"
		out = append(out, Remark{
			Rule: rules.DeletedOnTheWay, release: o.Release, Object: o, status: finding.New, Conditional: true,
			occasion: "bad-revision", paths: []string{at},
			text: fmt.Sprintf("%s uninstalls the release when an upgrade fails, and %s goes with it", o.ID,
				p.Head.Objects[lost].ID),
			remedies: byHand("set " + at + ": rollback, or keep precious objects by helm.sh/resource-policy: keep"),
		})
	}
	return out
}

// rolls reports whether the change rolls out pods of a release.
func rolls(p slice.Pair) bool {
	was := newAimIndex(p.Objects(state.Base))
	return slices.ContainsFunc(p.Objects(state.Head), func(o *object.Object) bool {
		b := was.counterpart(o)
		return b != nil && o.Typed != nil &&
			!reflect.DeepEqual(slice.ValueAt(b.Content, "spec", "template"), slice.ValueAt(o.Content, "spec", "template"))
	})
}
