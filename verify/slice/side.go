package slice

import (
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/celpolicy"
	"github.com/kubesettle/kubesettle/verify/state"
)

// side is what one version of a release declares, by kind.
type side struct {
	Workloads  map[string]*object.Object // by ID
	pdbs       []*object.Object
	services   []*object.Object
	quotas     map[string]*object.Object // by ID
	daemons    map[string]*appsv1.DaemonSet
	admission  guards
	namespaces map[string]map[string]string
	priorities priorities
	storage    storage
	kueue      kueue
	byID       map[string]*object.Object
	found      finder
	// common are, by workload, the budgets that count the pods of others as well, and the quotas that others overask
	// with it; wide are budgets over more workloads than a slice has, with how many.
	common map[string][]string
	wide   map[string]int
	beside []*object.Object // workloads of other releases that take of the quotas
	// Where policies mutate, Workloads are as these leave them, treated says how, and written has them as they stand.
	treated map[string]treated
	written map[string]*object.Object
}

// finder finds what acts on a workload.
type finder struct {
	hpas           map[[3]string][]*object.Object // by namespace, kind and name of the target
	vpas, keda     map[string][]*object.Object    // by the target's ID
	quotas         map[string][]*object.Object    // by namespace
	pdbs, services *selectorIndex
	pods           *PodIndex
	placed         []*object.Object // the workloads, at their places in pods
}

func NewSide(objects []*object.Object) side {
	s := newSide(objects)
	if s.admission.mutators.None() {
		return s
	}
	return afterPolicies(objects, s)
}

func newSide(objects []*object.Object) side {
	s := side{
		Workloads: map[string]*object.Object{}, byID: map[string]*object.Object{}, daemons: map[string]*appsv1.DaemonSet{},
		namespaces: map[string]map[string]string{}, quotas: map[string]*object.Object{},
		found: finder{
			hpas: map[[3]string][]*object.Object{}, vpas: map[string][]*object.Object{}, keda: map[string][]*object.Object{},
			quotas: map[string][]*object.Object{}, pdbs: newSelectorIndex(), services: newSelectorIndex(), pods: NewPodIndex(),
		},
	}
	classes := map[string]*object.Object{}
	for _, o := range objects {
		if o.Hook {
			continue
		}
		s.byID[o.ID.String()] = o
		for _, k := range scalers {
			if k.is(o) {
				of, target := k.found(&s.found), Scaled(o).String()
				of[target] = append(of[target], o)
			}
		}
		s.storage.add(o)
		s.kueue.add(o)
		s.admission.add(o)
		if _, ok := state.ManifestOf(o.Typed); ok {
			s.Workloads[o.ID.String()] = o
			s.found.pods.Add(len(s.found.placed), o.ID.Namespace, templateOf(o).Labels)
			s.found.placed = append(s.found.placed, o)
		}
		switch t := o.Typed.(type) {
		case *autoscalingv2.HorizontalPodAutoscaler:
			target := [3]string{o.ID.Namespace, t.Spec.ScaleTargetRef.Kind, t.Spec.ScaleTargetRef.Name}
			s.found.hpas[target] = append(s.found.hpas[target], o)
		case *policyv1.PodDisruptionBudget:
			s.found.pdbs.add(len(s.pdbs), o.ID.Namespace, t.Spec.Selector)
			s.pdbs = append(s.pdbs, o)
		case *corev1.Service:
			if len(t.Spec.Selector) > 0 {
				s.found.services.add(len(s.services), o.ID.Namespace, &metav1.LabelSelector{MatchLabels: t.Spec.Selector})
			}
			s.services = append(s.services, o)
		case *corev1.ResourceQuota:
			s.quotas[o.ID.String()] = o
		case *corev1.Namespace:
			s.namespaces[t.Name] = t.Labels
		case *schedulingv1.PriorityClass:
			classes[t.Name] = o
		case *appsv1.DaemonSet:
			s.daemons[o.ID.String()] = t
		}
	}
	for _, id := range sortedIDs(s.quotas) {
		q := s.quotas[id]
		s.found.quotas[q.ID.Namespace] = append(s.found.quotas[q.ID.Namespace], q)
	}
	s.priorities = newPriorities(classes)
	s.budget()
	s.contend()
	s.admission.mutators.bind()
	s.admission.bound = celpolicy.Bind(s.admission.policies, s.admission.bindings)
	return s
}

// targets lists the HPA and PDBs that act on a workload.
func (s side) targets(o *object.Object) (hpas, pdbs []*object.Object) {
	set := templateOf(o).Labels
	for _, i := range s.found.pdbs.candidates(o.ID.Namespace, set) {
		p := s.pdbs[i]
		sel, err := metav1.LabelSelectorAsSelector(p.Typed.(*policyv1.PodDisruptionBudget).Spec.Selector)
		if err == nil && p.ID.Namespace == o.ID.Namespace && sel.Matches(labels.Set(set)) {
			pdbs = append(pdbs, p)
		}
	}
	return s.hpasOf(o), pdbs
}

// hpasOf lists the HorizontalPodAutoscalers of a workload.
func (s side) hpasOf(o *object.Object) []*object.Object {
	return s.found.hpas[[3]string{o.ID.Namespace, o.ID.Kind, o.ID.Name}]
}

func sortedIDs[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
