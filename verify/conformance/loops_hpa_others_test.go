package conformance

import (
	"fmt"
	"math/rand/v2"
	"testing"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	autoscalingdefaults "k8s.io/kubernetes/pkg/apis/autoscaling/v2"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

// besideSpec is the slice of a Deployment with an HPA, and of another one, without, whose
// pods have the same label.
func besideSpec(r *rand.Rand, web state.Manifest) *state.Spec {
	spec := webSpec(state.Manifest{}, web, 1)
	d := webDeployment(r, "other")
	d.Name = "other"
	d.Spec.Template.Spec.Containers[0].Resources = corev1.ResourceRequirements{}
	if r.IntN(20) > 0 {
		d.Spec.Template.Spec.Containers[0].Resources.Requests = corev1.ResourceList{
			"cpu": *resource.NewMilliQuantity(int64(1+r.IntN(1500)), resource.DecimalSI), "memory": *resource.NewQuantity(int64(1+r.IntN(1<<30)), resource.BinarySI),
		}
	}
	spec.Workloads = append(spec.Workloads, state.Workload{
		ID: "apps/Deployment default/other", Namespace: "default", Name: "other", Manifests: [2]state.Manifest{{}, {Deployment: d}},
	})
	return spec
}

// TestHPACountsOthers: with pods of another workload under the selector, one sync of
// upstream's controller writes the count that the actor writes.
func TestHPACountsOthers(t *testing.T) {
	r := rand.New(rand.NewPCG(*loopSeed, 9))
	upstream := newUpstreamHPA(t, 0)
	moved, matter := 0, 0
	for i := range loopCases(4000) {
		p := newLoopProblem(t, besideSpec(r, hpaManifest(r)), []int{2})
		s := p.cfg.New()
		s.Set(p.cfg.Applied, int(state.Head))
		scatter(r, s)
		h := s.Manifest(0).HPA.Spec
		s.SetReplicas(0, int(*h.MinReplicas)+r.IntN(int(h.MaxReplicas-*h.MinReplicas)+1))
		s.SetReplicas(1, 1)
		for w := range 2 {
			s.Set(p.cfg.Workload[w].Load, r.IntN(int(state.Loads)))
		}
		want := upstream.sync(t, r, s)
		hpa := p.actor(t, "hpa/default/web")
		got, words := s.Replicas(0), "keeps the count"
		for _, x := range actor.Successors(hpa, s) {
			if n := x.To.Replicas(0); got != want || n == want {
				got, words = n, hpa.Describe(s, x.To, x.Move).Text
			}
		}
		if got != want && waits(s) && want < s.Replicas(0) {
			continue
		}
		if got != want {
			t.Fatalf("case %d: ours %d (%s), upstream %d (%v)\n%s%+v", i, got, words, want, upstream.err, describe(s), h)
		}
		if got != s.Replicas(0) {
			moved++
		}
		if alone := p.cfg.New(); got != s.Replicas(0) {
			copy(alone.B, s.B)
			clearClass(alone, p.cfg.ClassesOf[1][0])
			if upstream.sync(t, r, alone) != want {
				matter++
			}
		}
	}
	if moved == 0 || matter == 0 {
		t.Errorf("%d cases scaled, %d of them otherwise without the other's pods, want some of both", moved, matter)
	}
	t.Logf("%d cases scaled, %d of them otherwise without the other's pods", moved, matter)
}

// clearClass takes all pods of class p away.
func clearClass(s state.State, p int) {
	f := &s.C.Class[p]
	s.Set(f.Pending, 0)
	for n := range s.C.Nodes {
		for ph := range state.Phases {
			if s.C.HasPhase(p, ph) {
				s.SetAt(n, f.Phase[ph], 0)
			}
		}
	}
}

// TestHPAAmbiguousSelector: while there are pods that two HPAs select neither computes a
// metric; either keeps to its bounds.
func TestHPAAmbiguousSelector(t *testing.T) {
	r := rand.New(rand.NewPCG(*loopSeed, 11))
	stopped, acted := 0, 0
	for i := range loopCases(300) {
		upstream := newUpstreamHPA(t, 0)
		web := hpaManifest(r)
		rival := web.HPA.DeepCopy()
		rival.Name, rival.UID = "rival", types.UID("rival")
		if r.IntN(2) == 0 {
			web.Rivals = []*autoscalingv2.HorizontalPodAutoscaler{rival}
		}
		p := newLoopProblem(t, webSpec(state.Manifest{}, web, 1), []int{2})
		s := p.cfg.New()
		s.Set(p.cfg.Applied, int(state.Head))
		scatter(r, s)
		h := web.HPA.Spec
		before := int(*h.MinReplicas) + r.IntN(int(h.MaxReplicas-*h.MinReplicas)+2) // or one too many, which it corrects all the same
		s.SetReplicas(0, before)
		s.Set(p.cfg.Workload[0].Load, r.IntN(int(state.Loads)))
		enqueueHPA(upstream.controller, web.HPA)
		if len(web.Rivals) > 0 {
			enqueueHPA(upstream.controller, rival)
			upstream.sync(t, r, s) // registers the selector under the name web
			upstream.reconcile(t, rival)
		}
		want := upstream.sync(t, r, s)
		got := before
		for _, x := range actor.Successors(p.actor(t, "hpa/default/web"), s) {
			if n := x.To.Replicas(0); got != want || n == want {
				got = n
			}
		}
		if got != want && waits(s) && want < before {
			continue
		}
		if got != want {
			t.Fatalf("case %d: ours %d, upstream %d (%v) with %d rivals\n%s", i, got, want, upstream.err, len(web.Rivals), describe(s))
		}
		switch {
		case len(web.Rivals) == 0 && got != before:
			acted++
		case len(web.Rivals) > 0 && before <= int(h.MaxReplicas) && s.Existing(0) > 0:
			if got != before {
				t.Fatalf("case %d: %d -> %d although two count the same pods", i, before, got)
			}
			stopped++
		}
	}
	if stopped == 0 || acted == 0 {
		t.Errorf("%d cases stopped and %d acted, want some of both", stopped, acted)
	}
	t.Logf("%d cases stopped, %d acted", stopped, acted)
}

// reconcile runs one sync of another HPA of the same target.
func (u *upstreamHPA) reconcile(t *testing.T, h *autoscalingv2.HorizontalPodAutoscaler) {
	t.Helper()
	h = h.DeepCopy()
	autoscalingdefaults.SetDefaults_HorizontalPodAutoscaler(h)
	u.err = reconcileAutoscaler(u.controller, quiet(t), h, fmt.Sprintf("default/%s", h.Name))
}
