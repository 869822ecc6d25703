package conformance

import (
	"fmt"
	"sort"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/verify/state"
)

// scenario is one generated cluster with pods in it. It is what a failure is shrunk to.
type scenario struct {
	Config     int // index of the scheduler's configuration
	Classes    []nodeClass
	Workloads  []workload
	Namespaces map[string]map[string]string
	Services   []*corev1.Service
	Places     []place
}

// nodeClass is a number of like nodes.
type nodeClass struct {
	Node  *corev1.Node
	Count int
}

// workload is a Deployment in both versions; either may be nil.
type workload struct {
	Namespace, Name string
	Manifests       [2]*appsv1.Deployment
}

// place is a number of pods on one node in one phase.
type place struct {
	Workload    int
	Version     state.Version
	Class, Node int // the node's class, and its number within
	Phase       state.Phase
	Count       int
}

// maxPods bounds the pods of one class in a scenario.
const maxPods = 1000

// config makes the model's problem of a scenario.
func (s *scenario) config(scheduler *state.Scheduler) (*state.Config, error) {
	spec, topology := s.spec(scheduler)
	b, err := state.NewBuilder(spec, topology, maxPods)
	if err != nil {
		return nil, err
	}
	return b.Freeze()
}

func (s *scenario) spec(scheduler *state.Scheduler) (*state.Spec, []int) {
	spec := &state.Spec{Namespaces: s.Namespaces, Scheduler: scheduler}
	var topology []int
	for i, c := range s.Classes {
		spec.Classes = append(spec.Classes,
			state.NodeClass{Name: fmt.Sprintf("n%d", i), Node: c.Node, Min: c.Count, Max: c.Count})
		topology = append(topology, c.Count)
	}
	for _, w := range s.Workloads {
		out := state.Workload{ID: "apps/Deployment " + w.Namespace + "/" + w.Name, Namespace: w.Namespace, Name: w.Name}
		for v := range w.Manifests {
			out.Manifests[v].Deployment = w.Manifests[v]
		}
		spec.Workloads = append(spec.Workloads, out)
	}
	return spec, topology
}

// state puts the scenario's pods into the model's state.
func (s *scenario) state(cfg *state.Config) state.State {
	out := cfg.New()
	for _, at := range s.Places {
		if p, n := s.locate(cfg, at); p >= 0 && n >= 0 {
			out.Add(n, p, at.Phase, at.Count)
		}
	}
	return out
}

// locate finds a place's pod class and node; -1 where shrinking has removed it.
func (s *scenario) locate(cfg *state.Config, at place) (p, n int) {
	if at.Workload >= len(s.Workloads) || at.Class >= len(s.Classes) || at.Node >= s.Classes[at.Class].Count {
		return -1, -1
	}
	first, _ := cfg.NodesOf(at.Class)
	return cfg.ByVersion[at.Workload][at.Version], first + at.Node
}

// clone copies a scenario so that the copy can be changed freely.
func (s *scenario) clone() *scenario {
	out := &scenario{Config: s.Config, Namespaces: map[string]map[string]string{}}
	for name, labels := range s.Namespaces {
		out.Namespaces[name] = labels
	}
	for _, c := range s.Classes {
		out.Classes = append(out.Classes, nodeClass{c.Node.DeepCopy(), c.Count})
	}
	for _, w := range s.Workloads {
		for v := range w.Manifests {
			w.Manifests[v] = w.Manifests[v].DeepCopy()
		}
		out.Workloads = append(out.Workloads, w)
	}
	out.Services = append(out.Services, s.Services...)
	out.Places = append(out.Places, s.Places...)
	return out
}

// String is the scenario as a script that can be read and built again by hand.
func (s *scenario) String() string {
	var b strings.Builder
	dump := func(title string, object any) {
		text, err := yaml.Marshal(object)
		if err != nil {
			text = []byte(err.Error())
		}
		fmt.Fprintf(&b, "--- # %s\n%s", title, text)
	}
	for i, c := range s.Classes {
		dump(fmt.Sprintf("node class n%d, %d nodes", i, c.Count), c.Node)
	}
	var names []string
	for name := range s.Namespaces {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintf(&b, "--- # namespace %s %v\n", name, s.Namespaces[name])
	}
	for _, service := range s.Services {
		dump("service", service)
	}
	for _, w := range s.Workloads {
		for v, d := range w.Manifests {
			if d != nil {
				dump(fmt.Sprintf("%s/%s %s", w.Namespace, w.Name, [...]string{"base", "head"}[v]), d.Spec)
			}
		}
	}
	for _, at := range s.Places {
		if at.Workload < len(s.Workloads) {
			fmt.Fprintf(&b, "place %s/%s on n%d-%d: %d %s\n", s.Workloads[at.Workload].Name,
				[...]string{"base", "head"}[at.Version], at.Class, at.Node+1, at.Count,
				[...]string{"starting", "ready", "terminating"}[at.Phase])
		}
	}
	return b.String()
}
