package autoscaling

import (
	"slices"

	"github.com/kubesettle/kubesettle/verify/state"
)

// census counts the pods of a workload as an HPA tells them apart.
type census struct {
	load    state.Load
	classes []headcount // its own first, by workload
	own     int         // how many of them are
	drift   int         // how many more are in .status.replicas than are seen, where the view of pods lags
}

// headcounts is a worker's memory for a census.
type headcounts []headcount

// headcount are the pods of one class, and the load that its workload is under.
type headcount struct {
	class, workload                                   int
	load                                              state.Load
	pending, starting, warming, fresh, ready, leaving int
	bad                                               bool // the starting ones stay so
	// Where the view of pods lags: how many more share the load than are seen, and how many of those that are seen as
	// ready have no sample, as they are gone.
	more, lost int
}

func (h *HPA) census(s state.State, heads *headcounts) census {
	list := (*heads)[:0]
	for _, p := range s.C.ClassesOf[h.Workload] {
		if s.Counted(p) {
			list = append(list, headcountOf(s, p, h.Workload))
		}
	}
	all := census{load: s.Load(h.Workload), own: len(list)}
	r := &h.reach[s.VersionOf(h.Workload)]
	for _, p := range r.sharers { // they stand with its own, whose load they take a share of
		list = append(list, headcountOf(s, p, h.Workload))
	}
	for _, p := range r.beside {
		if !slices.Contains(r.sharers, p) {
			list = append(list, headcountOf(s, p, s.C.Pods[p].Workload))
		}
	}
	*heads, all.classes = list, list
	return all
}

// headcountOf counts the pods of class p, which serve workload w.
func headcountOf(s state.State, p, w int) headcount {
	return headcount{
		class: p, workload: w, load: s.Load(w), pending: s.Pending(p), starting: s.Count(p, state.Starting),
		warming: s.Count(p, state.Warming), fresh: s.Count(p, state.Fresh), ready: s.Count(p, state.Ready),
		leaving: s.Count(p, state.Terminating), bad: s.Bad(p),
	}
}

// sample has the samples be those of the pods that there are: of fewer that serve than are seen, the others are gone.
func (c *census) sample(live state.State) {
	for i := range c.classes {
		k := &c.classes[i]
		k.more = live.ReadyPods(k.class) - k.serving()
		k.lost = min(max(-k.more, 0), k.ready)
		if i < c.own {
			c.drift += live.Active(k.class) - k.pending - k.starting - k.serving()
		}
	}
}

// serving are the ready pods of a class, which share the load.
func (k *headcount) serving() int { return k.warming + k.fresh + k.ready }

// active is the .status.replicas of the workload.
func (c *census) active() int {
	total := 0
	for i := range c.classes[:c.own] {
		k := &c.classes[i]
		total += k.pending + k.starting + k.serving()
	}
	return total
}

// quiet reports whether the kubelet has nothing left to do for the workload.
func (c *census) quiet() bool {
	for i := range c.classes[:c.own] {
		if k := &c.classes[i]; k.starting > 0 && !k.bad || k.warming+k.fresh+k.leaving > 0 {
			return false
		}
	}
	return true
}

// sampling says which samples the metrics API has of pods that are young: time decides,
// and the model tries each way. All young pods of a workload are sampled alike.
type sampling struct{ starting, young uint8 }

const (
	// Of a warming or fresh pod there is a sample of the time since it is ready; a starting
	// one does not run yet (phase Pending).
	settled uint8 = iota
	// There is a sample that upstream does not let count for CPU: of a pod that runs and is
	// not ready, or that began before it was (groupPods: cpuInitializationPeriod).
	early
	// There is none.
	missing
)

var samplings = [...]sampling{
	{settled, settled}, {early, settled}, {missing, settled},
	{settled, early}, {early, early}, {missing, early},
	{settled, missing}, {early, missing}, {missing, missing},
}

// has reports whether a sampling differs from those before it: there are such pods.
func (c *census) has(by sampling) bool {
	starting, young := 0, 0
	for i := range c.classes {
		starting += c.classes[i].starting
		young += c.classes[i].warming + c.classes[i].fresh
	}
	return (by.starting == settled || starting > 0) && (by.young == settled || young > 0)
}

// observation is what an HPA sees of its pods for one metric: groupPods, summed up.
// Ignored pods, those that terminate, count for noRequest only.
type observation struct {
	counted, unready, missing                      int
	total                                          int64 // use of the counted pods
	countedRequest, unreadyRequest, missingRequest int64
	// missingUse is the assumed use of missing pods on a scale-down.
	missingUse int64
	noRequest  bool // some pod, terminating ones included, has no request
}

// observe looks at the pods that an HPA counts, one workload after the other.
func (g *use) observe(all *census, by sampling, m *metric) observation {
	var o observation
	for rest := all.classes; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].workload == rest[0].workload {
			n++
		}
		g.add(&o, rest[:n], by, m)
		rest = rest[n:]
	}
	return o
}

// add adds the pods of one workload; the ready ones share the demand for it evenly, each
// up to its limit.
func (g *use) add(o *observation, classes []headcount, by sampling, m *metric) {
	serving := 0
	for i := range classes {
		serving += classes[i].serving() + classes[i].more
	}
	demand := g.demand[classes[0].workload][classes[0].load]
	share, rest := int64(0), int64(0)
	if serving > 0 {
		share = (demand + int64(serving) - 1) / int64(serving)
		rest = share*int64(serving) - demand // whoever gets less
	}
	for i := range classes {
		k := &classes[i]
		pod := &g.pods[k.class]
		o.count(pod, k.ready-k.lost, pod.of(share, false))
		o.group(g.cpu(), pod, k.lost, missing, m, 0)
		o.group(g.cpu(), pod, k.warming, by.young, m, pod.of(share, true))
		o.group(g.cpu(), pod, k.fresh, by.young, m, pod.of(share, false))
		o.unreadyPods(pod, k.pending)
		if by.starting == settled {
			o.unreadyPods(pod, k.starting)
		} else {
			o.group(g.cpu(), pod, k.starting, by.starting, m, pod.of(0, false))
		}
		if k.serving() > 0 && pod.of(share, false) < pod.idle+share {
			rest = 0
		}
		if !pod.hasRequest && k.pending+k.starting+k.serving()+k.leaving > 0 {
			o.noRequest = true
		}
	}
	if by.young == settled {
		o.total -= rest
	}
}

// group puts k young pods where their samples put them.
func (o *observation) group(cpu bool, pod *podUse, k int, as uint8, m *metric, each int64) {
	switch {
	case as == missing:
		o.missing += k
		o.missingRequest += int64(k) * pod.request
		o.missingUse += int64(k) * m.presumed(pod)
	case as == early && cpu:
		o.unreadyPods(pod, k)
	default:
		o.count(pod, k, each)
	}
}

func (o *observation) count(pod *podUse, k int, each int64) {
	o.counted += k
	o.countedRequest += int64(k) * pod.request
	o.total += int64(k) * each
}

func (o *observation) unreadyPods(pod *podUse, k int) {
	o.unready += k
	o.unreadyRequest += int64(k) * pod.request
}
