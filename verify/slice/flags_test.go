package slice_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// TestChangedFlagsAreNoticed holds that a change of what the cluster autoscaler does to nodes is said, with the old and the
// new value, in whichever form a command line has it; and nothing else of the command line.
func TestChangedFlagsAreNoticed(t *testing.T) {
	const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: ca, namespace: kube-system}
spec:
  selector: {matchLabels: {app: ca}}
  template:
    metadata: {labels: {app: ca}}
    spec:
      containers:
      - {name: ca, image: "x/cluster-autoscaler:1", args: [%s]}
`
	for _, tt := range []struct{ was, is, want string }{
		{"--expander=random", "--expander=least-waste", "expander random least-waste"},
		{"--expander, random", "--expander=random", ""},
		{"--expander=random", "--expander=random, --skip-nodes-with-local-storage=false", "skip-nodes-with-local-storage  false"},
		{"--skip-nodes-with-local-storage", "--v=4", "skip-nodes-with-local-storage true "},
		{`--scale-down-utilization-threshold, "0.5"`, "-scale-down-utilization-threshold=0.7", "scale-down-utilization-threshold 0.5 0.7"},
		{"--cloud-config=a", "--cloud-config=b", ""},
	} {
		ch := changesOf(t, fmt.Sprintf(deployment, tt.was), fmt.Sprintf(deployment, tt.is))
		p := &policies.Policy{}
		p.Controllers.Discover = true
		var got []string
		for _, n := range slice.NewBesides(p, ch, slice.NewNeighbours(p, ch)).Notices(nil) {
			if n.Kind == finding.FlagsChanged {
				got = append(got, strings.Join(n.Names, " "))
			}
		}
		if strings.Join(got, "; ") != tt.want {
			t.Errorf("%s, then %s: %q, not %q", tt.was, tt.is, got, tt.want)
		}
	}
}

// changesOf is the change of a repository of one file.
func changesOf(t *testing.T, base, head string) *object.Changes {
	t.Helper()
	var revs []*object.Revision
	for _, text := range []string{base, head} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "all.yaml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		files, err := tree.Dir(dir)
		if err != nil {
			t.Fatal(err)
		}
		rev, err := render.Render(context.Background(), files, render.Options{})
		if err != nil {
			t.Fatal(err)
		}
		revs = append(revs, rev)
	}
	ch, err := render.Diff(revs[0], revs[1])
	if err != nil {
		t.Fatal(err)
	}
	return ch
}
