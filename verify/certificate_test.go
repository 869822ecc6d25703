package verify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/kubesettle/kubesettle/verify/certificate"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// TestCertificatesSpeakOfTheModel holds the steps of certificates against those of the actors: on every step of every run
// of random rollouts, the counters go as some steps of the certificate's take them, and where nothing has a step left to
// take, none is said to have one.
func TestCertificatesSpeakOfTheModel(t *testing.T) {
	notUnderRace(t)
	steps, ends := 0, 0
	for seed := range 40 {
		r := rand.New(rand.NewPCG(41, uint64(seed)))
		replicas := 1 + r.IntN(4)
		share := func() string {
			return []string{fmt.Sprint(r.IntN(3)), fmt.Sprintf("%q", fmt.Sprint(r.IntN(5)*25, "%"))}[r.IntN(2)]
		}
		surge, unavailable := share(), share()
		if r.IntN(2) == 0 && surge == "0" {
			surge = "1"
		}
		manifest := func(image string) string {
			return fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: %d
  strategy: {rollingUpdate: {maxSurge: %s, maxUnavailable: %s}}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: %q}]}
`, replicas, surge, unavailable, image)
		}
		ch, pol := changeOf(t, manifest("i:1"), manifest("i:2"), "")
		cut := cutOf(ch)
		if len(cut) != 1 {
			t.Fatalf("%d slices", len(cut))
		}
		v := scenario.VariantOf(cut[0], pol.NodeClasses(cut[0].Relevant), state.ClientSide, state.Events{BadRevision: r.IntN(2)}).Change()
		v.Spec.Unreduced = true // pods on deletion are there
		topology := make(scale.Topology, len(v.Spec.Classes))
		topology[0] = 1
		p, err := scenario.NewProblem(&v.Spec, topology, nil, actor.Realistic)
		if err != nil {
			t.Fatal(err)
		}
		initial, _, err := p.Settle(context.Background(), state.Base, scenario.Budget{States: scenario.SearchStates})
		if err != nil {
			t.Fatal(err)
		}
		m := v.Spec.Workloads[0].Manifests[state.Head]
		of := func(b []byte) (certificate.State, state.State) {
			s := state.State{C: p.Cfg, B: b}
			return counted(s, m.Pace().SurgeOf(replicas), m.Pace().UnavailableOf(replicas)), s
		}
		seen := map[string]bool{}
		sys := p.System
		sys.Initial = initial
		sys.Rules = []search.Rule{
			{Name: "steps", BadStep: func(from, to []byte, _ int, _ search.Move) bool {
				a, s := of(from)
				b, after := of(to)
				switch {
				case after.Version() != state.Head:
				case s.Version() != state.Head:
					if !certificate.Starts(b) {
						t.Errorf("seed %d: a rollout starts from %v", seed, b)
					}
				case !seen[fmt.Sprint(a, b)]:
					seen[fmt.Sprint(a, b)] = true
					if steps++; !certificate.Explains(a, b, 4) {
						t.Errorf("seed %d, %d replicas, surge %s, unavailable %s: no step leads from\n%v to\n%v", seed, replicas, surge, unavailable, a, b)
					}
				}
				return false
			}},
			{Name: "ends", Quiescent: func(b []byte) bool {
				a, s := of(b)
				if s.Version() == state.Head && !s.Bad(s.NewClass(0)) {
					if ends++; certificate.Able(a) {
						t.Errorf("seed %d: nothing moves any more, and a step can be taken from %v", seed, a)
					}
				}
				return false
			}},
		}
		res, err := search.Run(context.Background(), sys, search.Options{Workers: 1, MaxStates: 200_000, MaxEvents: -1})
		if err != nil || res.Bound != search.Complete {
			t.Fatalf("seed %d: %v, bound %v", seed, err, res.Bound)
		}
	}
	if steps < 1_000 || ends < 30 {
		t.Errorf("%d steps, %d ends: the test has lost its teeth", steps, ends)
	}
	t.Logf("%d steps, %d ends", steps, ends)
}

// counted are the counters of a state of one Deployment.
func counted(s state.State, surge, unavailable int) certificate.State {
	out := certificate.State{"replicas": int64(s.Replicas(0)), "surge": int64(surge), "unavailable": int64(unavailable)}
	for _, name := range []string{"newExists", "oldSize", "oldUnready", "oldReady", "newSize", "newPending", "newStarting", "newReady", "stopping"} {
		out[name] = 0
	}
	for _, p := range s.C.ClassesOf[0] {
		f := &s.C.Class[p]
		out["stopping"] += int64(s.Count(p, state.Terminating))
		if p == s.NewClass(0) {
			out["newExists"], out["newSize"] = int64(s.Get(f.Exists)), int64(s.Get(f.Size))
			out["newPending"], out["newStarting"] = int64(s.Pending(p)), int64(s.Count(p, state.Starting))
			out["newReady"] = int64(s.ReadyPods(p))
			continue
		}
		out["oldSize"] += int64(s.Get(f.Size))
		out["oldUnready"] += int64(s.Pending(p) + s.Count(p, state.Starting))
		out["oldReady"] += int64(s.ReadyPods(p))
	}
	return out
}
