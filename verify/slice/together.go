package slice

import (
	"maps"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/state"
)

// mostTogether is the most workloads that one PodDisruptionBudget or ResourceQuota brings together in a slice.
const mostTogether = 4

// budget notes which PodDisruptionBudgets count the pods of several workloads, of which each
// says something else than of all: those over at most mostTogether, by workload, bring these
// together. The wide ones are over more, and are left out, and said to be.
func (s *side) budget() {
	over := map[string][]string{}
	for _, id := range sortedIDs(s.Workloads) {
		_, pdbs := s.targets(s.Workloads[id])
		for _, p := range pdbs {
			if !decidesAlone(p) {
				over[p.ID.String()] = append(over[p.ID.String()], id)
			}
		}
	}
	s.common, s.wide = map[string][]string{}, map[string]int{}
	for _, budget := range sortedIDs(over) {
		ids := over[budget]
		if len(ids) > mostTogether {
			s.wide[budget] = len(ids)
			continue
		}
		for _, id := range ids {
			s.common[id] = append(s.common[id], budget)
		}
	}
}

// decidesAlone reports whether a budget decides alike for the pods of one workload and of several: it lets none go, or
// all.
func decidesAlone(o *object.Object) bool {
	spec := &o.Typed.(*policyv1.PodDisruptionBudget).Spec
	at := func(v *intstr.IntOrString, share int) bool {
		if v == nil {
			return false
		}
		if v.Type == intstr.Int {
			return v.IntVal == 0 && share == 0
		}
		n, err := intstr.GetScaledValueFromIntOrPercent(v, 100, true)
		return err == nil && n == share
	}
	return at(spec.MaxUnavailable, 0) || at(spec.MaxUnavailable, 100) || at(spec.MinAvailable, 0) ||
		at(spec.MinAvailable, 100)
}

// haveInCommon reports whether a budget counts the pods of two workloads, or a quota cannot hold both.
func haveInCommon(p *object.Object, x side, q *object.Object, y side) bool {
	other := y.common[q.ID.String()]
	return slices.ContainsFunc(x.common[p.ID.String()], func(b string) bool { return slices.Contains(other, b) })
}

// wantOnePort reports whether pods of two workloads want the same port of a node.
func wantOnePort(p, q *object.Object) bool {
	return scheduler.PortsClash(portsOf(p), portsOf(q))
}

func portsOf(o *object.Object) []corev1.ContainerPort {
	t := templateOf(o)
	if !t.Spec.HostNetwork && len(scheduler.HostPorts(&corev1.Pod{Spec: t.Spec})) == 0 {
		return nil
	}
	pod := &corev1.Pod{Spec: *t.Spec.DeepCopy()}
	objects.DefaultRequests(&pod.Spec)
	return scheduler.HostPorts(pod)
}

// relabelled are the Namespaces that a term of a workload's pods chooses by labels in one
// version and not in the other, by ID.
func relabelled(o *object.Object, sides [2]side) []string {
	var out []string
	for _, t := range kube.Terms(&templateOf(o).Spec) {
		if t.NamespaceSelector == nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(union(sides[0].namespaces, sides[1].namespaces))) {
			in := [2]bool{}
			for v, s := range sides {
				in[v] = inNamespace(*t.PodAffinityTerm, o.ID.Namespace, name, s.namespaces)
			}
			if in[0] != in[1] {
				out = appendNew(out, []string{namespaceID(name)})
			}
		}
	}
	return out
}

func namespaceID(name string) string {
	return object.ID{Version: "v1", Kind: "Namespace", Name: name}.String()
}

// labelNamespaces keeps base's labels of namespaces for the baseline, where they differ for a rule.
func (sl *Slice) labelNamespaces(sides [2]side) {
	for _, w := range sl.Workloads {
		for _, s := range sides {
			o := s.Workloads[w.ID]
			if o == nil {
				continue
			}
			for _, id := range relabelled(o, sides) {
				sl.BaseNamespaces = sides[state.Base].namespaces
				for v, s := range sides {
					if n := s.byID[id]; n != nil {
						sl.keep(v, n)
					}
				}
			}
		}
	}
}

// leaveOut takes the budgets over too many workloads out of a manifest.
func (sl *Slice) leaveOut(s side, o *object.Object, pdbs []*object.Object) []*object.Object {
	var out []*object.Object
	for _, p := range pdbs {
		n := s.wide[p.ID.String()]
		if n == 0 {
			out = append(out, p)
			continue
		}
		sl.Notes = finding.AppendNew(sl.Notes, finding.Say(finding.BudgetLeftOut, n).On(p.ID.String()))
	}
	return out
}

// Strangers are the workloads of head's other releases whose pods one of a slice requires to stand beside, or apart
// from: these releases are searched on their own, and the result names them. Workloads of releases that were not
// rendered, because nothing of them changed, are unknown: then the labels are named.
func Strangers(sl *Slice, releases []*object.Rendered) []finding.Note {
	var out []finding.Note
	for _, w := range sl.Workloads {
		m := w.Manifests[state.Head]
		if !m.Exists() {
			continue
		}
		pod := m.Pod()
		for _, t := range sl.friends[w.ID] {
			out = finding.AppendNew(out, lookedAt(w, sl, releases, t, finding.FriendLeftOut, finding.FriendsUnread)...)
		}
		for _, t := range kube.Terms(pod) {
			if t.Anti && t.Required {
				out = finding.AppendNew(out,
					lookedAt(w, sl, releases, *t.PodAffinityTerm, finding.RivalLeftOut, finding.RivalsUnread)...)
			}
		}
	}
	return out
}

// lookedAt says which workloads of other releases a term of a workload looks at: known, or of releases that were not
// rendered.
func lookedAt(w state.Workload, sl *Slice, releases []*object.Rendered, t corev1.PodAffinityTerm,
	known, unread finding.Kind) []finding.Note {
	sel, err := metav1.LabelSelectorAsSelector(t.LabelSelector)
	if err != nil {
		return nil // it is reported elsewhere
	}
	var out []finding.Note
	met, untouched := sl.meets(w, t, sel), 0
	for _, rel := range releases {
		if rel.Untouched {
			untouched++
		}
		if rel.ID == sl.Release || rel.Err != nil {
			continue
		}
		namespaces := map[string]map[string]string{}
		for _, o := range rel.Objects {
			if n, ok := o.Typed.(*corev1.Namespace); ok {
				namespaces[n.Name] = n.Labels
			}
		}
		for _, o := range rel.Objects {
			if _, ok := state.ManifestOf(o.Typed); !ok || o.Hook || !inNamespace(t, w.Namespace, o.ID.Namespace, namespaces) ||
				!sel.Matches(labels.Set(templateOf(o).Labels)) {
				continue
			}
			if met = true; sl.Objects[o.ID.String()] == nil {
				out = finding.AppendNew(out, finding.Say(known, w.ID).On(o.ID.String()).In(rel.ID))
			}
		}
	}
	if !met && untouched > 0 {
		out = append(out, finding.Say(unread, metav1.FormatLabelSelector(t.LabelSelector), untouched, w.ID))
	}
	return out
}

// meets reports whether a term of a workload looks at pods of the slice itself.
func (sl *Slice) meets(w state.Workload, t corev1.PodAffinityTerm, sel labels.Selector) bool {
	return slices.ContainsFunc(sl.Workloads, func(o state.Workload) bool {
		m := o.Manifests[state.Head]
		return m.Exists() && inNamespace(t, w.Namespace, o.Namespace, sl.Spec.Namespaces) &&
			sel.Matches(labels.Set(m.Template().Labels))
	})
}

// appendNew adds the texts that are not there yet.
func appendNew(have, more []string) []string {
	for _, s := range more {
		if !slices.Contains(have, s) {
			have = append(have, s)
		}
	}
	return have
}

// budgetsDiffer reports whether head makes another thing of base's budgets of a workload: what
// they kept of it in a drain is then a question.
func budgetsDiffer(m [2]state.Manifest) bool {
	base, head := m[state.Base], m[state.Head]
	return base.Exists() && head.Exists() && len(base.PDBs) > 0 && !reflect.DeepEqual(base.PDBs, head.PDBs)
}
