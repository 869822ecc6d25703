package conformance

import (
	"fmt"
	"math/rand/v2"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiadmission "k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/resourcequota"
	quota "k8s.io/apiserver/pkg/quota/v1"
	"k8s.io/kubernetes/pkg/quota/v1/evaluator/core"
	utilclock "k8s.io/utils/clock"

	"github.com/kubesettle/kubesettle/verify/control/admission"
	"github.com/kubesettle/kubesettle/verify/state"
)

// TestQuota lets the API server's admission create pods one after the other until a
// ResourceQuota refuses one, from clusters with any pods, and compares how many it lets
// through.
func TestQuota(t *testing.T) {
	r := rand.New(rand.NewPCG(*loopSeed, 9))
	refused, free := 0, 0
	for i := range loopCases(3000) {
		m := state.Manifest{Deployment: webDeployment(r, "v1")}
		m.Deployment.Spec.Template.Spec.Containers = anyContainers(r)
		spec := webSpec(m, m, 1)
		for k := range 1 + r.IntN(2) {
			q := anyQuota(r, fmt.Sprint("quota-", k))
			spec.Quotas = append(spec.Quotas, state.Quota{Namespace: "default", Name: q.Name, Objects: [2]*corev1.ResourceQuota{q, q}})
		}
		p := newLoopProblem(t, spec, []int{2})
		s := p.cfg.New()
		scatter(r, s)
		const most = 12
		want := upstreamRoom(t, s, spec.Quotas, most)
		if got := admission.NewQuotas(p.cfg).Room(s, 0, most); got != want {
			t.Fatalf("case %d: room for %d pods, upstream for %d\n%s%+v\n%+v", i, got, want, describe(s), m.Deployment.Spec.Template.Spec.Containers, spec.Quotas)
		}
		if want < most {
			refused++
		} else {
			free++
		}
	}
	t.Logf("%d clusters, %d of them with pods refused", loopCases(3000), refused)
	if refused == 0 || free == 0 {
		t.Error("not every answer was drawn: generate others")
	}
}

// upstreamRoom is how many more pods the admission plugin lets pass, at most limit.
func upstreamRoom(t *testing.T, s state.State, quotas []state.Quota, limit int) int {
	t.Helper()
	evaluator := core.NewPodEvaluator(nil, utilclock.RealClock{})
	pod := &corev1.Pod{ObjectMeta: s.C.Pods[0].Template.ObjectMeta, Spec: s.C.Pods[0].Template.Spec}
	pod.Name, pod.Namespace = "web-1", "default"
	one, err := evaluator.Usage(pod)
	check(t, err)
	used := corev1.ResourceList{}
	for range s.Existing(0) {
		used = quota.Add(used, one)
	}
	var list []corev1.ResourceQuota
	for _, q := range quotas {
		o := *q.Objects[0].DeepCopy()
		o.Status.Hard = o.Spec.Hard
		o.Status.Used = corev1.ResourceList{}
		for name := range o.Spec.Hard {
			o.Status.Used[name] = used[name]
		}
		list = append(list, o)
	}
	attributes := apiadmission.NewAttributesRecord(pod, nil, corev1.SchemeGroupVersion.WithKind("Pod"), "default", pod.Name,
		corev1.SchemeGroupVersion.WithResource("pods"), "", apiadmission.Create, &metav1.CreateOptions{}, false, nil)
	for n := range limit {
		next, err := resourcequota.CheckRequest(list, attributes, evaluator, nil)
		if err != nil {
			return n
		}
		list = next
	}
	return limit
}

// anyContainers have requests and limits of most of what anyQuota counts: upstream refuses those of which one
// has to be there and is not.
func anyContainers(r *rand.Rand) []corev1.Container {
	var out []corev1.Container
	for i := range 1 + r.IntN(2) {
		list := func(factor int64) corev1.ResourceList {
			return corev1.ResourceList{
				"cpu":    *resource.NewMilliQuantity(factor*int64(1+r.IntN(900)), resource.DecimalSI),
				"memory": *resource.NewQuantity(factor*int64(1+r.IntN(1<<30)), resource.BinarySI),
			}
		}
		c := corev1.Container{Name: fmt.Sprint("main-", i), Resources: corev1.ResourceRequirements{Requests: list(1), Limits: list(2)}}
		if r.IntN(3) == 0 {
			one := resource.MustParse("1")
			c.Resources.Requests["example.com/gpu"], c.Resources.Limits["example.com/gpu"] = one, one
		}
		for _, name := range []corev1.ResourceName{"cpu", "memory"} {
			switch r.IntN(12) {
			case 0: // a limit alone would stand for the request, before this
				delete(c.Resources.Requests, name)
				delete(c.Resources.Limits, name)
			case 1:
				delete(c.Resources.Limits, name)
			}
		}
		out = append(out, c)
	}
	return out
}

func anyQuota(r *rand.Rand, name string) *corev1.ResourceQuota {
	q := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
	q.Spec.Hard = corev1.ResourceList{}
	add := func(name corev1.ResourceName, amount *resource.Quantity) {
		if r.IntN(4) == 0 {
			q.Spec.Hard[name] = *amount
		}
	}
	for _, name := range []corev1.ResourceName{"cpu", "requests.cpu", "limits.cpu"} {
		add(name, resource.NewMilliQuantity(int64(r.IntN(20_000)), resource.DecimalSI))
	}
	for _, name := range []corev1.ResourceName{"memory", "requests.memory", "limits.memory"} {
		add(name, resource.NewQuantity(r.Int64N(40<<30), resource.BinarySI))
	}
	for _, name := range []corev1.ResourceName{"pods", "count/pods", "requests.example.com/gpu", "services"} {
		add(name, resource.NewQuantity(int64(r.IntN(25)), resource.DecimalSI))
	}
	return q
}
