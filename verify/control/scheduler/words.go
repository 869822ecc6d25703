package scheduler

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Reason is one thing that keeps a pending pod from one node.
type Reason struct {
	Node int       // index in the configuration
	Text string    // as upstream words it: "node(s) didn't match pod topology spread constraints"
	Ref  actor.Ref // the field that asks for it
}

// WhyPending says for each node that a pod of class p cannot be bound to in s why not,
// in the order of the nodes. Upstream stops at the first plugin that refuses a node;
// for resources all that are short are named.
func WhyPending(s state.State, p int) []Reason {
	asked.Lock()
	defer asked.Unlock()
	if asked.of != s.C {
		a, err := NewScheduler(s.C)
		if err != nil {
			return nil // no search has such a state: its scheduler was refused as well
		}
		asked.of, asked.scheduler = s.C, a
	}
	return slices.Clone(asked.scheduler.Decide(s, p).Why)
}

// asked is the scheduler of the configuration that was asked last: many pods of one are asked about in turn, and to
// compile it takes longer than to answer.
var asked struct {
	sync.Mutex
	of        *state.Config
	scheduler *Scheduler
}

// FitError sums up reasons as upstream's event on an unschedulable pod does:
// "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s)".
func FitError(nodes int, why []Reason) string {
	text := fmt.Sprintf("0/%d nodes are available", nodes)
	if h := histogram(why); h != "" {
		text += ": " + h
	}
	return text
}

// histogram counts reasons as upstream's (*FitError).Error does.
func histogram(why []Reason) string {
	count := map[string]int{}
	for _, r := range why {
		count[r.Text]++
	}
	var out []string
	for text, n := range count {
		out = append(out, fmt.Sprintf("%d %s", n, text))
	}
	sort.Strings(out)
	return strings.Join(out, ", ")
}

// Describe implements [actor.Actor].
func (a *Scheduler) Describe(from, to state.State, m search.Move) actor.Words {
	p, n := int(m.Args[0]), int(m.Args[1])
	switch m.Kind {
	case preempt:
		return a.describePreemption(from, to, p, n)
	case forget:
		return a.describeForget(from, p, n)
	}
	d := a.decideFor(from, p, int(m.Args[2])-1)
	w := actor.Words{Action: "bind", Object: objects.PodObject(from.C, p)}
	placed := fmt.Sprintf("the scheduler places %s on node %s", objects.OnePod(from.C, p, ""), from.C.Nodes[n].Name)
	w.Text = fmt.Sprintf("%s (%s)", placed, choice(from.C, &d, n))
	if int(m.Args[2])-1 == n {
		w.Text = placed + ", to which it was nominated"
	}
	if from.C.Pods[p].PerNode {
		w.Text = placed + ", which it was created for"
		return w
	}
	w.Because = a.because(from, p, &d)
	return w
}

// choice words why a pod went to node n.
func choice(c *state.Config, d *Decision, n int) string {
	if len(d.Feasible) == 1 {
		if len(d.Why) == 0 {
			return "the only node"
		}
		return "only feasible node; " + histogram(d.Why)
	}
	text := fmt.Sprintf("highest score of %d feasible nodes", len(d.Feasible))
	var tied []string
	for _, m := range d.Best {
		if m != n {
			tied = append(tied, c.Nodes[m].Name)
		}
	}
	if len(tied) > 3 {
		tied = append(tied[:3], fmt.Sprintf("%d more", len(tied)-3))
	}
	if len(tied) > 0 {
		text += ", tied with " + strings.Join(tied, ", ")
	}
	if len(d.Why) > 0 {
		text += "; " + histogram(d.Why)
	}
	return text
}

// because gives the fields that left these nodes, then those that ranked them.
func (a *Scheduler) because(s state.State, p int, d *Decision) []actor.Ref {
	var out []actor.Ref
	add := func(r actor.Ref) {
		if r.Field != "" && !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	for _, r := range d.Why {
		add(r.Ref)
	}
	spec := &a.K.Classes[p].Pod.Spec
	for _, score := range d.Scores {
		if slices.Min(score.Final) == slices.Max(score.Final) {
			continue
		}
		add(a.K.configured(s, p, score.Plugin))
		switch score.Plugin {
		case state.TaintToleration:
			add(a.K.ref(s, p, "tolerations"))
		case state.NodeAffinity:
			add(a.K.ref(s, p, "affinity.nodeAffinity."+PreferredField))
		case state.PodTopologySpread:
			for _, c := range kube.Spreads(spec) {
				if c.WhenUnsatisfiable == corev1.ScheduleAnyway {
					add(a.K.ref(s, p, c.Field()))
				}
			}
		case state.InterPodAffinity:
			for _, anti := range []bool{false, true} {
				if slices.ContainsFunc(kube.Terms(spec), func(t kube.Term) bool { return t.Anti == anti && !t.Required }) {
					add(a.K.ref(s, p, PodAffinityField(anti, PreferredField)))
				}
			}
		}
	}
	return out
}

// ref names a field of class p's pod spec.
func (k *Compiled) ref(s state.State, p int, field string) actor.Ref {
	v := objects.Version(k.Cfg, p)
	if k.Cfg.Pods[p].InBase && s.VersionOfClass(p) == state.Base {
		v = state.Base
	}
	return actor.Ref{Object: k.workload(p).ID, Version: v, Field: "spec.template.spec." + field}
}

// configured names where the scheduler's own configuration tunes a plugin for class p.
func (k *Compiled) configured(s state.State, p int, plugin string) actor.Ref {
	f := k.Classes[p].profile.Fields[plugin]
	if f == "" {
		return actor.Ref{}
	}
	return actor.Ref{Object: Object, Version: s.Version(), Field: f}
}

func PodAffinityField(anti bool, list string) string {
	if anti {
		return "affinity.podAntiAffinity." + list
	}
	return "affinity.podAffinity." + list
}

// reasons words v.why.
func (k *Compiled) reasons(v *View, s state.State, p int) []Reason {
	var out []Reason
	for n, code := range v.why {
		if v.only > 0 && n != v.only-1 {
			continue
		}
		switch code {
		case reasonNone, reasonGone:
		case reasonResources:
			out = append(out, k.shortages(v, s, p, n)...)
		default:
			text, ref := k.word(s, p, n, int(v.at[n]), code)
			out = append(out, Reason{Node: n, Text: text, Ref: ref})
		}
	}
	return out
}

// word gives the text and field of one refusal.
func (k *Compiled) word(s state.State, p, n, at int, code reasonCode) (string, actor.Ref) {
	class := &k.Classes[p]
	switch code {
	case reasonOncePod, reasonVolumeNode, reasonVolumeBind:
		return k.wordVolume(p, at, code)
	case reasonUnschedulable:
		return "node(s) were unschedulable", k.ref(s, p, "tolerations")
	case reasonTaint:
		return "node(s) had untolerated taint(s)", k.ref(s, p, "tolerations")
	case reasonEnforcedAffinity:
		return "node(s) didn't match scheduler-enforced node affinity", k.configured(s, p, state.NodeAffinity)
	case reasonNodeAffinity:
		return "node(s) didn't match Pod's node affinity/selector", k.ref(s, p, k.nodeAffinityField(p, n))
	case reasonPorts:
		return "node(s) didn't have free ports for the requested pod ports", k.ref(s, p, portField(&class.Pod.Spec))
	case reasonSpreadLabel, reasonSpread:
		text := "node(s) didn't match pod topology spread constraints"
		if code == reasonSpreadLabel {
			text += " (missing required label)"
		}
		if i := class.hard[at].index; i >= 0 {
			return text, k.ref(s, p, fmt.Sprintf("topologySpreadConstraints[%d]", i))
		}
		return text, k.configured(s, p, state.PodTopologySpread)
	case reasonPodAffinity:
		return "node(s) didn't match pod affinity rules",
			k.ref(s, p, fmt.Sprintf("%s[%d]", PodAffinityField(false, RequiredField), at))
	case reasonPodAntiAffinity:
		return "node(s) didn't match pod anti-affinity rules",
			k.ref(s, p, fmt.Sprintf("%s[%d]", PodAffinityField(true, RequiredField), at))
	}
	t := &class.repel[at]
	return "node(s) didn't satisfy existing pods anti-affinity rules",
		k.ref(s, t.owner, fmt.Sprintf("%s[%d]", PodAffinityField(true, RequiredField), t.index))
}

// nodeAffinityField is the field that node n does not match.
func (k *Compiled) nodeAffinityField(p, n int) string {
	want := k.Classes[p].Pod.Spec.NodeSelector
	if len(want) > 0 && !labels.SelectorFromSet(want).Matches(labels.Set(k.Nodes[n].object.Labels)) {
		return "nodeSelector"
	}
	return "affinity.nodeAffinity." + RequiredField
}

// portField is the first host port of a pod.
func portField(spec *corev1.PodSpec) string {
	for i := range spec.Containers {
		for j, port := range spec.Containers[i].Ports {
			if port.HostPort > 0 {
				return fmt.Sprintf("containers[%d].ports[%d].hostPort", i, j)
			}
		}
	}
	return "initContainers"
}

// shortages words the resources that node n lacks for class p (noderesources: fitsRequest).
func (k *Compiled) shortages(v *View, s state.State, p, n int) []Reason {
	var out []Reason
	if k.Slots(v, p, n) < 1 {
		ref := k.ref(s, p, "")
		ref.Field = "spec.replicas"
		out = append(out, Reason{Node: n, Text: "Too many pods", Ref: ref})
	}
	for d, name := range k.Resources {
		if k.lacks(v, p, n, d) {
			ref := k.ref(s, p, RequestField(&k.Cfg.Pods[p].Template.Spec, name))
			out = append(out, Reason{Node: n, Text: "Insufficient " + string(name), Ref: ref})
		}
	}
	return out
}

// RequestField is the largest request of a resource, as the template declares it.
func RequestField(t *corev1.PodSpec, name corev1.ResourceName) string {
	if t.Resources != nil {
		if list, _, ok := requested(*t.Resources, name); ok {
			return fmt.Sprintf("resources.%s[%s]", list, name)
		}
	}
	field, most := "overhead", int64(-1)
	for _, containers := range []struct {
		name string
		of   []corev1.Container
	}{{"containers", t.Containers}, {"initContainers", t.InitContainers}} {
		for i := range containers.of {
			if list, q, ok := requested(containers.of[i].Resources, name); ok && q > most {
				field, most = fmt.Sprintf("%s[%d].resources.%s[%s]", containers.name, i, list, name), q
			}
		}
	}
	return field
}

// requested finds the request of a resource, or the limit that stands in for it.
func requested(r corev1.ResourceRequirements, name corev1.ResourceName) (list string, milli int64, ok bool) {
	if q, ok := r.Requests[name]; ok {
		return "requests", q.MilliValue(), true
	}
	q, ok := r.Limits[name]
	return "limits", q.MilliValue(), ok
}
