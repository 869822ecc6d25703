package verify

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/run"
)

// moreClusters is for nightly runs: 2000.
var moreClusters = flag.Int("clusters", 0, "random clusters of 6 to 10 pods to compare reduced searches with whole ones on; 0: a few small ones")

// randomShop is a change to one to three Deployments on a small cluster, with what evicts pods and what scales them: more
// pods than a [randomPair] has, so that reductions have something to do.
//
// On a roomy one no pod is in another one's way, and nothing evicts.
func randomShop(r *rand.Rand, pods int, roomy bool) (base, head, policy string) {
	workloads := 1 + r.IntN(3)
	each := max(pods/workloads, 1)
	var old, now []string
	for i := range workloads {
		w := newRandomWorkload(r)
		w.kind, w.replicas, w.port, w.selects, w.tolerates = "Deployment", max(each-r.IntN(2), 1), false, false, false
		w.apart = w.apart && somewhere(r, 3) && !roomy
		w.spread = w.spread && !roomy
		if w.hpa[1] > 0 && somewhere(r, 2) {
			w.hpa = [2]int{}
		}
		if w.hpa[1] > 0 {
			w.hpa = [2]int{1 + r.IntN(2), min(each, 4)}
		}
		w.image = 1
		next := w
		if i == 0 || somewhere(r, 2) {
			next.image = 2
		}
		if somewhere(r, 3) {
			next.change([]int{0, 3, 5}[r.IntN(3)], newRandomWorkload(r))
		}
		name := fmt.Sprintf("web-%d", i)
		old, now = append(old, w.documents(name)...), append(now, next.documents(name)...)
	}
	prio := "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 100\n"
	old, now = append(old, prio), append(now, prio)
	if somewhere(r, 2) && !roomy {
		d := randomDescheduler(r)
		old, now = append(old, d), append(now, d)
	}
	nodes := 2 + r.IntN(2)
	cpu, fit := 2+r.IntN(4), 20
	if roomy {
		cpu, fit = 64, 110
	}
	policy = fmt.Sprintf("bound: {nodes: %d}\ncluster:\n  nodePools: [{name: a, count: {min: %d, max: %d}, allocatable: {cpu: \"%d\", memory: 8Gi, pods: \"%d\"}}]\n", nodes, nodes, nodes, cpu, fit)
	policy += fmt.Sprintf("events:\n  loadChange: {budget: %d}\n  nodeFailure: {budget: %d}\n  podCrash: {budget: %d}\n  badRevision: {budget: %d}\n",
		r.IntN(2), max(r.IntN(8)-6, 0), max(r.IntN(4)-2, 0), r.IntN(2))
	if small := pods <= 4 || *moreClusters > 0; small && somewhere(r, 3) && !roomy { // they take many states
		config := "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: config, namespace: default}\ndata: {level: %s}\n"
		policy += randomOwn(r)
		return strings.Join(old, "---\n") + fmt.Sprintf(config, "info"), strings.Join(now, "---\n") + fmt.Sprintf(config, "debug"), policy
	}
	return strings.Join(old, "---\n"), strings.Join(now, "---\n"), policy
}

// randomOwn are controllers that a policy declares.
func randomOwn(r *rand.Rand) string {
	out := "controllers:\n  own:\n"
	for i := range 1 + r.IntN(2) {
		what := []string{
			"watches: ConfigMap default/config, restarts: {}", "when: self.ready == self.replicas, deletes: {pods: outdated}",
			"deletes: {pods: unready, through: eviction}", `scales: {to: "self.ready + 1", min: 1, max: 3}`,
			"when: self.maxPerNode > 1, deletes: {pods: any}",
		}[r.IntN(5)]
		out += fmt.Sprintf("  - {name: own-%d, workload: {name: default/web-0}, latency: %s, %s}\n", i, []string{"sync", "periodic"}[r.IntN(2)], what)
	}
	return out
}

// randomDescheduler is a descheduler's ConfigMap.
func randomDescheduler(r *rand.Rand) string {
	plugin := []string{"RemoveDuplicates", "LowNodeUtilization", "RemovePodsViolatingTopologySpreadConstraint"}[r.IntN(3)]
	args := map[string]string{
		"RemoveDuplicates": "{}", "LowNodeUtilization": "{thresholds: {pods: 20}, targetThresholds: {pods: 30}}",
		"RemovePodsViolatingTopologySpreadConstraint": "{constraints: [DoNotSchedule, ScheduleAnyway]}",
	}[plugin]
	return fmt.Sprintf(`apiVersion: v1
kind: ConfigMap
metadata: {name: descheduler, namespace: kube-system}
data:
  policy.yaml: |
    apiVersion: descheduler/v1alpha2
    kind: DeschedulerPolicy
    profiles:
    - name: default
      pluginConfig:
      - name: DefaultEvictor
        args: {nodeFit: %t, minReplicas: %d}
      - name: %s
        args: %s
      plugins:
        balance: {enabled: [%s]}
`, somewhere(r, 2), max(r.IntN(8)-5, 0), plugin, args, plugin)
}

// fully is what a result says, with the length of every counterexample.
func fully(r *finding.Result) []string {
	var out []string
	for _, f := range r.Findings {
		out = append(out, fmt.Sprintf("%s %s %s %s %s at %d nodes, %d pods with %v in %d steps, cycle %v", f.Status, f.Severity, f.Certainty, f.Rule, f.Workload,
			f.Scale.Nodes, f.Scale.Pods, slices.Sorted(slices.Values(f.Events)), len(f.Interleaving), f.CycleStart != nil))
	}
	return append(out, string(r.Verdict), r.Coverage.Bound)
}

// TestLumpsKeepFindings compares searches in which pods that nobody tells apart are lumped with such in which they are
// not, on random clusters: the same findings, after as many events and, but for loops, steps.
func TestLumpsKeepFindings(t *testing.T) {
	notUnderRace(t)
	keepFindings(t, 18, "lumped", func(o *Options) { o.Unlumped = true }, func(int) bool { return false })
}

// TestApartKeepsFindings is the same of workloads that are searched by themselves first, mostly on roomy clusters.
func TestApartKeepsFindings(t *testing.T) {
	notUnderRace(t)
	keepFindings(t, 19, "apart", func(o *Options) { o.Whole = true }, func(seed int) bool { return seed%4 > 0 })
}

// TestApartKeepsFindingsOfTightClusters is the same where only what pods take at once says whether nodes have room.
func TestApartKeepsFindingsOfTightClusters(t *testing.T) {
	notUnderRace(t)
	keepFindings(t, 22, "tight", func(o *Options) { o.Whole = true }, func(int) bool { return true })
}

// TestSharedRoomIsAddedUp has a rollout that ends on the nodes by itself, and is stuck beside a workload that is not
// changed.
func TestSharedRoomIsAddedUp(t *testing.T) {
	deployment := func(name, image, cpu string, replicas int) string {
		return fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s, namespace: default}
spec:
  replicas: %[4]d
  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s, shop: all}}
    spec:
      affinity:
        podAntiAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
          - {weight: 1, podAffinityTerm: {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {shop: all}}}}
      containers:
      - {name: web, image: %[2]q, resources: {requests: {cpu: %[3]q}}}
`, name, image, cpu, replicas)
	}
	api := "---\n" + deployment("api", "api:1", "1", 4)
	ch, pol := changeOf(t, deployment("web", "web:1", "1", 2)+api, deployment("web", "web:2", "2", 2)+api,
		"cluster:\n  nodePools: [{name: a, count: {min: 1, max: 1}, allocatable: {cpu: \"8\", memory: 64Gi, pods: \"110\"}}]\nevents:\n  drain: {budget: 0}\n")
	for _, whole := range []bool{false, true} {
		opt := Options{Policy: pol, Workers: 2, TimeBudget: time.Minute, Part: run.Part{Plain: true}}
		opt.Whole = whole
		r := verdict(t)(Check(context.Background(), ch, opt))
		stuck := slices.ContainsFunc(r.Findings, func(f finding.Finding) bool { return f.Rule == "rollout-stuck" })
		if !stuck {
			t.Errorf("whole %v: no rollout is stuck: %v", whole, fully(r))
		}
	}
}

// TestSharingKeepsFindings is the same of searches that two scenarios share.
func TestSharingKeepsFindings(t *testing.T) {
	notUnderRace(t)
	keepFindings(t, 20, "shared", func(o *Options) { o.Twice = true }, func(int) bool { return false })
}

// keepFindings compares searches of random clusters with searches that leave a reduction out.
func keepFindings(t *testing.T, stream uint64, reduction string, without func(*Options), roomy func(seed int) bool) {
	clusters, least, most, budget, states := 50, 3, 6, time.Minute, uint64(30_000)
	if *moreClusters > 0 {
		clusters, least, most, states = *moreClusters, 6, 10, 0
	}
	if testing.Short() {
		clusters = 10
	}
	kept, whole, findings, over, fewer := uint64(0), uint64(0), 0, 0, 0
	for seed := range clusters {
		r := rand.New(rand.NewPCG(stream, uint64(seed)))
		base, head, policy := randomShop(r, least+r.IntN(most-least+1), roomy(seed))
		if reduction == "tight" {
			policy = strings.Replace(policy, "cpu: \"64\"", fmt.Sprintf("cpu: \"%d\"", 2+r.IntN(5)), 1)
		}
		ch, pol := changeOf(t, base, head, policy)
		run := func(tune func(*Options)) *finding.Result {
			opt := Options{Policy: pol, Workers: 2, TimeBudget: budget, Part: run.Part{Plain: *moreClusters == 0}, Compare: run.Compare{States: states}} // no blame, no fix: they are not compared
			tune(&opt)
			return verdict(t)(Check(context.Background(), ch, opt))
		}
		less, more := run(func(*Options) {}), run(without)
		if ranOut(less) || ranOut(more) {
			over++ // states that end a search are others with the reduction
			continue
		}
		kept, whole, findings = kept+less.Coverage.States, whole+more.Coverage.States, findings+len(more.Findings)
		if less.Coverage.States < more.Coverage.States {
			fewer++
		}
		if reduction == "lumped" { // states that are one close a loop sooner
			for _, r := range []*finding.Result{less, more} {
				for i := range r.Findings {
					if f := &r.Findings[i]; f.CycleStart != nil {
						f.Interleaving = nil
					}
				}
			}
		}
		if a, b := fully(less), fully(more); !slices.Equal(a, b) {
			t.Errorf("cluster %d: %s\n%s\nwhole\n%s", seed, reduction, strings.Join(a, "\n"), strings.Join(b, "\n"))
		}
	}
	t.Logf("%d clusters (%d are too large to compare), %d findings; %d states, %d without, fewer in %d clusters", clusters, over, findings, kept, whole, fewer)
	if findings < clusters/10 || fewer < clusters/5 || over > clusters/5 && *moreClusters == 0 {
		t.Errorf("%d findings, %d clusters of fewer states, %d too large: the test has lost its teeth", findings, fewer, over)
	}
}

// ranOut reports whether a budget ended a search, also one that a reduced scale stands in for.
func ranOut(r *finding.Result) bool {
	reduced := *moreClusters == 0 && len(r.Coverage.Reduced) > 0 // a few pods are searched as declared, unless the states run out
	return reduced || r.Coverage.Bound != "complete" || slices.ContainsFunc(r.Workloads, func(w finding.Workload) bool { return strings.Contains(w.Reason, "budget ran out") })
}

// TestLumpsKeepFindingsOfCases compares the searches of every case of testdata with such in which nothing is lumped.
func TestLumpsKeepFindingsOfCases(t *testing.T) {
	keepFindingsOfCases(t, "lumped", func(o *Options) { o.Unlumped = true })
}

// TestApartKeepsFindingsOfCases is the same with searches of whole slices only.
func TestApartKeepsFindingsOfCases(t *testing.T) {
	keepFindingsOfCases(t, "apart", func(o *Options) { o.Whole = true })
}

// TestSharingKeepsFindingsOfCases is the same with searches that are shared, and without.
func TestSharingKeepsFindingsOfCases(t *testing.T) {
	keepFindingsOfCases(t, "shared", func(o *Options) { o.Twice = true })
}

func keepFindingsOfCases(t *testing.T, reduction string, without func(*Options)) {
	comparison(t)
	dirs, err := filepath.Glob("../testdata/*/*/*/policy.yaml")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	kept, whole := uint64(0), uint64(0)
	for _, file := range dirs {
		less := caseResult(t, filepath.Dir(file))
		more := caseRunWith(t, filepath.Dir(file), func(o *Options) { without(o); o.Plain = *moreClusters == 0 })()
		kept, whole = kept+less.Coverage.States, whole+more.Coverage.States
		if a, b := fully(less), fully(more); !slices.Equal(a, b) {
			t.Errorf("%s: %s\n%s\nwhole\n%s", file, reduction, strings.Join(a, "\n"), strings.Join(b, "\n"))
		}
	}
	t.Logf("%d cases; %d states, %d without", len(dirs), kept, whole)
}

// TestSharingKeepsWhatIsCut is the same where the number of states ends searches: what the shared one saw until then is
// what the other one would have.
func TestSharingKeepsWhatIsCut(t *testing.T) {
	cut, fewer := 0, 0
	for seed := range 32 {
		r := rand.New(rand.NewPCG(23, uint64(seed)))
		base, head, policy := randomShop(r, 2+r.IntN(4), false)
		ch, pol := changeOf(t, base, head, policy)
		states := 20 + r.Uint64N(200)
		run := func(twice bool) *finding.Result {
			opt := Options{Policy: pol, Workers: 1, TimeBudget: time.Minute, Part: run.Part{Plain: true}, Compare: run.Compare{States: states, Calm: true, Twice: twice}}
			return verdict(t)(Check(context.Background(), ch, opt))
		}
		less, more := run(false), run(true)
		if ranOut(more) {
			cut++
			if less.Coverage.States < more.Coverage.States {
				fewer++
			}
		}
		if a, b := fully(less), fully(more); !slices.Equal(a, b) {
			t.Errorf("cluster %d, %d states: shared\n%s\ntwice\n%s", seed, states, strings.Join(a, "\n"), strings.Join(b, "\n"))
		}
	}
	if cut < 10 || fewer < 5 {
		t.Errorf("%d clusters were cut, %d with fewer states: the test has lost its teeth", cut, fewer)
	}
}
