package slice

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubesettle/kubesettle/render/object"
)

// randomRelease makes objects that look at each other in every way there is, with few names,
// labels and namespaces, so that most of them meet.
func randomRelease(r *rand.Rand) []*object.Object {
	var out []*object.Object
	word := func(prefix string, n int) string { return fmt.Sprint(prefix, r.IntN(n)) }
	selector := func() *metav1.LabelSelector {
		s := &metav1.LabelSelector{}
		switch r.IntN(6) {
		case 0:
			return nil
		case 1:
			s.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: word("k", 3), Operator: metav1.LabelSelectorOpIn, Values: []string{"v0", word("v", 4)}}}
		case 2:
			s.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: word("k", 3), Operator: metav1.LabelSelectorOpExists}}
		case 3:
			s.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: word("k", 3), Operator: metav1.LabelSelectorOpNotIn, Values: []string{word("v", 4)}}}
			s.MatchLabels = map[string]string{word("k", 3): word("v", 4)}
		default:
			s.MatchLabels = map[string]string{word("k", 3): word("v", 4), word("k", 3): word("v", 4)}
		}
		return s
	}
	add := func(id object.ID, typed runtime.Object) {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
		if err != nil {
			panic(err)
		}
		out = append(out, &object.Object{ID: id, Content: content, Typed: typed, Hook: r.IntN(20) == 0})
	}
	for i := range 12 {
		ns, name := word("n", 2), fmt.Sprint("w", i)
		pod := corev1.PodTemplateSpec{}
		pod.Labels = map[string]string{"name": name}
		for range r.IntN(3) {
			pod.Labels[word("k", 3)] = word("v", 4)
		}
		if r.IntN(5) == 0 {
			pod.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{TopologyKey: "zone", LabelSelector: selector()}}
		}
		if r.IntN(5) == 0 {
			term := corev1.PodAffinityTerm{LabelSelector: selector(), TopologyKey: "zone"}
			switch r.IntN(3) {
			case 0:
				term.Namespaces = []string{word("n", 2)}
			case 1:
				term.NamespaceSelector = &metav1.LabelSelector{}
			}
			pod.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{term}}}
		}
		if r.IntN(4) == 0 {
			pod.Spec.Volumes = []corev1.Volume{{VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: word("c", 3)}}}}
		}
		if r.IntN(3) == 0 {
			pod.Spec.PriorityClassName = word("p", 2)
		}
		d := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Template: pod, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"name": name}}}}
		if r.IntN(3) == 0 {
			d.Spec.Selector = selector()
		}
		add(object.ID{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: ns, Name: name}, d)
		switch r.IntN(4) {
		case 0:
			h := &autoscalingv2.HorizontalPodAutoscaler{}
			h.Spec.ScaleTargetRef = autoscalingv2.CrossVersionObjectReference{Kind: "Deployment", Name: fmt.Sprint("w", r.IntN(13))}
			add(object.ID{Group: "autoscaling", Version: "v2", Kind: "HorizontalPodAutoscaler", Namespace: ns, Name: name}, h)
		case 1:
			add(object.ID{Group: "policy", Version: "v1", Kind: "PodDisruptionBudget", Namespace: ns, Name: name}, &policyv1.PodDisruptionBudget{Spec: policyv1.PodDisruptionBudgetSpec{Selector: selector()}})
		case 2:
			s := &corev1.Service{}
			if x := selector(); x != nil {
				s.Spec.Selector = x.MatchLabels
			}
			add(object.ID{Version: "v1", Kind: "Service", Namespace: ns, Name: name}, s)
		}
	}
	for i := range 3 {
		c := &corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}}}
		add(object.ID{Version: "v1", Kind: "PersistentVolumeClaim", Namespace: "n0", Name: fmt.Sprint("c", i)}, c)
		p := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("p", i)}, Value: int32(i)}
		add(object.ID{Group: "scheduling.k8s.io", Version: "v1", Kind: "PriorityClass", Name: p.Name}, p)
	}
	return out
}

// TestVicinityLosesNobody wants of what narrows a search down that it loses nothing: the groups
// of a release are those of holding all workloads against all.
func TestVicinityLosesNobody(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 2026))
	for range 400 {
		base, head := randomRelease(r), randomRelease(r)
		sides := [2]side{NewSide(base), NewSide(head)}
		c := Cut{Release: "r", Scope: Scope{Limited: r.IntN(3) == 0, Together: [][]string{{"n0/w1", "n0/w2", "n1/w2"}}}}
		ids := sortedIDs(union(sides[0].Workloads, sides[1].Workloads))
		all := func(string) bool { return true }
		related := func(a, b string) bool { return c.related(sides, a, b) }
		everyone := func(string) []*bucket { return []*bucket{{slices.Clone(ids)}} }
		got, want := components(ids, all, c.vicinity(ids, sides).near, related), components(ids, all, everyone, related)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("groups %v, want %v", got, want)
		}
	}
}
