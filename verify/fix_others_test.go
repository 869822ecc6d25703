package verify

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// sharingSides draws a repository in which several releases read the same files, and a change that has a budget block
// every drain: in the shared file or in that of one release.
func sharingSides(r *rand.Rand) (base, head map[string]string) {
	const web = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: %s
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: web:1}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec:
  minAvailable: %s
  selector: {matchLabels: {app: web}}
`
	replicas := fmt.Sprint(2 + r.IntN(3))
	base = map[string]string{}
	where, was, is := "", "minAvailable: 1\n", "minAvailable: "+replicas+"\n"
	envs := []string{"dev", "prod", "staging"}[:2+r.IntN(2)]
	helm := r.IntN(2) == 0
	if helm {
		base["web/Chart.yaml"] = "apiVersion: v2\nname: web\nversion: 1.0.0\n"
		base["web/values.yaml"] = "replicas: " + replicas + "\nminAvailable: 1\n"
		base["web/templates/web.yaml"] = fmt.Sprintf(web, "{{ .Values.replicas }}", "{{ .Values.minAvailable }}")
		where = "web/values.yaml"
	} else {
		base["base/kustomization.yaml"] = "resources: [web.yaml]\n"
		base["base/web.yaml"] = fmt.Sprintf(web, replicas, "1")
		where = "base/web.yaml"
	}
	var own []string
	for _, env := range envs {
		file, text, sets := "web/values-"+env+".yaml", "env: "+env+"\n", "minAvailable: 1\n"
		if !helm {
			base["overlays/"+env+"/kustomization.yaml"] = "namespace: " + env +
				"\nresources: [../../base]\npatches: [{path: budget.yaml}]\n"
			file = "overlays/" + env + "/budget.yaml"
			text = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata:\n  name: web\n  labels: {env: " + env + "}\n"
			sets = "spec:\n  minAvailable: 1\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n"
		}
		switch {
		case !helm:
			sets += "  replicas: " + replicas + "\n"
		case r.IntN(2) == 0: // or it has that of the chart
			sets += "replicas: " + replicas + "\n"
		}
		if r.IntN(3) == 0 { // it has values of its own, and the shared ones do not reach it
			text += sets
			own = append(own, file)
		}
		base[file] = text
	}
	if len(own) > 0 && r.IntN(2) == 0 {
		where = own[r.IntN(len(own))]
	}
	head = map[string]string{}
	for name, text := range base {
		head[name] = text
	}
	head[where] = strings.Replace(base[where], was, is, 1)
	return base, head
}

// An edit that is offered says which other releases it changes: those are just the ones that render otherwise once the
// text is edited, whichever of them share the file and which have a value of their own.
func TestOfferedEditsSayWhatElseTheyChange(t *testing.T) {
	notUnderRace(t)
	offered, spread := 0, 0
	for seed := range uint64(10) {
		was, is := sharingSides(rand.New(rand.NewPCG(seed, 0)))
		ch := changesBetween(t, was, is)
		result := verdict(t)(Check(context.Background(), ch, Options{Policy: policies.Default()}))
		for _, f := range result.Findings {
			for _, x := range []*finding.Fix{f.Fix, f.OtherFix} {
				if x == nil || !x.Mechanical || f.Status == finding.Fixed {
					continue
				}
				offered++
				want := changedByEdit(t, ch.Head, f.Release, x)
				if !slices.Equal(x.AlsoChanges, want) || len(x.MayChange) > 0 {
					t.Errorf("seed %d: %s in %s: %q in %s says that it changes %v (and may change %v), not %v", seed, f.Rule, f.Release,
						x.Text, x.Location.File, x.AlsoChanges, x.MayChange, want)
				}
				if strings.HasPrefix(x.Text, "run one more replica") && strings.Contains(f.Release, ":values-") && len(want) > 0 {
					t.Errorf("seed %d: %s has values of its own, but is edited in %s", seed, f.Release, x.Location.File)
				}
				if len(want) > 0 {
					spread++
				}
			}
		}
	}
	if offered < 10 || spread < 5 || spread == offered {
		t.Errorf("%d edits were offered, %d that change another release", offered, spread)
	}
	t.Logf("%d edits, %d change another release", offered, spread)
}

// changesBetween are those from one set of files to another.
func changesBetween(t *testing.T, was, is map[string]string) *object.Changes {
	t.Helper()
	base, err := tree.Map("base", was)
	if err != nil {
		t.Fatal(err)
	}
	head, err := tree.Map("head", is)
	if err != nil {
		t.Fatal(err)
	}
	b, h, err := render.RenderBoth(context.Background(), base, head, render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ch, err := render.Diff(b, h)
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

// changedByEdit lists the releases beside one that render otherwise where an edit is made in the text, by rendering
// the whole tree with it and without.
func changedByEdit(t *testing.T, head *object.Revision, beside string, x *finding.Fix) (out []string) {
	t.Helper()
	b, err := fs.ReadFile(head.Tree, x.Location.File)
	if err != nil {
		t.Fatal(err)
	}
	before, err := head.With(context.Background(), x.Location.File, b)
	if err != nil {
		t.Fatal(err)
	}
	after, err := head.With(context.Background(), x.Location.File, []byte(editedBy(t, string(b), x)))
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range before.Releases {
		if r.ID != beside && !object.Same(r.Objects, after.Releases[i].Objects) {
			out = append(out, r.ID)
		}
	}
	return out
}
