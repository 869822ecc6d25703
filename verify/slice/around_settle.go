package slice

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/state"
)

// mostSettled bounds the states that are looked at for all placements of the others. Beyond it some placements stand
// for all.
const mostSettled = 1500

// casts are the placements that pods can settle in.
type casts struct {
	all []*cast
	err error // why they are not known
}

// settling looks for placements: pods of one priority come in any order, before those of a lower one, and each goes to
// any of the nodes that the scheduler likes best. A pod without a node stays pending, and keeps no other one from its
// own.
type settling struct {
	pods  []standing
	sched *scheduler.Scheduler
	s     state.State
	alike []int // by node: the group of nodes that differ only in their names
	from  *cast // the pods there before
}

// settle gives the settled placements of pods: those that the scheduler can bring them to on empty nodes, and the one
// that is as tight as they fit, to which drains can. Of a cluster that works, they are those with the fewest pods
// without a node. Where the scheduler of the model refuses some kind of pod as a whole it
// says which.
func settle(spec *state.Spec, pods []standing, from *cast) (out *casts, bad int, err error) {
	most := 1
	spec.Workloads = nil
	slices.SortStableFunc(pods, func(x, y standing) int {
		return cmp.Or(cmp.Compare(y.priority, x.priority), cmp.Compare(x.share, y.share), cmp.Compare(x.count, y.count),
			cmp.Compare(x.use.key, y.use.key), cmp.Compare(x.release, y.release), cmp.Compare(x.id, y.id))
	})
	for i := range pods {
		d := &appsv1.Deployment{}
		d.Namespace, d.Name = pods[i].pod.Namespace, fmt.Sprint(i)
		d.Spec.Template = corev1.PodTemplateSpec{ObjectMeta: pods[i].pod.ObjectMeta, Spec: pods[i].pod.Spec}
		m, _ := state.ManifestOf(d)
		spec.Workloads = append(spec.Workloads,
			state.Workload{ID: pods[i].id, Namespace: d.Namespace, Name: d.Name, Manifests: [2]state.Manifest{m, m}})
		most = max(most, pods[i].count)
	}
	if len(pods) == 0 {
		return &casts{all: []*cast{from}}, -1, nil
	}
	topology := make([]int, len(spec.Classes))
	for i := range topology {
		topology[i] = 1
	}
	b, err := state.NewBuilder(spec, topology, most)
	if err != nil {
		return nil, -1, err
	}
	sched, err := scheduler.New(b)
	if err != nil {
		return nil, refusedBy(spec, pods, topology, most), err
	}
	c, err := b.Freeze()
	if err != nil {
		return nil, -1, err
	}
	x := &settling{pods: pods, sched: sched[0].(*scheduler.Scheduler), from: from,
		s: state.State{C: c, B: make([]byte, c.Width())}}
	groups := map[string]int{}
	for n := range c.Nodes {
		key := nodeKey(spec.Classes[c.Nodes[n].Class].Node)
		if _, ok := groups[key]; !ok {
			groups[key] = len(groups)
		}
		x.alike = append(x.alike, groups[key])
	}
	all := append(x.every(), x.some()...)
	least := slices.MinFunc(all, func(a, b *cast) int { return cmp.Compare(a.homeless(), b.homeless()) }).homeless()
	return &casts{all: slices.DeleteFunc(all, func(c *cast) bool { return c.homeless() > least })}, -1, nil
}

// every gives all placements, one of those that differ only in the names of nodes; nil: they are too many to
// look for.
func (x *settling) every() (out []*cast) {
	seen := map[string]bool{}
	queue := [][]byte{slices.Clone(x.s.B)}
	seen[x.key(queue[0])] = true
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		next, ends := x.after(at)
		if ends {
			out = append(out, x.cast(at))
		}
		for _, b := range next {
			if key := x.key(b); !seen[key] {
				if seen[key] = true; len(seen) > mostSettled {
					return nil
				}
				queue = append(queue, b)
			}
		}
	}
	return out
}

// after gives what follows when one more pod gets its node; ends says that no other one does.
func (x *settling) after(at []byte) (next [][]byte, ends bool) {
	copy(x.s.B, at)
	for w := range x.pods {
		if len(next) > 0 && x.pods[w].priority < x.pods[w-1].priority {
			break // those before it come first
		}
		for _, n := range x.decide(w).Best {
			t := state.State{C: x.s.C, B: slices.Clone(x.s.B)}
			t.Add(n, t.NewClass(w), state.Ready, 1)
			next = append(next, t.B)
		}
	}
	return next, len(next) == 0
}

// decide is where the next pod of a kind goes; nowhere if all are there.
func (x *settling) decide(w int) scheduler.Decision {
	class := x.s.NewClass(w)
	if x.s.Active(class) >= x.pods[w].count {
		return scheduler.Decision{}
	}
	x.s.Set(x.s.C.Class[class].Pending, 1)
	d := x.sched.Decide(x.s, class)
	x.s.Set(x.s.C.Class[class].Pending, 0)
	if len(d.Feasible) == 1 {
		d.Best = d.Feasible
	}
	return d
}

// key is equal for placements that differ only in the names of nodes.
func (x *settling) key(b []byte) string {
	s := state.State{C: x.s.C, B: b}
	rows := make([]string, len(s.C.Nodes))
	row := make([]byte, 0, 2*len(x.pods))
	for n := range rows {
		row = binary.AppendUvarint(row[:0], uint64(x.alike[n]))
		for w := range x.pods {
			row = binary.AppendUvarint(row, uint64(s.On(n, s.NewClass(w), state.Ready)))
		}
		rows[n] = string(row)
	}
	slices.Sort(rows)
	return strings.Join(rows, "")
}

// some gives three placements that may stand for all: among equally good nodes the first, or the last; and as tightly
// as they fit, the largest first, as best-fit decreasing has it.
func (x *settling) some() []*cast {
	order := make([]int, len(x.pods))
	for w := range order {
		order[w] = w
	}
	first := x.one(order, func(d scheduler.Decision) int { return d.Best[0] })
	last := x.one(order, func(d scheduler.Decision) int { return d.Best[len(d.Best)-1] })
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(x.pods[b].priority, x.pods[a].priority), cmp.Compare(x.pods[b].share, x.pods[a].share))
	})
	taken := make([]float64, len(x.s.C.Nodes))
	tight := x.one(order, func(d scheduler.Decision) int {
		for n := range taken {
			taken[n] = 0
			for w := range x.pods {
				taken[n] += float64(x.s.On(n, x.s.NewClass(w), state.Ready)) * x.pods[w].share
			}
		}
		return slices.MaxFunc(d.Feasible,
			func(a, b int) int { return cmp.Or(cmp.Compare(taken[a], taken[b]), cmp.Compare(b, a)) })
	})
	return []*cast{first, last, tight}
}

// one places kinds of pods in an order, each pod on the node that is chosen.
func (x *settling) one(order []int, choose func(scheduler.Decision) int) *cast {
	clear(x.s.B)
	for _, w := range order {
		for range x.pods[w].count {
			d := x.decide(w)
			if len(d.Best) == 0 {
				break
			}
			x.s.Add(choose(d), x.s.NewClass(w), state.Ready, 1)
		}
	}
	return x.cast(x.s.B)
}

// cast assigns pods to nodes in a state.
func (x *settling) cast(b []byte) *cast {
	s := state.State{C: x.s.C, B: b}
	out := &cast{on: maps.Clone(x.from.on)}
	for n := range s.C.Nodes {
		name := s.C.Nodes[n].Name
		list := slices.Clip(out.on[name])
		for w := range x.pods {
			if one := x.pods[w]; s.On(n, s.NewClass(w), state.Ready) > 0 {
				one.count = s.On(n, s.NewClass(w), state.Ready)
				list = append(list, one)
			}
		}
		if len(list) > 0 {
			out.on[name] = list
		}
	}
	for w := range x.pods {
		one := x.pods[w]
		if one.count -= s.Active(s.NewClass(w)); one.count > 0 {
			out.left = append(out.left, one)
		}
	}
	return out
}

// homeless is how many pods found no node.
func (at *cast) homeless() (n int) {
	for _, s := range at.left {
		n += s.count
	}
	return n
}
