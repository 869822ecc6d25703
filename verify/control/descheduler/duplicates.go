package descheduler

import (
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

// duplicates compiles RemoveDuplicates. The pods of one class have one owner and the
// same images, and no other class has both: a class is upstream's podOwner.
//
// Upstream: removeduplicates: Balance, getTargetNodes, hasExcludedOwnerRefKind.
func (k *deschedCompiled) duplicates(plugin *deschedPlugin, a *state.RemoveDuplicatesArgs) error {
	var err error
	if plugin.selects, err = k.selection(state.PodSelection{Namespaces: a.Namespaces}, plugin.field); err != nil {
		return err
	}
	for p := range k.classes {
		class := &k.classes[p]
		if plugin.selects[p] && k.cfg.Pods[p].Ordinal != state.NoOrdinal &&
			!slices.Contains(a.ExcludeOwnerKinds, class.owner) {
			return fmt.Errorf("%s: the pods of %s, of which several have one owner: %w", plugin.field,
				k.workload(p).ID, actor.ErrUnmodeled)
		}
		var nodes []bool
		for n := range k.nodes {
			if slices.Contains(a.ExcludeOwnerKinds, class.owner) {
				break
			}
			// An error of the node selector lets upstream take the node.
			nodes = append(nodes,
				toleratesAll(class.pod, k.nodes[n].object, keepsOut) && matchesNode(class.pod, k.nodes[n].object))
		}
		plugin.target = append(plugin.target, nodes)
	}
	plugin.run, plugin.because = removeDuplicates, nil
	return nil
}

func removeDuplicates(r *descheduling, plugin *deschedPlugin) {
	for p := range r.owner {
		r.owner[p] = r.targets(plugin, p) > 0 && plugin.selects[p] && r.evictable(plugin.evictor, p)
	}
	for p := r.nextOwner(); p >= 0; p = r.nextOwner() {
		if r.removeDuplicatesOf(plugin, p) == totalExhausted {
			return
		}
	}
}

// nextOwner takes one of the classes in r.owner, or gives -1.
func (r *descheduling) nextOwner() int {
	options := 0
	for _, left := range r.owner {
		if left {
			options++
		}
	}
	chosen := 0
	if r.careful {
		chosen = r.choose(options)
	}
	for p, left := range r.owner {
		if left && chosen == 0 {
			r.owner[p] = false
			return p
		} else if left {
			chosen--
		}
	}
	return -1
}

func (r *descheduling) removeDuplicatesOf(plugin *deschedPlugin, p int) deschedVerdict {
	occurrence := 0
	for n := range r.left {
		r.left[n] = r.ready[n] && r.live(n, p) > 0 && r.mayLeave(plugin.evictor, p, n)
		if r.left[n] {
			occurrence += r.live(n, p)
		}
	}
	targets := r.targets(plugin, p)
	average := (occurrence + targets - 1) / targets
	for n := range r.left {
		r.left[n] = r.left[n] && r.live(n, p) > max(average, 1)
	}
	for n := r.nextNode(); n >= 0; n = r.nextNode() {
		r.nominateSome(n, p, r.live(n, p)-average)
		if v := r.evictPods(plugin, n, n+1); v == totalExhausted {
			return v
		}
		clear(r.cand)
	}
	return evictedPod
}
