package scenario

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// A search as declared that is cut off must not take back what the search of a reduced scale told: a
// larger budget, in which it meets a milder violation first, would give a weaker verdict.
func TestACutOffSearchTakesNothingBack(t *testing.T) {
	web := &Problem{Cfg: &state.Config{Spec: &state.Spec{Workloads: []state.Workload{{ID: "web"}}}, Topology: scale.Topology{1}}}
	found := func(rule string, inevitable bool, events ...string) Violation {
		v := Violation{Problem: web, Happened: events, Violation: search.Violation{Inevitable: inevitable}}
		v.Bound.Rule = rules.Rule{ID: rule}
		return v
	}
	reduced, declared := Variant{declared: &state.Spec{}, gap: 2}, Variant{}
	cut := Coverage{Bound: search.StateBound}

	for _, test := range []struct {
		name              string
		reduced, declared []Violation
		want              []string
	}{
		{"milder as declared: both stand", []Violation{found("stuck", true)}, []Violation{found("stuck", false, "crash")},
			[]string{"stuck, possible, [crash]", "stuck, inevitable, []"}},
		{"as grave as declared: that one stands", []Violation{found("stuck", true)}, []Violation{found("stuck", true)},
			[]string{"stuck, inevitable, []"}},
		{"with other events: both stand", []Violation{found("floor", true, "drain")}, []Violation{found("floor", true, "crash")},
			[]string{"floor, inevitable, [crash]", "floor, inevitable, [drain]"}},
		{"graver as declared: that one stands", []Violation{found("floor", false, "crash", "drain")}, []Violation{found("floor", true, "drain")},
			[]string{"floor, inevitable, [drain]"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			small := SliceResult{Variant: reduced, Head: test.reduced, Base: test.reduced, Cov: Coverage{Bound: search.Complete}}
			whole := SliceResult{Variant: declared, Head: test.declared, Base: test.declared, Cov: cut}
			out := settleScaling([]SliceResult{small, whole})
			var got []string
			for _, v := range out.Head {
				words := map[bool]string{true: "inevitable", false: "possible"}[v.Inevitable]
				got = append(got, fmt.Sprintf("%s, %s, %v", v.Bound.Rule.ID, words, v.Happened))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if len(out.Base) != len(test.reduced)+len(test.declared) {
				t.Errorf("base keeps %d violations: each excuses only what head breaks at its own place", len(out.Base))
			}
		})
	}
}
