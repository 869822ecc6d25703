package policies

import (
	"reflect"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/state"
)

// WorkloadView is what self and workload("namespace/name") give in a custom intent. All
// numbers are pods but where said otherwise.
type WorkloadView struct {
	Replicas    int `cel:"replicas"`    // the live spec.replicas
	Updated     int `cel:"updated"`     // of the current revision, not terminating
	Outdated    int `cel:"outdated"`    // of other revisions, not terminating
	Pending     int `cel:"pending"`     // without a node
	Starting    int `cel:"starting"`    // on a node, not ready
	Ready       int `cel:"ready"`       // of all revisions
	Available   int `cel:"available"`   // ready for minReadySeconds
	Terminating int `cel:"terminating"` // with a deletion timestamp
	Zones       int `cel:"zones"`       // zones with a ready pod
	Nodes       int `cel:"nodes"`       // nodes with a ready pod
	MaxPerNode  int `cel:"maxPerNode"`  // ready pods on the node with the most of them
	MaxPerZone  int `cel:"maxPerZone"`  // ready pods in the zone with the most of them
	MinReplicas int `cel:"minReplicas"` // lower limit of the autoscaler; without one, of the manifest
	MaxReplicas int `cel:"maxReplicas"` // upper limit of the autoscaler; without one, of the manifest
	// Load is idle, nominal or saturating.
	Load string `cel:"load"`
}

// NodesView is the value of nodes in a custom intent.
type NodesView struct {
	Present  int `cel:"present"`  // that are there
	Serving  int `cel:"serving"`  // there, up and not cordoned
	Down     int `cel:"down"`     // lost, or restarting
	Cordoned int `cel:"cordoned"` // being drained
}

// EventsView is the value of events in a custom intent: how often each happened on the run.
type EventsView struct {
	Applies      int `cel:"applies"`
	LoadChanges  int `cel:"loadChanges"` // of all workloads of the slice
	Drains       int `cel:"drains"`
	NodeFailures int `cel:"nodeFailures"`
	PodCrashes   int `cel:"podCrashes"`
	BadRevisions int `cel:"badRevisions"`
	NodesAdded   int `cel:"nodesAdded"`
	NodesRemoved int `cel:"nodesRemoved"`
	SpotReclaims int `cel:"spotReclaims"`
}

var (
	workloadFields = celFields[WorkloadView]()
	nodesFields    = celFields[NodesView]()
	eventsFields   = celFields[EventsView]()
)

// celFields are the names of a view's fields in expressions.
func celFields[T any]() []string {
	var out []string
	t := reflect.TypeFor[T]()
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("cel"); name != "-" {
			out = append(out, name)
		}
	}
	return out
}

// observer reads one number from a state.
type observer func(s state.State) int

// observe gives the observer of a field of workload w.
func (o observation) observe(c *state.Config, w int) observer {
	switch o.of {
	case varApplied:
		return func(s state.State) int { return int(s.Version()) }
	case varNodes:
		return nodesObserver(o.field)
	case varEvents:
		return eventsObserver(o.field)
	}
	if o.field == readyOn {
		return readyOnNodes(c, w, o.at)
	}
	return workloadObserver(c, w, o.field)
}

func nodesObserver(field string) observer {
	counting := func(is func(s state.State, n int) bool) observer {
		return func(s state.State) int {
			total := 0
			for n := range s.C.Nodes {
				if is(s, n) {
					total++
				}
			}
			return total
		}
	}
	switch field {
	case "present":
		return state.State.PresentNodes
	case "down":
		return state.State.DownNodes
	case "cordoned":
		return counting(state.State.Cordoned)
	}
	return counting(state.State.InService)
}

func eventsObserver(field string) observer {
	used := func(budget func(e *state.Events) int, left observer) observer {
		return func(s state.State) int { return max(budget(&s.C.Spec.Events)-left(s), 0) }
	}
	switch field {
	case "applies":
		return used(func(e *state.Events) int { return e.Apply }, func(s state.State) int { return s.Get(s.C.Applies) })
	case "drains":
		return used(func(e *state.Events) int { return e.Drain }, state.State.DrainsLeft)
	case "nodeFailures":
		return used(func(e *state.Events) int { return e.NodeFailure }, state.State.FailuresLeft)
	case "podCrashes":
		return used(func(e *state.Events) int { return e.PodCrash }, state.State.CrashesLeft)
	case "badRevisions":
		return used(func(e *state.Events) int { return e.BadRevision }, state.State.BadRevisionsLeft)
	case "nodesAdded":
		return used(func(e *state.Events) int { return e.NodeAdded }, state.State.AdditionsLeft)
	case "nodesRemoved":
		return used(func(e *state.Events) int { return e.NodeRemoved }, state.State.RemovalsLeft)
	case "spotReclaims":
		return used(func(e *state.Events) int { return e.SpotReclaim }, state.State.ReclaimsLeft)
	}
	return func(s state.State) int { // loadChanges
		total := 0
		for w := range s.C.Workload {
			total += max(s.C.Spec.Events.LoadChange-s.Get(s.C.Workload[w].Loads), 0)
		}
		return total
	}
}

func workloadObserver(c *state.Config, w int, field string) observer {
	sum := func(of func(s state.State, p int) int) observer {
		return func(s state.State) int {
			total := 0
			for _, p := range s.C.ClassesOf[w] {
				total += of(s, p)
			}
			return total
		}
	}
	in := func(ph state.Phase) observer {
		return sum(func(s state.State, p int) int { return s.Count(p, ph) })
	}
	revision := func(current bool) observer {
		return sum(func(s state.State, p int) int {
			if (p == s.NewClass(w)) != current {
				return 0
			}
			return s.Active(p)
		})
	}
	switch field {
	case "replicas":
		return func(s state.State) int { return s.Replicas(w) }
	case "updated":
		return revision(true)
	case "outdated":
		return revision(false)
	case "pending":
		return sum(state.State.Pending)
	case "starting":
		return in(state.Starting)
	case "ready":
		return func(s state.State) int { return s.ReadyOf(w) }
	case "available":
		return func(s state.State) int { return s.AvailableOf(w) }
	case "terminating":
		return in(state.Terminating)
	case "load":
		return func(s state.State) int { return int(s.Load(w)) }
	case "minReplicas":
		return func(s state.State) int { return limits(s.Manifest(w), true) }
	case "maxReplicas":
		return func(s state.State) int { return limits(s.Manifest(w), false) }
	}
	return domainObserver(c, w, field)
}

// limits is the least or the most replicas that a manifest asks for; 0 without one.
func limits(m *state.Manifest, least bool) int {
	switch {
	case !m.Exists():
		return 0
	case m.HPA == nil:
		return m.Replicas()
	case least:
		return rules.MinReplicas(m.HPA)
	}
	return int(m.HPA.Spec.MaxReplicas)
}

// domainObserver looks at where the ready pods of workload w are: at how many nodes or
// zones, or at the one with the most.
func domainObserver(c *state.Config, w int, field string) observer {
	domains := make([]int, len(c.Nodes)) // by node; -1: none
	count := len(c.Nodes)
	for n := range domains {
		domains[n] = n
	}
	if field == "zones" || field == "maxPerZone" {
		seen := map[string]int{}
		for n, node := range c.Nodes {
			zone := c.Spec.Classes[node.Class].Node.Labels[corev1.LabelTopologyZone]
			if zone == "" {
				domains[n] = -1
				continue
			}
			if _, ok := seen[zone]; !ok {
				seen[zone] = len(seen)
			}
			domains[n] = seen[zone]
		}
		count = len(seen)
	}
	most := field == "maxPerNode" || field == "maxPerZone"
	return func(s state.State) int {
		out := 0
		for d := range count {
			ready := 0
			for n, of := range domains {
				if of == d {
					ready += readyOnNode(s, w, n)
				}
			}
			switch {
			case most:
				out = max(out, ready)
			case ready > 0:
				out++
			}
		}
		return out
	}
}

func readyOnNode(s state.State, w, n int) int {
	total := 0
	for _, p := range s.C.ClassesOf[w] {
		total += s.ReadyOn(n, p)
	}
	return total
}

// readyOnNodes counts the ready pods of workload w on the nodes with a label.
func readyOnNodes(c *state.Config, w int, at place) observer {
	var nodes []int
	for n, node := range c.Nodes {
		if v, ok := c.Spec.Classes[node.Class].Node.Labels[at.key]; ok && v == at.value {
			nodes = append(nodes, n)
		}
	}
	return func(s state.State) int {
		total := 0
		for _, n := range nodes {
			total += readyOnNode(s, w, n)
		}
		return total
	}
}
