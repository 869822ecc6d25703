package scenario

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/memo"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// leaf is a value within another one that can be changed in place.
type leaf struct {
	path string
	at   reflect.Value
}

// leaves lists what can be changed in a value, but for what is left out and what lies in maps.
func leaves(v reflect.Value, path string, out []leaf) []leaf {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			out = leaves(v.Elem(), path, out)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			out = leaves(v.Index(i), fmt.Sprint(path, "[", i, "]"), out)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return out
		}
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; !slices.Contains(leftOut[v.Type()], name) {
				out = leaves(open(v.Field(i)), path+"."+name, out)
			}
		}
	case reflect.Bool, reflect.String, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		out = append(out, leaf{path, v})
	}
	return out
}

// differs changes a leaf and gives what undoes it.
func (l leaf) differs(r *rand.Rand) (undo func()) {
	old := reflect.New(l.at.Type()).Elem()
	old.Set(l.at)
	for _, v := range another(l.at.Type(), 0) {
		if v.Interface() != old.Interface() && (r.IntN(2) == 0 || l.at.Interface() == old.Interface()) {
			l.at.Set(v)
		}
	}
	return func() { l.at.Set(old) }
}

// TestEveryLeafOfAProblemHasItsKey changes single values deep within compiled problems, and what is asked of them.
func TestEveryLeafOfAProblemHasItsKey(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	p := keptProblem(t)
	q := question{sys: p.System, opt: search.Options{MaxEvents: -1, MaxStates: 1000}}
	q.sys.Initial = p.Installs(state.Base)
	key := func() memo.Key {
		k, ok := p.keyOf(q)
		if !ok {
			t.Fatal("no key")
		}
		return k
	}
	want := key()
	list := leaves(reflect.ValueOf(p.Cfg), "config", nil)
	list = leaves(reflect.ValueOf(&q.opt), "options", list)
	for _, l := range list {
		undo := l.differs(r)
		if key() == want {
			t.Errorf("%s makes no difference", l.path)
		}
		undo()
	}
	for what, differs := range map[string]func() (undo func()){
		"timing":  func() func() { p.timing++; return func() { p.timing-- } },
		"alone":   func() func() { p.alone = !p.alone; return func() { p.alone = !p.alone } },
		"blind":   func() func() { p.blind ^= 1; return func() { p.blind ^= 1 } },
		"calm":    func() func() { q.calm = true; return func() { q.calm = false } },
		"of":      func() func() { q.of = "x"; return func() { q.of = "" } },
		"made":    func() func() { p.bounds[0].Rule.Made = "x"; return func() { p.bounds[0].Rule.Made = "" } },
		"half":    func() func() { p.bounds[0].half++; return func() { p.bounds[0].half-- } },
		"bound":   func() func() { b := p.bounds; p.bounds = b[1:]; return func() { p.bounds = b } },
		"order":   func() func() { b := p.bounds; b[0], b[1] = b[1], b[0]; return func() { b[0], b[1] = b[1], b[0] } },
		"rule":    func() func() { x := q.sys.Rules; q.sys.Rules = x[1:]; return func() { q.sys.Rules = x } },
		"actor":   func() func() { x := q.sys.Actors; q.sys.Actors = x[1:]; return func() { q.sys.Actors = x } },
		"spent":   func() func() { x := q.sys.Spent; q.sys.Spent = nil; return func() { q.sys.Spent = x } },
		"canon":   func() func() { x := q.sys.Canon; q.sys.Canon = nil; return func() { q.sys.Canon = x } },
		"initial": func() func() { q.sys.Initial[0][0] ^= 1; return func() { q.sys.Initial[0][0] ^= 1 } },
	} {
		undo := differs()
		if key() == want {
			t.Errorf("%s makes no difference", what)
		}
		undo()
		if key() != want {
			t.Fatalf("%s was not undone", what)
		}
	}
	t.Logf("%d leaves", len(list))
	p.bounds[0].Rule.ID = "of nobody"
	if _, ok := p.keyOf(q); ok {
		t.Error("a rule whose content nobody knows has a key")
	}
}

// keptProblem is a change of an autoscaled workload with a budget, on two nodes, with every rule.
func keptProblem(t *testing.T) *Problem {
	t.Helper()
	one, two, half, all := int32(1), int32(2), intstr.FromString("50%"), intstr.FromString("100%")
	labels := map[string]string{"app": "web"}
	version := func(image string) state.Manifest {
		pod := corev1.PodSpec{Containers: []corev1.Container{{
			Name: "c", Image: image,
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("500m")}},
		}}}
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"}, Spec: appsv1.DeploymentSpec{
			Replicas: &two, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod},
			Strategy: appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &half, MaxUnavailable: &half}},
		}}
		hpa := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: d.ObjectMeta, Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			MinReplicas: &one, MaxReplicas: 3,
			Metrics: []autoscalingv2.MetricSpec{{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
				Name: corev1.ResourceCPU, Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &two},
			}}},
		}}
		pdb := &policyv1.PodDisruptionBudget{ObjectMeta: d.ObjectMeta, Spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: &all, Selector: d.Spec.Selector}}
		return state.Manifest{Deployment: d, DeclaresReplicas: true, HPA: hpa, PDBs: []*policyv1.PodDisruptionBudget{pdb}, Services: []string{"web"}}
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: map[string]string{corev1.LabelTopologyZone: "a"}}, Status: corev1.NodeStatus{
		Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("8Gi"), corev1.ResourcePods: resource.MustParse("110")},
	}}
	spec := &state.Spec{
		Classes:   []state.NodeClass{{Name: "n", Node: node, Min: 1, Max: 3}},
		Workloads: []state.Workload{{ID: "apps/Deployment default/web", Namespace: "default", Name: "web", Manifests: [2]state.Manifest{version("a"), version("b")}}},
		Events:    state.Events{Apply: 1, LoadChange: 1, Drain: 1, NodeFailure: 1},
	}
	p, err := NewProblem(spec, []int{2}, rules.All(), actor.Realistic)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
