package verify

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/render/tree"
)

// A release of many objects takes time in proportion to them, from reading to the verdict: four times as many take less
// than eight times the processor time, where sixteen times would be quadratic.
func TestManyObjectsDoNotGrowQuadratically(t *testing.T) {
	notUnderRace(t)
	const object = `apiVersion: v1
kind: ConfigMap
metadata: {name: cN, namespace: shop, labels: {at: "AT"}}
data: {a: "AT"}
---
apiVersion: v1
kind: Service
metadata: {name: sN, namespace: shop, labels: {at: "AT"}}
spec: {selector: {app: wN}, ports: [{port: 80}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: bN, namespace: shop, labels: {at: "AT"}}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: wN}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: wN, namespace: shop}
spec:
  selector: {matchLabels: {app: wN}}
  template:
    metadata: {labels: {app: wN}}
    spec: {containers: [{name: c, image: "web:1", ports: [{containerPort: 80}], envFrom: [{configMapRef: {name: cN}}]}]}
---
`
	took := func(objects int) time.Duration {
		var sides []tree.Tree
		for _, at := range []string{"base", "head"} {
			var text strings.Builder
			for i := range objects / 4 {
				changed := at
				if i > 0 { // a search a change would take most of the time
					changed = "both"
				}
				if _, err := strings.NewReplacer("N", fmt.Sprint(i), "AT", changed).WriteString(&text, object); err != nil {
					t.Fatal(err)
				}
			}
			m, err := tree.Map(at, map[string]string{"app/all.yaml": text.String()})
			if err != nil {
				t.Fatal(err)
			}
			sides = append(sides, m)
		}
		before := processorTime(t)
		r := checkSides(t, sides[0], sides[1])
		after := processorTime(t)
		if len(r.Releases) != 1 || !r.Releases[0].Changed || r.Releases[0].Missing() {
			t.Fatalf("%+v", r.Releases)
		}
		return after - before
	}
	took(40) // what is made once
	few := took(400)
	many := took(1600)
	t.Logf("400 objects: %s, 1600: %s: %.1f times", few, many, float64(many)/float64(few))
	if many >= 8*few {
		t.Errorf("400 objects take %s, 1600 take %s: %.1f times", few, many, float64(many)/float64(few))
	}
}

// processorTime is what this process has used in user mode.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		t.Fatal(err)
	}
	return time.Duration(use.Utime.Nano())
}
