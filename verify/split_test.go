package verify

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/finding"
)

var (
	moreSplits = flag.Int("splits", 0, "random clusters to split into two releases; 0: as many as a commit waits for")
	firstSplit = flag.Int("first-split", 0, "the first of the random clusters to split")
)

// pieces are the parts of a workload that others may meet: each is drawn by itself, and a change draws one again.
var pieces = map[string][]string{
	"replicas":  {"1", "2", "3"},
	"cpu":       {"10m", "300m", "600m"},
	"labels":    {"", "", ", tier: x"},
	"zone":      {"", "", "a", "b"},
	"meets":     {"", "", "apart", "beside", "spread"},
	"priority":  {"", "", "priorityClassName: front"},
	"port":      {"", "", "ports: [{containerPort: 80, hostPort: 80}]"},
	"claim":     {"", "", "", "volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]"},
	"unsettled": {"type: Recreate", "rollingUpdate: {maxSurge: 1, maxUnavailable: 0}"},
}

// drawn is one workload by its pieces.
type drawn map[string]string

func drawWorkload(r *rand.Rand) drawn {
	d := drawn{}
	for _, k := range slices.Sorted(maps.Keys(pieces)) {
		d[k] = pieces[k][r.IntN(len(pieces[k]))]
	}
	return d
}

func (d drawn) manifest(name, other string) string {
	var spec []string
	if d["zone"] != "" {
		spec = append(spec, inZone(d["zone"]))
	}
	spec = append(spec, d["priority"], d["claim"], map[string]string{"": "", "spread": spreadTier,
		"apart":  pods("podAntiAffinity", other, "kubernetes.io/hostname"),
		"beside": pods("podAffinity", other, "topology.kubernetes.io/zone")}[d["meets"]])
	spec = slices.DeleteFunc(spec, func(s string) bool { return s == "" })
	text := sized(app(name, d["labels"], strings.Join(spec, "\n      ")), d["cpu"])
	text = strings.Replace(text, "replicas: 1", "replicas: "+d["replicas"], 1)
	text = strings.Replace(text, "type: Recreate", d["unsettled"], 1)
	return strings.Replace(text, d["cpu"]+"}}", d["cpu"]+"}}, "+d["port"], 1)
}

// standing are objects that stand with the workloads of a cluster, each with the values that a change may give it.
var standing = []struct {
	text   string // with %s for the value
	values []string
}{
	{frontClass, []string{"0", "1000"}},
	{strings.TrimPrefix(strings.Replace(diskClaim, "capacity: {storage: 1Gi}", "capacity: {storage: %s}", 1), "---\n"),
		[]string{"1Gi"}},
	{strings.TrimPrefix(strings.Replace(tierBudget("X"), "X", "%s", 1), "---\n"), []string{"0", "1", "2"}},
	{shopBudget, []string{"maxUnavailable: 0", "maxUnavailable: 1"}},
	{shopScaler, []string{"2", "3", "4"}},
	{shopQuota, []string{`pods: "2"`, `pods: "4"`, `pods: "9"`, `requests.cpu: "1"`}},
	{shopRange, []string{"min: {cpu: 5m}", "min: {cpu: 100m}", "max: {cpu: 500m}"}},
	{shopSpace, []string{"privileged", "restricted"}},
	{guardHook, []string{"web", "db"}},
}

// guardHook asks the pods of a workload about the pods of the namespace, by a Service.
const guardHook = `apiVersion: v1
kind: Service
metadata: {name: guard, namespace: shop}
spec: {selector: {app: %s}, ports: [{port: 443}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: guard}
webhooks:
- name: guard.shop.example
  sideEffects: None
  admissionReviewVersions: [v1]
  failurePolicy: Fail
  clientConfig: {service: {name: guard, namespace: shop}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
`

// patchedFrom is the first of the clusters in which a policy that mutates pods stands as well, or comes, changes or goes.
const patchedFrom = 10_000

// podPatches are what it makes of them.
var podPatches = []string{
	`Object{metadata: Object.metadata{labels: {"tier": "x"}}}`,
	`Object{spec: Object.spec{nodeSelector: {"topology.kubernetes.io/zone": "a"}}}`,
	`Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, ` +
		`resources: Object.spec.containers.resources{requests: {"cpu": "700m"}}})}}`,
	`Object{spec: Object.spec{priorityClassName: "front"}}`,
	`Object{spec: Object.spec{hostNetwork: true}}`,
}

// patchPolicy is a policy that mutates the pods of a workload, or of all.
func patchPolicy(r *rand.Rand) string {
	const text = `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: patch}
spec:
  failurePolicy: Fail
  reinvocationPolicy: Never
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  matchConditions: [{name: which, expression: "%s"}]
  mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: '%s'}}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: patch}
spec: {policyName: patch}
`
	which := []string{"true", "object.metadata.labels['app'] == 'web'", "object.metadata.labels['app'] == 'db'"}
	return fmt.Sprintf(text, which[r.IntN(len(which))], podPatches[r.IntN(len(podPatches))])
}

// randomSplit is a cluster of two workloads and what acts on them, of which one piece changes.
type randomSplit struct {
	policy string
	sides  [2]struct{ app, platform string }
}

func newRandomSplit(seed int) randomSplit {
	r := rand.New(rand.NewPCG(uint64(seed), 3838))
	out := randomSplit{policy: []string{"", smallNode, twoZonedNodes, twoSmallNodes}[r.IntN(4)]}
	both := map[string]drawn{"web": drawWorkload(r), "db": drawWorkload(r)}
	values, away := make([]string, len(standing)), make([]bool, len(standing))
	var there []int
	for i, b := range standing {
		values[i], away[i] = b.values[r.IntN(len(b.values))], r.IntN(2) == 0
		if i < 2 || r.IntN(5) == 0 { // classes and claims are there for who names them
			there = append(there, i)
		}
	}
	for v := range out.sides {
		parts := [2][]string{{both["web"].manifest("web", "db")}, {both["db"].manifest("db", "web")}}
		for _, i := range there {
			k := 0
			if away[i] {
				k = 1
			}
			parts[k] = append(parts[k], fmt.Sprintf(standing[i].text, values[i]))
		}
		out.sides[v].app, out.sides[v].platform = strings.Join(parts[0], "---\n"), strings.Join(parts[1], "---\n")
		for range 1 + r.IntN(3) {
			if i := there[r.IntN(len(there))]; len(standing[i].values) > 1 && r.IntN(3) == 0 {
				values[i] = standing[i].values[r.IntN(len(standing[i].values))]
				continue
			}
			name := []string{"web", "db"}[r.IntN(2)]
			piece := slices.Sorted(maps.Keys(pieces))[r.IntN(len(pieces))]
			both[name][piece] = pieces[piece][r.IntN(len(pieces[piece]))]
		}
	}
	if seed < patchedFrom {
		return out
	}
	above, policy := r.IntN(2) == 0, patchPolicy(r)
	for v, has := range [][2]bool{{true, false}, {false, true}, {true, true}, {true, true}}[r.IntN(4)] {
		part := &out.sides[v].app
		if above {
			part = &out.sides[v].platform
		}
		if has && *part != "" {
			*part += "---\n"
		}
		if has {
			*part += policy
		}
		if r.IntN(2) == 0 {
			policy = patchPolicy(r)
		}
	}
	return out
}

// check runs the cluster in a layout.
func (s randomSplit) check(t *testing.T, name string, declared bool) *finding.Result {
	t.Helper()
	text := s.policy
	switch {
	case declared && text == "":
		text = "cluster:\n  releases: [\"**\"]\n"
	case declared:
		text = strings.Replace(text, "cluster:\n", "cluster:\n  releases: [\"**\"]\n", 1)
	}
	pol, err := policies.Load("policy.yaml", []byte("apiVersion: kubesettle.dev/v1alpha1\nkind: Policy\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	l := layouts[name]
	ch := clusterChanges(t, l(s.sides[0].app, s.sides[0].platform), l(s.sides[1].app, s.sides[1].platform), pol)
	return verdict(t)(Check(context.Background(), ch, Options{Policy: pol, Workers: 2}))
}

// splitsOnceWrong violated it.
var splitsOnceWrong = []int{70, 72, 99, 293, 310, 407, 845, 10017, 10064, 10086}

// roomRules tell of room on nodes, which releases share of which somebody says that they run there; of others a check
// says that it leaves their room out.
var roomRules = []string{"unschedulable", "preemption-cascade"}

// TestRandomSplits holds that splitting a release into two of one cluster changes no finding, of random clusters: where
// nobody says that there is one cluster, what takes both releases is a warning on that condition, and in two clusters
// it is not there.
func TestRandomSplits(t *testing.T) {
	notUnderRace(t)
	n := max(*moreSplits, 16)
	if testing.Short() && *moreSplits == 0 {
		n = 4
	}
	seeds := slices.Clone(splitsOnceWrong)
	if *moreSplits > 0 {
		seeds = nil
	}
	for seed := *firstSplit; seed < *firstSplit+n; seed++ {
		seeds = append(seeds, seed)
	}
	for i, seed := range seeds {
		if testing.Short() && *moreSplits == 0 && i%3 > 0 { // a seed takes a second
			continue
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := newRandomSplit(seed)
			defer func() {
				if t.Failed() {
					t.Logf("policy: %s\n=== base/app\n%s=== base/platform\n%s=== head/app\n%s=== head/platform\n%s=== end", s.policy,
						s.sides[0].app, s.sides[0].platform, s.sides[1].app, s.sides[1].platform)
				}
			}()
			one := broken(s.check(t, "one", false))
			if d := cmp.Diff(one, broken(s.check(t, "plain", true))); d != "" {
				t.Errorf("declared (-one release +two):\n%s", d)
			}
			for _, by := range []string{"argo", "flux"} {
				if d := cmp.Diff(broken(s.check(t, "one by "+by, false)), broken(s.check(t, by, false))); d != "" {
					t.Errorf("%s (-one release +two):\n%s", by, d)
				}
			}
			needs := one // both parts
			for _, name := range []string{"alone", "without"} {
				for k := range broken(s.check(t, name, false)) {
					delete(needs, k)
				}
			}
			t.Logf("take both releases: %v", needs)
			plain, found := s.check(t, "plain", false), map[string]bool{}
			for _, f := range plain.Findings {
				k := f.Rule + " " + f.Workload
				if found[k] = found[k] || stands(f); !stands(f) || needs[k] == "" {
					continue
				}
				held := slices.ContainsFunc(f.Holds, func(c finding.Condition) bool { return c.Declare == "cluster.releases" })
				if !held || f.Severity == "error" {
					t.Errorf("plain folders: %s is an %s: %s", k, f.Severity, f.Message)
				}
			}
			apart := broken(s.check(t, "two clusters", false))
			left := slices.ContainsFunc(plain.Assumptions, func(n finding.Note) bool { return n.Kind == finding.RoomLeftOut })
			for k := range needs {
				if rule, _, _ := strings.Cut(k, " "); !found[k] && !(left && slices.Contains(roomRules, rule)) {
					t.Errorf("plain folders: %s is not found: %s", k, needs[k])
				}
				if apart[k] != "" {
					t.Errorf("two clusters: %s", k)
				}
			}
		})
	}
}
