package policies

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/state"
)

func ids(rules []rules.Rule) string {
	var out []string
	for _, r := range rules {
		out = append(out, fmt.Sprintf("%s:%s", r.ID, r.Severity))
	}
	return strings.Join(out, " ")
}

func TestSelect(t *testing.T) {
	all := ids(rules.All())
	for _, x := range []struct {
		policy string
		only   []string
		want   string
		err    string
	}{
		{"", nil, all, ""},
		{"", []string{"below-floor", "unschedulable"}, "unschedulable:error below-floor:error", ""},
		{"intents: {rollout-stuck: {severity: warning}, never-settles: {severity: \"off\"}, cannot-revert: {severity: error}}", nil,
			strings.NewReplacer("rollout-stuck:error", "rollout-stuck:warning", " never-settles:error", "", "cannot-revert:warning", "cannot-revert:error").Replace(all), ""},
		{"intents: {below-floor: {severity: note, workloads: [default/web]}}", []string{"below-floor"}, "below-floor:note below-floor:error", ""},
		{"intents: {below-floor: {severity: \"off\", workloads: [default/web]}}", []string{"below-floor"}, "below-floor:error", ""},
		{"", []string{"below-flor"}, "", `rules: no such rule as "below-flor"; did you mean "below-floor"?`},
		{"", []string{"x"}, "", `rules: no such rule as "x"; use one of ` + strings.Join(slices.Sorted(slices.Values(ruleIDs())), ", ")},
		{"", []string{"cannot-revert"}, "cannot-revert:warning", ""},
		{"intents: {below-floor: {severity: \"off\"}}", []string{"below-floor"}, "", "rules: none is left to check; the policy switches every one of them off"},
	} {
		p, err := Load("p.yaml", []byte(x.policy))
		if err != nil {
			t.Fatal(err)
		}
		rules, err := Select(p, x.only)
		if x.err != "" {
			if !errors.Is(err, ErrRules) || err.Error() != x.err {
				t.Errorf("%q %v: error %v, want %s", x.policy, x.only, err, x.err)
			}
			continue
		}
		if err != nil || ids(rules) != x.want {
			t.Errorf("%q %v: %s %v, want %s", x.policy, x.only, ids(rules), err, x.want)
		}
	}
	if rules, err := Select(nil, nil); err != nil || ids(rules) != all {
		t.Errorf("without a policy: %s %v", ids(rules), err)
	}
}

// TestSelectByWorkload: an intent for some workloads leaves the others the rule's own
// severity and floor, and no workload is judged twice.
func TestSelectByWorkload(t *testing.T) {
	five := int32(5)
	m := state.Manifest{DeclaresReplicas: true, Deployment: &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Replicas: &five}}}
	b, err := state.NewBuilder(&state.Spec{
		Classes:   []state.NodeClass{{Name: "n", Node: &corev1.Node{}, Min: 1, Max: 3}},
		Workloads: []state.Workload{{ID: "apps/Deployment default/web", Namespace: "default", Name: "web", Manifests: [2]state.Manifest{m, m}}},
		Events:    state.Events{Apply: 1},
	}, []int{3}, 20)
	if err != nil {
		t.Fatal(err)
	}
	c, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	settledWith := func(ready int) state.State {
		s := c.New()
		s.Set(c.Applied, int(state.Head))
		s.Set(c.Applies, 0)
		s.SetReplicas(0, 5)
		s.Set(c.Class[0].Size, 5)
		s.Add(0, 0, state.Ready, ready)
		return s
	}
	full, less := settledWith(5), settledWith(3)
	for _, x := range []struct {
		workload string
		want     string
	}{
		{"default/web", ""}, // its own floor of 2 holds
		{"default/api", "error: ready replicas of default/web can fall to 3, below the floor of 4"},
	} {
		p, err := Load("p.yaml", []byte("intents: {below-floor: {severity: warning, minReady: 2, workloads: ["+x.workload+"]}}"))
		if err != nil {
			t.Fatal(err)
		}
		rules, err := Select(p, []string{"below-floor"})
		if err != nil {
			t.Fatal(err)
		}
		speak, got := 0, ""
		for _, r := range rules {
			prop := r.New(c, 0)
			if prop.IsZero() {
				continue
			}
			speak++
			if prop.BadStep(full, less) {
				got = string(r.Severity) + ": " + prop.Message(less)
			}
		}
		if speak != 1 || got != x.want {
			t.Errorf("%s: %d rules speak, %q, want %q", x.workload, speak, got, x.want)
		}
	}
}
