package scenario

import (
	"maps"
	"math"
	"slices"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Forecast is the effect of a change on the workloads of a slice, as far as it is known; nil: it is unknown.
func (c *Checker) Forecast(sr *SliceResult) *finding.Forecast {
	if sr.Err != nil || c.Expired() || !slices.ContainsFunc(sr.seen, func(s Seen) bool { return s.Pods.Some }) {
		return nil
	}
	own := *c
	own.Rules = nil
	v, name := sr.Variant.unscaled(), ScenarioChange
	if !v.Has(state.Base) {
		name = ScenarioInstall
	}
	p, start, ok := own.settledAs(v, name, nil)
	if !ok {
		return nil
	}
	if live := v.liveStart(p); live != nil {
		start = live
	}
	begin := start
	if name == ScenarioChange {
		if begin, ok = p.applied(start); !ok {
			return nil
		}
	}
	out := &finding.Forecast{Of: "apply", Release: v.Release}
	fast, slow := p.runs(begin)
	for w, s := range sr.seen {
		_, changed := v.Changed[w]
		if f, ok := p.foreseen(w, s, start, fast); ok && (changed || f.moved()) {
			f.Changed = changed
			out.Workloads = append(out.Workloads, f.Foreseen)
		}
	}
	if len(out.Workloads) == 0 {
		return nil
	}
	if fast != nil && slow != nil {
		out.Run = p.outline(start, fast, slow)
	}
	return out
}

// applied is the state after head is applied to another one.
func (p *Problem) applied(start []byte) ([]byte, bool) {
	sys := p.plain(start)
	walker, err := search.NewWalker(sys)
	if err != nil {
		return nil, false
	}
	steps, err := walker.Events(start)
	if err != nil {
		return nil, false
	}
	for _, st := range steps {
		if p.loops[st.Actor].Name() == "apply" {
			return st.To, true
		}
	}
	return nil, false
}

// plain is the system of all actors, with nothing reduced and no rule.
func (p *Problem) plain(start []byte) search.System {
	return search.System{Width: p.Cfg.Width(), Initial: [][]byte{start}, Actors: actor.Adapt(p.Cfg, p.loops, p.timing),
		Local: actor.NewLocal}
}

// runs are the likeliest run at best, and where every wait is used up; nil where there is none.
func (p *Problem) runs(begin []byte) (fast, slow *likely) {
	fast, err := p.likeliest(begin, false)
	if err != nil {
		return nil, nil
	}
	if slow, err = p.likeliest(begin, true); err != nil {
		return nil, nil
	}
	return fast, slow
}

type foreseen struct{ finding.Foreseen }

// moved reports whether anything of a workload that the change does not touch becomes another than it was.
func (f *foreseen) moved() bool {
	return f.Ready.Min < f.Before || f.Pods.Min != f.Pods.Max || f.After != f.Before
}

// foreseen puts together the known facts about a workload; false for one whose pods are not there to be ready, such as
// a Job's, or that head does not have.
func (p *Problem) foreseen(w int, s Seen, start []byte, run *likely) (foreseen, bool) {
	wl := &p.Cfg.Spec.Workloads[w]
	switch wl.Kind() {
	case state.Job, state.CronJob, state.Pod:
		return foreseen{}, false
	}
	if !s.Pods.Some || !wl.Manifests[state.Head].Exists() {
		return foreseen{}, false
	}
	span := func(r search.Range) finding.Span { return finding.Span{Min: r.Min, Max: r.Max} }
	out := foreseen{finding.Foreseen{Workload: wl.ID,
		Replicas: span(s.Replicas), Pods: span(s.Pods), Ready: span(s.Ready)}}
	if p.Cfg.PerNode(w) {
		out.Replicas = finding.Span{}
	}
	out.Before = state.State{C: p.Cfg, B: start}.ReadyOf(w)
	out.After = out.Before
	if run == nil {
		return out, true
	}
	out.After = state.State{C: p.Cfg, B: run.begin}.ReadyOf(w)
	for i := range run.steps {
		at := state.State{C: p.Cfg, B: run.steps[i].To}.ReadyOf(w)
		if out.After = at; at <= out.Ready.Min && out.LeastAt == 0 {
			out.LeastAt = i + 1
		}
	}
	if last := (state.State{C: p.Cfg, B: run.end()}); run.settles && !p.Cfg.PerNode(w) {
		out.Short = max(last.Replicas(w)-out.After, 0)
	}
	return out, true
}

// outline says which pods the likeliest run moves, and how long it lasts.
func (p *Problem) outline(start []byte, fast, slow *likely) *finding.ForeseenRun {
	out := &finding.ForeseenRun{Settles: fast.settles}
	first, last := state.State{C: p.Cfg, B: start}, state.State{C: p.Cfg, B: start}
	if n := len(fast.steps); n > 0 {
		last = state.State{C: p.Cfg, B: fast.steps[n-1].To}
	}
	out.Moves = p.moves(first, last, fast.steps)
	for n := range p.Cfg.Nodes {
		switch {
		case first.Gone(n) && !last.Gone(n):
			out.NodesAdded++
		case !first.Gone(n) && last.Gone(n):
			out.NodesRemoved++
		}
	}
	if fast.settles && slow.settles {
		p.lasts(out, fast, slow)
	}
	return out
}

// lasts says how long it takes, and what the most of it is for.
func (p *Problem) lasts(out *finding.ForeseenRun, fast, slow *likely) {
	longest, most := wait{}, -1.0
	total := map[wait]float64{}
	for w, seconds := range slow.waited {
		if w.workload >= 0 && w.field != "" {
			total[w] += seconds
		}
	}
	for _, w := range slices.SortedFunc(maps.Keys(total), wait.order) {
		if s := total[w]; w.person && !longest.person || s > most && w.person == longest.person {
			longest, most = w, s
		}
	}
	if most < 0 || slow.seconds == 0 && !longest.person {
		return
	}
	out.Seconds = &finding.Span{Min: int(math.Ceil(fast.seconds)), Max: int(math.Ceil(slow.seconds))}
	out.Wait = &finding.Wait{Workload: p.Cfg.Spec.Workloads[longest.workload].ID, Field: longest.field,
		Seconds: int(math.Ceil(most)), Person: longest.person}
}

// moves lists what loops take away from where it is, by workload and how.
func (p *Problem) moves(first, last state.State, steps []search.Step) []finding.Move {
	var out []finding.Move
	for _, st := range steps {
		from, to := state.State{C: p.Cfg, B: st.From}, state.State{C: p.Cfg, B: st.To}
		for w, wl := range p.Cfg.Spec.Workloads {
			gone, nodes := 0, []string(nil)
			for _, class := range p.Cfg.ClassesOf[w] {
				gone += from.Active(class) - to.Active(class)
				for n, node := range p.Cfg.Nodes {
					if to.LiveOn(n, class) < from.LiveOn(n, class) {
						nodes = append(nodes, node.Name)
					}
				}
			}
			if gone <= 0 || len(nodes) == 0 {
				continue
			}
			how := p.loops[st.Actor].Describe(from, to, st.Move).Action
			if how != "preempt" && how != "evict" && how != "evict-pod" {
				continue
			}
			i := slices.IndexFunc(out, func(m finding.Move) bool { return m.Workload == wl.ID && m.How == how })
			if i < 0 {
				i = len(out)
				out = append(out, finding.Move{Workload: wl.ID, How: how, To: p.gains(first, last, w)})
			}
			out[i].Pods += gone
			for _, n := range nodes {
				if !slices.Contains(out[i].From, n) {
					out[i].From = append(out[i].From, n)
				}
			}
		}
	}
	return out
}

// gains lists the nodes that have more pods of a workload at the end than before.
func (p *Problem) gains(first, last state.State, w int) []string {
	var out []string
	for n, node := range p.Cfg.Nodes {
		more := 0
		for _, class := range p.Cfg.ClassesOf[w] {
			more += last.LiveOn(n, class) - first.LiveOn(n, class)
		}
		if more > 0 {
			out = append(out, node.Name)
		}
	}
	return out
}
