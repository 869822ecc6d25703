package control_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// TestDeschedulerCases searches the cases in which a descheduler takes part, smallest
// cluster first: the violating one is found no later than at the known scale, the
// repaired one never settles wrongly up to one node more.
func TestDeschedulerCases(t *testing.T) {
	for _, c := range []struct {
		dir         string
		nodes, pods int // smallest known scale
	}{
		{"kivi/c5", 2, 4}, {"kivi/c8", 3, 6}, {"failures/f46", 2, 1}, {"failures/f47", 2, 3},
	} {
		for _, side := range []string{"violating", "repaired"} {
			t.Run(c.dir+"/"+side, func(t *testing.T) {
				dir := filepath.Join("../../testdata", c.dir, side)
				x, topologies := loadCase(t, dir)
				for _, at := range topologies {
					x.nodes = at
					if err := x.build(); err != nil {
						t.Fatal(err)
					}
					res := x.searchRule(t, "eviction-loop")
					nodes, pods := len(x.cfg.Nodes), x.now.Replicas(0)
					found := len(res.Violations) > 0
					t.Logf("%d nodes, %d pods: found %t, %d states", nodes, mostReplicas(x.spec), found, res.States)
					switch {
					case side == "violating" && found && nodes <= c.nodes && pods <= c.pods:
						return
					case side == "violating" && nodes > c.nodes:
						t.Fatal("not found at the known scale")
					case side == "repaired" && found:
						t.Fatal(x.verdict(res))
					case side == "repaired" && nodes > c.nodes:
						return
					}
				}
				if side == "violating" {
					t.Fatal("not found")
				}
			})
		}
	}
}

func mostReplicas(spec *state.Spec) int {
	sum := 0
	for _, w := range spec.Workloads {
		sum += int(*w.Manifests[state.Base].Deployment.Spec.Replicas)
	}
	return sum
}

// loadCase reads a case's directory, and the clusters that its policy allows.
func loadCase(t *testing.T, dir string) (*deschedScript, []scale.Topology) {
	t.Helper()
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(data))
	}
	p, err := policies.Load("policy.yaml", []byte(read("policy.yaml")))
	if err != nil {
		t.Fatal(err)
	}
	x := &deschedScript{script: script{spec: &state.Spec{}, max: 32}}
	if f := p.Controllers.SchedulerConfig; f != "" {
		if x.spec.Scheduler, err = policies.LoadScheduler(f, []byte(read(f))); err != nil {
			t.Fatal(err)
		}
	}
	if x.spec.Descheduler, err = policies.LoadDescheduler("descheduler.yaml", []byte(read(p.Controllers.DeschedulerPolicy))); err != nil {
		t.Fatal(err)
	}
	x.spec.Classes = p.NodeClasses(func(string) bool { return true })
	manifests, err := filepath.Glob(filepath.Join(dir, "manifests", "*.yaml"))
	if err != nil || len(manifests) == 0 {
		t.Fatal("no manifests", err)
	}
	for _, m := range manifests {
		if err := addManifests(x.spec, read("manifests/"+filepath.Base(m))); err != nil {
			t.Fatal(err)
		}
	}
	topologies, err := scale.Topologies(x.spec.Classes, 4)
	if err != nil {
		t.Fatal(err)
	}
	return x, topologies
}

// searchRule searches for a violation of a rule on the first workload.
func (x *deschedScript) searchRule(t *testing.T, id string) *search.Result {
	t.Helper()
	for _, r := range rules.All() {
		if r.ID != id {
			continue
		}
		res, err := search.Run(context.Background(), search.System{
			Width: x.cfg.Width(), Initial: [][]byte{x.now.B}, Actors: actor.Adapt(x.cfg, x.actors, actor.Realistic),
			Canon: x.cfg.Canon, Local: actor.NewLocal, Rules: []search.Rule{x.bind(id, r.New(x.cfg, 0))},
		}, search.Options{Workers: 1, MaxEvents: -1})
		if err != nil {
			t.Fatal(err)
		}
		if res.Bound != search.Complete {
			t.Fatalf("not explored: bound %d", res.Bound)
		}
		return res
	}
	t.Fatalf("no rule %s", id)
	return nil
}
