package verify

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubesettle/kubesettle/verify/judge"
)

// entry is a failure that users reported in public: one of tier 1 with several
// independent reports or an official warning, one of tier 3 with little public pain.
type entry struct {
	id    string
	tier  int
	title string
	known string // smallest scale on record
	why   string // no pair in testdata/failures, because of this
}

// documented are the failures on record, in order.
var documented = []entry{
	{"f01", 1, "Required host anti-affinity + replicas = nodes + default rolling update", "3 nodes, 3 pods", ""},
	{"f02", 1, "Surge pod has no room (GPU or big pod)", "1-2 nodes, 1 pod", ""},
	{"f03", 1, "ResourceQuota equals steady state", "1 node, 3 pods", ""},
	{"f04", 2, "Quota + maxSurge 0: replacement delayed by up to 16 minutes", "1 node, 2 pods", "the model has no back-off: a refused create is retried as soon as the quota has room"},
	{"f05", 1, "hostPort / hostNetwork on a Deployment", "1-2 nodes, 1 pod", ""},
	{"f06", 1, "ReadWriteOnce volume + rolling update", "2 nodes, 1 pod", ""},
	{"f07", 1, "Rolling update breaks a hard topology spread", "3 nodes, 3 pods", ""},
	{"f08", 2, "Spread + old revision: new pods blocked (capacity or taints in the minimum domain)", "3-6 nodes, 6 pods", ""},
	{"f09", 1, "StatefulSet cannot be rolled back by re-applying", "2 nodes, 2 pods", ""},
	{"f10", 2, "progressDeadline shorter than one start-up or capacity stall", "1 node, 1 pod", "the model knows the order of steps, not their duration; manifests do not decide whether one exceeds progressDeadlineSeconds"},
	{"f11", 2, "Upgrade / rollback loop of a release controller", "1 node, 1 pod", "manifests do not decide whether a rollout exceeds a release controller's timeout, and no actor remediates a HelmRelease"},
	{"f12", 1, "Immutable Deployment selector changes with the chart version", "0 nodes", ""},
	{"f13", 1, "StatefulSet volumeClaimTemplates / podManagementPolicy / serviceName change", "0 nodes", ""},
	{"f14", 1, "Job template changes between applies", "0 nodes", ""},
	{"f15", 3, "maxSurge and maxUnavailable both 0", "0 nodes", ""},
	{"f16", 2, "DaemonSet with maxSurge and hostPort", "1 node, 1 pod", ""},
	{"f17", 1, "PDB that allows no disruption at all (minAvailable = replicas, maxUnavailable 0)", "2 nodes, 1 pod", ""},
	{"f18", 1, "PDB floor equals HPA floor", "3 nodes, 2 pods", ""},
	{"f19", 2, "PDB percentage rounding", "2 nodes, 1-3 pods", ""},
	{"f20", 1, "Never-ready pods behind a PDB", "3 nodes, 2 pods", ""},
	{"f21", 1, "Two PDBs select one pod", "3 nodes, 3 pods", ""},
	{"f22", 1, "Deployment tolerates everything and returns to the drained node", "2 nodes, 1 pod", ""},
	{"f23", 1, "StatefulSet pod on a lost node is never replaced", "2 nodes, 1 pod", ""},
	{"f24", 1, "Cordoned or tainted node counts as an empty spread domain", "3 nodes, 3 pods", ""},
	{"f25", 2, "Zonal outage with Honor + minDomains", "3 zones, 3 pods", ""},
	{"f26", 2, "minDomains larger than the cluster", "2 zones, 3 pods", ""},
	{"f27", 1, "Scale-down leaves a hard-spread workload unbalanced", "3 zones, 10 to 3 pods", ""},
	{"f28", 2, "PDB / do-not-disrupt freezes Karpenter nodes", "1 node, 1 pod", ""},
	{"f29", 1, "HPA on memory never scales back (ratchet)", "2 nodes, 4 pods", ""},
	{"f30", 2, "Idle footprint above the memory target: always at maxReplicas", "1 node, 2 pods", ""},
	{"f31", 1, "HPA on memory escalates during a rolling update", "3 nodes, 10 pods", ""},
	{"f32", 1, "HPA counts another workload's pods (overlapping selectors)", "2 nodes, 6 pods", ""},
	{"f33", 2, "Two HPAs reach the same pods: both stop", "1 node, 2 pods", ""},
	{"f34", 1, "HPA Utilization with a container (often an injected sidecar) without request", "1 node, 1 pod", ""},
	{"f35", 1, "VPA and HPA on the same CPU metric", "2 nodes, 2 pods", ""},
	{"f36", 2, "VPA recommendation larger than any node", "1 node, 1 pod", ""},
	{"f37", 2, "VPA + LimitRange: eviction every minute", "1 node, 1 pod", "it takes lower bound and target that differ by container, with a LimitRange of type Pod capping only one; the model has one recommendation per pod"},
	{"f38", 1, "GitOps self-heal against HPA", "2 nodes, 2-6 pods", ""},
	{"f39", 2, "ignoreDifferences without RespectIgnoreDifferences", "1 node, 2 pods", ""},
	{"f40", 2, "KEDA scale-to-zero against self-heal", "1 node, 1 pod", ""},
	{"f41", 3, "Manifest with replicas 0 switches the HPA off", "1 node, 0 pods", ""},
	{"f42", 2, "Cluster autoscaler and domains it cannot see", "3 zones", "the modelled autoscaler asks the scheduler's own filters, cluster default constraints included; the one on record omits custom default constraints"},
	{"f43", 1, "Zonal volume and no node in that zone", "2 zones, 1 pod", ""},
	{"f44", 2, "Cluster autoscaler flip-flop", "3 nodes", ""},
	{"f45", 1, "Karpenter consolidation loop with preferred (anti-)affinity or soft spread", "2 nodes, 3 pods", ""},
	{"f46", 1, "LowNodeUtilization and one large pod", "2 nodes, 1 pod", ""},
	{"f47", 2, "LowNodeUtilization against bin packing (MostAllocated / CA optimise-utilisation)", "2 nodes, 3 pods", ""},
	{"f48", 1, "RemovePodsViolatingNodeAffinity(preferred) + autoscaler", "2 node groups, 1 pod", ""},
	{"f49", 3, "Descheduler evictions keep the HPA from scaling down", "2 nodes", "one report that nobody reproduced; it depends on minutes, which the model does not count"},
	{"f50", 1, "Surge of a high-priority service preempts a protected low-priority one", "3 nodes, 6 pods", ""},
	{"f51", 1, "globalDefault PriorityClass introduced later", "2 nodes, 6 pods", ""},
	{"f52", 1, "Fail-closed webhook guards its own pods", "2 nodes, 1 pod", ""},
	{"f53", 2, "LimitRange default below request", "0 nodes", ""},
	{"f54", 1, "nodeName + request does not fit: endless failed pods", "1 node, 2 pods", ""},
	{"f55", 1, "Pod fits the node but not beside DaemonSets", "2 nodes, 3 pods", ""},
	{"f56", 2, "Required affinity cycle between two workloads", "2 nodes, 2 pods", ""},
	{"f57", 1, "Pinned pod on a node under DiskPressure: endless Evicted pods", "1 node, 1 pod", ""},
	{"f58", 2, "DaemonSet evict/recreate loop", "1 node, 1 pod", ""},
	{"f59", 1, "CronJob pile-up", "1 node", ""},
	{"f60", 1, "All replicas on one node, then node failure", "3 nodes, 2-3 pods", ""},
}

const coverageHead = `# Documented failures, and which are found

Sixty failures of control loops that users reported in public. Tier 1 has several independent reports or an official
warning, and a documented fix; tier 3 has few reports. Each one found is a pair in ` + "`testdata/failures`" + `: manifests and a
policy that have it, and a repaired variant without a finding at complete coverage. A test verifies every pair and writes
this list: ` + "`go test ./verify -run CoveragePage -rewrite`" + `.

Pods include one that surges or is yet to be created. *inevitable*: every fair run that reaches this point has it.
*possible*: it takes particular choices of the scheduler, or a race. *on the way*: the control loops themselves mend it
before the run ends. The last three columns are the gravest that is told as new with nothing declared, with the policy's
nodes alone, and with the whole policy, whose events (a lost node, a bad revision) and controllers the others lack; the
repaired variant is silent in all three.

`

// TestCoveragePage keeps docs/coverage.md true: what is found is what the pairs give, and
// every other failure has its reason.
func TestCoveragePage(t *testing.T) {
	page := bytes.NewBufferString(coverageHead)
	coverageOf(t, page, documented, "##", "")
	page.WriteString(coverageSince)
	coverageOf(t, page, documentedSince, "###", ", of the second list")
	const name = "../docs/coverage.md"
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	// What was measured on public repositories takes their clones, and stands below.
	if i := bytes.Index(want, []byte("\n## Measured")); i >= 0 {
		page.Write(want[i:])
	}
	if *rewrite {
		if err := os.WriteFile(name, page.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(want), page.String()); diff != "" {
		t.Errorf("%s is out of date, write it with -rewrite (-page +pairs):\n%s", name, diff)
	}
}

const coverageSince = `
## Failures of 2024 to 2026

A second list, of what users reported since and of applies that are no single step. Scales on record are estimates.

`

// coverageOf writes what is found of a list, and why the rest is not.
func coverageOf(t *testing.T, page *bytes.Buffer, list []entry, heading, which string) {
	t.Helper()
	var found, missed bytes.Buffer
	tiers, pairs := map[int]int{}, map[int]int{}
	told := map[int][2]int{} // with nothing declared, and with nodes only
	for _, e := range list {
		tiers[e.tier]++
		i := slices.IndexFunc(documentedCases, func(c documentedCase) bool { return c.dir == "failures/"+e.id })
		if (i < 0) == (e.why == "") {
			t.Errorf("%s: a pair of TestCases, or a reason why there is none: not both, not neither", e.id)
		}
		if i < 0 {
			fmt.Fprintf(&missed, "| %s | %d | %s | %s |\n", strings.ToUpper(e.id), e.tier, e.title, e.why)
			continue
		}
		pairs[e.tier]++
		f := documentedFinding(t, documentedCases[i])
		words := gravest(t, filepath.Join("../testdata", documentedCases[i].dir))
		n := told[e.tier]
		for k, w := range words {
			if w != "" {
				n[k]++
			}
		}
		told[e.tier] = n
		fmt.Fprintf(&found, "| [%s](../testdata/failures/%s/README.md) | %d | %s | %s | %s | [%s](rules.md#%s) | %s | %s | %s | %s |\n", strings.ToUpper(e.id), e.id,
			e.tier, e.title, e.known, foundAt(f), f.Rule, f.Rule, howSure(f), words[0], words[1], f.Severity)
	}
	for tier := 1; tier <= 3; tier++ {
		fmt.Fprintf(page, "- tier %d: %d of %d; with nodes only %d, with nothing declared %d\n", tier, pairs[tier], tiers[tier], told[tier][1], told[tier][0])
	}
	fmt.Fprintf(page, "\n%s Found%s\n\n| | tier | failure | known at | found at | rule | certainty | nothing declared | nodes only | policy |\n|---|---|---|---|---|---|---|---|---|---|\n%s", heading, which, found.String())
	fmt.Fprintf(page, "\n%s Not found%s, and why\n\n| | tier | failure | why |\n|---|---|---|---|\n%s", heading, which, missed.String())
}

// documentedFinding is what the violating one of a pair is known for.
func documentedFinding(t *testing.T, c documentedCase) judge.Finding {
	t.Helper()
	r := caseResult(t, filepath.Join("../testdata", c.dir, "violating"))
	i := slices.IndexFunc(r.Findings, func(f judge.Finding) bool { return f.Rule == c.rule })
	if i < 0 {
		t.Fatalf("%s: no %s:\n%s", c.dir, c.rule, outline(r))
	}
	return r.Findings[i]
}

// howSure words a finding's certainty, and whether it is one on the way.
func howSure(f judge.Finding) string {
	if f.Recovers != nil && *f.Recovers {
		return f.Certainty + ", on the way"
	}
	return f.Certainty
}

// foundAt words the scale of a finding.
func foundAt(f judge.Finding) string {
	plural := func(n int, what string) string {
		if n == 1 {
			return "1 " + what
		}
		return fmt.Sprintf("%d %ss", n, what)
	}
	out := plural(f.Scale.Nodes, "node") + ", " + plural(f.Scale.Pods, "pod")
	if len(f.Events) > 0 {
		out += "; " + strings.Join(f.Events, ", ")
	}
	return out
}
