package verify

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// reducibles are scripts whose changes the reductions make smaller.
var reducibles = []string{"autoscaled_web_takes_a_new_image", "hpa_meets_conflicting_spread", "apply_resets_what_the_hpa_owns", "resync_fights_the_hpa"}

// without says which reductions are off.
type without struct {
	zones  bool // exchanges of node classes of one shape
	nodes  bool // exchanges of nodes of one class
	unseen bool // those of [state.Spec.Unreduced]
}

// Neither that nobody looks at pods on deletion, nor that a load which changes while a
// sync loop has work might as well change afterwards, loses a violation: with and
// without, the same rules are broken, after as many events and with the same certainty.
// A counterexample may be shorter by steps in which pods stop.
func TestReductionsKeepViolations(t *testing.T) {
	for _, file := range reducibles {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			sl := reducible(t, file)
			for _, topology := range []scale.Topology{{1, 0, 0}, {1, 1, 0}, {2, 0, 0}, {1, 1, 1}} {
				reduced, fewer := reducedViolated(t, sl, topology, without{})
				whole, more := reducedViolated(t, sl, topology, without{unseen: true})
				if !slices.Equal(reduced, whole) {
					t.Errorf("%v: reduced\n%s\nwhole\n%s", topology, strings.Join(reduced, "\n"), strings.Join(whole, "\n"))
				}
				if fewer >= more {
					t.Errorf("%v: %d states reduced, %d whole: nothing was reduced", topology, fewer, more)
				}
				t.Logf("%v: %d states, %d without reductions; %q", topology, fewer, more, reduced)
			}
		})
	}
}

// reducible is the one slice of a script's change.
func reducible(t testing.TB, file string) *slice.Slice {
	t.Helper()
	ar, err := txtar.ParseFile(filepath.Join("testdata", file+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	return scriptSlice(t, ar)
}

// reducedViolated sums up what a slice's change violates on the default cluster, without the
// number of steps, and how many states that took.
func reducedViolated(t testing.TB, sl *slice.Slice, topology scale.Topology, off without) ([]string, uint64) {
	t.Helper()
	pol := policies.Default()
	rules, err := policies.Select(pol, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := scenario.Checker{Rules: rules, Budget: scenario.Budget{States: scenario.SearchStates}}
	classes := pol.NodeClasses(sl.Relevant)
	if !off.zones {
		sl.Shapes(classes)
	}
	if off.nodes { // each node is a class of its own
		classes, topology = apart(classes, topology)
	}
	v := scenario.VariantOf(sl, classes, state.ClientSide, state.Events{LoadChange: 2, BadRevision: 1}).Change()
	v.Spec.Unreduced = off.unseen
	found, cov, err := c.Scenarios(context.Background(), v, topology)
	if err != nil {
		t.Fatal(err)
	}
	if cov.Bound != search.Complete {
		t.Fatal("not explored to the end")
	}
	var out []string
	for _, x := range found {
		out = append(out, fmt.Sprintf("%v %s: %d events, inevitable %v", x.Key(), x.Scenario, x.Events, x.Inevitable))
	}
	slices.Sort(out)
	return out, cov.States
}

// apart makes every node a class of its own, so that none can be exchanged.
func apart(classes []state.NodeClass, topology scale.Topology) ([]state.NodeClass, scale.Topology) {
	var out []state.NodeClass
	var each scale.Topology
	for i, n := range topology {
		for k := range n {
			c := classes[i]
			c.Name = fmt.Sprintf("%s-%d", c.Name, k)
			out, each = append(out, c), append(each, 1)
		}
	}
	return out, each
}
