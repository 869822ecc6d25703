package static_test

import (
	"testing"

	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
	"github.com/kubesettle/kubesettle/verify/static"
)

// A Job that another image makes another one is refused by every upgrade that has it. Nobody
// upgrades what chart-testing installs: there it may be refused, where a Job is left.
func TestJobsOfTestValues(t *testing.T) {
	t.Parallel()
	chart := func(image, values string) map[string]string {
		return map[string]string{
			"web/Chart.yaml": "{apiVersion: v2, name: web, version: 1.0.0}\n",
			values:           "image: " + image + "\n",
			"web/templates/job.yaml": "apiVersion: batch/v1\nkind: Job\nmetadata: {name: web}\n" +
				"spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: {{ required \"which\" .Values.image }}}]}}}\n",
		}
	}
	for values, once := range map[string]bool{"web/ci/test-values.yaml": true, "web/values.yaml": false, "web/values-prod.yaml": false} {
		ch, err := render.Diff(revision(t, chart("a:1", values)), revision(t, chart("a:2", values)))
		if err != nil {
			t.Fatal(err)
		}
		refused := 0
		for _, p := range slice.Pairs(ch) {
			if p.Head == nil || p.Head.Err != nil {
				continue
			}
			for _, a := range static.Refusals(p, state.ClientSide, true, false) {
				if refused++; a.Once() != once {
					t.Errorf("with %s: may be refused: %v, want %v", values, a.Once(), once)
				}
			}
		}
		if refused != 1 {
			t.Errorf("with %s: %d objects are refused, want 1", values, refused)
		}
	}
}
