package admission

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// queueLoop models Kueue's scheduler preempting for one workload of a pod class: a pod of a Deployment, or a Job. What
// is preempted goes at once: of a Job all pods, and the Job waits again.
//
// Upstream: see [Contest] for whom it preempts; kueue v0.19.2, pkg/scheduler: issuePreemptions;
// pkg/controller/jobframework: stopJob; pkg/controller/jobs/pod: Stop.
type queueLoop struct {
	queues *queues
	class  int
	name   string
}

// NewKueue gives the preemption of each pod class that may preempt others, and lays out what Kueue knows of them.
func NewKueue(b *state.Builder) ([]actor.Actor, error) {
	c := b.Config()
	x := newQueues(c)
	var out []actor.Actor
	if x == nil {
		return nil, nil
	}
	for p := range c.Pods {
		victims := x.victims(c, p)
		if len(victims) == 0 {
			continue
		}
		for _, q := range victims {
			b.AddDisplaced(q)
		}
		b.AddClaims(p)
		out = append(out, &queueLoop{queues: x, class: p, name: objects.ClassActor(c, "kueue", p)})
	}
	return append(out, x.unready(b)...), nil
}

// KueueStops implements [state.WatchesStops]: a pod on deletion has its quota until it is gone.
func KueueStops(s *state.Spec, _ int) bool { return len(s.Quotas) > 0 }

// victims are the pod classes that class p may ever preempt.
func (x *queues) victims(c *state.Config, p int) []int {
	var out []int
	if !x.waits[p] {
		return nil
	}
	for v := range x.limit {
		own := c.Spec.Quotas[x.index[x.in[p]]].Queues[v]
		if !own.Orders() {
			continue
		}
		for q, in := range x.in {
			if q == p || !x.waits[q] || slices.Contains(out, q) {
				continue
			}
			policy, theirs := own.Within, c.Spec.Quotas[x.index[in]].Queues[v]
			if in != x.in[p] {
				policy = own.Reclaim
				if theirs == nil || own.Cohort == "" || theirs.Cohort != own.Cohort {
					continue
				}
			}
			if policy.Allows(x.rank[p], x.rank[q], 0, 0) {
				out = append(out, q)
			}
		}
	}
	return out
}

// scratch is what one worker keeps to preempt.
type scratch struct {
	contest Contest
	uses    []int64
	victims []int // by pod class: how many workloads go
	orders  []int // victims of the orders before, one after the other
	take    []int // by class, and within it place
}

func (l *queueLoop) Name() string           { return l.name }
func (l *queueLoop) Latency() actor.Latency { return actor.Sync }

// Step implements [actor.Actor]: one workload's victims go. Of those with one priority the latest goes first, which of
// two classes it is is unknown: each class in turn is the latest.
func (l *queueLoop) Step(s state.State, next *actor.Emit) {
	x := l.queues
	if !x.lacks(s, l.class) || !x.quota(s, x.in[l.class]).Orders() {
		return
	}
	y := actor.Own[scratch](next.Scratch)
	y.orders = y.orders[:0]
	for first := range x.in {
		if first > 0 && (!x.waits[first] || s.Existing(first) == 0) {
			continue
		}
		incoming := x.fill(s, y, l.class, first)
		targets := y.contest.Targets(&incoming)
		if len(targets) == 0 && first == 0 {
			return // who goes first makes no difference to that
		}
		y.victims = y.victims[:0]
		for range x.in {
			y.victims = append(y.victims, 0)
		}
		live := false
		for _, i := range targets {
			if e := &y.contest.Admitted[i]; !e.Evicted {
				y.victims[e.Class]++
				live = true
			}
		}
		for o := 0; o < len(y.orders); o += len(y.victims) {
			live = live && !slices.Equal(y.orders[o:o+len(y.victims)], y.victims)
		}
		if live {
			y.orders = append(y.orders, y.victims...)
			l.choose(s, y, next)
		}
	}
}

// fill enters the admitted workloads, and returns the waiting one.
func (x *queues) fill(s state.State, y *scratch, p, first int) Entrant {
	c := &y.contest
	c.Queues, c.Admitted, y.uses = c.Queues[:0], c.Admitted[:0], y.uses[:0]
	place := func(k int) int { // of a queue in the contest; -1: it is not in it
		at := -1
		for j := 0; j <= k; j++ {
			if x.meet(s, j, x.in[p]) && x.quota(s, j) != nil {
				at++
			} else if j == k {
				return -1
			}
		}
		return at
	}
	for k := range x.index {
		if place(k) < 0 {
			continue
		}
		start := len(y.uses)
		for r := range x.names {
			used := int64(0)
			if l := x.limit[s.VersionOfQuota(x.index[k])][k][r]; l != nil {
				used = x.used(s, k, r, p)
			}
			y.uses = append(y.uses, used)
		}
		c.Queues = append(c.Queues, Contender{Queue: x.quota(s, k), Limits: x.limit[s.VersionOfQuota(x.index[k])][k],
			Used: y.uses[start:len(y.uses):len(y.uses)]})
	}
	for q, in := range x.in {
		if in < 0 || !x.waits[q] || place(in) < 0 || s.Existing(q) == 0 {
			continue
		}
		e := Entrant{Queue: place(in), Priority: x.rank[q], Class: q}
		if q == first {
			e.Since = 1
		}
		if s.C.Spec.Workloads[s.C.Pods[q].Workload].Kind() == state.Job {
			e.Evicted = s.DisplacedOf(q) > 0 || s.Evicted(q) != state.In
			e.Uses = x.times(y, q, x.held(s, q))
			c.Admitted = append(c.Admitted, e)
			continue
		}
		e.Uses = x.times(y, q, 1)
		for i := range s.Existing(q) {
			e.Evicted = i < s.Count(q, state.Terminating)
			c.Admitted = append(c.Admitted, e)
		}
	}
	return Entrant{Queue: place(x.in[p]), Priority: x.rank[p], Uses: x.times(y, p, x.unit(s, p))}
}

// times is what so many pods of a class take; a resource that the queue does not count is none.
func (x *queues) times(y *scratch, p int, n int64) []int64 {
	start := len(y.uses)
	for r, use := range x.uses[p] {
		if x.names[r] == "pods" && !x.covers(p, r) {
			use = 0
		}
		y.uses = append(y.uses, use*n)
	}
	return y.uses[start:len(y.uses):len(y.uses)]
}

// covers reports whether a version of the queue of class p has quota of a resource.
func (x *queues) covers(p, r int) bool {
	return x.limit[state.Base][x.in[p]][r] != nil || x.limit[state.Head][x.in[p]][r] != nil
}

// choose offers every way to take the victims from where their pods are.
func (l *queueLoop) choose(s state.State, y *scratch, next *actor.Emit) {
	width := 1 + len(s.C.Nodes)*len(state.LivePhases)
	y.take = slices.Grow(y.take[:0], len(y.victims)*width)[:len(y.victims)*width]
	clear(y.take)
	l.from(s, y, next, 0, 0, 0)
}

// from takes the remaining victims of class q from its places, from place i on: first pods without a node.
func (l *queueLoop) from(s state.State, y *scratch, next *actor.Emit, q, i, taken int) {
	width := 1 + len(s.C.Nodes)*len(state.LivePhases)
	if next.Full() {
		return
	}
	if q == len(y.victims) {
		l.emit(s, y, next)
		return
	}
	left := y.victims[q] - taken
	whole := s.C.Spec.Workloads[s.C.Pods[q].Workload].Kind() == state.Job
	if i == width || y.victims[q] == 0 || left == 0 || whole {
		if left == 0 || whole {
			l.from(s, y, next, q+1, 0, 0)
		}
		return
	}
	on := s.Pending(q)
	if i > 0 {
		on = s.On((i-1)/len(state.LivePhases), q, state.LivePhases[(i-1)%len(state.LivePhases)])
	}
	for k := min(on, left); k >= 0; k-- {
		y.take[q*width+i] = k
		l.from(s, y, next, q, i+1, taken+k)
	}
	y.take[q*width+i] = 0
}

// emit puts the victims that were chosen on deletion.
func (l *queueLoop) emit(s state.State, y *scratch, next *actor.Emit) {
	width := 1 + len(s.C.Nodes)*len(state.LivePhases)
	t := next.Copy(s)
	for q, n := range y.victims {
		if n == 0 {
			continue
		}
		whole := s.C.Spec.Workloads[s.C.Pods[q].Workload].Kind() == state.Job
		pending := y.take[q*width]
		if whole {
			pending = s.Pending(q)
		}
		f := &t.C.Class[q]
		t.Set(f.Pending, t.Get(f.Pending)-pending)
		for node := range s.C.Nodes {
			for i, ph := range state.LivePhases {
				k := y.take[q*width+1+node*len(state.LivePhases)+i]
				if whole {
					k = s.On(node, q, ph)
				}
				if k > 0 {
					t.Add(node, q, ph, -k)
					t.Add(node, q, state.Terminating, k)
				}
			}
		}
		t.Displace(q, s.DisplacedOf(q), n)
	}
	t.Claim(l.class)
	next.Move(objects.Done)
}

func (l *queueLoop) Describe(from, to state.State, _ search.Move) actor.Words {
	c := from.C
	var gone []string
	k := l.queues.in[l.class]
	queue, v := l.queues.quota(from, k), from.VersionOfQuota(l.queues.index[k])
	w := actor.Words{Action: "preempt", Object: objects.PodObject(c, l.class)}
	add := func(field string) {
		w.Because = actor.AppendNew(w.Because, actor.Ref{Object: queue.Object, Version: v, Field: "spec.preemption." + field})
	}
	for q := range c.Pods {
		lost := from.Active(q) - to.Active(q)
		if lost <= 0 {
			continue
		}
		gone = append(gone, english.Plural(lost, objects.Revised(c, q, "pod"), "")+" of "+objects.PodName(c, q))
		switch {
		case l.queues.in[q] == k:
			add("withinClusterQueue")
		case queue.WhileBorrowing && l.queues.borrows(from, l.class):
			add("borrowWithinCohort")
		default:
			add("reclaimWithinCohort")
		}
	}
	w.Text = fmt.Sprintf("Kueue preempts %s to admit %s to ClusterQueue %s", strings.Join(gone, " and "), l.subject(from),
		c.Spec.Quotas[l.queues.index[k]].Name)
	return w
}

// subject is what waits: a pod, or a Job.
func (l *queueLoop) subject(s state.State) string {
	wl := &s.C.Spec.Workloads[s.C.Pods[l.class].Workload]
	if wl.Kind() == state.Job {
		return wl.ID
	}
	return objects.OnePod(s.C, l.class, "")
}

func (l *queueLoop) Model() *actor.Model {
	return &actor.Model{
		Upstream: "kueue v0.19.2, pkg/scheduler/preemption: GetTargets, classicalPreemptions; pkg/scheduler/preemption/classical: " +
			"NewCandidateIterator; pkg/scheduler/flavorassigner: fitsResourceQuota; pkg/scheduler: processEntry",
		Exact: []string{
			"Kueue's victims within a ClusterQueue, and of quota that others have borrowed (reclaimWithinCohort, borrowWithinCohort): " +
				"candidates, their order, and exemptions",
			"PodDisruptionBudgets are not asked",
		},
		MayInvent: []string{"of workloads with one priority any class of pods may have come last"},
		MayHide: []string{
			"a workload that waits counts as the youngest: LowerOrNewerEqualPriority preempts lower priorities only",
			"a pod group is no victim, and neither are pods outside of the slice",
		},
	}
}
