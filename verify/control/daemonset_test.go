package control_test

import (
	"math/rand/v2"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/verify/state"
)

// daemonSetOf: base|head|both NAME daemon [surge=0] [unavailable=1] [ondelete].
func daemonSetOf(d *appsv1.Deployment, flags []string, opt map[string]string) *appsv1.DaemonSet {
	surge, unavailable := intstr.FromInt32(0), intstr.FromInt32(1)
	if opt["surge"] != "" {
		surge = intstr.Parse(opt["surge"])
	}
	if opt["unavailable"] != "" {
		unavailable = intstr.Parse(opt["unavailable"])
	}
	set := &appsv1.DaemonSet{ObjectMeta: d.ObjectMeta, Spec: appsv1.DaemonSetSpec{
		Selector: d.Spec.Selector, Template: d.Spec.Template, MinReadySeconds: d.Spec.MinReadySeconds,
		UpdateStrategy: appsv1.DaemonSetUpdateStrategy{
			Type:          appsv1.RollingUpdateDaemonSetStrategyType,
			RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxSurge: &surge, MaxUnavailable: &unavailable},
		},
	}}
	if slices.Contains(flags, "ondelete") {
		set.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{Type: appsv1.OnDeleteDaemonSetStrategyType}
	}
	return set
}

// someDaemons gives some nodes a pod of class p, or one that is made for them.
func (s *script) someDaemons(t state.State, r *rand.Rand, p int) {
	for n := range s.cfg.Nodes {
		ph := state.Phase(r.IntN(int(state.Phases)))
		switch k := r.IntN(5); {
		case k == 0:
		case k == 1 || !s.cfg.HasPhase(p, ph):
			t.Await(n, p, 1)
			if s.cfg.Preempts(p) && r.IntN(3) == 0 {
				t.Nominate(n, p, 1)
			}
		default:
			t.Add(n, p, ph, 1)
		}
	}
}
