package scenario

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// likelySteps bounds the likeliest run.
const likelySteps = 2_000

// likely is the likeliest run from a state in which an event has just happened: every loop acts as soon as it may, of
// slower ones the one that is due first, and of several ways that upstream draws lots for the first is taken.
type likely struct {
	begin   []byte // after the event
	steps   []search.Step
	settles bool
	seconds float64
	waited  map[wait]float64 // by the kind of wait
}

// end is the last state.
func (l *likely) end() []byte {
	if n := len(l.steps); n > 0 {
		return l.steps[n-1].To
	}
	return l.begin
}

// place is where pods of a class are in their lives, on any node.
type place struct {
	class int
	phase state.Phase
}

// clock tells when the steps of a run can be taken.
type clock struct {
	waits *waits
	slow  bool // every wait is used up
	now   float64
	since map[place][]float64 // when the pods came there, the first first
	seen  map[int]float64     // by actor: since when it has been able to act
	out   *likely
}

// likeliest follows the likeliest run.
func (p *Problem) likeliest(start []byte, slow bool) (*likely, error) {
	walker, err := search.NewWalker(p.plain(start))
	if err != nil {
		return nil, err
	}
	k := &clock{waits: newWaits(p.Cfg, p.loops), slow: slow, since: map[place][]float64{}, seen: map[int]float64{},
		out: &likely{begin: start, waited: map[wait]float64{}}}
	k.enter(start)
	been := map[string]bool{}
	at := start
	for len(k.out.steps) < likelySteps && !been[string(at)] {
		been[string(at)] = true
		steps, err := walker.Loops(at)
		if err != nil {
			return nil, err
		}
		if len(steps) == 0 {
			k.out.settles = true
			break
		}
		st := k.choose(steps)
		k.take(st)
		k.out.steps = append(k.out.steps, *st)
		at = st.To
	}
	return k.out, nil
}

// enter notes the pods of the first state.
func (k *clock) enter(b []byte) {
	s := state.State{C: k.waits.cfg, B: b}
	for p := range s.C.Pods {
		for ph := range state.Phases {
			k.since[place{p, ph}] = make([]float64, s.Count(p, ph))
		}
	}
}

// choose gives the step that is due first, and lets the time pass until then. It waits for the first step that does not
// only end a pod, if there is one: pods on deletion then delay no one else.
func (k *clock) choose(steps []search.Step) *search.Step {
	best, due := 0, math.Inf(1)
	gate, why := math.Inf(1), wait{}
	enabled := map[int]float64{}
	for i := range steps {
		st := &steps[i]
		a := k.waits.loops[st.Actor]
		if a.Latency() == actor.Sync {
			return st // it takes no time
		}
		if _, known := enabled[st.Actor]; !known {
			enabled[st.Actor] = k.now
			if t, been := k.seen[st.Actor]; been {
				enabled[st.Actor] = t
			}
		}
		from, w, ends := k.waitsFor(st, enabled[st.Actor])
		lasts := w.least
		if k.slow {
			lasts = w.most
		}
		if from+lasts < due {
			best, due = i, from+lasts
		}
		if rank := from + lasts + last(ends); rank < gate {
			gate, why = rank, w
		}
	}
	k.seen = enabled
	delete(k.seen, steps[best].Actor)
	if due > k.now || why.person {
		k.out.waited[why] += max(due-k.now, 0)
		k.now = max(k.now, due)
	}
	return &steps[best]
}

// last ranks what only ends a pod behind everything else.
func last(ends bool) float64 {
	if ends {
		return 1e9
	}
	return 0
}

// waitsFor is since when a step of a slow loop has been waiting, for what, and whether it only ends a pod.
func (k *clock) waitsFor(st *search.Step, since float64) (from float64, w wait, ends bool) {
	if k.waits.loops[st.Actor].Latency() != actor.Kubelet {
		return since, k.waits.of(st), false
	}
	a, b := state.State{C: k.waits.cfg, B: st.From}, state.State{C: k.waits.cfg, B: st.To}
	for p := range a.C.Pods {
		for ph := range state.Phases {
			if b.Count(p, ph) >= a.Count(p, ph) {
				continue
			}
			if list := k.since[place{p, ph}]; len(list) > 0 {
				since = list[0]
			}
			return since, k.waits.phase[p][ph], ph == state.Terminating
		}
	}
	return since, wait{workload: -1}, false
}

// take notes where pods come and go with a step.
func (k *clock) take(st *search.Step) {
	from, to := state.State{C: k.waits.cfg, B: st.From}, state.State{C: k.waits.cfg, B: st.To}
	matters := k.waits.loops[st.Actor].Latency() != actor.Kubelet
	for p := range from.C.Pods {
		for ph := range state.Phases {
			at := place{p, ph}
			was, is := from.Count(p, ph), to.Count(p, ph)
			matters = matters || was != is && ph != state.Terminating
			for ; was < is; was++ {
				k.since[at] = append(k.since[at], k.now)
			}
			if was > is {
				k.since[at] = k.since[at][min(was-is, len(k.since[at])):]
			}
		}
	}
	if matters {
		k.out.seconds = k.now
	}
}

// wait is a manifest's statement of how long something takes, in seconds: at best, and if all of it is used up.
type wait struct {
	least, most float64
	workload    int
	field       string
	person      bool // it lasts until somebody acts
}

// waits knows what the pods and loops of a problem wait for.
type waits struct {
	cfg   *state.Config
	loops []actor.Actor
	phase [][state.Phases]wait // by pod class
}

func newWaits(c *state.Config, loops []actor.Actor) *waits {
	out := &waits{cfg: c, loops: loops, phase: make([][state.Phases]wait, len(c.Pods))}
	for p := range c.Pods {
		w := c.Pods[p].Workload
		pod := &c.Pods[p].Template.Spec
		ph := &out.phase[p]
		ph[state.Starting] = starts(pod)
		ph[state.Terminating] = stops(pod)
		version := state.Base
		if c.Pods[p].InHead {
			version = state.Head
		}
		ready := float64(c.Spec.Workloads[w].Manifests[version].MinReadySeconds())
		ph[state.Fresh] = wait{least: ready, most: ready, field: "spec.minReadySeconds"}
		for i := range ph {
			ph[i].workload = w
		}
	}
	return out
}

// starts is how long the probes of a pod make it wait until it is ready: at best each succeeds the first time, as soon
// as its delay is over; and else with the last try that is allowed to the startup probe, and one period later than it
// could for the readiness probe, which may fail without end.
func starts(pod *corev1.PodSpec) wait {
	longest := wait{}
	for i := range pod.Containers {
		c := &pod.Containers[i]
		own := wait{}
		ready, started := c.ReadinessProbe, c.StartupProbe
		if started != nil {
			own.least += float64(started.InitialDelaySeconds)
			own.most += float64(started.InitialDelaySeconds + started.PeriodSeconds*max(started.FailureThreshold, 1))
			own.field = "startupProbe"
		}
		if ready != nil {
			again := ready.PeriodSeconds * (max(ready.SuccessThreshold, 1) - 1)
			own.least = max(own.least, float64(ready.InitialDelaySeconds)) + float64(again)
			if last := float64(ready.InitialDelaySeconds); started == nil || last > own.most {
				own.most, own.field = last, "readinessProbe"
			}
			own.most += float64(again + ready.PeriodSeconds)
		}
		if own.most > longest.most || longest.field == "" {
			longest = own
		}
	}
	return longest
}

// stops is how long a pod may take to stop: as long as its preStop hooks sleep, and up to its grace period.
func stops(pod *corev1.PodSpec) wait {
	out := wait{most: 30, field: "terminationGracePeriodSeconds"}
	if g := pod.TerminationGracePeriodSeconds; g != nil {
		out.most = float64(*g)
	}
	for i := range pod.Containers {
		if l := pod.Containers[i].Lifecycle; l != nil && l.PreStop != nil && l.PreStop.Sleep != nil {
			out.least = min(max(out.least, float64(l.PreStop.Sleep.Seconds)), out.most)
		}
	}
	if out.most == 30 && out.least == 0 {
		out.field = "" // the default: it is not written
	}
	return out
}

// of is what a step of a slow loop waits for, from when it could first be taken.
func (k *waits) of(st *search.Step) wait {
	from, to := state.State{C: k.cfg, B: st.From}, state.State{C: k.cfg, B: st.To}
	name, _, _ := strings.Cut(k.loops[st.Actor].Name(), "/")
	for w := range k.cfg.Spec.Workloads {
		m := from.Manifest(w)
		switch {
		case name == "hpa" && (from.Replicas(w) != to.Replicas(w) || from.Recommended(w) != to.Recommended(w)):
			return scales(m, w, from, to)
		case name == "clock" && m.Rollout != nil &&
			strings.HasSuffix(k.loops[st.Actor].Name(), "/"+k.cfg.Spec.Workloads[w].Name):
			return pause(m, w, from, to)
		}
	}
	if strings.HasPrefix(name, "taint") {
		return k.tolerates(from, to)
	}
	most, ok := map[string]float64{"resync": 180, "descheduler": 300, "cluster-autoscaler": 10, "sync": 10}[name]
	if !ok {
		return wait{workload: -1}
	}
	return wait{most: most, workload: -1}
}

// scales is what an autoscaler waits for: its next sync, and the stabilization window of a direction in which the
// recommendation changes.
func scales(m *state.Manifest, w int, from, to state.State) wait {
	out := wait{most: 15, workload: w} // its next sync, of which no manifest says anything
	if m.HPA == nil {
		return out
	}
	down := to.Replicas(w) < from.Replicas(w) || to.Recommended(w) < from.Recommended(w)
	window, field := int32(0), "spec.behavior.scaleUp.stabilizationWindowSeconds"
	b := m.HPA.Spec.Behavior
	if down {
		window, field = 300, "spec.behavior.scaleDown.stabilizationWindowSeconds"
		if b != nil && b.ScaleDown != nil && b.ScaleDown.StabilizationWindowSeconds != nil {
			window = *b.ScaleDown.StabilizationWindowSeconds
		}
	} else if b != nil && b.ScaleUp != nil && b.ScaleUp.StabilizationWindowSeconds != nil {
		window = *b.ScaleUp.StabilizationWindowSeconds
	}
	if window == 0 || down && from.Recommended(w) == to.Replicas(w) {
		return out
	}
	return wait{least: float64(window), most: float64(window) + 15, workload: w, field: field}
}

// pause is what a Rollout waits for: the pause of a step, its automatic promotion, or somebody.
func pause(m *state.Manifest, w int, from, to state.State) wait {
	out, spec := wait{workload: w}, &m.Rollout.Spec
	f := &from.C.Workload[w].Rollout
	if from.Get(f.Pause) == to.Get(f.Pause) { // a delay after which old pods go
		out.most, out.field = 30, "scaleDownDelaySeconds"
		return out
	}
	if b := spec.Strategy.BlueGreen; b != nil {
		out.field = "spec.strategy.blueGreen.autoPromotionSeconds"
		out.least, out.person = float64(b.AutoPromotionSeconds), b.AutoPromotionSeconds == 0
		out.most = out.least
		return out
	}
	out.field, out.person = "spec.strategy.canary.steps", true
	c, step := spec.Strategy.Canary, 0
	if f.Step.Laid() {
		step = from.Get(f.Step)
	}
	if c == nil || step >= len(c.Steps) || c.Steps[step].Pause == nil || c.Steps[step].Pause.Duration == nil {
		return out
	}
	text := c.Steps[step].Pause.Duration.String()
	d, err := time.ParseDuration(text)
	if n, bad := strconv.Atoi(text); bad == nil {
		d, err = time.Duration(n)*time.Second, nil
	}
	if err == nil {
		out.person, out.least, out.most = false, d.Seconds(), d.Seconds()
	}
	return out
}

// order tells waits apart, so that equal ones are named in one order.
func (w wait) order(o wait) int {
	return cmp.Or(w.workload-o.workload, cmp.Compare(w.field, o.field), cmp.Compare(w.most, o.most),
		cmp.Compare(w.least, o.least))
}

// tolerates is how long the pods that a step takes off a node stay there after it is lost: what they tolerate, which is
// five minutes where they say nothing.
func (k *waits) tolerates(from, to state.State) wait {
	for p := range k.cfg.Pods {
		if to.Existing(p)+to.Count(p, state.Terminating) >= from.Existing(p)+from.Count(p, state.Terminating) &&
			to.Active(p) >= from.Active(p) {
			continue
		}
		out := wait{least: 300, most: 300, workload: k.cfg.Pods[p].Workload, field: "tolerationSeconds"}
		for _, t := range k.cfg.Pods[p].Template.Spec.Tolerations {
			if t.TolerationSeconds != nil && (t.Effect == "" || t.Effect == corev1.TaintEffectNoExecute) {
				out.least = min(out.least, float64(*t.TolerationSeconds))
			}
		}
		out.most = out.least
		return out
	}
	return wait{workload: -1}
}
