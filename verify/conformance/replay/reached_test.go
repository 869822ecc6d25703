package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/run"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// counts are pods by what they are counted as and node.
type counts map[string][]int

// reached is all that an event can lead to by the model: every state, with nothing reduced but that nodes of one class
// are taken for each other.
type reached struct {
	foreseen *finding.Forecast
	likely   scenario.Likely
	cfg      *state.Config
	states   []string
	next     [][]int32
	from     []int32
	// amid are what one step passes through: a loop deletes several pods in one sync, and one after the other.
	amid     map[int32][2][]byte
	services [2]*corev1.Service // of both versions; nil: there is none
}

// errTooMany says that there are more states than are looked at.
var errTooMany = errors.New("too many states")

const mostReached = 400_000

// ask puts a drawn event to the model.
func (d drawn) ask(ctx context.Context, timing string) (*reached, error) {
	head, err := rendered(ctx, d.head)
	if err != nil {
		return nil, err
	}
	base, err := rendered(ctx, d.base)
	if err != nil {
		return nil, err
	}
	ch := &object.Changes{Head: head}
	if d.changes() {
		if ch, err = render.Diff(base, head); err != nil {
			return nil, err
		}
	}
	text := "timing: " + timing + "\ncluster: {nodes: nodes.yaml}\n"
	out := &reached{services: [2]*corev1.Service{serviceIn(base), serviceIn(head)}}
	if out.services[1] != nil {
		text += fmt.Sprintf("traffic: {must: [{from: outside, to: %s/shop, port: 80, ready: 1}]}\n", d.name)
	}
	policy, err := policies.Load("policy.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	if err := policy.SetNodes("nodes.yaml", []byte(d.nodesFile())); err != nil {
		return nil, err
	}
	q := scenario.Question{}
	if d.drain > 0 {
		q = scenario.Question{Asked: scenario.AskDrain, Of: d.node(d.drain - 1)}
	}
	var asked []scenario.Likely
	opt := verify.Options{Policy: policy, Workers: 1, Compare: run.Compare{Unreduced: true, Calm: true,
		Asked: func(l scenario.Likely) { asked = append(asked, l) }}}
	res, err := verify.Foresee(ctx, ch, q, opt)
	if err != nil {
		return nil, err
	}
	if len(asked) != 1 {
		return nil, fmt.Errorf("%d slices and not one: %v", len(asked), res.Notices)
	}
	out.likely = asked[0]
	out.foreseen, out.cfg = &res.Forecasts[0], out.likely.Problem.Cfg
	return out, nil
}

func serviceIn(r *object.Revision) *corev1.Service {
	for _, rel := range r.Releases {
		for _, o := range rel.Objects {
			if s, ok := o.Typed.(*corev1.Service); ok {
				return s
			}
		}
	}
	return nil
}

// explore visits every state. Error: [errTooMany].
func (m *reached) explore(most int) error {
	walker, err := m.likely.Walk()
	if err != nil {
		return err
	}
	known, after := map[string]int32{}, map[int32][]int32{}
	m.amid = map[int32][2][]byte{}
	enter := func(b []byte) int32 {
		b = slices.Clone(b)
		m.cfg.Canon(b)
		i, ok := known[string(b)]
		if !ok {
			i = int32(len(m.states))
			known[string(b)] = i
			m.states = append(m.states, string(b))
		}
		return i
	}
	for _, b := range m.likely.From {
		if i := enter(b); !slices.Contains(m.from, i) {
			m.from = append(m.from, i)
		}
	}
	for i := 0; i < len(m.states); i++ {
		if len(m.states) > most {
			return errTooMany
		}
		if list, ok := after[int32(i)]; ok {
			m.next = append(m.next, list)
			continue
		}
		steps, err := walker.Loops([]byte(m.states[i]))
		if err != nil {
			return err
		}
		next := make([]int32, 0, len(steps))
		for _, st := range steps {
			j := enter(st.To)
			if slices.Contains(next, j) {
				continue
			}
			if next = append(next, j); m.several([]byte(m.states[i]), st.To) {
				between := int32(len(m.states))
				m.states = append(m.states, "")
				m.amid[between] = [2][]byte{[]byte(m.states[i]), slices.Clone(st.To)}
				after[between] = []int32{j}
				next = append(next, between)
			}
		}
		m.next = append(m.next, next)
	}
	return nil
}

// several reports whether a step changes more than one pod that is ready, or has an address.
func (m *reached) several(from, to []byte) bool {
	a, b, moved := state.State{C: m.cfg, B: from}, state.State{C: m.cfg, B: to}, 0
	for n := range m.cfg.Nodes {
		for p := range m.cfg.Pods {
			ready, starting := a.ReadyOn(n, p)-b.ReadyOn(n, p), a.On(n, p, state.Starting)-b.On(n, p, state.Starting)
			moved += max(ready, -ready) + max(starting, -starting)
		}
	}
	return moved > 1
}

func (m *reached) state(i int32) state.State { return state.State{C: m.cfg, B: []byte(m.states[i])} }

// rests reports whether nothing happens in a state any more.
func (m *reached) rests(i int32) bool { return len(m.next[i]) == 0 }

// placed counts the pods of a state that are not on deletion, by node; the last is those without one.
func (m *reached) placed(s state.State) []int {
	out := make([]int, len(m.cfg.Nodes)+1)
	for p := range m.cfg.Pods {
		for n := range m.cfg.Nodes {
			out[n] += s.LiveOn(n, p)
		}
		out[len(m.cfg.Nodes)] += s.Pending(p)
	}
	return out
}

// outcome is what a change came to: of one workload, or of the likeliest run's.
type outcome struct {
	Surge  int   `json:"surge"`  // the most pods at once
	Least  int   `json:"least"`  // the fewest that are ready
	Placed []int `json:"placed"` // at the end, by node; the last is those without one
}

// likeliest is the outcome of the likeliest run.
func (m *reached) likeliest() (outcome, error) {
	walker, err := m.likely.Walk()
	if err != nil {
		return outcome{}, err
	}
	at := m.likely.From[0]
	out := outcome{Least: state.State{C: m.cfg, B: m.likely.Start}.ReadyOf(0)}
	take := func(b []byte) error {
		s := state.State{C: m.cfg, B: b}
		steps, err := walker.Loops(b)
		if err != nil {
			return err
		}
		prompt := slices.ContainsFunc(steps, func(st search.Step) bool {
			return m.likely.Problem.Loop(st.Actor).Latency() == actor.Sync
		})
		if out.Placed = m.placed(s); !prompt {
			out.Surge = max(out.Surge, sum(out.Placed))
		}
		out.Least = min(out.Least, s.ReadyOf(0))
		return nil
	}
	if err := take(at); err != nil {
		return out, err
	}
	for _, st := range m.likely.Steps {
		if err := take(st.To); err != nil {
			return out, err
		}
	}
	return out, nil
}

func sum(list []int) int {
	total := 0
	for _, n := range list {
		total += n
	}
	return total
}

// alike reports whether pods are placed as in a state, for some exchange of nodes of one class.
func (m *reached) alike(d drawn, placed []int, s state.State) bool {
	at := m.placed(s)
	nodes := len(d.nodes)
	if at[nodes] != placed[nodes] {
		return false
	}
	want, got := counts{"": at[:nodes]}, counts{"": placed[:nodes]}
	return m.between(got, want, want, m.classes(d))
}
