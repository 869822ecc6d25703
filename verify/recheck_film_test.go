package verify

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/state"
)

// recheckViolation holds a counterexample against the documentation, and says what is wrong with it.
func recheckViolation(v scenario.Violation) []string {
	c := v.Problem.Cfg
	if c.Spec.Scheduler != nil { // whoever configures the scheduler may switch off what is documented
		return nil
	}
	fl := newFilm(c)
	before := fl.frame(state.State{C: c, B: v.Start})
	var wrong []string
	for i, st := range v.Steps {
		from, to := state.State{C: c, B: st.From}, state.State{C: c, B: st.To}
		after := fl.frame(to)
		a := v.Problem.Actors[st.Actor]
		m := Move{Actor: a.Name(), Action: a.Describe(from, to, st.Move).Action, Event: a.Latency() == actor.Event, Forced: c.Spec.Events.IgnorePDB || leaves(from)}
		for _, w := range Step(before, after, m) {
			wrong = append(wrong, fmt.Sprintf("step %d: %s", i+1, w))
		}
		before = after
	}
	if p := v.Bound.Property; v.CycleStart < 0 && (p.Quiescent != nil || p.Persists != nil) {
		wrong = append(wrong, Rest(before, fl.unsure)...)
	}
	return wrong
}

// leaves reports whether a node goes away whatever stands on it.
func leaves(s state.State) bool {
	for n := range s.C.Nodes {
		if s.Tenure(n) == state.Reclaimed {
			return true
		}
	}
	return false
}

// film makes plain API objects of the states of one problem.
type film struct {
	cfg   *state.Config
	kinds []Kind
}

func newFilm(c *state.Config) *film {
	f := &film{cfg: c}
	for i := range c.Pods {
		p := &c.Pods[i]
		wl := &c.Spec.Workloads[p.Workload]
		pod := &corev1.Pod{ObjectMeta: *p.Template.ObjectMeta.DeepCopy(), Spec: *p.Template.Spec.DeepCopy()}
		pod.Name, pod.Namespace = wl.Name, p.Namespace
		if pod.Labels == nil {
			pod.Labels = map[string]string{}
		}
		pod.Labels["pod-template-hash"] = fmt.Sprint(p.Set)
		k := Kind{Pod: pod, Workload: p.Workload, Set: p.Set, Ordinal: p.Ordinal}
		k.Priority = f.priority(i)
		f.kinds = append(f.kinds, k)
	}
	return f
}

// priority is the least and the most that pods of a class may have.
func (f *film) priority(p int) [2]int32 {
	c := f.cfg
	if name := c.Pods[p].Template.Spec.PriorityClassName; name != "" {
		return [2]int32{c.Spec.PriorityClasses[name], c.Spec.PriorityClasses[name]}
	}
	a, b := c.Spec.PriorityClasses[c.Spec.DefaultPriority[state.Base]], c.Spec.PriorityClasses[c.Spec.DefaultPriority[state.Head]]
	return [2]int32{min(a, b), max(a, b)}
}

// unsure reports whether more than is documented keeps pods of a kind from a node.
func (f *film) unsure(kind int) bool {
	return len(f.cfg.Uses[kind]) > 0 || f.cfg.Pods[kind].PerNode || f.cfg.Pods[kind].Template.Spec.NodeName != ""
}

func (f *film) frame(s state.State) *Frame {
	c := f.cfg
	out := &Frame{Kinds: f.kinds, Namespaces: c.Spec.Namespaces, Pods: map[Group]int{}}
	for n := range c.Nodes {
		out.Nodes = append(out.Nodes, f.node(s, n))
	}
	for p := range c.Pods {
		count := func(n int, ph Phase, k int) {
			if k > 0 {
				out.Pods[Group{Kind: p, Node: n, Phase: ph}] += k
			}
		}
		count(-1, Pending, s.Pending(p))
		for n := range c.Nodes {
			available := s.On(n, p, state.Ready)
			if !c.Ripens(p) {
				available += s.On(n, p, state.Warming)
			}
			count(n, Starting, s.On(n, p, state.Starting))
			count(n, Available, available)
			count(n, Ready, s.ReadyOn(n, p)-available)
			if c.HasPhase(p, state.Terminating) {
				count(n, Terminating, s.On(n, p, state.Terminating))
			}
		}
	}
	version := s.Version()
	seen := map[string]bool{}
	for w := range c.Spec.Workloads {
		out.Workloads = append(out.Workloads, f.workload(s, w))
		wl := &c.Spec.Workloads[w]
		for _, b := range wl.Manifests[version].PDBs {
			b = b.DeepCopy()
			if b.Namespace == "" {
				b.Namespace = wl.Namespace
			}
			if id := b.Namespace + "/" + b.Name; !seen[id] {
				seen[id] = true
				out.Budgets = append(out.Budgets, b)
			}
		}
	}
	slices.SortFunc(out.Budgets, func(a, b *policyv1.PodDisruptionBudget) int { return strings.Compare(a.Name, b.Name) })
	for _, q := range c.Spec.Quotas {
		if o := q.Objects[version]; o != nil {
			o = o.DeepCopy()
			o.Namespace, o.Name = q.Namespace, q.Name
			out.Quotas = append(out.Quotas, Quota{ResourceQuota: o, Others: q.Others[version]})
		}
	}
	return out
}

func (f *film) workload(s state.State, w int) Workload {
	c := f.cfg
	wl, m := &c.Spec.Workloads[w], s.Manifest(w)
	out := Workload{ID: wl.ID, Replicas: s.Replicas(w), Newest: -1, Scales: !wl.Kind().Ends() && wl.Kind() != state.DaemonSet}
	if p := s.NewClass(w); p >= 0 {
		out.Newest = c.Pods[p].Set
	}
	out.Bare = wl.Kind() == state.Pod
	out.Deployment, out.StatefulSet, out.DaemonSet = m.Deployment, m.StatefulSet, m.DaemonSet
	if m.Deployment != nil {
		out.Sizes = map[int]int{}
		for _, p := range c.ClassesOf[w] {
			if set := c.Pods[p].Set; set == p {
				out.Sizes[set] = s.Get(c.Class[p].Size)
			}
		}
	}
	return out
}

// node is a node with its own name and the taints that it has just now.
func (f *film) node(s state.State, n int) Node {
	c := f.cfg
	class := &c.Spec.Classes[c.Nodes[n].Class]
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: c.Nodes[n].Name, Labels: map[string]string{}}}
	if class.Node != nil {
		node = class.Node.DeepCopy()
		node.Name, node.Labels = c.Nodes[n].Name, maps.Clone(class.Node.Labels)
	}
	if node.Labels == nil {
		node.Labels = map[string]string{}
	}
	node.Labels[corev1.LabelHostname] = node.Name
	taint := func(key string, effects ...corev1.TaintEffect) {
		for _, e := range effects {
			node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: key, Effect: e})
		}
	}
	out := Node{Node: node, Unknown: class.Elastic, Absent: s.Gone(n), Down: s.Down(n)}
	node.Spec.Unschedulable = node.Spec.Unschedulable || s.Cordoned(n)
	if s.Down(n) {
		taint(corev1.TaintNodeUnreachable, corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute)
	}
	if s.Tenure(n) == state.ScalingDown {
		taint("ToBeDeletedByClusterAutoscaler", corev1.TaintEffectNoSchedule)
	}
	if c.Presses() {
		if s.Pressure(n)&state.DiskPressure != 0 {
			taint(corev1.TaintNodeDiskPressure, corev1.TaintEffectNoSchedule)
		}
		if s.Pressure(n)&state.MemoryPressure != 0 {
			taint(corev1.TaintNodeMemoryPressure, corev1.TaintEffectNoSchedule)
		}
	}
	if b := class.Beside; b != nil {
		out.Taken = corev1.ResourceList{}
		for _, p := range b.Pods {
			for name, q := range p.Requests {
				sum := out.Taken[name]
				sum.Add(q)
				out.Taken[name] = sum
			}
			pods := out.Taken[corev1.ResourcePods]
			pods.Set(pods.Value() + int64(p.Count))
			out.Taken[corev1.ResourcePods] = pods
			out.Ports = append(out.Ports, p.Ports...)
		}
	}
	return out
}
