package verify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/run"
)

// A workload that is searched by itself starts from its live pods as well: what is found is the same as
// where it is searched as a whole, wherever and how many they are.
func TestApartKeepsFindingsOfLiveStarts(t *testing.T) {
	notUnderRace(t)
	fewer, findings := 0, 0
	for seed := range 24 {
		r := rand.New(rand.NewPCG(uint64(seed), 21))
		replicas := 1 + r.IntN(3)
		web := func(image string, surge int) string {
			return fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: %d
  strategy: {rollingUpdate: {maxSurge: %d, maxUnavailable: %d}}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "web:%s", resources: {requests: {cpu: 1, memory: 64Mi}}}]}
`, replicas, surge, 1-min(surge, 1), image)
		}
		base, head := web("1", 1), web("2", r.IntN(2))
		var live strings.Builder
		pods := 0
		for n := range 3 {
			if k := r.IntN(3); k > 0 {
				fmt.Fprintf(&live, "    - {node: n%d, ready: %d}\n", n, k)
				pods += k
			}
		}
		if pods == 0 {
			live.WriteString("    - {node: n0, starting: 1}\n")
			pods = 1
		}
		shot := fmt.Sprintf(`apiVersion: kubesettle.dev/v1alpha1
kind: Snapshot
taken: "2999-01-31T06:00:00Z"
nodes:
- {name: n0, allocatable: {cpu: "%d", memory: 64Gi, pods: "110"}}
- {name: n1, allocatable: {cpu: "2", memory: 64Gi, pods: "110"}}
- {name: n2, allocatable: {cpu: "2", memory: 64Gi, pods: "110"}}
workloads:
- kind: apps/Deployment
  namespace: default
  name: web
  replicas: %d
  revision: a
  pods:
  - revision: a
    requests: {cpu: "1", memory: 64Mi}
    placed:
%stotals: {nodes: 3, workloads: 1, pods: %d}
`, []int{2, 60, 60, 60}[r.IntN(4)], r.IntN(4), live.String(), pods)
		ch, policy := changeOf(t, base, head, "")
		if err := policy.SetSnapshot("s.yaml", []byte(shot)); err != nil {
			t.Fatal(err)
		}
		run := func(whole bool) *finding.Result {
			return verdict(t)(Check(context.Background(), ch, Options{Policy: policy, Workers: 2, TimeBudget: time.Minute, Part: run.Part{Plain: true}, Compare: run.Compare{Whole: whole}}))
		}
		less, more := run(false), run(true)
		if a, b := fully(less), fully(more); !slices.Equal(a, b) {
			t.Errorf("cluster %d: apart\n%s\nwhole\n%s\n%s", seed, strings.Join(a, "\n"), strings.Join(b, "\n"), shot)
		}
		if findings += len(more.Findings); less.Coverage.States < more.Coverage.States {
			fewer++
		}
	}
	if fewer < 8 || findings == 0 {
		t.Errorf("%d clusters of fewer states, %d findings: the test has lost its teeth", fewer, findings)
	}
}
