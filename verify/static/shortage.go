package static

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	corev1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	corehelpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Shortage is a demand that no arrangement of pods can meet at the declared size: arithmetic decides, and no search is
// needed. It errs on the side of room: only the counted pods take room, and every possible node is there.
type Shortage struct {
	Rule     string
	Workload int // index in the slice
	Loaded   bool
	Asked    int64 // pods
	Fit      int64 // of them, at most
	what     string
	none     string // why there is none at all; "": for want of room
	Queued   bool   // its pods are there, and wait for Kueue
	Cohort   string // of Kueue, whose members could lend enough if there were more of them; "": none
	// uncovered is the extended resource that Kueue may make others of; "": none.
	uncovered string
	fields    []actor.Ref
	// name is the resource that there is too little of, each what one pod takes of it and most what there is, in
	// thousandths; quota or queue is who gives it out. "", 0 and nil: not known.
	name       corev1.ResourceName
	each, most int64
	taken      int64 // of most, by others
	quota      *corev1.ResourceQuota
	queue      *state.Queue
}

// Like reports whether two shortages are the same one, at base and at head.
func (s Shortage) Like(o Shortage) bool {
	return s.Rule == o.Rule && s.Workload == o.Workload && s.Loaded == o.Loaded
}

// Shortages lists what a version of a slice asks for and cannot get.
func Shortages(sl *slice.Slice, classes []state.NodeClass, v state.Version) []Shortage {
	sl = sl.AsFilled()
	if slices.ContainsFunc(classes, func(c state.NodeClass) bool { return c.Elastic }) {
		return overdrawn(sl, v) // their capacity was invented
	}
	var out []Shortage
	for i := range sl.Spec.Workloads {
		m := &sl.Spec.Workloads[i].Manifests[v]
		if !counted(m) || len(sl.Spec.Workloads[i].Sizes) > 0 {
			continue
		}
		room, limit := roomFor(classes, m)
		for _, loaded := range []bool{false, true} {
			asked, fields := replicasAsked(&sl.Spec.Workloads[i], v, loaded)
			if asked > room {
				out = append(out, Shortage{Rule: rules.Unschedulable, Workload: i, Loaded: loaded, Asked: asked, Fit: room,
					what: limit, fields: fields})
				break
			}
		}
	}
	if len(out) == 0 {
		out = append(out, crowding(sl, classes, v)...)
	}
	return append(out, overdrawn(sl, v)...)
}

// counted reports whether a manifest's pods are as many as it declares, all alike, and placed by
// the scheduler.
func counted(m *state.Manifest) bool {
	return m.ReplicasField() != nil && !m.Paused() && m.KEDA == nil && m.VPA == nil && m.Pod().NodeName == ""
}

// replicasAsked is the wanted number of pods: the declared one, or the one that the autoscaler keeps and, under load,
// may go up to.
func replicasAsked(w *state.Workload, v state.Version, loaded bool) (int64, []actor.Ref) {
	m := &w.Manifests[v]
	ref := func(object, field string) []actor.Ref {
		return []actor.Ref{{Object: object, Field: field, Version: v}}
	}
	if m.HPA == nil {
		return int64(m.Replicas()), ref(w.ID, "spec.replicas")
	}
	hpa := "autoscaling/HorizontalPodAutoscaler " + w.Namespace + "/" + m.HPA.Name
	if loaded {
		return int64(m.HPA.Spec.MaxReplicas), ref(hpa, "spec.maxReplicas")
	}
	if m.HPA.Spec.MinReplicas != nil {
		return int64(*m.HPA.Spec.MinReplicas), ref(hpa, "spec.minReplicas")
	}
	return 1, ref(hpa, "spec")
}

// roomFor is how many pods of a template the nodes can take if they take nothing else, and
// what bounds them.
func roomFor(classes []state.NodeClass, m *state.Manifest) (room int64, limit string) {
	pod := &corev1.Pod{ObjectMeta: m.Template().ObjectMeta, Spec: *m.Pod()}
	requests := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
	type pool struct{ room, most, nodes, cap int64 }
	pools := map[string]*pool{}
	bounds := map[string]bool{}
	nodes := int64(0)
	for i := range classes {
		c := &classes[i]
		if !mayRun(pod, c.Node) {
			continue
		}
		n, by := podsOn(c.Node, requests)
		bounds[by] = true
		nodes += int64(c.Max)
		if c.Pool == "" {
			room += n * int64(c.Max)
			continue
		}
		p := pools[c.Pool]
		if p == nil {
			p = &pool{cap: int64(c.PoolMax)}
			pools[c.Pool] = p
		}
		p.room, p.nodes, p.most = p.room+n*int64(c.Max), p.nodes+int64(c.Max), max(p.most, n)
	}
	for _, p := range pools {
		if p.cap > 0 && p.cap < p.nodes {
			nodes -= p.nodes - p.cap
			p.room = min(p.room, p.cap*p.most)
		}
		room += p.room
	}
	var names []string
	for b := range bounds {
		names = append(names, b)
	}
	slices.Sort(names)
	return room, fmt.Sprintf("the %s that it may run on %s, by %s",
		english.Plural(int(nodes), "node", ""), english.PluralWord(int(nodes), "takes", "take"), strings.Join(names, " and "))
}

// podsOn is how many pods with the same requests a node takes, and which resource says so.
func podsOn(node *corev1.Node, requests corev1.ResourceList) (n int64, by string) {
	n, by = math.MaxInt32, string(corev1.ResourcePods)
	if pods, ok := node.Status.Allocatable[corev1.ResourcePods]; ok {
		n = pods.Value()
	}
	for _, name := range sortedResources(requests) {
		asked := requests[name]
		have, declared := node.Status.Allocatable[name]
		if asked.MilliValue() <= 0 || !declared {
			continue // its amount is not declared
		}
		if fit := have.MilliValue() / asked.MilliValue(); fit < n {
			n, by = fit, string(name)
		}
	}
	return n, by
}

func sortedResources(list corev1.ResourceList) []corev1.ResourceName {
	var out []corev1.ResourceName
	for name := range list {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// mayRun reports whether a node's labels and taints let a pod in. A pod that names its node is let in everywhere: a
// class stands for nodes of any name.
func mayRun(pod *corev1.Pod, node *corev1.Node) bool {
	if strings.Contains(pod.Spec.String(), corev1.LabelHostname) ||
		pod.Spec.Affinity != nil && strings.Contains(pod.Spec.Affinity.String(), "metadata.name") {
		return true
	}
	if ok, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node); err == nil && !ok {
		return false
	}
	_, untolerated := corehelpers.FindMatchingUntoleratedTaint(klog.Background(), node.Spec.Taints, pod.Spec.Tolerations,
		func(t *corev1.Taint) bool {
			return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
		}, true)
	return !untolerated
}

// crowding is the part of the requests of a slice's workloads together that all nodes lack. It is reported for the
// changed one, where none of them can push another aside.
func crowding(sl *slice.Slice, classes []state.NodeClass, v state.Version) []Shortage {
	have, ask := map[corev1.ResourceName]float64{}, map[corev1.ResourceName]float64{}
	for i := range classes {
		for name, q := range classes[i].Node.Status.Allocatable {
			have[name] += q.AsApproximateFloat64() * float64(classes[i].Max)
		}
	}
	at, pods, priority := -1, int64(0), ""
	for i := range sl.Spec.Workloads {
		m := &sl.Spec.Workloads[i].Manifests[v]
		if !counted(m) || len(sl.Spec.Workloads[i].Sizes) > 0 {
			continue
		}
		if at >= 0 && m.Pod().PriorityClassName != priority {
			return nil
		}
		if _, changed := sl.Changed[i]; at < 0 || changed && sl.Changed[at] == "" {
			at = i
		}
		priority = m.Pod().PriorityClassName
		n, _ := replicasAsked(&sl.Spec.Workloads[i], v, false)
		pods += n
		for name, q := range resourcehelper.PodRequests(&corev1.Pod{Spec: *m.Pod()}, resourcehelper.PodResourcesOptions{}) {
			ask[name] += q.AsApproximateFloat64() * float64(n)
		}
	}
	if at < 0 || len(sl.Spec.Workloads) < 2 {
		return nil
	}
	ask[corev1.ResourcePods] = float64(pods)
	var names []corev1.ResourceName
	for name := range ask {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if have[name] == 0 || ask[name] <= have[name]*(1+1e-9) {
			continue
		}
		_, fields := replicasAsked(&sl.Spec.Workloads[at], v, false)
		told := objects.Quantities(name, objects.Milli(ask[name]), objects.Milli(have[name]))
		return []Shortage{{
			Rule: rules.Unschedulable, Workload: at, Asked: pods, Fit: int64(float64(pods) * have[name] / ask[name]),
			what: fmt.Sprintf("together with what shares its nodes it asks for %s %s, and all nodes have %s: they take",
				told[0], name, told[1]), fields: fields,
		}}
	}
	return nil
}
