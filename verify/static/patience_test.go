package static

import (
	"math/rand/v2"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/render/object"
)

// TestLeastTimeIsLeast: no rolling update within its limits, of pods that are ready at the first moment they can be, is
// done sooner than what is told, and many are done just then. The update is played as upstream's controller has it: new
// pods as far as the surge goes, old ones away as far as enough are available.
func TestLeastTimeIsLeast(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	just, rounds := 0, 1500
	for range rounds {
		pods, surge, less := int32(1+r.IntN(12)), intstr.FromInt32(int32(r.IntN(4))), intstr.FromInt32(int32(r.IntN(4)))
		if surge.IntVal+less.IntVal == 0 {
			surge = intstr.FromInt32(1)
		}
		d := &appsv1.Deployment{}
		d.Spec.Replicas, d.Spec.MinReadySeconds = &pods, int32(r.IntN(3)*r.IntN(60))
		d.Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType,
			RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &surge, MaxUnavailable: &less}}
		probe := &corev1.Probe{
			InitialDelaySeconds: int32(1 + r.IntN(90)), PeriodSeconds: 10, SuccessThreshold: int32(1 + r.IntN(2)),
		}
		d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "web", ReadinessProbe: probe}}
		pace, ok := paceOf(&object.Object{Typed: d}, nil, false)
		if !ok {
			t.Fatalf("nothing is said of %+v", d.Spec)
		}
		ready := int(probe.InitialDelaySeconds + (probe.SuccessThreshold-1)*probe.PeriodSeconds)
		took := played(int(pods), int(surge.IntVal), int(less.IntVal), ready, ready+int(d.Spec.MinReadySeconds))
		if least := int(pace.least / time.Second); took < least {
			t.Fatalf("%d pods, surge %v, unavailable %v, ready after %d s, available %d s later: done after %d s, told %d s at least", pods, surge.IntVal, less.IntVal, ready, d.Spec.MinReadySeconds, took, least)
		} else if took == least {
			just++
		}
	}
	if just < rounds/2 {
		t.Errorf("%d of %d are done just then: the least time is of little use", just, rounds)
	}
}

// played is after how many seconds all but less of the pods are new and ready.
func played(pods, surge, less, ready, available int) int {
	old, born := pods, []int{} // when each new pod came
	for now := 0; ; now++ {
		serving, fresh := old, 0
		for _, at := range born {
			if now-at >= ready {
				fresh++
			}
			if now-at >= available {
				serving++
			}
		}
		if fresh >= max(pods-less, 0) {
			return now
		}
		for more := true; more; {
			more = false
			if len(born) < pods && old+len(born) < pods+surge {
				born, more = append(born, now), true
			}
			if old > 0 && serving > pods-less {
				old, serving, more = old-1, serving-1, true
			}
		}
	}
}
