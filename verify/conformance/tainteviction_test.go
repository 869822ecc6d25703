package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/kubernetes/pkg/controller/tainteviction"

	"github.com/kubesettle/kubesettle/verify/control/nodes"
)

//go:linkname processPodOnNode k8s.io/kubernetes/pkg/controller/tainteviction.(*Controller).processPodOnNode
func processPodOnNode(tc *tainteviction.Controller, ctx context.Context, pod types.NamespacedName, node string,
	tolerations []corev1.Toleration, taints []corev1.Taint, now time.Time)

//go:linkname getNoExecuteTaints k8s.io/kubernetes/pkg/controller/tainteviction.getNoExecuteTaints
func getNoExecuteTaints(taints []corev1.Taint) []corev1.Taint

// TestTaintEviction compares for how long a pod may stay on a tainted node with when
// upstream's controller queues its deletion.
func TestTaintEviction(t *testing.T) {
	r := rand.New(rand.NewPCG(*loopSeed, 6))
	ctx := context.Background()
	client := fake.NewClientset()
	f := informers.NewSharedInformerFactory(client, 0)
	tc, err := tainteviction.New(ctx, client, f.Core().V1().Pods(), f.Core().V1().Nodes(), "taint-eviction")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for i := range loopCases(20000) {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("web-", i), Namespace: "default"}}
		for range r.IntN(4) {
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, anyToleration(r))
		}
		var taints []corev1.Taint
		for range r.IntN(5) {
			taints = append(taints, anyTaint(r))
		}
		want := upstreamStay(ctx, tc, pod, taints)
		if got := nodes.StaySeconds(pod, taints); got != want {
			t.Fatalf("case %d: tolerations %+v, taints %+v: ours %d s, upstream %d s", i, pod.Spec.Tolerations, taints, got, want)
		}
		switch {
		case want < 0:
			seen["for ever"]++
		case want == 0:
			seen["not"]++
		default:
			seen["for a while"]++
		}
	}
	t.Logf("%d pods: %v", loopCases(20000), seen)
	if len(seen) < 3 {
		t.Error("not every answer was drawn: generate others")
	}
}

// upstreamStay is the seconds after which upstream deletes the pod; -1 is never.
func upstreamStay(ctx context.Context, tc *tainteviction.Controller, pod *corev1.Pod, taints []corev1.Taint) int64 {
	if taints = getNoExecuteTaints(taints); len(taints) == 0 {
		return -1 // handlePodUpdate and handleNodeUpdate leave such nodes alone
	}
	fired := make(chan struct{}, 1)
	queue := tainteviction.CreateWorkerQueue(func(context.Context, time.Time, *tainteviction.WorkArgs) error {
		fired <- struct{}{}
		return nil
	})
	field := reflect.ValueOf(tc).Elem().FieldByName("taintEvictionQueue")
	*(**tainteviction.TimedWorkerQueue)(unsafe.Pointer(field.UnsafeAddr())) = queue
	key := types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
	processPodOnNode(tc, ctx, key, "n-1", pod.Spec.Tolerations, taints, time.Now())
	if w := queue.GetWorkerUnsafe(key.String()); w != nil {
		w.Cancel()
		return int64(w.FireAt.Sub(w.CreatedAt) / time.Second)
	}
	queue.CancelAndWait()
	select {
	case <-fired:
		return 0
	default:
		return -1
	}
}

func anyToleration(r *rand.Rand) corev1.Toleration {
	tol := corev1.Toleration{
		Key:      []string{"", "a", "a", "b", "b", "c"}[r.IntN(6)],
		Operator: []corev1.TolerationOperator{"", corev1.TolerationOpEqual, corev1.TolerationOpExists, corev1.TolerationOpExists}[r.IntN(4)],
		Value:    []string{"", "1", "2"}[r.IntN(3)],
		Effect:   []corev1.TaintEffect{"", corev1.TaintEffectNoExecute, corev1.TaintEffectNoExecute, corev1.TaintEffectNoSchedule}[r.IntN(4)],
	}
	if r.IntN(2) == 0 {
		seconds := []int64{-3, 0, 30, 60, 300}[r.IntN(5)]
		tol.TolerationSeconds = &seconds
	}
	return tol
}

func anyTaint(r *rand.Rand) corev1.Taint {
	return corev1.Taint{
		Key: []string{"a", "b", "c"}[r.IntN(3)], Value: []string{"", "1", "2"}[r.IntN(3)],
		Effect: []corev1.TaintEffect{corev1.TaintEffectNoExecute, corev1.TaintEffectNoExecute, corev1.TaintEffectNoExecute,
			corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule}[r.IntN(5)],
	}
}
