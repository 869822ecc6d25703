package static

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubesettle/kubesettle/render/object"
)

// randomAims makes workloads and what acts on them, with few names, labels and namespaces, so
// that most of them meet.
func randomAims(r *rand.Rand) []*object.Object {
	word := func(prefix string, n int) string { return fmt.Sprint(prefix, r.IntN(n)) }
	var out []*object.Object
	for range 30 {
		o := &object.Object{ID: object.ID{Namespace: word("n", 2), Name: word("w", 8)}, Hook: r.IntN(15) == 0}
		set := map[string]string{}
		for range r.IntN(4) {
			set[word("k", 3)] = word("v", 3)
		}
		pods := map[string]any{}
		for k, v := range set {
			pods[k] = v
		}
		switch r.IntN(6) {
		case 0:
			h := &autoscalingv2.HorizontalPodAutoscaler{}
			h.Spec.ScaleTargetRef = autoscalingv2.CrossVersionObjectReference{Kind: "Deployment", Name: word("w", 8)}
			o.ID.Kind, o.Typed = "HorizontalPodAutoscaler", h
		case 1:
			sel := &metav1.LabelSelector{MatchLabels: set}
			if r.IntN(2) == 0 {
				sel.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: word("k", 3), Operator: metav1.LabelSelectorOpIn, Values: []string{"v0", word("v", 3)}}}
			}
			if r.IntN(3) == 0 {
				sel = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: word("k", 3), Operator: metav1.LabelSelectorOpDoesNotExist}}}
			}
			o.ID.Kind, o.Typed = "PodDisruptionBudget", &policyv1.PodDisruptionBudget{Spec: policyv1.PodDisruptionBudgetSpec{Selector: sel}}
		case 2:
			o.ID.Kind, o.Typed = "Service", &corev1.Service{Spec: corev1.ServiceSpec{Selector: set}}
		case 3:
			o.ID.Kind = "VerticalPodAutoscaler"
			o.Content = map[string]any{"spec": map[string]any{"targetRef": map[string]any{"kind": "Deployment", "name": word("w", 8), "apiVersion": "apps/v1"}}}
		case 4:
			o.ID.Kind, o.Typed = "Pod", runtime.Object(&corev1.Pod{})
			o.Content = map[string]any{"metadata": map[string]any{"labels": pods}}
		default:
			o.ID.Kind, o.ID.Group = "Deployment", "apps"
			o.Content = map[string]any{"spec": map[string]any{"template": map[string]any{"metadata": map[string]any{"labels": pods}}}}
		}
		out = append(out, o)
	}
	return out
}

// TestAimIndexFindsEverything wants what each object acts on to be what it is when each is
// held against all, in order.
func TestAimIndexFindsEverything(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 2026))
	some := 0
	for range 500 {
		base, head := randomAims(r), randomAims(r)
		x := newAimIndex(head)
		for _, o := range slices.Concat(base, head) {
			var aimed []*object.Object
			for _, to := range head {
				if Aims(o, to) {
					aimed = append(aimed, to)
				}
			}
			some += len(aimed)
			if got := x.all(o); !slices.Equal(got, aimed) {
				t.Fatalf("%s acts on %d objects, want %d", o.ID, len(got), len(aimed))
			}
			if got := x.aimed(o, everything); (got != nil) != (len(aimed) > 0) || got != nil && got != aimed[0] {
				t.Fatalf("%s acts on %v first", o.ID, got)
			}
			i := slices.IndexFunc(head, func(b *object.Object) bool { return b.ID == o.ID && b.Hook == o.Hook })
			if got := x.counterpart(o); i >= 0 && got != head[i] || i < 0 && got != nil {
				t.Fatalf("%s has the counterpart %v", o.ID, got)
			}
		}
	}
	if some < 1000 {
		t.Errorf("only %d pairs met", some)
	}
}
