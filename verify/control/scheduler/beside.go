package scheduler

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// beside is the use of nodes by pods outside the problem: by node and resource, for scores by node, and their number by
// node; nil if there are no such pods.
type beside struct {
	used, nonZero []int64
	pods          []int32
}

// held are those pods of a node's class.
func (k *Compiled) held(n int) []state.BesidePods {
	if b := k.Cfg.Spec.Classes[k.Cfg.Nodes[n].Class].Beside; b != nil {
		return b.Pods
	}
	return nil
}

// compileBeside adds up these pods' use of each node.
func (k *Compiled) compileBeside() {
	dims := len(k.Resources)
	for n := range k.Nodes {
		for _, p := range k.held(n) {
			if k.beside.used == nil {
				k.beside.used, k.beside.nonZero = make([]int64, len(k.Nodes)*dims), make([]int64, len(k.Nodes)*2)
				k.beside.pods = make([]int32, len(k.Nodes))
			}
			for d, r := range k.vector(p.Requests) {
				k.beside.used[n*dims+d] += r
			}
			k.beside.nonZero[n*2] += p.Scored[0]
			k.beside.nonZero[n*2+1] += p.Scored[1]
			k.beside.pods[n] += int32(p.Count)
		}
	}
}

// compileSpare adds up, for class p, what it may take from pods beside by preempting them. What
// becomes of these is not followed.
func (k *Compiled) compileSpare(p int) error {
	class := &k.Classes[p]
	if k.beside.used == nil || !class.ranked || class.profile.NoPreemption ||
		NeverPreempts(k.Cfg.Spec, class.Pod, objects.FirstVersion(k.Cfg, p)) {
		return nil
	}
	dims := len(k.Resources)
	for n := range k.Nodes {
		for _, o := range k.held(n) {
			if o.Priority >= class.priority {
				continue
			}
			if class.spare == nil {
				class.spare, class.spareSlots = make([]int64, len(k.Nodes)*dims), make([]int, len(k.Nodes))
			}
			for d, r := range k.vector(o.Requests) {
				class.spare[n*dims+d] += r
			}
			class.spareSlots[n] += o.Count
		}
	}
	return nil
}

// Room is the amount of resource d that class p can have on node n.
func (k *Compiled) Room(v *View, p, n, d int) int64 {
	at := n*len(k.Resources) + d
	room := k.Nodes[n].Allocatable[d] - v.Used[at]
	if spare := k.Classes[p].spare; spare != nil {
		room += spare[at]
	}
	return room
}

// Slots is how many more pods node n takes, if they are of class p.
func (k *Compiled) Slots(v *View, p, n int) int {
	slots := k.Nodes[n].MaxPods - int(v.Pods[n])
	if spare := k.Classes[p].spareSlots; spare != nil {
		slots += spare[n]
	}
	return slots
}

// most is the amount of resource d that class p can have on node n if no pod of the problem is there.
func (k *Compiled) most(p, n, d int) int64 {
	at := n*len(k.Resources) + d
	room := k.Nodes[n].Allocatable[d]
	if k.beside.used != nil {
		room -= k.beside.used[at]
	}
	if spare := k.Classes[p].spare; spare != nil {
		room += spare[at]
	}
	return room
}

// Tight reports whether so many pods of the problem, taking so much of each resource, may not all fit on node n beside
// the pods there.
func (k *Compiled) Tight(n, pods int, used []int64) bool {
	if k.beside.pods != nil {
		pods += int(k.beside.pods[n])
	}
	if pods > k.Nodes[n].MaxPods {
		return true
	}
	for d, u := range used {
		if k.beside.used != nil {
			u += k.beside.used[n*len(k.Resources)+d]
		}
		if !k.Nodes[n].Elastic && u > k.Nodes[n].Allocatable[d] {
			return true
		}
	}
	return false
}

// portsHeld reports whether a pod beside, which class p may not preempt, has one of its host ports.
func (k *Compiled) portsHeld(p, n int) bool {
	class := &k.Classes[p]
	mine := HostPorts(class.Pod)
	if len(mine) == 0 {
		return false
	}
	for _, o := range k.held(n) {
		preempts := class.ranked && o.Priority < class.priority && !class.profile.NoPreemption &&
			!NeverPreempts(k.Cfg.Spec, class.Pod, objects.FirstVersion(k.Cfg, p))
		if !preempts && PortsClash(mine, o.Ports) {
			return true
		}
	}
	return false
}

// ScoredRequests are what scores count of a pod's requests of CPU, in millicores, and memory, in
// bytes, where a container without a request counts as well.
func ScoredRequests(pod *corev1.Pod) [2]int64 {
	list := scoredRequests(pod)
	return [2]int64{list.Cpu().MilliValue(), list.Memory().Value()}
}
