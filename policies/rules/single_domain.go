package rules

import (
	"fmt"
	"slices"

	"github.com/dustin/go-humanize/english"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"

	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/state"
)

// singleDomain says that a workload that asks to be spread is: no run ends with all of
// its two or more ready pods in one domain while another one could have some.
//
// Intent: one node, or one zone, is not a single point of failure of what was spread.
// Class: safety of quiescent states; the counterexample ends in one.
// Assumes: nothing moves a running pod but what is modeled.
// Does not say: that the pods are spread evenly; nor whether the other domain has room.
var singleDomain = Rule{
	ID:       SingleDomain,
	Class:    Topology,
	Title:    "all ready replicas can end on one node or in one zone",
	Severity: Error,
	Facets:   OneDomain | AnyRollout,
	Blind:    BlindToStarts | BlindToStops,
	Help: Help{
		Real: `All ready pods, two or more, end on one node or in one zone, although the workload asks to be spread
(soft constraints count, as a warning) and another is open; or always on one declared node that they prefer. Check:
` + "`kubectl get pods -o wide`" + `. Not real if you have one zone: declare nodes.`,
		Bad: `Losing that domain takes all replicas; nothing moves a placed pod back.`,
		Now: `- ` + "`DoNotSchedule`" + `, if there are always enough domains.
- ` + "`matchLabelKeys: [pod-template-hash]`" + `.
- A descheduler with RemovePodsViolatingTopologySpreadConstraint.`,
		Sources: []string{
			"https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/#known-limitations",
			"https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/",
			"https://www.usenix.org/conference/atc24/presentation/liu-bingzhe",
		},
	},
	New: func(c *state.Config, w int) Property {
		d, _ := Newest(c, w)
		if d == nil || c.PerNode(w) {
			return Property{}
		}
		var views []domainView // by version
		any, asked, required := false, false, false
		for v := range c.Spec.Workloads[w].Manifests {
			x := newDomainView(c, w, state.Version(v))
			views = append(views, x)
			any, asked = any || len(x.keys) > 0, asked || len(x.keys) > 0 && x.drawn == nil
			required = required || x.required
		}
		if !any {
			return Property{}
		}
		for i := range views {
			if asked && views[i].drawn != nil {
				views[i].keys, views[i].domain = nil, nil
			}
		}
		return Property{
			Wish: !asked,
			Soft: !required,
			Quiescent: func(s state.State) bool {
				_, _, found := views[s.VersionOf(w)].single(s, w)
				return found && !halted(s, w)
			},
			Message: func(s state.State) string {
				key, where, _ := views[s.VersionOf(w)].single(s, w)
				return fmt.Sprintf("all %s of %s can end in one domain of %s: %s",
					english.Plural(s.ReadyOf(w), "ready replica", ""), FullName(c, w), key, where)
			},
			Fields: PlacementFields(d),
		}
	},
}

// domainView is what a version of a workload asks of topologies.
type domainView struct {
	keys   []string
	domain [][]string // by key and node; "" where the node is in no domain
	open   []bool     // by node: its taints and labels let the pods in
	// drawn is how much each node draws the pods, if no spread is asked for and the keys are
	// those that the scheduler spreads by on its own; nil: they are asked for.
	drawn    []int64
	required bool // some of the keys are those of a demand that the scheduler has to keep
}

func newDomainView(c *state.Config, w int, v state.Version) domainView {
	var out domainView
	m := &c.Spec.Workloads[w].Manifests[v]
	if !m.Exists() {
		return out
	}
	pod := &corev1.Pod{ObjectMeta: m.Template().ObjectMeta, Spec: *m.Pod()}
	out.keys, out.required = spreadKeys(pod)
	if len(out.keys) == 0 && known(c) {
		if out.drawn = attracting(c, pod); out.drawn != nil {
			out.keys = []string{corev1.LabelHostname}
		}
	}
	affinity := nodeaffinity.GetRequiredNodeAffinity(pod)
	for n := range c.Nodes {
		node := named(c, n)
		fits, _ := affinity.Match(node)
		_, tainted := corev1helpers.FindMatchingUntoleratedTaint(klog.Logger{}, node.Spec.Taints, pod.Spec.Tolerations,
			func(t *corev1.Taint) bool { return t.Effect != corev1.TaintEffectPreferNoSchedule }, false)
		out.open = append(out.open, fits && !tainted && !node.Spec.Unschedulable)
		for i, key := range out.keys {
			if n == 0 {
				out.domain = append(out.domain, nil)
			}
			out.domain[i] = append(out.domain[i], node.Labels[key])
		}
	}
	return out
}

// attracting says, by node, how much a pod prefers it by its labels, which can outweigh the spread that the scheduler
// does on its own; nil: it prefers none.
//
// Upstream: kubernetes v1.36.3, pkg/scheduler/framework/plugins/podtopologyspread: systemDefaultConstraints, and the
// weights of pkg/scheduler/apis/config/v1: getDefaultPlugins.
func attracting(c *state.Config, pod *corev1.Pod) []int64 {
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.NodeAffinity == nil {
		return nil
	}
	list := pod.Spec.Affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution
	terms, err := nodeaffinity.NewPreferredSchedulingTerms(list)
	if err != nil || len(list) == 0 {
		return nil
	}
	var out []int64
	for n := range c.Nodes {
		out = append(out, terms.Score(named(c, n)))
	}
	return out
}

// named is a node of its class, with its own name as a label.
func named(c *state.Config, n int) *corev1.Node {
	node := *c.Spec.Classes[c.Nodes[n].Class].Node
	node.Labels = labels.Merge(node.Labels, labels.Set{corev1.LabelHostname: c.Nodes[n].Name})
	return &node
}

// known reports whether the labels and the room of all nodes are declared.
func known(c *state.Config) bool {
	return !slices.ContainsFunc(c.Spec.Classes, func(k state.NodeClass) bool { return k.Elastic })
}

// spreadKeys lists the topologies over which a pod asks to be spread from its like.
func spreadKeys(pod *corev1.Pod) (out []string, required bool) {
	add := func(key string, selector *metav1.LabelSelector, demanded bool) {
		sel, err := metav1.LabelSelectorAsSelector(selector)
		if err != nil || !sel.Matches(labels.Set(pod.Labels)) {
			return
		}
		if required = required || demanded; !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	for _, c := range kube.Spreads(&pod.Spec) {
		add(c.TopologyKey, c.LabelSelector, c.WhenUnsatisfiable != corev1.ScheduleAnyway)
	}
	for _, t := range kube.Terms(&pod.Spec) {
		if t.Anti {
			add(t.TopologyKey, t.LabelSelector, t.Required)
		}
	}
	return out, required
}

// single finds a topology in which all ready pods of workload w, two or more, are in one
// domain although another is open.
func (v *domainView) single(s state.State, w int) (key, where string, found bool) {
	for i, key := range v.keys {
		only, pods := v.holder(s, w, i)
		if pods < 2 || only == "" {
			continue
		}
		for n, d := range v.domain[i] {
			if d != "" && d != only && v.open[n] && s.InService(n) && v.outdrawn(i, only, n) {
				return key, only, true
			}
		}
	}
	return "", "", false
}

// outdrawn reports whether the pods are in a domain because it draws them more than node n does, or whether
// that does not matter.
func (v *domainView) outdrawn(i int, only string, n int) bool {
	if v.drawn == nil {
		return true
	}
	at := slices.Index(v.domain[i], only)
	return v.drawn[at] > v.drawn[n]
}

// holder is the domain of key i that has all ready pods of workload w, and how many they
// are; "" where there is none.
func (v *domainView) holder(s state.State, w, i int) (only string, pods int) {
	for n, d := range v.domain[i] {
		ready := 0
		for _, p := range s.C.ClassesOf[w] {
			ready += s.ReadyOn(n, p)
		}
		switch {
		case ready == 0:
		case d == "" || pods > 0 && d != only:
			return "", 0
		default:
			only, pods = d, pods+ready
		}
	}
	return only, pods
}
