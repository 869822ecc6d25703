package replay

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/verify/state"
	"github.com/kubesettle/kubesettle/verify/traffic"
)

// behind counts the pods that a Service has as ready endpoints in a state, by port and workload: at least, and at most
// where pods that are not ready are endpoints as well, as soon as they have an address and until they are gone.
func (m *reached) behind(i int32, svc *corev1.Service) (least, most counts) {
	if step, ok := m.amid[i]; ok {
		least, most = m.behindIn(state.State{C: m.cfg, B: step[0]}, svc)
		toLeast, toMost := m.behindIn(state.State{C: m.cfg, B: step[1]}, svc)
		return least.with(toLeast, len(m.cfg.Nodes), func(a, b int) int { return min(a, b) }),
			most.with(toMost, len(m.cfg.Nodes), func(a, b int) int { return max(a, b) })
	}
	return m.behindIn(m.state(i), svc)
}

func (m *reached) behindIn(s state.State, svc *corev1.Service) (least, most counts) {
	least, most = counts{}, counts{}
	for p, class := range m.cfg.Pods {
		if !labels.SelectorFromSet(svc.Spec.Selector).Matches(labels.Set(class.Template.Labels)) {
			continue
		}
		w := traffic.Workload{Peer: traffic.Peer{Ports: class.Template.Spec.Containers[0].Ports}}
		for _, port := range svc.Spec.Ports {
			if _, ok := w.Target(port); !ok {
				continue
			}
			key := port.Name + "/" + m.cfg.Spec.Workloads[class.Workload].Name
			for n := range m.cfg.Nodes {
				ready := s.ReadyOn(n, p)
				least.add(key, n, len(m.cfg.Nodes), ready)
				if svc.Spec.PublishNotReadyAddresses {
					ready += s.On(n, p, state.Starting) + s.On(n, p, state.Terminating)
				}
				most.add(key, n, len(m.cfg.Nodes), ready)
			}
		}
	}
	return least, most
}

func (c counts) add(key string, n, nodes, k int) {
	if k == 0 {
		return
	}
	if c[key] == nil {
		c[key] = make([]int, nodes)
	}
	c[key][n] += k
}

// with joins the numbers of two counts.
func (c counts) with(o counts, nodes int, join func(a, b int) int) counts {
	out := counts{}
	for _, both := range []counts{c, o} {
		for key := range both {
			for n := range nodes {
				if out[key] == nil {
					out[key] = make([]int, nodes)
				}
				out[key][n] = join(c.at(key, n), o.at(key, n))
			}
		}
	}
	return out
}

func (c counts) at(key string, n int) int {
	if c[key] == nil {
		return 0
	}
	return c[key][n]
}

// between reports whether what was seen lies between what is least and most, for some exchange of nodes of one class.
func (m *reached) between(seen, least, most counts, classes []int) bool {
	nodes := len(m.cfg.Nodes)
	fits := func(real, n int) bool {
		if m.cfg.Nodes[n].Class != classes[real] {
			return false
		}
		for key := range seen {
			if k := seen.at(key, real); k < least.at(key, n) || k > most.at(key, n) {
				return false
			}
		}
		for key := range least {
			if seen.at(key, real) < least.at(key, n) {
				return false
			}
		}
		return true
	}
	used := make([]bool, nodes)
	var try func(real int) bool
	try = func(real int) bool {
		if real == nodes {
			return true
		}
		for n := range nodes {
			if !used[n] && fits(real, n) {
				used[n] = true
				if try(real + 1) {
					return true
				}
				used[n] = false
			}
		}
		return false
	}
	return try(0)
}

// classes are those of the real nodes, in the order in which they are declared.
func (m *reached) classes(d drawn) []int {
	out := make([]int, len(d.nodes))
	for i := range d.nodes {
		n := slices.IndexFunc(m.cfg.Nodes, func(x state.Node) bool { return x.Name == d.node(i) })
		out[i] = m.cfg.Nodes[n].Class
	}
	return out
}

// follow looks for a run of the model that shows what was seen in its order, states between left out: first under the
// Service of base, and from some moment on under that of head, as whoever writes endpoints learns of it. It gives how
// many of what was seen can be followed, and whether such a run comes to rest with the last. nowhere lists what no
// state shows at all.
func (m *reached) follow(d drawn, seen []counts) (followed int, rests bool, nowhere []int) {
	type key struct {
		i       int32
		service int
	}
	classes := m.classes(d)
	first := 0
	if m.services[0].String() == m.services[1].String() {
		first = 1
	}
	shown := map[key]bool{} // of the one that is looked for
	type bounds struct{ least, most counts }
	have := map[key]bounds{}
	shows := func(k key, c counts) bool {
		if yes, known := shown[k]; known {
			return yes
		}
		b, known := have[k]
		if !known {
			b.least, b.most = m.behind(k.i, m.services[k.service])
			have[k] = b
		}
		shown[k] = m.between(c, b.least, b.most, classes)
		return shown[k]
	}
	closure := func(from map[key]bool) map[key]bool {
		out := map[key]bool{}
		var todo []key
		enter := func(k key) {
			if !out[k] {
				out[k] = true
				todo = append(todo, k)
			}
		}
		for k := range from {
			enter(k)
		}
		for len(todo) > 0 {
			k := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			enter(key{k.i, 1})
			for _, j := range m.next[k.i] {
				enter(key{j, k.service})
			}
		}
		return out
	}
	at := map[key]bool{}
	for _, i := range m.from {
		at[key{i, first}] = true
	}
	all := closure(at)
	lost := false
	for n, c := range seen {
		clear(shown)
		some := map[key]bool{}
		if !lost {
			if n > 0 {
				at = closure(at)
			}
			for k := range at {
				if shows(k, c) {
					some[k] = true
				}
			}
			if at = some; len(some) > 0 {
				followed++
				continue
			}
			lost = true
		}
		anywhere := false
		for k := range all {
			if anywhere = shows(k, c); anywhere {
				break
			}
		}
		if !anywhere {
			nowhere = append(nowhere, n)
		}
	}
	if !lost {
		for k := range closure(at) {
			rests = rests || k.service == 1 && m.rests(k.i) && shows(k, seen[len(seen)-1])
		}
	}
	return followed, rests, nowhere
}
