package slice

import (
	"fmt"
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/state"
)

// namedKinds are kinds of objects that pods name: who names one knows its namespace.
var namedKinds = []string{"PriorityClass", "RuntimeClass", "PersistentVolumeClaim", "PersistentVolume"}

// unjoined lists changed objects that could act on workloads of other releases but act on no known one, while the
// namespace of some releases is not declared; and the line of policy that declares it.
func (l *lender) unjoined() []finding.Note {
	var out []finding.Note
	for _, o := range l.sides[state.Head].acting {
		was := l.sides[state.Base].byID[[2]string{o.Release, o.ID.String()}]
		if slices.Contains(namedKinds, o.ID.Kind) || !Acts(o) ||
			was != nil && object.Same([]*object.Object{was}, []*object.Object{o}) || l.acted(o) {
			continue
		}
		if rel, found := l.homeless(o); found {
			says := declaration(rel, namespaceOf(o))
			out = finding.AppendNew(out, finding.Say(finding.NotJoined, says).On(o.ID.String()).In(rel.ID))
		}
	}
	return out
}

// acted reports whether an object acts on a workload of head that runs in its cluster, or may.
func (l *lender) acted(o *object.Object) bool {
	for ns, list := range l.sides[state.Head].workloads {
		if o.ID.Namespace != "" && ns != o.ID.Namespace {
			continue
		}
		if slices.ContainsFunc(list, func(w *object.Object) bool {
			return l.actsOn(o, w) && (w.Release == o.Release || l.Tie(o.Release, w.Release) == Sure ||
				l.places(o) && l.places(w))
		}) {
			return true
		}
	}
	return false
}

// homeless is the first release whose namespace is not declared, and on whose workloads an object would act there; or
// one that was not rendered, on which it may act.
func (l *lender) homeless(o *object.Object) (*object.Rendered, bool) {
	var untouched *object.Rendered
	for _, id := range sortedIDs(l.releases) {
		rel := l.releases[id]
		if id == o.Release || rel.Namespace != "" || l.Tie(o.Release, id) != Open {
			continue
		}
		if rel.Untouched && rel.Kind == object.Helm && untouched == nil {
			untouched = rel
		}
		if slices.ContainsFunc(rel.Objects, func(w *object.Object) bool {
			_, runs := state.ManifestOf(w.Typed)
			return runs && !w.Hook && !l.places(w) && meant(o, w)
		}) {
			return rel, true
		}
	}
	return untouched, untouched != nil
}

// meant reports whether an object would act on a workload if it were in its namespace.
func meant(o, w *object.Object) bool {
	switch t := o.Typed.(type) {
	case *corev1.ResourceQuota, *corev1.LimitRange, *corev1.Namespace:
		return true
	case *policyv1.PodDisruptionBudget:
		sel, err := metav1.LabelSelectorAsSelector(t.Spec.Selector)
		return err == nil && sel.Matches(labels.Set(templateOf(w).Labels))
	case *autoscalingv2.HorizontalPodAutoscaler:
		return t.Spec.ScaleTargetRef.Kind == w.ID.Kind && t.Spec.ScaleTargetRef.Name == w.ID.Name
	}
	target := Scaled(o)
	return target.Kind == w.ID.Kind && target.Name == w.ID.Name
}

func namespaceOf(o *object.Object) string {
	if n, ok := o.Typed.(*corev1.Namespace); ok {
		return n.Name
	}
	return o.ID.Namespace
}

// declaration is the line of policy by which a release runs in a namespace.
func declaration(rel *object.Rendered, namespace string) string {
	kind := map[object.ReleaseKind]string{object.Helm: "chart", object.Kustomize: "kustomize"}[rel.Kind]
	if kind == "" {
		kind = "path"
	}
	return fmt.Sprintf("releases: [{id: %s, %s: %s, namespace: %s}]", rel.ID, kind, rel.Path, namespace)
}
