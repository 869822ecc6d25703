package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	_ "unsafe" // for go:linkname

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	policyclient "k8s.io/client-go/kubernetes/typed/policy/v1"
	api "k8s.io/kubernetes/pkg/apis/core"
	conversion "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/apis/policy"
	"k8s.io/kubernetes/pkg/controller/disruption"
	"k8s.io/kubernetes/pkg/registry/core/pod/storage"

	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

//go:linkname newEvictionStorage k8s.io/kubernetes/pkg/registry/core/pod/storage.newEvictionStorage
func newEvictionStorage(store rest.StandardStorage, budgets policyclient.PodDisruptionBudgetsGetter) *storage.EvictionREST

// TestEvictionAPI asks the API server's own code to evict a pod of every phase, in clusters
// whose budgets' statuses the disruption controller wrote, and compares the answers.
func TestEvictionAPI(t *testing.T) {
	r := rand.New(rand.NewPCG(*loopSeed, 7))
	answers := map[objects.EvictionAnswer]int{}
	several, asked := 0, 0
	for i := range loopCases(600) {
		m := state.Manifest{Deployment: webDeployment(r, "v1"), PDBs: anyBudgets(r)}
		if len(m.PDBs) > 1 {
			several++
		}
		p := newLoopProblem(t, webSpec(m, m, 1), []int{2})
		s := p.cfg.New()
		s.SetReplicas(0, r.IntN(7))
		scatter(r, s)
		evictions := objects.NewEvictions(p.cfg)
		cluster := newEvictionCluster(t, r, s, m)
		for _, pod := range cluster.pods {
			ph, placed := phaseOf(pod)
			if !placed {
				continue // nobody evicts a pod that is on no node
			}
			got, granted := evictions.Ask(s, 0, ph), cluster.evict(t, pod)
			if ph == state.Starting && got == objects.EvictionUncertain {
				got = objects.EvictionRefused
				if pod.Status.Phase == corev1.PodPending {
					got = objects.EvictionGranted
				}
				answers[objects.EvictionUncertain]++
			}
			if granted != (got == objects.EvictionGranted) {
				t.Fatalf("case %d: a pod in phase %s (%v): ours grants %v, upstream %v\n%s%+v", i, pod.Status.Phase, ph,
					got == objects.EvictionGranted, granted, describe(s), m.PDBs)
			}
			answers[got]++
			asked++
		}
	}
	t.Logf("%d evictions asked for, %d granted, %d refused, %d where the pod's phase decides; %d clusters with more than one budget", asked,
		answers[objects.EvictionGranted], answers[objects.EvictionRefused], answers[objects.EvictionUncertain], several)
	if len(answers) < 3 || several == 0 {
		t.Error("not every answer was drawn: generate others")
	}
}

// anyBudgets are up to two budgets, the first of which selects the pods.
func anyBudgets(r *rand.Rand) []*policyv1.PodDisruptionBudget {
	var out []*policyv1.PodDisruptionBudget
	for i := range []int{0, 1, 1, 1, 1, 2}[r.IntN(6)] {
		b := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("budget-", i), Namespace: "default", Generation: 1}}
		b.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
		if i > 0 && r.IntN(2) == 0 {
			b.Spec.Selector.MatchLabels["app"] = "other"
		}
		value := intstr.FromInt32(int32(r.IntN(5)))
		if r.IntN(2) == 0 {
			value = intstr.FromString(fmt.Sprintf("%d%%", r.IntN(101)))
		}
		if r.IntN(2) == 0 {
			b.Spec.MinAvailable = &value
		} else {
			b.Spec.MaxUnavailable = &value
		}
		switch r.IntN(3) {
		case 0:
			policy := policyv1.AlwaysAllow
			b.Spec.UnhealthyPodEvictionPolicy = &policy
		case 1:
			policy := policyv1.IfHealthyBudget
			b.Spec.UnhealthyPodEvictionPolicy = &policy
		}
		out = append(out, b)
	}
	return out
}

// evictionCluster is one state as the API server stores it.
type evictionCluster struct {
	pods    []*corev1.Pod
	budgets []runtime.Object
}

// newEvictionCluster lets the disruption controller write the status of every budget.
func newEvictionCluster(t *testing.T, r *rand.Rand, s state.State, m state.Manifest) *evictionCluster {
	t.Helper()
	ctx := context.Background()
	c := &evictionCluster{pods: classPods(r, s, 0, "web-1")}
	var objects []runtime.Object
	for _, b := range m.PDBs {
		objects = append(objects, b.DeepCopy())
	}
	client := fake.NewClientset(objects...)
	f := informers.NewSharedInformerFactory(client, 0)
	dc := disruption.NewDisruptionController(ctx, f.Core().V1().Pods(), f.Policy().V1().PodDisruptionBudgets(),
		f.Core().V1().ReplicationControllers(), f.Apps().V1().ReplicaSets(), f.Apps().V1().Deployments(), f.Apps().V1().StatefulSets(),
		client, nil, nil, client.Discovery())
	yes, replicas := true, int32(s.Replicas(0))
	d := m.Deployment.DeepCopy()
	d.UID, d.Spec.Replicas = "web", &replicas
	rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: "web-1", Namespace: "default", UID: types.UID("web-1"),
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: "web", UID: "web", Controller: &yes}}}}
	rs.Spec.Replicas = &replicas
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(f.Apps().V1().Deployments().Informer().GetIndexer().Add(d))
	must(f.Apps().V1().ReplicaSets().Informer().GetIndexer().Add(rs))
	for _, p := range c.pods {
		if p.DeletionTimestamp != nil { // of classPods: the zero time, which the API server takes for none
			*p.DeletionTimestamp = metav1.Now()
		}
		must(f.Core().V1().Pods().Informer().GetIndexer().Add(p))
	}
	for _, b := range m.PDBs {
		must(trySync(dc, ctx, b.DeepCopy()))
		now, err := client.PolicyV1().PodDisruptionBudgets("default").Get(ctx, b.Name, metav1.GetOptions{})
		must(err)
		c.budgets = append(c.budgets, now)
	}
	return c
}

// evict reports whether the API server grants the eviction of a pod.
func (c *evictionCluster) evict(t *testing.T, pod *corev1.Pod) bool {
	t.Helper()
	var budgets []runtime.Object
	for _, b := range c.budgets {
		budgets = append(budgets, b.DeepCopyObject())
	}
	store := &onePod{}
	if err := conversion.Convert_v1_Pod_To_core_Pod(pod, &store.pod, nil); err != nil {
		t.Fatal(err)
	}
	store.pod.ResourceVersion = "1"
	server := newEvictionStorage(store, fake.NewClientset(budgets...).PolicyV1())
	ctx := genericapirequest.WithNamespace(context.Background(), "default")
	answer, err := server.Create(ctx, pod.Name, &policy.Eviction{ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: "default"}},
		rest.ValidateAllObjectFunc, &metav1.CreateOptions{})
	switch {
	case apierrors.IsTooManyRequests(err):
		return false
	case err != nil:
		t.Fatal(err)
	}
	status := answer.(*metav1.Status)
	if status.Status != metav1.StatusSuccess && !strings.Contains(status.Message, "more than one PodDisruptionBudget") {
		t.Fatal(status.Message)
	}
	if granted := status.Status == metav1.StatusSuccess; granted != store.deleted {
		t.Fatalf("granted %v, deleted %v", granted, store.deleted)
	}
	return store.deleted
}

// onePod is a store that holds one pod.
type onePod struct {
	rest.StandardStorage
	pod     api.Pod
	deleted bool
}

func (s *onePod) Get(context.Context, string, *metav1.GetOptions) (runtime.Object, error) {
	return s.pod.DeepCopy(), nil
}

func (s *onePod) Update(ctx context.Context, _ string, info rest.UpdatedObjectInfo, _ rest.ValidateObjectFunc, _ rest.ValidateObjectUpdateFunc,
	_ bool, _ *metav1.UpdateOptions) (runtime.Object, bool, error) {
	now, err := info.UpdatedObject(ctx, s.pod.DeepCopy())
	if err == nil {
		now.(*api.Pod).DeepCopyInto(&s.pod)
	}
	return now, false, err
}

func (s *onePod) Delete(context.Context, string, rest.ValidateObjectFunc, *metav1.DeleteOptions) (runtime.Object, bool, error) {
	s.deleted = true
	return s.pod.DeepCopy(), true, nil
}

// phaseOf is the phase of a pod of [classPods]; false where it is on no node.
func phaseOf(p *corev1.Pod) (state.Phase, bool) {
	switch {
	case p.Spec.NodeName == "":
		return 0, false
	case p.DeletionTimestamp != nil:
		return state.Terminating, true
	case p.Status.Conditions[0].Status == corev1.ConditionTrue:
		return state.Ready, true
	}
	return state.Starting, true
}
