package objects

import (
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/verify/state"
)

// evictionCluster is one workload web of two nodes' pods with some budgets.
func evictionCluster(t *testing.T, replicas, starting, ready, terminating int, budgets ...*policyv1.PodDisruptionBudget) (*Evictions, state.State) {
	t.Helper()
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"}}
	d.Spec.Template.Labels = map[string]string{"app": "web"}
	d.Spec.Selector = &metav1.LabelSelector{MatchLabels: d.Spec.Template.Labels}
	w := state.Workload{ID: "apps/Deployment default/web", Namespace: "default", Name: "web"}
	w.Manifests[state.Base] = state.Manifest{Deployment: d, PDBs: budgets}
	spec := &state.Spec{Workloads: []state.Workload{w}, Classes: []state.NodeClass{{Name: "a", Node: &corev1.Node{}, Min: 1, Max: 2}}}
	b, err := state.NewBuilder(spec, []int{2}, 20)
	if err != nil {
		t.Fatal(err)
	}
	c, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	s := c.New()
	s.SetReplicas(0, replicas)
	s.Add(0, 0, state.Starting, starting)
	s.Add(1, 0, state.Ready, ready)
	s.Add(1, 0, state.Terminating, terminating)
	return NewEvictions(c), s
}

func budget(name, field, value string, policy ...policyv1.UnhealthyPodEvictionPolicyType) *policyv1.PodDisruptionBudget {
	p := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
	p.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	v := intstr.Parse(value)
	if field == "min" {
		p.Spec.MinAvailable = &v
	} else {
		p.Spec.MaxUnavailable = &v
	}
	if len(policy) > 0 {
		p.Spec.UnhealthyPodEvictionPolicy = &policy[0]
	}
	return p
}

func TestEvictionAnswers(t *testing.T) {
	const yes, no, maybe = EvictionGranted, EvictionRefused, EvictionUncertain
	for _, c := range []struct {
		name                                   string
		replicas, starting, ready, terminating int
		budgets                                []*policyv1.PodDisruptionBudget
		whenReady, whenStarting                EvictionAnswer
		room                                   int // of 9
	}{
		{"no budget", 3, 1, 2, 0, nil, yes, yes, 9},
		{"one to spare", 3, 0, 3, 0, []*policyv1.PodDisruptionBudget{budget("a", "min", "2")}, yes, yes, 1},
		{"none to spare", 3, 1, 2, 0, []*policyv1.PodDisruptionBudget{budget("a", "min", "2")}, no, yes, 0},
		{"unhealthy below the floor", 3, 2, 1, 0, []*policyv1.PodDisruptionBudget{budget("a", "min", "2")}, no, maybe, 0},
		{"unhealthy always", 3, 2, 1, 0, []*policyv1.PodDisruptionBudget{budget("a", "min", "2", policyv1.AlwaysAllow)}, no, yes, 0},
		{"a floor of 0 spares nobody unready", 3, 3, 0, 0, []*policyv1.PodDisruptionBudget{budget("a", "min", "0")}, no, maybe, 0},
		{"max of 1, one on deletion", 3, 0, 2, 1, []*policyv1.PodDisruptionBudget{budget("a", "max", "1")}, no, yes, 0},
		{"a percentage rounds up: 50% of 3 keeps 2", 3, 0, 3, 0, []*policyv1.PodDisruptionBudget{budget("a", "min", "50%")}, yes, yes, 1},
		{"and of 3 may lack 2", 3, 0, 3, 0, []*policyv1.PodDisruptionBudget{budget("a", "max", "50%")}, yes, yes, 2},
		{"scaled to 0", 0, 0, 3, 0, []*policyv1.PodDisruptionBudget{budget("a", "max", "1")}, no, maybe, 0},
		{"two budgets", 3, 1, 3, 0, []*policyv1.PodDisruptionBudget{budget("a", "min", "1"), budget("b", "min", "1")}, no, maybe, 0},
		{"a budget twice is one", 3, 0, 3, 0, []*policyv1.PodDisruptionBudget{budget("a", "min", "1"), budget("a", "min", "1")}, yes, yes, 2},
	} {
		e, s := evictionCluster(t, c.replicas, c.starting, c.ready, c.terminating, c.budgets...)
		if got := e.Ask(s, 0, state.Ready); got != c.whenReady {
			t.Errorf("%s: ready pod: %d, want %d", c.name, got, c.whenReady)
		}
		if got := e.Ask(s, 0, state.Starting); got != c.whenStarting {
			t.Errorf("%s: starting pod: %d, want %d", c.name, got, c.whenStarting)
		}
		if got := e.Room(s, 0, 9); got != c.room {
			t.Errorf("%s: room %d, want %d", c.name, got, c.room)
		}
		why, refs := e.Refusal(s, 0)
		if (why == "") != (c.whenReady == yes) || (why == "") != (len(refs) == 0) {
			t.Errorf("%s: refusal %q %v", c.name, why, refs)
		}
		if n := testing.AllocsPerRun(5, func() { e.Ask(s, 0, state.Ready); e.Room(s, 0, 9) }); n > 0 {
			t.Errorf("%s: %v allocations", c.name, n)
		}
	}
}

func TestEvictionRefusalNamesTheBudget(t *testing.T) {
	e, s := evictionCluster(t, 2, 0, 2, 0, budget("web", "min", "2"))
	why, refs := e.Refusal(s, 0)
	want := "the PodDisruptionBudget default/web needs 2 healthy pods and has 2 pods [{policy/PodDisruptionBudget default/web 0 spec.minAvailable}]"
	if got := strings.TrimSpace(fmt.Sprint(why, " ", refs)); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
