package snapshot

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Snapshot returns the collected snapshot. Errors: [ErrNoNodes].
func (c *Collector) Snapshot() (*Snapshot, error) {
	if len(c.snap.Nodes) == 0 {
		return nil, ErrNoNodes
	}
	c.place()
	c.revise()
	c.store()
	c.control()
	c.name()
	for _, id := range slices.Sorted(maps.Keys(c.live)) {
		c.snap.Workloads = append(c.snap.Workloads, *c.live[id])
	}
	c.snap.APIVersion, c.snap.Kind = APIVersion, Kind
	c.snap.sort()
	return &c.snap, nil
}

// place enters the pods, each under what owns it.
func (c *Collector) place() {
	nodes := map[string]bool{}
	for i := range c.snap.Nodes {
		nodes[c.snap.Nodes[i].Name] = true
	}
	lost := 0
	for i := range c.pods {
		p := &c.pods[i]
		if p.node != "" && !nodes[p.node] {
			lost++ // its node is gone: the pod garbage collector deletes it
			continue
		}
		kind, name := c.ownerOf(p)
		enterPod(c.entry(kind, p.namespace, name), p)
	}
	if lost > 0 {
		c.Gap("pods", fmt.Sprintf("%d on nodes that are not among those that were read", lost))
	}
}

// ownerOf is the workload that a pod is of: of a ReplicaSet's the Deployment.
//
// Upstream v1.36.3: deployment: (*DeploymentController).getNewReplicaSet names a ReplicaSet after
// its Deployment and the hash that its pods carry, which tells it where ReplicaSets cannot be read.
func (c *Collector) ownerOf(p *pod) (kind, name string) {
	if p.kind != "apps/ReplicaSet" {
		return p.kind, p.owner
	}
	if set, ok := c.sets[p.namespace+"/"+p.owner]; ok {
		return "apps/Deployment", set.deployment
	}
	if name, ok := strings.CutSuffix(p.owner, "-"+p.hash); ok && p.hash != "" && !c.seen["apps/ReplicaSet"] {
		return "apps/Deployment", name
	}
	return p.kind, p.owner
}

// enterPod adds a pod to those of its workload that ask for the same.
func enterPod(w *Workload, p *pod) {
	i := slices.IndexFunc(w.Pods, func(o Pods) bool { return o.key() == p.pods.key() })
	if i < 0 {
		i = len(w.Pods)
		w.Pods = append(w.Pods, p.pods)
	}
	to := &w.Pods[i]
	if p.node == "" {
		to.Pending++
		if p.ordinal >= 0 {
			to.PendingOrdinals = append(to.PendingOrdinals, p.ordinal)
		}
		return
	}
	k := slices.IndexFunc(to.On, func(o Placed) bool { return o.Node == p.node })
	if k < 0 {
		k = len(to.On)
		to.On = append(to.On, Placed{Node: p.node})
	}
	on := &to.On[k]
	switch p.phase {
	case "ready":
		on.Ready++
	case "starting":
		on.Starting++
	default:
		on.Terminating++
	}
	if p.ordinal >= 0 {
		on.Ordinals = append(on.Ordinals, p.ordinal)
	}
}

// revise enters which revision is a Deployment's current one: that of its ReplicaSet with the
// highest number.
func (c *Collector) revise() {
	newest := map[string]int{}
	for _, key := range slices.Sorted(maps.Keys(c.sets)) {
		set := c.sets[key]
		namespace, _, _ := strings.Cut(key, "/")
		w := c.live["apps/Deployment "+namespace+"/"+set.deployment]
		if w != nil && set.revision >= newest[w.ID()] {
			newest[w.ID()], w.Revision = set.revision, set.hash
		}
	}
}
