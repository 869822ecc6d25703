package render

import (
	"slices"
	"testing"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/kubesettle/kubesettle/render/diff"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/typed"
)

const datedJob = `apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
spec:
  template:
    metadata:
      annotations:
        at: {{ now | date "2006-01-02T15:04:05" | quote }}
    spec:
      restartPolicy: Never
      containers: [{name: migrate, image: "shop/migrate:1"}]
`

// A value that every render gives anew is masked, so that two renders do not differ, and
// can be asked for as another render would give it.
func TestRerendered(t *testing.T) {
	rendered := func(job string) *object.Object {
		t.Helper()
		return renderWith(t, map[string]string{
			"c/Chart.yaml": "apiVersion: v2\nname: c\nversion: 0.1.0\n", "c/templates/job.yaml": job,
		}, Options{}).Releases[0].Objects[0]
	}
	const field = "spec.template.metadata.annotations[at]"
	a, b := rendered(datedJob), rendered(datedJob)
	if got := a.Volatile; !slices.Equal(got, []string{field}) {
		t.Fatalf("volatile: %v", got)
	}
	if c := diff.Compare(a, b); len(c.Fields)+len(c.Noise) > 0 || c.TemplateChanged {
		t.Errorf("two renders of one input differ: %+v", c)
	}
	was := a.Typed.(*batchv1.Job).Spec.Template.Annotations["at"]
	other := typed.Rerendered(a).(*batchv1.Job).Spec.Template.Annotations["at"]
	if was == other || was != b.Typed.(*batchv1.Job).Spec.Template.Annotations["at"] {
		t.Errorf("annotation %q, in another render %q", was, other)
	}
	for path, want := range map[string]bool{field: true, "spec.template": false, "spec.template.metadata.annotations": false} {
		if got := a.IsVolatile(path); got != want {
			t.Errorf("IsVolatile(%s) = %t", path, got)
		}
	}
	if typed.Rerendered(rendered("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")) != nil {
		t.Error("an object without volatile fields is rendered otherwise")
	}
}
