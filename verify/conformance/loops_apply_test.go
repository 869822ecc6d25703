package conformance

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install" // fills the scheme
	appsdefaults "k8s.io/kubernetes/pkg/apis/apps/v1"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/gitops"
	"github.com/kubesettle/kubesettle/verify/state"
)

// liveObject is one Deployment in an API server: what applies and the autoscaler do to it.
type liveObject interface {
	apply(t *testing.T, manifest []byte)
	scale(t *testing.T, replicas int)
	replicas() int
}

// TestApply: over applies of base and head with the autoscaler in between, the live
// replicas are what upstream's merge makes of them.
func TestApply(t *testing.T) {
	types := applyconfigurations.NewTypeConverter(legacyscheme.Scheme)
	for name, world := range map[string]struct {
		apply state.Apply
		make  func(*testing.T) liveObject
	}{
		"client-side": {state.ClientSide, func(*testing.T) liveObject { return &clientSide{} }},
		"server-side": {state.ServerSide, func(t *testing.T) liveObject { return newServerSide(t, types) }},
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(*loopSeed, 6))
			for range loopCases(600) {
				playApplies(t, r, world.apply, world.make(t))
			}
		})
	}
}

// playApplies applies either of two manifests, again and again. The actor knows one
// direction, so there is a problem for each, and the live object moves between them.
func playApplies(t *testing.T, r *rand.Rand, how state.Apply, live liveObject) {
	t.Helper()
	var manifests [2]state.Manifest
	var written [2][]byte
	for v := range manifests {
		manifests[v], written[v] = replicasManifest(t, r)
	}
	var to [2]*loopProblem // to[v] applies manifest v
	for v := range to {
		spec := webSpec(manifests[1-v], manifests[v], 1)
		spec.Apply, spec.Events.Apply = how, 1
		to[v] = newLoopProblem(t, spec, []int{1})
	}
	last := 0
	s := gitops.Install(to[1].cfg, state.Base)
	live.apply(t, written[0])
	for i := range 8 {
		if n := 1 + r.IntN(4); r.IntN(2) == 0 && n != s.Replicas(0) { // as the HPA actor does
			live.scale(t, n)
			s.SetReplicas(0, n)
			if how == state.ServerSide {
				s.Set(s.C.Workload[0].Owners, int(state.Autoscaler))
			}
		} else {
			v := r.IntN(2)
			live.apply(t, written[v])
			s = applied(t, to[v], s, last == v)
			last = v
		}
		if got, want := s.Replicas(0), live.replicas(); got != want {
			t.Fatalf("step %d: ours %d, upstream %d\nbase %s\nhead %s", i, got, want, written[0], written[1])
		}
	}
}

// applied is the live object of s after p's manifest was applied, over itself or over
// the other one.
func applied(t *testing.T, p *loopProblem, s state.State, again bool) state.State {
	t.Helper()
	from := p.cfg.New()
	from.SetReplicas(0, s.Replicas(0))
	from.Set(p.cfg.Workload[0].Owners, int(s.Owners(0)))
	from.Set(p.cfg.Applies, 1)
	if again {
		from.Set(p.cfg.Applied, int(state.Head))
	}
	all := actor.Successors(p.actor(t, "apply"), from)
	if len(all) != 1 {
		t.Fatalf("an apply has %d outcomes", len(all))
	}
	return all[0].To
}

// replicasManifest is a Deployment that declares replicas or not, and as it is written.
func replicasManifest(t *testing.T, r *rand.Rand) (state.Manifest, []byte) {
	t.Helper()
	d := webDeployment(r, "v1")
	d.Spec.Paused = false
	*d.Spec.Replicas = int32(1 + r.IntN(4))
	m := state.Manifest{Deployment: d, DeclaresReplicas: r.IntN(2) == 0}
	asWritten := map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "web", "namespace": "default"},
		"spec": map[string]any{"selector": map[string]any{"matchLabels": map[string]any{"app": "web"}}},
	}
	if m.DeclaresReplicas {
		asWritten["spec"].(map[string]any)["replicas"] = *d.Spec.Replicas
	} else {
		*d.Spec.Replicas = 1 // as defaulted
	}
	b, err := json.Marshal(asWritten)
	check(t, err)
	return m, b
}

// clientSide is kubectl apply: the three-way merge with the last applied manifest.
type clientSide struct{ last, live []byte }

func (c *clientSide) apply(t *testing.T, manifest []byte) {
	t.Helper()
	if c.live == nil {
		c.live = manifest
	} else {
		meta, err := strategicpatch.NewPatchMetaFromStruct(appsv1.Deployment{})
		check(t, err)
		patch, err := strategicpatch.CreateThreeWayMergePatch(c.last, manifest, c.live, meta, true)
		check(t, err)
		c.live, err = strategicpatch.StrategicMergePatch(c.live, patch, appsv1.Deployment{})
		check(t, err)
	}
	c.last = manifest
	c.store(t, func(*appsv1.Deployment) {})
}

func (c *clientSide) scale(t *testing.T, n int) {
	t.Helper()
	c.store(t, func(d *appsv1.Deployment) { *d.Spec.Replicas = int32(n) })
}

// store is what the API server does to what is written: it defaults it.
func (c *clientSide) store(t *testing.T, change func(*appsv1.Deployment)) {
	t.Helper()
	var d appsv1.Deployment
	check(t, json.Unmarshal(c.live, &d))
	appsdefaults.SetDefaults_Deployment(&d)
	change(&d)
	var err error
	c.live, err = json.Marshal(d)
	check(t, err)
}

func (c *clientSide) replicas() int {
	var d appsv1.Deployment
	if json.Unmarshal(c.live, &d) != nil || d.Spec.Replicas == nil {
		return -1
	}
	return int(*d.Spec.Replicas)
}

// serverSide is an API server's field management, with conflicts forced.
type serverSide struct {
	manager *managedfields.FieldManager
	live    *appsv1.Deployment
}

func newServerSide(t *testing.T, types managedfields.TypeConverter) *serverSide {
	t.Helper()
	scheme := legacyscheme.Scheme
	m, err := managedfields.NewDefaultFieldManager(types, scheme, scheme, scheme,
		appsv1.SchemeGroupVersion.WithKind("Deployment"), appsv1.SchemeGroupVersion, "", nil)
	check(t, err)
	return &serverSide{manager: m, live: &appsv1.Deployment{
		TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"}, ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"},
	}}
}

func (s *serverSide) apply(t *testing.T, manifest []byte) {
	t.Helper()
	u := &unstructured.Unstructured{}
	check(t, u.UnmarshalJSON(manifest))
	out, err := s.manager.Apply(s.live, u, "kubectl", true)
	check(t, err)
	s.store(out)
}

func (s *serverSide) scale(t *testing.T, n int) {
	t.Helper()
	changed := s.live.DeepCopy()
	*changed.Spec.Replicas = int32(n)
	out, err := s.manager.Update(s.live, changed, "kube-controller-manager")
	check(t, err)
	s.store(out)
}

// store defaults what is written, as the API server does.
func (s *serverSide) store(out runtime.Object) {
	legacyscheme.Scheme.Default(out)
	s.live = out.(*appsv1.Deployment)
	s.live.APIVersion, s.live.Kind = "apps/v1", "Deployment"
}

func (s *serverSide) replicas() int { return int(*s.live.Spec.Replicas) }
