package static

import (
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Remedies is what helm-controller makes of a failed upgrade of a release, nil for nothing, and the HelmRelease that
// says so, which is nil where it was not rendered. What base's HelmRelease would do as well is no news: what it goes on
// with forever ends after one more try, and its uninstall leaves the upgrade failed.
//
// Upstream: helm-controller v1.6, internal/reconcile: (*AtomicRelease).actionForState.
func Remedies(head *object.Revision, p slice.Pair) (*state.Remediation, *object.Object) {
	d, was := p.Head.Delivery, object.Delivery{}
	if p.Base != nil {
		was = p.Base.Delivery
	}
	now := d.Upgrade
	if d.Tool != object.FluxHelmRelease || d.Suspended || now.Patience == 0 {
		return nil, nil
	}
	r := &state.Remediation{Field: "spec.upgrade.remediation", Retries: min(now.Retries, 1), Last: now.Last}
	before := endless(now) && endless(was.Upgrade) && was.Upgrade.Undo == now.Undo
	switch {
	case endless(now) && now.Undo == object.NoUndo:
		if before {
			return nil, nil
		}
		r.Undo, r.Field = state.LeavesFailed, "spec.upgrade.strategy"
	case now.Undone() == object.Rollback:
		r.Undo = state.RollsBack
		if before {
			r.Retries, r.Last = 1, true
		}
	case now.Undone() == object.Uninstall && was.Upgrade.Undone() != object.Uninstall:
		r.Undo, r.Reinstalls = state.Uninstalls, endless(d.Install) && d.Install.Undo != object.NoUndo
	default:
		return nil, nil
	}
	o := declaringObject(head, p.Head)
	if o != nil {
		r.By = o.ID.String()
	}
	return r, o
}

// endless reports whether a failed attempt is repeated forever.
func endless(a object.Attempt) bool { return a.Patience > 0 && a.Retries < 0 }
