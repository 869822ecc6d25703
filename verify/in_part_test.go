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

// TestSearchingInPartKeepsWhatIsNew compares changes that are rollouts like any other, of which only a part is searched for what
// any rollout may break, with the same searched to the end, on random clusters: the same verdict, the same new and
// worsened findings, and of the existing ones none that is not there.
func TestSearchingInPartKeepsWhatIsNew(t *testing.T) {
	comparison(t)
	clusters := 10
	if *moreClusters > 0 {
		clusters = *moreClusters
	}
	existing, fewer, over := 0, 0, 0
	for seed := *fromCluster; seed < *fromCluster+clusters; seed++ {
		r := rand.New(rand.NewPCG(29, uint64(seed)))
		base, head, policy := anyChange(r)
		ch, pol := changeOf(t, base, head, policy)
		run := func(part uint64) *finding.Result {
			return verdict(t)(Check(context.Background(), ch, Options{Policy: pol, Workers: 1, TimeBudget: time.Minute, Part: run.Part{Plain: true}, Compare: run.Compare{States: 20_000, Calm: true, PartStates: part}}))
		}
		whole := run(1 << 40)
		if ranOut(whole) {
			over++
			continue
		}
		part := run(uint64(1 + r.IntN(60)))
		if a, b := gating(part), gating(whole); !slices.Equal(a, b) {
			t.Errorf("cluster %d: in part\n%s\nwhole\n%s", seed, strings.Join(a, "\n"), strings.Join(b, "\n"))
		}
		for _, f := range part.Findings {
			if !slices.ContainsFunc(whole.Findings, func(g finding.Finding) bool {
				return g.Rule == f.Rule && g.Workload == f.Workload && g.Status == f.Status
			}) {
				t.Errorf("cluster %d: %s %s of %s is found in part only", seed, f.Status, f.Rule, f.Workload)
			}
		}
		for _, f := range whole.Findings {
			if f.Rule == "single-domain" || f.Rule == "spread-violated" {
				existing++
			}
		}
		if part.Coverage.States < whole.Coverage.States {
			fewer++
		}
	}
	t.Logf("%d clusters (%d are too large to compare), fewer states in %d, %d findings of the rules", clusters, over, fewer, existing)
	if existing < clusters/6 || fewer < clusters/4 || over > clusters/2 {
		t.Error("the test has lost its teeth")
	}
}

// anyChange is a change that is a rollout like any other, of a random workload whose pods are asked to be spread.
func anyChange(r *rand.Rand) (base, head, policy string) {
	w := newRandomWorkload(r)
	w.kind, w.replicas, w.image, w.spread, w.port, w.apart, w.tolerates = "Deployment", 2+r.IntN(3), 1, true, false, false, false
	base = strings.Join(w.documents("web"), "---\n") + "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 100\n"
	if somewhere(r, 2) {
		base = strings.ReplaceAll(base, "DoNotSchedule", "ScheduleAnyway")
	}
	edit := [][2]string{
		{`image: "i:1"`, `image: "i:2"`}, {`image: "i:1"`, `image: "i:1", env: [{name: MODE, value: fast}]`},
		{`image: "i:1"`, `image: "i:1", readinessProbe: {tcpSocket: {port: 80}}`},
		{"metadata: {labels: {app: web}}", "metadata: {labels: {app: web, version: \"2\"}}"},
	}[r.IntN(4)]
	policy = fmt.Sprintf("events:\n  loadChange: {budget: %d}\n  nodeFailure: {budget: %d}\n  podCrash: {budget: %d}\n",
		r.IntN(2), max(r.IntN(4)-2, 0), max(r.IntN(4)-2, 0))
	if !w.selects && somewhere(r, 2) { // nothing is declared
		base = strings.ReplaceAll(base, "kubernetes.io/hostname", "topology.kubernetes.io/zone")
	} else {
		policy += fmt.Sprintf("cluster:\n  nodePools: [{name: a, count: {min: 2, max: 3}, labels: {disk: ssd}, allocatable: {cpu: \"%d\", memory: 8Gi}}]\n",
			2+r.IntN(4))
	}
	return base, strings.Replace(base, edit[0], edit[1], 1), policy
}

// gating is what a result says of the change: its verdict, and what is new or worsened.
func gating(r *finding.Result) []string {
	out := []string{string(r.Verdict)}
	for _, f := range r.Findings {
		if f.Status != finding.Existing {
			out = append(out, strings.Join([]string{string(f.Status), string(f.Severity), f.Certainty.String(), f.Rule, f.Workload}, " "))
		}
	}
	return out
}
