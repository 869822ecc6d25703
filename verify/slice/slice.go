package slice

import (
	"fmt"
	"maps"
	"slices"
	"sort"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/snapshot"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Slice is the cone of influence of one or more changed workloads of one release: they,
// what targets them, and every workload whose placement theirs can influence.
type Slice struct {
	Release   string
	Workloads []state.Workload
	// Objects of both versions by ID: the workloads and what targets them.
	Objects map[string]*[2]*object.Object
	Spec    state.Spec // without classes
	// Changed workloads, by index in workloads.
	Changed map[int]string // "added", "removed", "modified"
	// Keys of node labels that the pods can tell nodes apart by; values are those of
	// which a manifest names a value, so that zones, say, are not all alike.
	Keys, Values map[string]bool
	// Before holds the controllers that run beside the slice on base; nil: the same.
	Before *state.Spec
	own    *policies.Policy   // with the controllers that it declares; nil: none
	shot   *snapshot.Snapshot // of the cluster as it is; nil: there is none
	lent   Lent               // by other releases of the cluster
	// Resized says that another slice has the same workloads on another cluster: of another size, or with
	// other workloads elsewhere.
	Resized bool
	// daemons are the DaemonSets of the release that are no part of the slice, by version, and
	// baseNodes what base's leave of each class's nodes; nil: as head's.
	daemons   [2][]*appsv1.DaemonSet
	BaseNodes []*corev1.Node
	// BaseNamespaces are the labels of namespaces on base; nil: as head's.
	BaseNamespaces map[string]map[string]string
	// friends are, by workload, the required pod affinities that befriend took out of head.
	friends map[string][]corev1.PodAffinityTerm
	Notes   []finding.Note // assumptions about it
	// Live is what the cluster has of each workload, by index, where that is a start of the
	// change; nil: it is none. See [StartLive].
	Live []*snapshot.Workload
	// Elsewhere are the node classes where the pods of other workloads stand elsewhere, once for each placement that the
	// slice can distinguish; none: where they stand is known, or of no matter. See [Around].
	Elsewhere [][]state.NodeClass
	// Deliverer is the object that decides what happens after a failed upgrade of the release; nil: there is none.
	Deliverer *object.Object
	// Controllers that run beside the slice, as the policy configures them.
	Controllers policies.Controllers
	// Maintained says that the policy leaves drains open, so that one is routine.
	Maintained bool
	// Rebudgeted says that head makes another thing of base's budgets of a workload.
	Rebudgeted bool
	// Unrun are the workloads of which it is unknown what a changed policy makes of them.
	Unrun []Unrun
	// Dropped are the guards that head takes away.
	Dropped Dropped
}

// templateOf is the pod template of a workload.
func templateOf(o *object.Object) *corev1.PodTemplateSpec {
	m, _ := state.ManifestOf(o.Typed)
	return m.Template()
}

// sharedOf is what every slice of a release has alike: the namespaces and PriorityClasses of
// both versions, of which head's win. Nothing writes to it.
func sharedOf(sides [2]side) state.Spec {
	var spec state.Spec
	spec.Namespaces = map[string]map[string]string{}
	for v := range sides {
		maps.Copy(spec.Namespaces, sides[v].namespaces)
	}
	prioritize(&spec, sides)
	return spec
}

func newSlice(release string, members []string, sides [2]side, touched map[string]bool, shared state.Spec) *Slice {
	sl := &Slice{
		Release: release, Objects: map[string]*[2]*object.Object{},
		Changed: map[int]string{}, Keys: map[string]bool{}, Values: map[string]bool{}, Spec: shared,
	}
	for i, id := range members {
		w := state.Workload{ID: id}
		for v, s := range sides {
			o := s.Workloads[id]
			if o == nil {
				continue
			}
			w.Namespace, w.Name = o.ID.Namespace, o.ID.Name
			w.Manifests[v] = sl.Manifest(v, o, s)
		}
		tellPodsApart(&w, sides)
		sl.Rebudgeted = sl.Rebudgeted || budgetsDiffer(w.Manifests)
		sl.Dropped = sl.Dropped.or(droppedFrom(w.Manifests))
		if touched[id] {
			switch {
			case !w.Manifests[state.Base].Exists():
				sl.Changed[i] = string(object.Added)
			case !w.Manifests[state.Head].Exists():
				sl.Changed[i] = string(object.Removed)
			default:
				sl.Changed[i] = string(object.Modified)
			}
		}
		sl.Workloads = append(sl.Workloads, w)
		if b := w.Manifests[state.Head].Bare; b != nil && sl.Changed[i] == string(object.Added) && !b.Ends() {
			sl.Notes = append(sl.Notes, finding.Say(finding.NoController).On(id))
		}
		if left := w.LeftReplicas(); left > 1 {
			sl.Notes = append(sl.Notes, finding.Say(finding.ReplicasLeft, left).On(id))
		}
		if r := w.Manifests[state.Head].Rollout; r != nil && len(r.Unread) > 0 {
			sl.Notes = append(sl.Notes, finding.Say(finding.RolloutTrusted).On(id).With(r.Unread...))
		}
	}
	sl.labelNamespaces(sides)
	sl.befriend(sides)
	tellNamesakes(sl.Workloads)
	sl.Spec.Workloads = sl.Workloads
	sl.admit(sides)
	sl.refuseClaims(sides)
	sl.limit(sides)
	sl.queue(sides)
	sl.store(sides)
	sl.standBeside(sides)
	return sl
}

// tellNamesakes marks the workloads of one name, as where a Deployment becomes a StatefulSet.
func tellNamesakes(list []state.Workload) {
	for i := range list {
		for k := range i {
			if list[i].Namespace == list[k].Namespace && list[i].Name == list[k].Name {
				list[i].Namesake, list[k].Namesake = true, true
			}
		}
	}
}

// With gives the slice of the same workloads as other objects of base and head declare it;
// false where one of them is not there. On an assumed cluster every volume can be reached.
func (sl *Slice) With(base, head []*object.Object, assumed bool) (*Slice, bool) {
	touched := map[string]bool{}
	var members []string
	for i, w := range sl.Workloads {
		members = append(members, w.ID)
		_, touched[w.ID] = sl.Changed[i]
	}
	sides := sl.lent.sides(sl.shot, base, head)
	out := newSlice(sl.Release, members, sides, touched, sharedOf(sides))
	for i, w := range out.Workloads {
		for v, m := range w.Manifests {
			if m.Exists() != sl.Workloads[i].Manifests[v].Exists() {
				return nil, false
			}
		}
	}
	out.lent = sl.lent
	out.declare(sl.own, sides)
	if assumed {
		out.reachAll()
	}
	for i := range out.Workloads {
		w, like := &out.Workloads[i], &sl.Spec.Workloads[i]
		w.Step = like.Step
		for v := range w.Manifests {
			w.Manifests[v].Stranded, w.Manifests[v].Replaced = like.Manifests[v].Stranded, like.Manifests[v].Replaced
		}
	}
	for i := range out.Spec.Quotas {
		for _, like := range sl.Spec.Quotas {
			if q := &out.Spec.Quotas[i]; q.Namespace == like.Namespace && q.Name == like.Name {
				q.Step = like.Step
			}
		}
	}
	if out.Spec.Unlumped, out.Spec.Interleaved = sl.Spec.Unlumped, sl.Spec.Interleaved; sl.shot != nil {
		out.asInCluster(sl.shot)
	}
	if out.Before, out.BaseNodes = sl.Before, sl.BaseNodes; sl.shot != nil {
		out.daemons = sl.daemons
	}
	out.Controllers, out.Maintained, out.Deliverer = sl.Controllers, sl.Maintained, sl.Deliverer
	out.Live, out.Rebudgeted, out.Dropped, out.BaseNamespaces = sl.Live, sl.Rebudgeted, sl.Dropped, sl.BaseNamespaces
	maps.Copy(out.Keys, sl.Keys)
	maps.Copy(out.Values, sl.Values)
	return out, true
}

// Copy is the slice, to be searched on other nodes.
func (sl *Slice) Copy() *Slice {
	out := *sl
	out.Elsewhere, out.BaseNodes, out.Resized = nil, nil, true
	if sl.Before != nil {
		before := *sl.Before
		out.Before = &before
	}
	return &out
}

// Manifest gathers what version v declares of a workload, and keeps its objects.
func (sl *Slice) Manifest(v int, o *object.Object, s side) state.Manifest {
	m, _ := state.ManifestOf(o.Typed)
	m.DeclaresReplicas = declares(o, "spec", "replicas")
	sl.keep(v, o)
	sl.labelKeys(m.Pod())
	if class := s.priorities.of(m.Pod()); class != nil {
		sl.keep(v, class)
	}
	hpas, pdbs := s.targets(o)
	for i, h := range hpas {
		if t := h.Typed.(*autoscalingv2.HorizontalPodAutoscaler); i == 0 {
			m.HPA = t
		} else {
			m.Rivals = append(m.Rivals, t)
		}
		sl.keep(v, h)
	}
	for _, p := range sl.leaveOut(s, o, pdbs) {
		m.PDBs = append(m.PDBs, p.Typed.(*policyv1.PodDisruptionBudget))
		sl.keep(v, p)
	}
	var near []*object.Object
	m.Services, near = s.servedBy(o)
	for _, svc := range near {
		m.Near = append(m.Near, svc.ID.Name)
		sl.keep(v, svc)
	}
	vpas := s.vpasOf(o)
	for _, a := range vpas {
		sl.keep(v, a)
	}
	m.VPA = vpaOf(vpas)
	sl.scaledBy(v, s.kedaOf(o), &m)
	sl.enqueue(v, o, s, &m)
	return m
}

func (sl *Slice) keep(v int, o *object.Object) {
	if o.Source.File == "" { // of the cluster, see [withKnown]: no reference leads there
		return
	}
	id := o.ID.String()
	if sl.Objects[id] == nil {
		sl.Objects[id] = &[2]*object.Object{}
	}
	sl.Objects[id][v] = o
}

// IsWorkload reports whether an ID is of a workload of the slice.
func (sl *Slice) IsWorkload(id string) bool {
	i := sort.Search(len(sl.Workloads), func(i int) bool { return sl.Workloads[i].ID >= id })
	return i < len(sl.Workloads) && sl.Workloads[i].ID == id
}

// Ids of the slice's objects, sorted.
func (sl *Slice) Ids() []string { return slices.Sorted(maps.Keys(sl.Objects)) }

// labelKeys notes which node labels the pods of a template can distinguish.
func (sl *Slice) labelKeys(p *corev1.PodSpec) {
	named := func(key string) {
		if key == corev1.LabelHostname {
			key = policies.NodeName // a single node is meant
		}
		sl.Keys[key], sl.Values[key] = true, true
	}
	if p.NodeName != "" {
		named(policies.NodeName)
	}
	for k := range p.NodeSelector {
		named(k)
	}
	for _, image := range scheduler.Images(p) {
		sl.Keys[policies.NodeImage+image] = true
	}
	for _, c := range kube.Spreads(p) {
		sl.Keys[c.TopologyKey] = true
	}
	for _, t := range kube.Terms(p) {
		sl.Keys[t.TopologyKey] = true
	}
	if p.Affinity == nil || p.Affinity.NodeAffinity == nil {
		return
	}
	var terms []corev1.NodeSelectorTerm
	if r := p.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution; r != nil {
		terms = append(terms, r.NodeSelectorTerms...)
	}
	for _, t := range p.Affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution {
		terms = append(terms, t.Preference)
	}
	for _, t := range terms {
		for _, e := range t.MatchExpressions {
			named(e.Key)
		}
		if len(t.MatchFields) > 0 { // metadata.name is the only one
			named(policies.NodeName)
		}
	}
}

// Relevant reports whether a node label can make a difference: one that a pod of the slice
// asks for, or one of the two that the scheduler spreads by on its own.
func (sl *Slice) Relevant(key string) bool {
	return sl.Keys[key] || key == corev1.LabelTopologyZone || key == corev1.LabelHostname
}

// declares reports whether a field stands in the object as written.
func declares(o *object.Object, path ...string) bool {
	var v any = o.Content
	for _, key := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return false
		}
		if v, ok = m[key]; !ok {
			return false
		}
	}
	return v != nil
}

func union[V any](a, b map[string]V) map[string]V {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// kindOf is an object's kind with its group, such as "apps/Deployment".
func kindOf(id object.ID) string {
	if id.Group == "" {
		return id.Kind
	}
	return fmt.Sprintf("%s/%s", id.Group, id.Kind)
}
