package autoscaling

import "github.com/kubesettle/kubesettle/verify/state"

// restOn notes for the rules, of each version and load, what the load justifies and what
// may keep the autoscaler from it.
func (h *HPA) restOn(b *state.Builder) {
	c := b.Config()
	for v := range h.versions {
		a, p := &h.versions[v], c.ByVersion[h.Workload][v]
		if !a.exists || p < 0 {
			continue
		}
		m := &c.Spec.Workloads[h.Workload].Manifests[v]
		notes := state.Autoscaling{Sharers: h.reach[v].sharers}
		notes.Held, notes.Fields = h.held(c, state.Version(v))
		free, heavy := h.undisturbed(c, v, p, false), h.undisturbed(c, v, p, true)
		for load := range state.Loads {
			alone := lone{free, &free.versions[v], p, load}
			b.Rest(h.Workload, state.Version(v), load, alone.unheld().rest())
			notes.Unheld[load] = lone{heavy, &heavy.versions[v], p, load}.unheld().rest()
			if !m.DeclaresReplicas || m.Replicas() > 0 { // else it is switched off on purpose
				notes.Least[load] = alone.least(sizedFor(m))
			}
			if load == state.Idle && m.KEDA != nil && m.KEDA.ToZero {
				notes.Least[load] = 0
			}
		}
		b.Autoscaling(h.Workload, state.Version(v), notes)
	}
}

// undisturbed is the autoscaler with load alone, without start-ups, memory that stays (unless heavy), other workloads'
// pods and requests that are missing. A metric of whose pods no container has a request is left out.
func (h *HPA) undisturbed(c *state.Config, v, p int, heavy bool) *HPA {
	free, idle := *h, 0
	if heavy {
		idle = c.Spec.Events.IdleMemory
	}
	free.signals = nil
	for i := range h.signals {
		g := use{signal: h.signals[i].signal, demand: make([]Demand, len(c.Spec.Workloads))}
		g.demand[h.Workload] = g.demandOf(&c.Spec.Workloads[h.Workload], idle)
		for _, pod := range h.signals[i].pods {
			if pod.startup, pod.hasRequest = 0, true; !heavy {
				pod.idle = 0
			}
			g.pods = append(g.pods, pod)
		}
		free.signals = append(free.signals, g)
	}
	a := &free.versions[v]
	a.metrics = nil
	for _, m := range h.versions[v].metrics {
		if m.utilization == 0 || free.signals[m.signal].pods[p].request > 0 {
			a.metrics = append(a.metrics, m)
		}
	}
	return &free
}

// lone is an undisturbed autoscaler at a load, with ready pods of one class.
type lone struct {
	*HPA
	a    *autoscaler
	p    int
	load state.Load
}

// unheld is the same without its behavior, which may keep it from the count that the load asks for.
func (l lone) unheld() lone {
	a := *l.a
	a.limits = scaling{tolerance: a.limits.tolerance}
	l.a = &a
	return l
}

// next is the count that follows on n.
func (l lone) next(n int32) int32 {
	all := census{load: l.load, own: 1,
		classes: []headcount{{class: l.p, workload: l.Workload, load: l.load, ready: int(n)}}}
	d, ok := l.computeReplicas(l.a, &all, sampling{}, n)
	if !ok {
		return l.a.max
	}
	l.a.limits.normalize(&d, n, l.a.min, l.a.max)
	return d.replicas
}

// rest is the count at which the autoscaler comes to rest from maxReplicas: the count that the load justifies. If it
// ends higher from minReplicas, that count is used; this happens if the target is so low that whole percents are too
// coarse. It is maxReplicas where the autoscaler cannot compute anything.
func (l lone) rest() int {
	down, up := l.a.max, l.a.min
	for l.next(down) < down {
		down = l.next(down)
	}
	for l.next(up) > up {
		up = l.next(up)
	}
	return int(max(down, up))
}

// least is the least count at which the autoscaler adds no pods. If it cannot compute anything, each load justifies the
// count that it is made for; sized is that of the nominal load.
func (l lone) least(sized int32) int {
	if len(l.a.metrics) == 0 {
		return int([state.Loads]int32{l.a.min, sized, l.a.max}[l.load])
	}
	n := l.a.min
	for n < l.a.max && l.next(n) > n {
		n++
	}
	return int(n)
}
