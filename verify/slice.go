package verify

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/state"
)

// slice is the cone of influence of one or more changed workloads of one release: they,
// what targets them, and every workload whose placement theirs can influence.
type slice struct {
	release   string
	workloads []state.Workload
	// objects of both versions by ID: the workloads and what targets them.
	objects map[string]*[2]*render.Object
	spec    state.Spec // without classes
	// changed workloads, by index in workloads.
	changed map[int]string // "added", "removed", "modified"
	// keys of node labels that the pods can tell nodes apart by; values are those of
	// which a manifest names a value, so that zones, say, are not all alike.
	keys, values map[string]bool
	// before holds the controllers that run beside the slice on base; nil: the same.
	before *state.Spec
	// daemons are the DaemonSets of the release that are no part of the slice, by version, and
	// baseNodes what base's leave of each class's nodes; nil: as head's.
	daemons   [2][]*appsv1.DaemonSet
	baseNodes []*corev1.Node
	notes     []string // what was assumed of it
	// controllers that run beside the slice, as the policy configures them.
	controllers policies.Controllers
	// maintained says that the policy leaves drains open, so that one is routine.
	maintained bool
}

// side is what one version of a release declares, by kind.
type side struct {
	workloads  map[string]*render.Object // by ID
	hpas, pdbs []*render.Object
	services   []*render.Object
	vpas, keda []*render.Object
	quotas     map[string]*render.Object // by ID
	admission  guards
	namespaces map[string]map[string]string
	priorities priorities
	storage    storage
	byID       map[string]*render.Object
}

func newSide(objects []*render.Object) side {
	s := side{
		workloads: map[string]*render.Object{}, byID: map[string]*render.Object{},
		namespaces: map[string]map[string]string{}, quotas: map[string]*render.Object{},
	}
	classes := map[string]*render.Object{}
	for _, o := range objects {
		if o.Hook {
			continue
		}
		s.byID[o.ID.String()] = o
		if sizesPods(o) {
			s.vpas = append(s.vpas, o)
		}
		if wakes(o) {
			s.keda = append(s.keda, o)
		}
		s.storage.add(o)
		s.admission.add(o)
		if _, ok := state.ManifestOf(o.Typed); ok {
			s.workloads[o.ID.String()] = o
		}
		switch t := o.Typed.(type) {
		case *autoscalingv2.HorizontalPodAutoscaler:
			s.hpas = append(s.hpas, o)
		case *policyv1.PodDisruptionBudget:
			s.pdbs = append(s.pdbs, o)
		case *corev1.Service:
			s.services = append(s.services, o)
		case *corev1.ResourceQuota:
			s.quotas[o.ID.String()] = o
		case *corev1.Namespace:
			s.namespaces[t.Name] = t.Labels
		case *schedulingv1.PriorityClass:
			classes[t.Name] = o
		}
	}
	s.priorities = newPriorities(classes)
	return s
}

// templateOf is the pod template of a workload.
func templateOf(o *render.Object) *corev1.PodTemplateSpec {
	m, _ := state.ManifestOf(o.Typed)
	return m.Template()
}

// targets lists the HPA and PDBs that act on a workload.
func (s side) targets(o *render.Object) (hpas, pdbs []*render.Object) {
	template := templateOf(o)
	for _, h := range s.hpas {
		ref := h.Typed.(*autoscalingv2.HorizontalPodAutoscaler).Spec.ScaleTargetRef
		if h.ID.Namespace == o.ID.Namespace && ref.Kind == o.ID.Kind && ref.Name == o.ID.Name {
			hpas = append(hpas, h)
		}
	}
	for _, p := range s.pdbs {
		sel, err := metav1.LabelSelectorAsSelector(p.Typed.(*policyv1.PodDisruptionBudget).Spec.Selector)
		if err == nil && p.ID.Namespace == o.ID.Namespace && sel.Matches(labels.Set(template.Labels)) {
			pdbs = append(pdbs, p)
		}
	}
	return hpas, pdbs
}

// cut says which slices a release is cut into. changed says which objects differ, by ID.
type cut struct {
	release string
	changed map[string]bool
	scope
}

// scope says what belongs into a slice: with all, every workload counts as changed. Where
// room is limited, workloads of which one outranks the other belong together, and so do
// those that a rule of the user's own names together, as "namespace/name".
type scope struct {
	all, limited bool
	together     [][]string
	// beside says why every slice of a release is searched, with whatever it has changed or
	// not; "" is for no such reason.
	beside func(release string) string
	// instead is what is there of an object that the API server refuses; nil: nothing.
	instead map[*render.Object]*render.Object
}

// runsBesideOthers says whether other controllers run beside the release than on base.
func (c cut) runsBesideOthers() bool { return c.beside != nil && c.beside(c.release) != "" }

// joins says whether a rule names both workloads.
func (s scope) joins(p, q *render.Object) bool {
	return slices.ContainsFunc(s.together, func(names []string) bool {
		return slices.Contains(names, p.ID.Namespace+"/"+p.ID.Name) && slices.Contains(names, q.ID.Namespace+"/"+q.ID.Name)
	})
}

// slices cuts a release into the slices that its changes call for.
func (c cut) slices(base, head []*render.Object) []*slice {
	sides := [2]side{newSide(base), newSide(head)}
	ids := slices.Sorted(maps.Keys(union(sides[0].workloads, sides[1].workloads)))
	touched := map[string]bool{}
	for _, id := range ids {
		touched[id] = c.all || c.changed[id] || c.runsBesideOthers()
		for _, s := range sides {
			if o := s.workloads[id]; o != nil {
				hpas, pdbs := s.targets(o)
				targets := slices.Concat(hpas, pdbs, s.limits(o), s.admission.of(o, s), s.storage.claimsOf(o), s.vpasOf(o), s.kedaOf(o))
				if class := s.priorities.of(&templateOf(o).Spec); class != nil {
					targets = append(targets, class)
				}
				for _, t := range targets {
					touched[id] = touched[id] || c.changed[t.ID.String()]
				}
			}
		}
	}
	crowded := c.limited && crowds(sides)
	wanted := func(id string) bool { return crowded || touched[id] }
	group := components(ids, wanted, func(a, b string) bool {
		for _, x := range sides {
			for _, y := range sides {
				p, q := x.workloads[a], y.workloads[b]
				switch {
				case p == nil || q == nil:
				case influences(p, q, y) || influences(q, p, x) || x.counts(p, q) || y.counts(q, p) || c.joins(p, q) || share(p, x, q, y) || guardEachOther(p, x, q, y):
					return true
				case c.limited && (outranks(p, x, q, y) || outranks(q, y, p, x)):
					return true
				}
			}
		}
		return false
	})
	var out []*slice
	for _, members := range group {
		out = append(out, newSlice(c.release, members, sides, touched))
	}
	return out
}

func newSlice(release string, members []string, sides [2]side, touched map[string]bool) *slice {
	sl := &slice{
		release: release, objects: map[string]*[2]*render.Object{},
		changed: map[int]string{}, keys: map[string]bool{}, values: map[string]bool{},
	}
	sl.spec.Namespaces = map[string]map[string]string{}
	for v := range sides { // head's win
		maps.Copy(sl.spec.Namespaces, sides[v].namespaces)
	}
	sl.prioritize(sides)
	for i, id := range members {
		w := state.Workload{ID: id}
		for v, s := range sides {
			o := s.workloads[id]
			if o == nil {
				continue
			}
			w.Namespace, w.Name = o.ID.Namespace, o.ID.Name
			w.Manifests[v] = sl.manifest(v, o, s)
		}
		if touched[id] {
			switch {
			case !w.Manifests[state.Base].Exists():
				sl.changed[i] = string(render.Added)
			case !w.Manifests[state.Head].Exists():
				sl.changed[i] = string(render.Removed)
			default:
				sl.changed[i] = string(render.Modified)
			}
		}
		sl.workloads = append(sl.workloads, w)
	}
	sl.befriend(sides)
	sl.spec.Workloads = sl.workloads
	sl.admit(sides)
	sl.limit(sides)
	sl.store(sides)
	sl.standBeside(sides)
	return sl
}

// manifest gathers what version v declares of a workload, and keeps its objects.
func (sl *slice) manifest(v int, o *render.Object, s side) state.Manifest {
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
	for _, p := range pdbs {
		m.PDBs = append(m.PDBs, p.Typed.(*policyv1.PodDisruptionBudget))
		sl.keep(v, p)
	}
	m.Services = s.servedBy(o)
	vpas := s.vpasOf(o)
	for _, a := range vpas {
		sl.keep(v, a)
	}
	m.VPA = vpaOf(vpas)
	sl.wake(v, s.kedaOf(o), &m)
	return m
}

func (sl *slice) keep(v int, o *render.Object) {
	id := o.ID.String()
	if sl.objects[id] == nil {
		sl.objects[id] = &[2]*render.Object{}
	}
	sl.objects[id][v] = o
}

// isWorkload says whether an ID is of a workload of the slice.
func (sl *slice) isWorkload(id string) bool {
	return slices.ContainsFunc(sl.workloads, func(w state.Workload) bool { return w.ID == id })
}

// ids of the slice's objects, sorted.
func (sl *slice) ids() []string { return slices.Sorted(maps.Keys(sl.objects)) }

// labelKeys notes which node labels the pods of a template can tell apart.
func (sl *slice) labelKeys(p *corev1.PodSpec) {
	named := func(key string) {
		if key == corev1.LabelHostname {
			key = policies.NodeName // a single node is meant
		}
		sl.keys[key], sl.values[key] = true, true
	}
	if p.NodeName != "" {
		named(policies.NodeName)
	}
	for k := range p.NodeSelector {
		named(k)
	}
	for _, image := range scheduler.Images(p) {
		sl.keys[policies.NodeImage+image] = true
	}
	for _, c := range p.TopologySpreadConstraints {
		sl.keys[c.TopologyKey] = true
	}
	for _, t := range podTerms(p) {
		sl.keys[t.TopologyKey] = true
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

// relevant says whether a node label can make a difference: one that a pod of the slice
// asks for, or one of the two that the scheduler spreads by on its own.
func (sl *slice) relevant(key string) bool {
	return sl.keys[key] || key == corev1.LabelTopologyZone || key == corev1.LabelHostname
}

// components groups ids, in order, by the transitive closure of a symmetric relation. Only
// groups with a wanted one are looked for: in a large release those are few.
func components(ids []string, wanted func(id string) bool, related func(a, b string) bool) [][]string {
	var out [][]string
	seen := map[string]bool{}
	for _, id := range ids {
		if seen[id] || !wanted(id) {
			continue
		}
		seen[id] = true
		group := []string{id}
		for i := 0; i < len(group); i++ {
			for _, other := range ids {
				if !seen[other] && related(group[i], other) {
					seen[other] = true
					group = append(group, other)
				}
			}
		}
		sort.Strings(group)
		out = append(out, group)
	}
	slices.SortFunc(out, func(a, b []string) int { return cmp.Compare(a[0], b[0]) })
	return out
}

// declares says whether a field stands in the object as written.
func declares(o *render.Object, path ...string) bool {
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

// unmodeled are the kinds of workload that no actor drives yet.
var unmodeled = map[string]bool{
	"apps/ReplicaSet": true, "Pod": true,
}

// kindOf is an object's kind as [unmodeled] has it.
func kindOf(id render.ObjectID) string {
	if id.Group == "" {
		return id.Kind
	}
	return fmt.Sprintf("%s/%s", id.Group, id.Kind)
}
