package autoscaling

import (
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// HPA models the HorizontalPodAutoscaler of one workload.
//
// Upstream: kubernetes v1.36.3, pkg/controller/podautoscaler: reconcileAutoscaler,
// computeReplicasForMetrics (this file), GetResourceReplicas, calcPlainMetricReplicas,
// GetObjectPerPodMetricReplicas, GetExternalPerPodMetricReplicas (hpa_metrics.go),
// groupPods, calculateRequests (hpa_samples.go), validateAndParseSelector (hpa_reach.go),
// normalizeDesiredReplicas, normalizeDesiredReplicasWithBehaviors (hpa_behavior.go), stabilizeRecommendation and
// stabilizeRecommendationWithBehaviors (hpa_window.go).
type HPA struct {
	Workload int
	name     string // "default/web"
	signals  []use  // what the metrics of both versions look at
	versions [2]autoscaler
	reach    [2]reach
	most     int32 // the larger maxReplicas, in pods
}

// reason says what decided a count, for [HPA.Describe].
type reason uint8

const (
	byMetric    reason = iota + 1
	aboveMax           // the live count was above maxReplicas
	belowMin           // the live count was below minReplicas
	limitedMax         // the metric wants more than maxReplicas
	limitedMin         // the metric wants less than minReplicas
	limitedRate        // the metric wants a faster change than the behavior allows
	recorded           // only the memory changes
)

// stabilized is added to a reason where a recommendation of the stabilization window
// prevails over the metric's.
const stabilized = 1 << 8

// decision is the outcome of one sync.
type decision struct {
	replicas    int32
	reason      reason
	metric      int   // index of the deciding metric
	usage       int64 // of the deciding metric: percent of the request, or thousandths of a unit a pod
	stabilized  bool  // the windows' value, not the metric's
	recommended int32 // the windows' value from now on; see [state.State.Recommended]
}

// Traits implements [actor.Declarer].
func (h *HPA) Traits(c *state.Config) actor.Traits {
	return actor.Traits{
		Managed: true,
		// It counts pods of a class on all nodes, and those on deletion by what they request.
		Lumps: actor.AnyLikeness,
		Alone: h.alone(), Of: h.Workload,
		Wakes: &actor.Work{Workload: h.Workload}, // it sets replicas
		// It writes no pods, and asks for the scale that it wrote.
		Lag: &actor.Lag{Sees: h.sees(c), Step: h.stepSeen},
	}
}

// alone reports whether no other workload's pods match its selector, nor another autoscaler its pods.
func (h *HPA) alone() bool {
	for _, r := range h.reach {
		if len(r.beside)+len(r.contested) > 0 {
			return false
		}
	}
	return true
}

// Name implements [actor.Actor].
func (h *HPA) Name() string { return "hpa/" + h.name }

// Latency implements [actor.Actor].
func (h *HPA) Latency() actor.Latency { return actor.Periodic }

// Step implements [actor.Actor]: one sync, or nothing if it would keep the count. There is a
// successor for each outcome that the samples at hand and the stabilization windows can
// have; see [samplings] and [scaling.stabilize].
func (h *HPA) Step(s state.State, next *actor.Emit) { h.stepSeen(s, s, next) }

// stepSeen is a step on a view: pods are those of an informer, and count as they are seen; the scale and the
// samples are asked for, of the pods that there are.
func (h *HPA) stepSeen(s, live state.State, next *actor.Emit) {
	a := &h.versions[s.VersionOf(h.Workload)]
	if !a.exists || !s.Manifest(h.Workload).Exists() {
		return
	}
	out := outcomes{h: h, s: s, live: live, next: next}
	switch current := int32(s.Replicas(h.Workload)); {
	case current == 0: // scaling is disabled
	case current > a.max:
		out.add(decision{replicas: a.max, reason: aboveMax, recommended: int32(s.Recommended(h.Workload))})
	case current < a.min:
		out.add(decision{replicas: a.min, reason: belowMin, recommended: int32(s.Recommended(h.Workload))})
	case h.reach[s.VersionOf(h.Workload)].ambiguous(s):
	default:
		h.reconcile(a, current, &out)
	}
}

// reconcile is reconcileAutoscaler where the count is within the bounds.
func (h *HPA) reconcile(a *autoscaler, current int32, out *outcomes) {
	all := h.census(out.s, actor.Own[headcounts](out.next.Scratch))
	if &out.s.B[0] != &out.live.B[0] {
		all.sample(out.live)
	}
	held := a.within(int32(out.s.Recommended(h.Workload)))
	for i := range samplings {
		if !all.has(samplings[i]) {
			continue
		}
		d, ok := h.computeReplicas(a, &all, samplings[i], current)
		if !ok {
			continue
		}
		for _, passed := range [...]bool{false, true} {
			if passed && !a.limits.passes(d.replicas, current, all.quiet()) {
				continue
			}
			x := d
			a.limits.stabilize(&x, current, held, passed)
			x.recommended = a.within(x.recommended)
			a.limits.normalize(&x, current, a.min, a.max)
			out.add(x)
		}
	}
}

// computeReplicas is computeReplicasForMetrics: the largest proposal, unless a metric
// failed and the others would scale down.
func (h *HPA) computeReplicas(a *autoscaler, all *census, by sampling, current int32) (decision, bool) {
	d := decision{reason: byMetric}
	invalid := 0
	for i := range a.metrics {
		m := &a.metrics[i]
		g := &h.signals[m.signal]
		var proposal int32
		var usage int64
		ok := true
		if m.whole {
			proposal, usage = m.perPod(g.demand[h.Workload][all.load], all.active()+all.drift, a.limits.tolerance)
		} else {
			o := g.observe(all, by, m)
			proposal, usage, ok = o.replicasFor(m, current, a.limits.tolerance)
		}
		if !ok {
			invalid++
			continue
		}
		if d.replicas == 0 || proposal > d.replicas {
			d.replicas, d.metric, d.usage = proposal, i, usage
		}
	}
	if invalid >= len(a.metrics) || (invalid > 0 && d.replicas < current) {
		return d, false
	}
	return d, true
}

// outcomes emits the different outcomes of one state's sync.
type outcomes struct {
	h     *HPA
	s     state.State // as it sees pods
	live  state.State // as it is
	next  *actor.Emit
	known [2 * len(samplings)]decision
	n     int
}

// add emits a decision that changes something and is new.
func (o *outcomes) add(d decision) {
	w := o.h.Workload
	field := o.s.C.Workload[w].Recommended
	if field == (state.Field{}) {
		d.recommended = 0
	}
	rescales := int(d.replicas) != o.s.Replicas(w)
	if !rescales && (field == (state.Field{}) || d.recommended == int32(o.s.Recommended(w))) {
		return
	}
	for _, k := range o.known[:o.n] {
		if k.replicas == d.replicas && k.recommended == d.recommended {
			return
		}
	}
	o.known[o.n] = d
	o.n++
	t := o.next.Copy(o.s)
	t.SetReplicas(w, int(d.replicas))
	if field != (state.Field{}) {
		t.Set(field, int(d.recommended))
	}
	if rescales && o.s.C.Spec.Apply == state.ServerSide { // an update takes a changed field from its owners
		t.Set(t.C.Workload[w].Owners, int(state.Autoscaler))
	}
	if !rescales {
		d.reason = recorded
	}
	kind := uint16(d.reason)
	if d.stabilized {
		kind |= stabilized
	}
	o.next.Move(search.Move{Kind: kind,
		Args: [3]int32{int32(d.metric), int32(d.usage >> 31), int32(d.usage & (1<<31 - 1))}})
}
