package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/gitops"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Asked is a question about a cluster.
type Asked string

// Questions.
const (
	AskChange Asked = ""      // the effect of the change
	AskDrain  Asked = "drain" // a node is drained
	AskScale  Asked = "scale" // a workload is given so many replicas
	AskLoad   Asked = "load"  // the load of a workload becomes so many times as high
	AskLose   Asked = "lose"  // a node, or all nodes of a zone or class, go down
)

// Question is what happens, beside the change where there is one, once the cluster has settled.
type Question struct {
	Asked  Asked
	Of     string  // node, zone, class or workload
	Number int     // replicas
	Factor float64 // of the load
}

// String is the question as it was asked.
func (q Question) String() string {
	switch q.Asked {
	case AskChange:
		return "apply"
	case AskScale:
		return fmt.Sprintf("scale %s %d", q.Of, q.Number)
	case AskLoad:
		return fmt.Sprintf("load %s %gx", q.Of, q.Factor)
	}
	return string(q.Asked) + " " + q.Of
}

// NotThere says that a slice has nothing of what a question names.
type NotThere struct {
	Why   string
	There []string // what it has instead
}

func (e *NotThere) Error() string {
	if len(e.There) == 0 {
		return e.Why
	}
	some := e.There
	if len(some) > 6 {
		some = append(slices.Clone(some[:6]), "…")
	}
	return e.Why + "; there are " + strings.Join(some, ", ")
}

// With adds what another slice has instead.
func (e *NotThere) With(other *NotThere) *NotThere {
	if other == nil || other.Why != e.Why {
		return e
	}
	all := append(slices.Clone(other.There), e.There...)
	seen := map[string]bool{}
	return &NotThere{e.Why, slices.DeleteFunc(all, func(s string) bool { again := seen[s]; seen[s] = true; return again })}
}

func notThere(format string, args ...any) error { return &NotThere{Why: fmt.Sprintf(format, args...)} }

// askStates bounds the search for an answer.
const askStates = 400_000

// Ask answers a question about a slice: the effect of the event in every order of the loops, as far as the search comes
// to its end, and the likeliest run, step by step. Errors: [*NotThere], and those of a problem that cannot be
// compiled.
func (c *Checker) Ask(ctx context.Context, v Variant, q Question) (*finding.Forecast, *Likely, error) {
	of := v.Changed
	if !v.Has(state.Base) { // nothing changes
		of = nil
	}
	v, begins, err := v.asked(q)
	if err != nil {
		return nil, nil, err
	}
	p, err := NewProblem(&v.Spec, scale.Largest(v.Spec.Classes), nil, c.Timing)
	if err != nil {
		return nil, nil, err
	}
	start, ok := p.calmKept(c.Budget, gitops.Install(p.Cfg, begins).B)
	if live := v.liveStart(p); live != nil {
		start, ok = live, true
	}
	if !ok {
		return nil, nil, notThere("before the event the cluster does not settle")
	}
	starts := [][]byte{start}
	settled, results, err := p.Settle(ctx, begins, c.Budget)
	if err == nil && results[len(results)-1].Bound == search.Complete {
		starts = append(starts, settled...)
	}
	var from [][]byte
	for i, s := range starts {
		more, err := p.befalls(s, v, q, i > 0)
		if err != nil && i == 0 {
			return nil, nil, err
		}
		from = append(from, more...)
	}
	fast, slow := p.runs(from[0])
	if fast == nil || slow == nil {
		return nil, nil, errors.New("the likeliest run cannot be followed")
	}
	out := &finding.Forecast{Of: q.String(), Release: v.Release, Run: p.outline(start, fast, slow)}
	saw := p.lead(ctx, from, c.Budget)
	for w := range v.Spec.Workloads {
		_, changed := of[w]
		if f, ok := p.foreseen(w, saw[w], start, fast); ok {
			f.Changed = changed
			out.Workloads = append(out.Workloads, f.Foreseen)
		}
	}
	return out, &Likely{Problem: p, Variant: v, Start: start, Steps: fast.steps, From: from}, nil
}

// Likely is the likeliest run, to be worded, and where all others begin.
type Likely struct {
	Problem *Problem
	Variant Variant
	Start   []byte
	Steps   []search.Step
	From    [][]byte // what the event makes of all states that the cluster settles in before; Start's is the first
}

// Walk gives the steps of every state that the event leads to, none left out and no states taken for one.
func (l *Likely) Walk() (*search.Walker, error) { return search.NewWalker(l.Problem.plain(l.Start)) }

// Loop is one of the actors of the likeliest run.
func (p *Problem) Loop(i int) actor.Actor { return p.loops[i] }

// asked gives the variant in which a question is answered, and the version that has settled before.
func (v Variant) asked(q Question) (Variant, state.Version, error) {
	change := v.Has(state.Base)
	if change {
		v = v.Change()
	} else {
		v = v.only(state.Head)
	}
	e := &v.Spec.Events
	*e = state.Events{Apply: e.Apply, IdleMemory: e.IdleMemory, DrainConcurrency: e.DrainConcurrency,
		IgnorePDB: e.IgnorePDB, KeepsBare: e.KeepsBare, SpotLost: e.SpotLost, StartupSpike: e.StartupSpike,
		NodePanic: e.NodePanic}
	begins := state.Head
	if change {
		begins = state.Base
	}
	if q.Asked == AskDrain || q.Asked == AskLose { // which of several like zones is meant
		v.Spec.Classes = slices.Clone(v.Spec.Classes)
		for i := range v.Spec.Classes {
			v.Spec.Classes[i].Shape = ""
		}
	}
	switch q.Asked {
	case AskChange:
		if !change {
			return v, begins, notThere("there is no change")
		}
	case AskDrain:
		e.Drain, e.LastNode = 1, true
	case AskLose:
		e.NodeFailure, e.LastNode = scale.Largest(v.Spec.Classes).Total(), true
	case AskLoad, AskScale:
		w := v.named(q.Of)
		if w < 0 {
			return v, begins, &NotThere{Why: "no workload is called " + q.Of, There: v.workloadNames()}
		}
		if e.LoadChange = 1; q.Asked == AskScale {
			e.LoadChange = 0
			return v.scaled(w, q.Number, change)
		}
	}
	return v, begins, nil
}

// named is the workload that a name means: "web", "default/web" or its ID; -1: none.
func (v Variant) named(name string) int {
	return slices.IndexFunc(v.Spec.Workloads, func(w state.Workload) bool {
		return w.ID == name || w.Name == name || w.Namespace+"/"+w.Name == name
	})
}

// scaled gives a workload so many replicas, as a separate change if there is no other.
func (v Variant) scaled(w, replicas int, change bool) (Variant, state.Version, error) {
	head := v.Spec.Workloads[w].Manifests[state.Head]
	if head.ReplicasField() == nil {
		return v, 0, notThere("%s has no number of replicas", v.Spec.Workloads[w].ID)
	}
	head = head.WithReplicas(replicas)
	return v.manifests(func(o state.Workload) [2]state.Manifest {
		out := o.Manifests
		if !change {
			out[state.Base] = out[state.Head]
		}
		if o.ID == v.Spec.Workloads[w].ID {
			out[state.Head] = head
		}
		return out
	}, 1), state.Base, nil
}

// befalls gives the states to which the change, and then the event in question, lead from a settled one. In a canonical
// one a node stands for any of its class.
func (p *Problem) befalls(start []byte, v Variant, q Question, canonical bool) ([][]byte, error) {
	at := start
	if p.Cfg.Spec.Events.Apply > 0 {
		applied, ok := p.applied(start)
		if !ok {
			return nil, notThere("the change cannot be applied")
		}
		at = applied
	}
	walker, err := search.NewWalker(p.plain(start))
	if err != nil {
		return nil, err
	}
	switch q.Asked {
	case AskDrain, AskLose:
		nodes := p.meant(q)
		if canonical && len(nodes) == 1 {
			return p.takeAny(walker, at, nodes[0], q)
		}
		at, err = p.takeNodes(walker, at, nodes, q)
	case AskLoad:
		at, err = p.loadsTo(walker, at, v, q)
	}
	if err != nil {
		return nil, err
	}
	return [][]byte{at}, nil
}

// meant are the nodes that a question names: one, or to be lost all of a zone, class or pool.
func (p *Problem) meant(q Question) []int {
	var out []int
	for n, node := range p.Cfg.Nodes {
		class := &p.Cfg.Spec.Classes[node.Class]
		switch {
		case node.Name == q.Of:
			return []int{n}
		case q.Asked == AskLose && (p.Cfg.Zone(n) == q.Of || class.Name == q.Of || class.Pool == q.Of):
			out = append(out, n)
		}
	}
	return out
}

// taker is the actor whose events take nodes.
func (q Question) taker() string {
	return map[Asked]string{AskDrain: "maintenance", AskLose: "node"}[q.Asked]
}

// takeNodes drains, or takes down, some nodes, one after the other.
func (p *Problem) takeNodes(walker *search.Walker, at []byte, nodes []int, q Question) ([]byte, error) {
	if len(nodes) == 0 {
		return nil, &NotThere{Why: "no " + q.takes() + " is called " + q.Of, There: p.nodeNames(q)}
	}
	for _, n := range nodes {
		s := state.State{C: p.Cfg, B: slices.Clone(at)}
		as := n // of nodes with one record the first stands for all
		for as > 0 && s.Twin(as) {
			as--
		}
		steps, err := walker.Events(s.B)
		if err != nil {
			return nil, err
		}
		k := slices.IndexFunc(steps, func(st search.Step) bool {
			return p.loops[st.Actor].Name() == q.taker() && int(st.Move.Args[0]) == as
		})
		if k < 0 {
			return nil, notThere("node %s is out of service already", p.Cfg.Nodes[n].Name)
		}
		s.B = steps[k].To
		if as != n {
			s.SwapNodes(as, n)
		}
		at = s.B
	}
	return at, nil
}

// takeAny drains, or takes down, each node that may be meant by one of its class.
func (p *Problem) takeAny(walker *search.Walker, at []byte, node int, q Question) ([][]byte, error) {
	steps, err := walker.Events(at)
	var out [][]byte
	for _, st := range steps {
		if p.loops[st.Actor].Name() == q.taker() && p.Cfg.Nodes[st.Move.Args[0]].Class == p.Cfg.Nodes[node].Class {
			out = append(out, st.To)
		}
	}
	return out, err
}

// takes is what a question about nodes may name.
func (q Question) takes() string {
	if q.Asked == AskLose {
		return "node, zone, class or pool"
	}
	return "node"
}

// nodeNames are what a question about nodes may name: zones and pools come before the nodes, which may be many.
func (p *Problem) nodeNames(q Question) []string {
	var of, nodes []string
	for n, node := range p.Cfg.Nodes {
		for what, name := range map[string]string{"zone": p.Cfg.Zone(n), "pool": p.Cfg.Spec.Classes[node.Class].Pool} {
			if said := what + " " + name; name != "" && q.Asked == AskLose && !slices.Contains(of, said) {
				of = append(of, said)
			}
		}
		nodes = append(nodes, node.Name)
	}
	slices.Sort(of)
	return append(of, nodes...)
}

// workloadNames are those that a question may name.
func (v Variant) workloadNames() []string {
	var out []string
	for i := range v.Spec.Workloads {
		out = append(out, v.Spec.Workloads[i].Name)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// loadsTo changes the load of a workload. There are three: none, the one that its base was sized for, and one that
// takes all pods that its autoscaler may add; a factor over one is the last.
func (p *Problem) loadsTo(walker *search.Walker, at []byte, v Variant, q Question) ([]byte, error) {
	w, want := v.named(q.Of), state.Nominal
	switch {
	case q.Factor < 1:
		want = state.Idle
	case q.Factor > 1:
		want = state.Saturating
	}
	s := state.State{C: p.Cfg, B: at}
	if s.Load(w) == want {
		return at, nil
	}
	steps, err := walker.Events(at)
	if err != nil {
		return nil, err
	}
	for _, st := range steps {
		if (state.State{C: p.Cfg, B: st.To}).Load(w) == want {
			return st.To, nil
		}
	}
	return nil, notThere("%s has no autoscaler, and nothing else acts on its load", q.Of)
}

// lead measures every state that the loops lead to; states beyond the budget stay unknown.
func (p *Problem) lead(ctx context.Context, from [][]byte, bud Budget) []Seen {
	sys := p.still
	sys.Initial = from
	sys.Measure = p.numbers(func(s state.State) bool { return !s.IsOutgrown() })
	opt := bud.options()
	opt.MaxEvents, opt.MaxStates = 0, askStates
	out := make([]Seen, len(p.Cfg.Spec.Workloads))
	res, err := search.Run(ctx, sys, opt)
	if err != nil || res.Bound != search.Complete {
		return out
	}
	for w := range out {
		out[w], _ = seen(res, w, 0)
	}
	return out
}
