package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	_ "unsafe" // for go:linkname

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/kubernetes/pkg/controller/disruption"

	"github.com/kubesettle/kubesettle/verify/control/objects"
)

//go:linkname trySync k8s.io/kubernetes/pkg/controller/disruption.(*DisruptionController).trySync
func trySync(dc *disruption.DisruptionController, ctx context.Context, pdb *policyv1.PodDisruptionBudget) error

// TestDisruptions compares a budget's status with the one that the disruption controller
// writes, on one or two Deployments with pods in any phase, and on Pods that no controller owns.
func TestDisruptions(t *testing.T) {
	r := rand.New(rand.NewPCG(*loopSeed, 4))
	allowed := 0
	for i := range loopCases(1000) {
		pdb := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: "b", Namespace: "default"}}
		pdb.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"tier": "front"}}
		value := intstr.FromInt32(int32(r.IntN(6)))
		if r.IntN(2) == 0 {
			value = intstr.FromString(fmt.Sprintf("%d%%", r.IntN(101)))
		}
		if r.IntN(2) == 0 {
			pdb.Spec.MinAvailable = &value
		} else {
			pdb.Spec.MaxUnavailable = &value
		}
		got, pods, scale, healthy := upstreamDisruptions(t, r, pdb)
		want := objects.CountDisruptions(&pdb.Spec, pods, scale, healthy)
		if int(got.ExpectedPods) != want.Expected || int(got.DesiredHealthy) != want.Desired ||
			int(got.CurrentHealthy) != want.Healthy || int(got.DisruptionsAllowed) != want.Allowed {
			t.Fatalf("case %d: %+v of %d pods, scale %d, %d healthy: upstream %+v, the model %+v", i, pdb.Spec, pods, scale, healthy, got, want)
		}
		if want.Allowed > 0 {
			allowed++
		}
	}
	t.Logf("%d budgets compared, %d allow a disruption", loopCases(1000), allowed)
	if allowed == 0 {
		t.Error("no budget allows a disruption: generate others")
	}
}

// upstreamDisruptions runs the disruption controller once on a generated cluster, and
// counts what the model reads of it.
func upstreamDisruptions(t *testing.T, r *rand.Rand, pdb *policyv1.PodDisruptionBudget) (status policyv1.PodDisruptionBudgetStatus, pods, scale, healthy int) {
	t.Helper()
	ctx := context.Background()
	client := fake.NewClientset(pdb)
	f := informers.NewSharedInformerFactory(client, 0)
	dc := disruption.NewDisruptionController(ctx, f.Core().V1().Pods(), f.Policy().V1().PodDisruptionBudgets(),
		f.Core().V1().ReplicationControllers(), f.Apps().V1().ReplicaSets(), f.Apps().V1().Deployments(), f.Apps().V1().StatefulSets(),
		client, nil, nil, client.Discovery())
	add := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	yes := true
	put := func(name string, owner ...metav1.OwnerReference) {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", Labels: map[string]string{"tier": "front"}, OwnerReferences: owner}}
		ready := corev1.ConditionFalse
		switch now := metav1.Now(); r.IntN(4) {
		case 0:
			p.DeletionTimestamp, ready = &now, corev1.ConditionTrue
		case 1, 2:
			ready, healthy = corev1.ConditionTrue, healthy+1
		}
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: ready}}
		add(f.Core().V1().Pods().Informer().GetIndexer().Add(p))
		pods++
	}
	for i := range max(r.IntN(6)-2, 0) { // alone, or beside others
		put(fmt.Sprint("bare-", i))
	}
	for w := range r.IntN(3) {
		name := fmt.Sprint("web-", w)
		replicas := int32(r.IntN(6))
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID(name)}}
		d.Spec.Replicas = &replicas
		rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: name + "-rs", Namespace: "default", UID: types.UID(name + "-rs"),
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: name, UID: d.UID, Controller: &yes}}}}
		rs.Spec.Replicas = &replicas
		add(f.Apps().V1().Deployments().Informer().GetIndexer().Add(d))
		add(f.Apps().V1().ReplicaSets().Informer().GetIndexer().Add(rs))
		count := r.IntN(6)
		if count > 0 {
			scale += int(replicas)
		}
		for i := range count {
			put(fmt.Sprint(name, "-", i), metav1.OwnerReference{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: rs.Name, UID: rs.UID, Controller: &yes})
		}
	}
	add(trySync(dc, ctx, pdb))
	now, err := client.PolicyV1().PodDisruptionBudgets("default").Get(ctx, "b", metav1.GetOptions{})
	add(err)
	return now.Status, pods, scale, healthy
}
