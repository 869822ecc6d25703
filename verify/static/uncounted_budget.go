package static

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
)

var uncounted = Analyzer{Name: "uncounted-budgets", Rule: rules.DrainBlocked, Run: uncountedBudgets,
	Doc: "a PodDisruptionBudget over the pods of a DaemonSet"}

// uncountedBudgets says which PodDisruptionBudgets come to select the pods of a DaemonSet. With maxUnavailable or a
// percentage, the disruption controller asks the owner of each pod for its scale, which a DaemonSet has not: it fails,
// and the budget allows no eviction, of whatever pod. A number as minAvailable is counted, but neither a drain by
// kubectl nor the DaemonSet's rollout asks for it.
//
// Upstream: kubernetes v1.36.3, pkg/controller/disruption: getExpectedPodCount, getExpectedScale, getScaleController
// ("does not implement the scale subresource"), failSafe (DisruptionsAllowed 0); kubectl, pkg/drain: daemonSetFilter.
// Karpenter, pkg/controllers/node/termination/terminator: (*Terminator).Drain evicts pods of DaemonSets, too.
func uncountedBudgets(p *Pass) []Remark {
	base, head := p.before(), p.after()
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		t, ok := o.Typed.(*policyv1.PodDisruptionBudget)
		if !ok || o.Hook {
			continue
		}
		daemon, other := perNode(head, o)
		takesScale := t.Spec.MaxUnavailable != nil || t.Spec.MinAvailable != nil && t.Spec.MinAvailable.Type == intstr.String
		if daemon == nil || !takesScale && (other != nil || t.Spec.MinAvailable == nil) {
			continue
		}
		if b := base.counterpart(o); b != nil {
			was := b.Typed.(*policyv1.PodDisruptionBudget)
			before, beside := perNode(base, b)
			same := was.Spec.MaxUnavailable != nil || was.Spec.MinAvailable != nil && was.Spec.MinAvailable.Type == intstr.String
			if before != nil && (!takesScale || same && (beside != nil || other == nil)) {
				continue
			}
		}
		field := "spec.maxUnavailable"
		if t.Spec.MaxUnavailable == nil {
			field = "spec.minAvailable"
		}
		r := Remark{Object: o, Conditional: true, paths: []string{field, "spec.selector"},
			causes: []cause{{daemon, labelPaths}}}
		switch {
		case !takesScale:
			r.Note = true
			r.text = fmt.Sprintf("%s limits neither drains by kubectl nor rollouts: the pods that it selects are those of %s", o.ID, daemon.ID)
		case other != nil:
			r.occasion = "drain"
			r.text = fmt.Sprintf("%s allows no eviction, so that pods of %s cannot be drained: it selects pods of %s, which has no scale to count from",
				o.ID, other.ID, daemon.ID)
		default:
			r.text = fmt.Sprintf("%s allows no eviction, as %s has no scale to count from: drains by kubectl leave its pods out, Karpenter waits for them",
				o.ID, daemon.ID)
		}
		r.remedies = byHand("remove the budget: updateStrategy.rollingUpdate.maxUnavailable paces rollouts of a DaemonSet")
		if other != nil {
			r.remedies = byHand(fmt.Sprintf("have the budget select the pods of %s alone", other.ID))
		}
		out = append(out, r)
	}
	return out
}

// perNode is the first DaemonSet whose pods a budget selects, and the first workload of another kind; nil: none.
func perNode(x *aimIndex, budget *object.Object) (daemon, other *object.Object) {
	list := x.all(budget)
	is := func(o *object.Object) bool { _, yes := o.Typed.(*appsv1.DaemonSet); return yes }
	if i := slices.IndexFunc(list, is); i >= 0 {
		daemon = list[i]
	}
	if i := slices.IndexFunc(list, standing); i >= 0 {
		other = list[i]
	}
	return daemon, other
}
