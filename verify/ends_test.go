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

// randomNeighbours is a change to two or three Deployments that look at each other's pods, or at their own, where they
// are placed: slices that are searched as a whole for what is said of places. On tight nodes pods wait for each other.
// With few pods there are no more Deployments, and no more nodes, than pods.
func randomNeighbours(r *rand.Rand, pods int) (base, head, policy string) {
	workloads := min(2+r.IntN(2), pods)
	where := func() string {
		selector := []string{"{matchLabels: {shop: all}}", "{matchLabels: {app: WEB}}"}[r.IntN(2)]
		term := "topologyKey: kubernetes.io/hostname, labelSelector: " + selector
		return []string{
			"affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, podAffinityTerm: {" + term + "}}]}}",
			"affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, podAffinityTerm: {" + term + "}}]}}",
			"topologySpreadConstraints: [{maxSkew: 1, whenUnsatisfiable: ScheduleAnyway, " + term + "}]",
			"topologySpreadConstraints: [{maxSkew: 1, whenUnsatisfiable: DoNotSchedule, " + term + "}]",
			"affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 10, podAffinityTerm: {" + term + "}}]}}",
		}[r.IntN(5)]
	}
	var old, now []string
	for i := range workloads {
		web := func(image, replicas int, place string) string {
			surge := r.IntN(2)
			return strings.ReplaceAll(fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata: {name: WEB, namespace: default}
spec:
  replicas: %d
  selector: {matchLabels: {app: WEB}}
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: %d, maxUnavailable: %d}}
  template:
    metadata: {labels: {app: WEB, shop: all}}
    spec:
      %s
      containers: [{name: web, image: "web:%d", resources: {requests: {cpu: 500m}}}]
`, replicas, surge, 1-surge, place, image), "WEB", fmt.Sprintf("web-%d", i))
		}
		replicas, place := max(pods/workloads-r.IntN(2), 1), where()
		old = append(old, web(1, replicas, place))
		if somewhere(r, 3) {
			place = where()
		}
		now = append(now, web(1+min(r.IntN(4), 1), max(replicas+r.IntN(4)/3, 1), place))
	}
	nodes, cpu := 1+r.IntN(min(pods, 3)), "64"
	if somewhere(r, 3) {
		cpu = fmt.Sprint((pods + nodes) / (2 * nodes))
	}
	policy = fmt.Sprintf("bound: {nodes: %d}\ncluster:\n  nodePools: [{name: a, count: {min: %d, max: %d}, allocatable: {cpu: \"%s\", memory: 8Gi, pods: \"110\"}}]\n", nodes, nodes, nodes, cpu)
	policy += fmt.Sprintf("events: {badRevision: {budget: %d}, podCrash: {budget: %d}}\n", r.IntN(2), max(r.IntN(4)-2, 0))
	return strings.Join(old, "---\n"), strings.Join(now, "---\n"), policy
}

// TestEndsKeepFindings compares searches in which workloads come to their end one after the other with such in which
// they do so in every order: the same findings, after as many events and steps.
func TestEndsKeepFindings(t *testing.T) {
	clusters, least, most := 10, 2, 3
	if *moreClusters > 0 {
		clusters, least, most = *moreClusters, 4, 8
	}
	kept, whole, findings, over, fewer := uint64(0), uint64(0), 0, 0, 0
	for seed := range clusters {
		r := rand.New(rand.NewPCG(21, uint64(seed)))
		base, head, policy := randomNeighbours(r, least+r.IntN(most-least+1))
		ch, pol := changeOf(t, base, head, policy)
		run := func(interleaved bool) *finding.Result {
			opt := Options{Policy: pol, Workers: 1, TimeBudget: time.Minute, Part: run.Part{Plain: true}, Compare: run.Compare{States: 200_000, Interleaved: interleaved}}
			return verdict(t)(Check(context.Background(), ch, opt))
		}
		less, more := run(false), run(true)
		if ranOut(less) || ranOut(more) {
			over++ // states that end a search are others with the reduction
			continue
		}
		kept, whole, findings = kept+less.Coverage.States, whole+more.Coverage.States, findings+len(more.Findings)
		if less.Coverage.States < more.Coverage.States {
			fewer++
		}
		if a, b := fully(less), fully(more); !slices.Equal(a, b) {
			t.Errorf("cluster %d: one after the other\n%s\nin every order\n%s", seed, strings.Join(a, "\n"), strings.Join(b, "\n"))
		}
	}
	t.Logf("%d clusters (%d are too large to compare), %d findings; %d states, %d without, fewer in %d clusters", clusters, over, findings, kept, whole, fewer)
	if findings < clusters/4 || fewer < clusters/4 || over > clusters/5 {
		t.Errorf("%d findings, %d clusters of fewer states, %d too large: the test has lost its teeth", findings, fewer, over)
	}
}
