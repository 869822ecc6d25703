package conformance

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	scalefake "k8s.io/client-go/scale/fake"
	clienttesting "k8s.io/client-go/testing"
	autoscalingdefaults "k8s.io/kubernetes/pkg/apis/autoscaling/v2"
	"k8s.io/kubernetes/pkg/controller/podautoscaler"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

// TestHPASync: one sync of upstream's controller, with windows and periods passed, writes
// the count that the actor writes.
func TestHPASync(t *testing.T) {
	r := rand.New(rand.NewPCG(*loopSeed, 5))
	upstream := newUpstreamHPA(t, 0)
	up, down, held := 0, 0, 0
	for i := range loopCases(10000) {
		base, head := hpaManifest(r), hpaManifest(r)
		p := newLoopProblem(t, webSpec(base, head, 1), []int{2})
		if len(p.cfg.Pods) != 2 {
			continue // equal templates: one revision
		}
		s := p.cfg.New()
		s.Set(p.cfg.Applied, r.IntN(2))
		scatter(r, s)
		h := s.Manifest(0).HPA.Spec
		switch r.IntN(8) {
		case 0:
			s.SetReplicas(0, r.IntN(24))
		case 1:
			s.SetReplicas(0, s.Active(0)+s.Active(1))
		default:
			s.SetReplicas(0, int(*h.MinReplicas)+r.IntN(int(h.MaxReplicas-*h.MinReplicas)+1))
		}
		s.Set(p.cfg.Workload[0].Load, r.IntN(int(state.Loads)))
		want := upstream.sync(t, r, s)
		// Which samples are at hand and what the windows hold is not in the state: the actor
		// has a successor for each, and upstream's answer has to be one of them.
		got, words := s.Replicas(0), "keeps the count"
		for _, x := range actor.Successors(p.actor(t, "hpa/default/web"), s) {
			if n := x.To.Replicas(0); got != want || n == want {
				got, words = n, p.actor(t, "hpa/default/web").Describe(s, x.To, x.Move).Text
			}
		}
		if got != want && waits(s) && want < s.Replicas(0) {
			held++ // upstream's window is empty here; it is not in a cluster
			continue
		}
		if got != want {
			t.Fatalf("case %d: ours %d (%s), upstream %d (%v)\n%s%+v", i, got, words, want, upstream.err, describe(s), s.Manifest(0).HPA.Spec)
		}
		if got > s.Replicas(0) {
			up++
		}
		if got < s.Replicas(0) {
			down++
		}
	}
	if up == 0 || down == 0 {
		t.Errorf("%d cases scaled up, %d down and %d waited, want some of the first two", up, down, held)
	}
	t.Logf("%d cases, %d scaled up, %d down, %d waited for their pods", loopCases(10000), up, down, held)
}

// waits reports whether the model lets a scale-down wait for its stabilization window: one
// of a minute or more, while the kubelet has work, from a count that maxReplicas allows.
func waits(s state.State) bool {
	h := s.Manifest(0).HPA.Spec
	window := int32(300)
	if b := h.Behavior; b != nil && b.ScaleDown != nil && b.ScaleDown.StabilizationWindowSeconds != nil {
		window = *b.ScaleDown.StabilizationWindowSeconds
	}
	busy := 0
	for p := range s.C.Pods {
		busy += s.Count(p, state.Starting) + s.Count(p, state.Terminating)
	}
	return window >= 60 && busy > 0 && s.Replicas(0) <= int(h.MaxReplicas)
}

// hpaManifest is a Deployment whose containers may lack requests, with an HPA on up to
// two metrics.
func hpaManifest(r *rand.Rand) state.Manifest {
	d := webDeployment(r, fmt.Sprint("v", r.IntN(1000000)))
	spec := &d.Spec.Template.Spec
	cpu := func(percent int) corev1.ResourceRequirements {
		if r.IntN(100) >= percent {
			return corev1.ResourceRequirements{}
		}
		out := corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": *resource.NewMilliQuantity(int64(1+r.IntN(1500)), resource.DecimalSI)}}
		if r.IntN(100) < percent {
			out.Requests["memory"] = *resource.NewQuantity(int64(1+r.IntN(1<<30)), resource.BinarySI)
		}
		return out
	}
	spec.Containers[0].Resources = cpu(95)
	if r.IntN(4) == 0 {
		spec.Containers = append(spec.Containers, corev1.Container{Name: "side", Resources: cpu(90)})
	}
	if r.IntN(4) == 0 {
		spec.InitContainers = []corev1.Container{{Name: "init", Resources: cpu(50)}}
		if r.IntN(2) == 0 {
			spec.InitContainers[0].RestartPolicy = new(corev1.ContainerRestartPolicy)
			*spec.InitContainers[0].RestartPolicy = corev1.ContainerRestartPolicyAlways
			spec.InitContainers[0].Resources = cpu(90)
		}
	}
	if r.IntN(6) == 0 {
		q := cpu(80)
		spec.Resources = &q
	}
	low := int32(1 + r.IntN(4))
	h := &autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"},
			MinReplicas:    &low, MaxReplicas: low + int32(r.IntN(18)),
		},
	}
	for range r.IntN(3) {
		h.Spec.Metrics = append(h.Spec.Metrics, anyMetric(r))
	}
	if r.IntN(2) == 0 {
		h.Spec.Behavior = &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleUp: scalingRules(r), ScaleDown: scalingRules(r)}
	}
	return state.Manifest{Deployment: d, DeclaresReplicas: r.IntN(2) == 0, HPA: h}
}

func scalingRules(r *rand.Rand) *autoscalingv2.HPAScalingRules {
	if r.IntN(4) == 0 {
		return nil
	}
	out := &autoscalingv2.HPAScalingRules{}
	if r.IntN(2) == 0 {
		s := []autoscalingv2.ScalingPolicySelect{autoscalingv2.MaxChangePolicySelect, autoscalingv2.MinChangePolicySelect, autoscalingv2.DisabledPolicySelect}[r.IntN(3)]
		out.SelectPolicy = &s
	}
	for range r.IntN(3) {
		out.Policies = append(out.Policies, autoscalingv2.HPAScalingPolicy{
			Type:  []autoscalingv2.HPAScalingPolicyType{autoscalingv2.PodsScalingPolicy, autoscalingv2.PercentScalingPolicy}[r.IntN(2)],
			Value: int32(1 + r.IntN(120)), PeriodSeconds: 60,
		})
	}
	if r.IntN(2) == 0 {
		window := int32(0)
		out.StabilizationWindowSeconds = &window
	}
	if r.IntN(3) == 0 {
		out.Tolerance = resource.NewMilliQuantity(int64(r.IntN(400)), resource.DecimalSI)
	}
	return out
}

// upstreamHPA is upstream's HPA controller between a fake API server and fake metrics.
type upstreamHPA struct {
	controller *podautoscaler.HorizontalController
	factory    informers.SharedInformerFactory
	metrics    []autoscalingv2.MetricSpec // of the HPA that is synced
	workload   *state.Workload
	load       state.Load
	ready      []string // pods
	unready    []string // pods that run
	beside     beside
	random     *rand.Rand
	scale      *autoscalingv1.Scale
	live       *state.State // the cluster, where the informer of pods lags; nil: it does not
	lost       int          // of the ready pods of the first class, those that are gone from live
	object     int          // which HPA is synced
	err        error        // of the last sync
}

func newUpstreamHPA(t *testing.T, downscaleStabilization time.Duration) *upstreamHPA {
	t.Helper()
	client, scales := &fake.Clientset{}, &scalefake.FakeScaleClient{}
	u := &upstreamHPA{factory: informers.NewSharedInformerFactory(client, 0)}
	client.AddReactor("*", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		if w, ok := a.(clienttesting.CreateAction); ok {
			return true, w.GetObject(), nil
		}
		return false, nil, fmt.Errorf("unexpected %s of %s", a.GetVerb(), a.GetResource())
	})
	scales.AddReactor("get", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, u.scale.DeepCopy(), nil
	})
	scales.AddReactor("update", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		u.scale = a.(clienttesting.UpdateAction).GetObject().(*autoscalingv1.Scale)
		return true, u.scale, nil
	})
	mapper := apimeta.NewDefaultRESTMapper([]schema.GroupVersion{{Group: "apps", Version: "v1"}})
	mapper.Add(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, apimeta.RESTScopeNamespace)
	u.controller = podautoscaler.NewHorizontalController(quiet(t), client.CoreV1(), scales, client.AutoscalingV2(), mapper, u,
		u.factory.Autoscaling().V2().HorizontalPodAutoscalers(), u.factory.Core().V1().Pods(),
		0, downscaleStabilization, 0.1, 5*time.Minute, 30*time.Second)
	return u
}

// sync plays s to upstream's controller and gives the live replicas after one sync.
func (u *upstreamHPA) sync(t *testing.T, r *rand.Rand, s state.State) int {
	t.Helper()
	u.forget()
	return u.again(t, r, s)
}

// forget makes the next sync that of an HPA never seen before.
func (u *upstreamHPA) forget() { u.object++ }

// again is [upstreamHPA.sync] of the HPA that was synced last: its windows hold what was
// recommended.
func (u *upstreamHPA) again(t *testing.T, r *rand.Rand, s state.State) int {
	t.Helper()
	u.ready, u.unready, u.random = nil, nil, r
	u.beside = beside{}
	u.workload, u.load = &s.C.Spec.Workloads[0], s.Load(0)
	var pods []any
	running := r.IntN(2) == 0 // the model takes all that start for alike
	for p := range s.C.Pods {
		for _, pod := range classPods(r, s, p, fmt.Sprintf("web-%d", p)) {
			if pod.DeletionTimestamp == nil && pod.Spec.NodeName != "" && pod.Status.Conditions[0].Status != corev1.ConditionTrue {
				pod.Status.Phase = corev1.PodPending
				if running {
					pod.Status.Phase = corev1.PodRunning
				}
			}
			ready := clock(r, pod)
			switch {
			case s.C.Pods[p].Workload != 0:
				u.beside.workload, u.beside.load = &s.C.Spec.Workloads[s.C.Pods[p].Workload], s.Load(s.C.Pods[p].Workload)
				if ready {
					u.beside.ready = append(u.beside.ready, pod.Name)
				} else if pod.Status.Phase == corev1.PodRunning && pod.DeletionTimestamp == nil {
					u.unready = append(u.unready, pod.Name)
				}
			case ready:
				u.ready = append(u.ready, pod.Name)
			case pod.Status.Phase == corev1.PodRunning && pod.DeletionTimestamp == nil:
				u.unready = append(u.unready, pod.Name)
			}
			pods = append(pods, pod)
		}
	}
	active := activeOf(s, 0)
	if u.live != nil {
		active, u.ready = activeOf(*u.live, 0), u.ready[u.lost:]
	}
	check(t, u.factory.Core().V1().Pods().Informer().GetIndexer().Replace(pods, ""))
	h := s.Manifest(0).HPA.DeepCopy()
	autoscalingdefaults.SetDefaults_HorizontalPodAutoscaler(h)
	u.metrics = h.Spec.Metrics
	u.scale = &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"},
		Spec:       autoscalingv1.ScaleSpec{Replicas: int32(s.Replicas(0))},
		Status:     autoscalingv1.ScaleStatus{Replicas: int32(active), Selector: "app=web"},
	}
	// A metric that fails is an error and keeps the count.
	u.err = reconcileAutoscaler(u.controller, quiet(t), h, fmt.Sprintf("default/web-%d", u.object))
	return int(u.scale.Spec.Replicas)
}

// activeOf is a Deployment's .status.replicas.
func activeOf(s state.State, w int) int {
	total := 0
	for _, p := range s.C.ClassesOf[w] {
		total += s.Active(p)
	}
	return total
}

// clock sets a pod's times so that it is what its phase says for hours, and reports whether
// it is ready.
func clock(r *rand.Rand, pod *corev1.Pod) bool {
	start := metav1.Time{Time: time.Now().Add(-time.Duration(1+r.IntN(600)) * time.Minute)}
	if pod.Status.Phase != corev1.PodRunning {
		return false
	}
	pod.Status.StartTime = &start
	ready := pod.Status.Conditions[0].Status == corev1.ConditionTrue
	pod.Status.Conditions[0].LastTransitionTime = metav1.Time{Time: start.Add(time.Second)}
	if ready {
		start.Time = start.Add(-time.Hour)
	}
	return ready && pod.DeletionTimestamp == nil
}
