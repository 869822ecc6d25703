package scheduler

import (
	"slices"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Welcomes reports whether every pod finds a node that takes it, whatever else there is, as long as no workload has
// more pods than the problem allows ([state.Config.MaxPods]): which node that is then makes no difference to whether it
// runs. Filters that look at other pods, at volumes or at nodes that come and go may refuse anything; the resources of
// nodes are added up.
func (k *Compiled) Welcomes() bool { return k.easyAll() && k.lastsAll(k.mostTaken()) }

// easyAll reports whether want of room is all that may keep a pod from every node.
func (k *Compiled) easyAll() bool {
	if k.moving || k.places {
		return false
	}
	for p := range k.Classes {
		if !k.easy(p) {
			return false
		}
	}
	return true
}

// lastsAll reports whether the nodes are never all full for any pod, where all together take no more than taken.
func (k *Compiled) lastsAll(taken []int64) bool {
	var empty View
	empty.Load(k, k.Cfg.New())
	for p := range k.Classes {
		if !k.lasts(&empty, p, taken) {
			return false
		}
	}
	return true
}

// room is [actor.Traits.Room]: the requests of pods by resource, and last their number.
func (k *Compiled) room() *actor.Room {
	if !k.easyAll() {
		return nil
	}
	dims := len(k.Resources)
	return &actor.Room{
		Numbers: dims + 1,
		Taken: func(s state.State, w int, into []search.Range) {
			for d := range dims + 1 {
				taken := 0
				for _, p := range s.C.ClassesOf[w] {
					taken += s.Existing(p) * int(k.asks(p, d))
				}
				into[d].Add(taken)
			}
		},
		Lasts: func(taken []int) bool {
			of := make([]int64, len(taken))
			for d := range taken {
				of[d] = int64(taken[d])
			}
			return k.lastsAll(of)
		},
		Rest: k.atRest(),
	}
}

// asks is what a pod of class p takes of one resource, or, last, of places.
func (k *Compiled) asks(p, d int) int64 {
	if d == len(k.Resources) {
		return 1
	}
	return k.Classes[p].Request[d]
}

// atRest is what pods take at least once every workload has as many as it may ever ask for, by resource and, last,
// their number.
func (k *Compiled) atRest() []int {
	out := make([]int, len(k.Resources)+1)
	for w, classes := range k.Cfg.ClassesOf {
		most := 0
		for _, m := range k.Cfg.Spec.Workloads[w].Manifests {
			if m.Exists() {
				most = max(most, m.MostReplicas())
			}
		}
		for d := range out {
			least := int64(0)
			for i, p := range classes {
				if r := k.asks(p, d); i == 0 || r < least {
					least = r
				}
			}
			out[d] += most * int(least)
		}
	}
	return out
}

// easy reports whether class p's pods are kept from nodes only by properties of these.
func (k *Compiled) easy(p int) bool {
	class := &k.Classes[p]
	return class.Pod.Spec.NodeName == "" && !k.Cfg.Pods[p].PerNode && len(k.Cfg.Uses[p]) == 0 &&
		len(class.hard)+len(class.near)+len(class.apart)+len(class.repel)+len(class.conflict) == 0
}

// lasts reports whether the nodes that class p's pods may run on are never all full for one of them. A node refuses it
// for want of one resource, or of a place, of which others have taken all but less than it asks for: one that all pods
// together cannot fill so never does. And of each of these as many nodes refuse it at once as all pods can fill
// together, those with least of it first.
func (k *Compiled) lasts(empty *View, p int, taken []int64) bool {
	class := &k.Classes[p]
	dims := len(k.Resources)
	left := make([][]int64, dims+1) // by resource: the use by others at which each node refuses
	nodes, fillable := 0, 0
	for n := range k.Nodes {
		if class.static[n] != reasonNone || !k.roomy(empty, p, n) {
			continue
		}
		nodes++
		fills := false
		need := func(d int, amount int64) {
			left[d] = append(left[d], amount)
			fills = fills || amount <= taken[d]
		}
		for d := range dims {
			if class.Request[d] > 0 && !k.Nodes[n].Elastic {
				need(d, k.Room(empty, p, n, d)-class.Request[d]+1)
			}
		}
		if need(dims, int64(k.Slots(empty, p, n))); fills {
			fillable++
		}
	}
	refusing := 0
	for d, of := range taken {
		slices.Sort(left[d])
		for _, amount := range left[d] {
			if of -= amount; of < 0 {
				break
			}
			refusing++
		}
	}
	return min(refusing, fillable) < nodes
}

// roomy reports whether a pod of class p fits on node n if no pod of the problem is there.
func (k *Compiled) roomy(empty *View, p, n int) bool {
	for d, want := range k.Classes[p].Request {
		if want > 0 && !k.Nodes[n].Elastic && k.Room(empty, p, n, d) < want {
			return false
		}
	}
	return k.Slots(empty, p, n) > 0
}

// mostTaken is the most that the pods of all workloads take at once, by resource and, last, their number.
func (k *Compiled) mostTaken() []int64 {
	out := make([]int64, len(k.Resources)+1)
	for _, classes := range k.Cfg.ClassesOf {
		largest := make([]int64, len(out))
		for _, p := range classes {
			for d := range out {
				largest[d] = max(largest[d], k.asks(p, d))
			}
		}
		for d, r := range largest {
			out[d] += r * int64(k.Cfg.MaxPods)
		}
	}
	return out
}

// Takes lists the nodes that accept the pods of all the given classes, as far as the nodes' own properties decide.
func (k *Compiled) Takes(classes []int) []int {
	var out []int
	for n := range k.Nodes {
		all := true
		for _, p := range classes {
			all = all && k.Classes[p].static[n] == reasonNone
		}
		if all {
			out = append(out, n)
		}
	}
	return out
}
