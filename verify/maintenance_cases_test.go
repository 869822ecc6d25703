package verify

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
)

// TestMaintenanceCases verifies two of Kivi's cases as they lie in testdata/kivi: the
// violating one is found with its rule at the size that Kivi needs, the repaired one is
// clean, both with everything explored.
func TestMaintenanceCases(t *testing.T) {
	for _, x := range []struct {
		id, rule    string
		nodes, pods int // Kivi's; pods without those that terminate
		events      int
	}{
		{"c6", "below-floor", 2, 2, 2},
		{"c7", "eviction-loop", 1, 1, 0},
	} {
		dir := filepath.Join("..", "testdata", "kivi", x.id)
		r := verifyCase(t, filepath.Join(dir, "violating"))
		found := false
		for _, f := range r.Findings {
			if f.Rule == x.rule {
				found = f.Scale.Nodes <= x.nodes && len(f.Events) == x.events && f.AtDeclaredScale
			}
		}
		if !found || r.Coverage.Bound != "complete" || r.Coverage.MaxPods > x.pods {
			t.Errorf("%s violating: want %s on %d nodes after %d events, got\n%s", x.id, x.rule, x.nodes, x.events, outline(r))
		}
		if r := verifyCase(t, filepath.Join(dir, "repaired")); len(r.Findings) != 0 || r.Verdict != Pass || r.Coverage.Bound != "complete" {
			t.Errorf("%s repaired: want no finding, got\n%s", x.id, outline(r))
		}
	}
}

// verifyCase verifies the manifests of a folder under the policy beside them.
func verifyCase(t *testing.T, dir string) *Result {
	t.Helper()
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	p, err := policies.Load("policy.yaml", read("policy.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if f := p.Cluster.NodesFile; f != "" {
		if err := p.SetNodes(f, read(f)); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := render.DirTree(filepath.Join(dir, "manifests"))
	if err != nil {
		t.Fatal(err)
	}
	rev, err := render.Render(context.Background(), tree, render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return verdict(t)(Verify(context.Background(), rev, Options{Policy: p, Workers: 2}))
}
