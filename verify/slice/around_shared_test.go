package slice

import (
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render/object"
)

// Of many workloads that head adds at once each slice meets all others: the first ones where these stand without it,
// and beyond mostApart where they stand with it, which is placed once.
func TestManyNewWorkloadsAreMet(t *testing.T) {
	var objects []*object.Object
	changed := map[string]bool{}
	for i := range 6 {
		d := &appsv1.Deployment{}
		d.Namespace, d.Name = "default", fmt.Sprint("w", i)
		d.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": d.Name}}
		d.Spec.Template.Labels = d.Spec.Selector.MatchLabels
		d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "c", Image: "i", Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("400m")}}}}
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(d)
		if err != nil {
			t.Fatal(err)
		}
		id := object.ID{Group: "apps", Kind: "Deployment", Namespace: d.Namespace, Name: d.Name}
		objects = append(objects, &object.Object{ID: id, Content: content, Typed: d})
		changed[id.String()] = true
	}
	rev := func(objects []*object.Object) *object.Revision {
		return &object.Revision{Releases: []*object.Rendered{{Release: object.Release{ID: "app"}, Objects: objects}}}
	}
	ch := &object.Changes{Base: rev(nil), Head: rev(objects)}
	p, err := policies.Load("p.yaml", []byte("cluster: {nodePools: [{name: n, count: {min: 2, max: 2}, "+
		"allocatable: {cpu: '1', memory: 16Gi, pods: '110'}}]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, spent := range []int{0, mostApart} {
		a := NewAround(p, NewNeighbours(p, ch), ch)
		a.apart = spent
		own := Cut{Release: "app", Changed: changed, Scope: Scope{Own: p}}.Slices(nil, objects)
		if len(own) != len(objects) {
			t.Fatalf("%d slices", len(own))
		}
		for _, sl := range own {
			met, _ := a.Meet(sl, p)
			if len(met) == 0 || met[0].Alone() {
				t.Errorf("spent %d: %s meets nobody", spent, sl.Spec.Workloads[0].ID)
				continue
			}
			n := 0
			for _, b := range met[0].Own.Cluster.Beside {
				for _, pods := range b.Pods {
					n += pods.Count
				}
			}
			if n < 3 || n > 4 { // two nodes have room for four
				t.Errorf("spent %d: %s meets %d pods", spent, sl.Spec.Workloads[0].ID, n)
			}
		}
		if want := map[int]int{0: len(objects), mostApart: 1}[spent]; len(a.placed) != want {
			t.Errorf("spent %d: %d placements, want %d", spent, len(a.placed), want)
		}
	}
}
