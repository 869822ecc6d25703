package scheduler

import "github.com/kubesettle/kubesettle/verify/state"

// View is one worker's memory of the state being scheduled in: pods by node and class,
// what they take, and the working of one decision. Slices over feasible nodes are
// parallel to feasible.
type View struct {
	classes int
	total   []int32 // by node and class: pods in any phase
	live    []int32 // the same without Terminating ones
	Pods    []int32 // by node
	// nominated are pending pods by node and class, where pods preempt at all.
	nominated []int32
	Used      []int64 // by node and resource
	nonZero   []int64 // by node: cpu and memory with scoring defaults

	why      []reasonCode // by node: the first plugin that refuses it
	at       []int32      // by node: the term or constraint of it
	Feasible []int        // nodes, ascending
	raw      [scorers][]int64
	final    [scorers][]int64 // after NormalizeScore, before weights
	sum      []int64          // weighted
	best     []int            // nodes of the highest sum, ascending

	hard               []spreadState
	soft               []softState
	near, apart, repel [][]int64
	nearSeen           bool // some pod matches all required affinity terms
	podsSkip           bool // InterPodAffinity's PreFilter says Skip
	fractions          []float64

	only     int       // the node that a pod was made for, plus 1; 0: any will do
	bound    []bool    // by claim: its volume was made
	reaches  []bool    // by node and claim, where bound: the node can use the volume
	service  []Service // by node, where nodes are cordoned or lost at all
	counters []int64   // handed out by take
	taken    int
	seen     []uint32 // by domain: the epoch it was last seen in
	Thought  simulation
	epoch    uint32
}

// resize makes room for problem k.
func (v *View) resize(k *Compiled) {
	nodes := len(k.Nodes)
	v.classes = len(k.Classes)
	v.total = Grow(v.total, nodes*v.classes)
	v.live = Grow(v.live, nodes*v.classes)
	v.Pods = Grow(v.Pods, nodes)
	v.Used = Grow(v.Used, nodes*len(k.Resources))
	v.nonZero = Grow(v.nonZero, nodes*2)
	v.why = Grow(v.why, nodes)
	v.at = Grow(v.at, nodes)
	v.Feasible = Grow(v.Feasible, nodes)
	v.best = Grow(v.best, nodes)
	v.sum = Grow(v.sum, nodes)
	for i := range v.raw {
		v.raw[i] = Grow(v.raw[i], nodes)
		v.final[i] = Grow(v.final[i], nodes)
	}
	v.counters = Grow(v.counters, k.space)
	widest := 0
	for i := range k.keys {
		widest = max(widest, k.keys[i].size)
	}
	v.seen = Grow(v.seen, widest)
}

func Grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// Load reads a state.
func (v *View) Load(k *Compiled, s state.State) {
	v.resize(k)
	clear(v.total)
	clear(v.live)
	clear(v.Pods)
	clear(v.Used)
	clear(v.nonZero)
	copy(v.Used, k.beside.used)
	copy(v.nonZero, k.beside.nonZero)
	copy(v.Pods, k.beside.pods)
	v.loadService(k, s)
	v.loadVolumes(k, s)
	v.loadNominated(k, s)
	dims := len(k.Resources)
	for n := range k.Nodes {
		for p := range k.Classes {
			live := int32(s.LiveOn(n, p))
			all := live + int32(s.On(n, p, state.Terminating))
			if all == 0 {
				continue
			}
			v.total[n*v.classes+p], v.live[n*v.classes+p] = all, live
			v.Pods[n] += all
			class := &k.Classes[p]
			for d, r := range class.Request {
				v.Used[n*dims+d] += int64(all) * r
			}
			v.nonZero[n*2] += int64(all) * class.nonZero[0]
			v.nonZero[n*2+1] += int64(all) * class.nonZero[1]
		}
	}
}

// take hands out n zeroed counters until the next decision.
func (v *View) take(n int) []int64 {
	out := v.counters[v.taken : v.taken+n : v.taken+n]
	v.taken += n
	clear(out)
	return out
}

// countLive counts pods of some classes on a node, without Terminating ones.
func (v *View) countLive(n int, classes []int) int64 {
	count := int32(0)
	for _, p := range classes {
		count += v.live[n*v.classes+p]
	}
	return int64(count)
}

// CountAll counts pods of some classes on a node in any phase.
func (v *View) CountAll(n int, classes []int) int64 {
	count := int32(0)
	for _, p := range classes {
		count += v.total[n*v.classes+p]
	}
	return int64(count)
}

// weigh sums the pods on a node, each times the weight of its class.
func (v *View) weigh(n int, weight []int64) int64 {
	var sum int64
	for p, w := range weight {
		sum += int64(v.total[n*v.classes+p]) * w
	}
	return sum
}
