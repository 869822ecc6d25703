package conformance

import (
	"fmt"
	"math/rand/v2"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiadmission "k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/resourcequota"
	quota "k8s.io/apiserver/pkg/quota/v1"
	"k8s.io/kubernetes/pkg/quota/v1/evaluator/core"
	utilclock "k8s.io/utils/clock"

	"github.com/kubesettle/kubesettle/verify/conformance/sample"
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
		m.Deployment.Spec.Template.Spec.Containers = sample.Containers(r)
		spec := webSpec(m, m, 1)
		for k := range 1 + r.IntN(2) {
			q := sample.Quota(r, fmt.Sprint("quota-", k))
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
