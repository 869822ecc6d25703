package verify

import (
	"context"
	"maps"
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/state"
)

// scenarioNext is the rollout after the change: once that has come to rest, a new image
// comes for every workload that it touches, and nothing else happens. A deadlock that the
// change plants and does not trip over itself is told by the change.
const scenarioNext = "next"

// next gives the variant with head as what runs, and head with other pods as what comes.
// Events stay away, and there is room: what is asked is whether rules, volumes, ports and
// quotas let the rollout come to its end. Whether its pods fit beside the old ones changes
// with what else stands on the nodes, and is asked of each change as it comes.
func (v variant) next() variant {
	touched := v.changed
	v.spec.Events = state.Events{Next: true}
	v.spec.DefaultPriority[state.Base] = v.spec.DefaultPriority[state.Head]
	v.spec.Classes = slices.Clone(v.spec.Classes)
	for i := range v.spec.Classes {
		v.spec.Classes[i].Elastic = true
	}
	at := -1
	return v.manifests(func(w state.Workload) [2]state.Manifest {
		at++
		now := w.Manifests[state.Head]
		if _, ok := touched[at]; !ok || !now.Exists() || now.Kind().Ends() {
			return [2]state.Manifest{now, now}
		}
		return [2]state.Manifest{now, rolledOut(now)}
	}, 1)
}

// rolledOut is a manifest with a pod template that differs in nothing that a loop looks at.
func rolledOut(m state.Manifest) state.Manifest {
	m.OwnObject()
	t := m.Template()
	t.Annotations = maps.Clone(t.Annotations)
	if t.Annotations == nil {
		t.Annotations = map[string]string{}
	}
	t.Annotations[restarted] = "next"
	return m
}

// next searches the rollout after the change.
func (r *scenarioRun) next(ctx context.Context, v variant) error {
	v = v.next()
	if v.repeats() { // nothing of it is rolled out
		r.cov.closeAside(asideNext, allClosed)
		return nil
	}
	own := slices.DeleteFunc(slices.Clone(r.rules), func(rule rules.Rule) bool {
		return rule.Class != rules.Lifecycle || rule.Static || rule.ID == rules.CannotRevert
	})
	return r.aside(ctx, asideNext, scenarioNext, v, state.Base, own)
}

// pendingAnywhere says whether some pod has no node, or waits for a volume.
func pendingAnywhere(s state.State) bool {
	for p := range s.C.Pods {
		if s.Pending(p) > 0 || s.Waiting(p) > 0 {
			return true
		}
	}
	return false
}

// unasked leaves out what the next rollout shows of a slice whose loops never come to rest,
// and of workloads that another scenario tells something of: there it adds nothing.
func unasked(found []violation) []violation {
	var told []string
	for _, v := range found {
		switch class := v.bound.rule.Class; {
		case v.aside == asideNext:
		case class == rules.Oscillation, class == rules.Convergence:
			return slices.DeleteFunc(found, func(o violation) bool { return o.aside == asideNext })
		case class == rules.Lifecycle:
			told = append(told, v.key().workload)
		}
	}
	return slices.DeleteFunc(found, func(o violation) bool {
		return o.aside == asideNext && slices.Contains(told, o.key().workload)
	})
}
