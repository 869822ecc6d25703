package scenario

import (
	"math"

	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Cost is the expected cost of a search, before it runs.
type Cost struct {
	Slice  *slice.Slice
	Nodes  int
	States float64 // expected, at most what the search may visit
}

// Costs estimates the searches of plans, in the order in which they run and are dealt to shards.
// It is a guess that orders magnitudes: the ways in which the pods of each workload, in each of
// their phases, can stand on the nodes, times the points at which the events may fall.
func Costs(plans []Plan) []Cost {
	var out []Cost
	c := Checker{Budget: Budget{States: SearchStates}}
	for _, j := range Order(plans) {
		out = append(out, Cost{Slice: plans[j.slice].variant.Slice, Nodes: j.Topology.Total(),
			States: min(expected(j), c.most(j))})
	}
	return out
}

// expected states of a search.
func expected(j Task) float64 {
	spec := &j.Variant.Spec
	nodes, states := float64(j.Topology.Total()), 1.0
	for w := range spec.Workloads {
		own := float64(pods(spec, w))
		// pods of one workload are alike, and so are nodes of one class: a place is a node's class
		places := math.Min(nodes, 2) + 1
		if j.Variant.Has(state.Base) && changes(j.Variant, w) {
			places *= 1.5 // two revisions
		}
		states *= math.Exp(lchoose(own+places, places))
	}
	e := spec.Events
	for _, n := range []int{
		e.LoadChange, e.Drain, e.NodeFailure, e.PodCrash, e.BadRevision, e.NodeAdded, e.NodeRemoved, e.SpotReclaim,
		e.DiskPressure, e.MemoryPressure, e.JobOverrun, e.ManagerRestart, e.StaleWrites,
	} {
		states *= float64(1 + n)
	}
	return states * statesPerPlacement
}

// statesPerPlacement is how many states the scenarios visit for each placement counted above,
// the median over the cases of testdata.
const statesPerPlacement = 4

// pods that a workload asks for at most.
func pods(spec *state.Spec, w int) int {
	one := *spec
	one.Workloads = spec.Workloads[w : w+1]
	return scale.Pods(&one)
}

// changes reports whether the change reaches a workload of the slice.
func changes(v Variant, w int) bool { return v.Changed[w] != "" }

// lchoose is the logarithm of the binomial coefficient n over k, for real numbers.
func lchoose(n, k float64) float64 {
	a, _ := math.Lgamma(n + 1)
	b, _ := math.Lgamma(k + 1)
	c, _ := math.Lgamma(n - k + 1)
	return a - b - c
}

// PodsOf is the most pods that a slice's manifests ask for at once, without surge.
func PodsOf(sl *slice.Slice) int { return scale.Pods(&sl.Spec) }

// Slice is what the plan searches.
func (p Plan) Slice() *slice.Slice { return p.variant.Slice }

// Events are those that may fall on its searches.
func (p Plan) Events() state.Events { return p.variant.Spec.Events }
