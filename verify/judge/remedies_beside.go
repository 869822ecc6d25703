package judge

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/typed"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// paceEvictions gives pods that no budget covers one: evictions wait then until the pod before is ready again.
func paceEvictions(p patient) []remedy {
	labels := slice.ValueAt(p.workload.Content, "spec", "selector", "matchLabels")
	if labels == nil || len(p.budgets()) > 0 || p.workload.Maker != nil ||
		p.manifest.Replicas() < 2 && len(p.hpas()) == 0 {
		return nil
	}
	meta := map[string]any{"name": p.workload.ID.Name}
	if ns := slice.ValueAt(p.workload.Content, "metadata", "namespace"); ns != nil {
		meta["namespace"] = ns
	}
	budget, err := typed.Companion(p.workload, map[string]any{
		"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": meta,
		"spec": map[string]any{"maxUnavailable": 1, "selector": map[string]any{"matchLabels": labels}},
	})
	if err != nil {
		return nil
	}
	return []remedy{{
		say:  fmt.Sprintf("add a PodDisruptionBudget for the pods of %s with maxUnavailable: 1, so that they are evicted one after the other", p.workload.ID.Name),
		cost: "a drain takes longer", object: p.workload, add: budget,
	}}
}

// leaveToScaler leaves the number of replicas to a loop of the policy that sets it.
func leaveToScaler(p patient) []remedy {
	if len(p.scalers) == 0 || !declares(p.workload, "spec", "replicas") {
		return nil
	}
	return p.of(fmt.Sprintf("remove spec.replicas: %s owns it", p.scalers[0].Name), "",
		object.Setting{Path: "spec.replicas"})
}

// abortAtOnce takes out the delay after which an aborted canary is scaled down, where the stable revision is scaled as
// traffic comes back.
//
// Upstream: argo-rollouts v1.9.1, rollout/trafficrouting.go and rollout/canary.go: with dynamicStableScale the stable
// revision grows with the canary's weight going back, which waits for it.
func abortAtOnce(p patient) []remedy {
	if p.manifest.Rollout == nil {
		return nil
	}
	c := p.manifest.Rollout.Spec.Strategy.Canary
	if c == nil || !c.DynamicStableScale || c.AbortScaleDownDelaySeconds == nil {
		return nil
	}
	return p.of("remove abortScaleDownDelaySeconds, which does not go with dynamicStableScale",
		"the pods of an aborted revision go at once",
		object.Setting{Path: "spec.strategy.canary.abortScaleDownDelaySeconds"})
}

// admitClaims lets a LimitRange or a quota take the claims of a StatefulSet.
func admitClaims(p patient) []remedy {
	var out []remedy
	for _, o := range p.beside {
		set := map[string]object.Setting{}
		for _, r := range p.claims {
			if r.Object == o.ID.String() && r.Enough != "" {
				set[r.Field] = object.Setting{Path: r.Field, Value: r.Enough}
			}
		}
		if len(set) == 0 {
			continue
		}
		var list []object.Setting
		for _, field := range slices.Sorted(maps.Keys(set)) {
			list = append(list, set[field])
		}
		out = append(out, changing(fmt.Sprintf("let %s %s take the claims", o.ID.Kind, o.ID.Name),
			"the namespace may use more storage", o, list))
	}
	return out
}
