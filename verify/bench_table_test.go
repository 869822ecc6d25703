//go:build unix

package verify

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// table is a Markdown table whose rows the benchmarks set, each as often as they run.
type table struct {
	head       []string
	rows       map[string][]string
	took, used map[string]time.Duration
}

func newTable(head ...string) *table {
	return &table{head: head, rows: map[string][]string{}, took: map[string]time.Duration{}, used: map[string]time.Duration{}}
}

func (t *table) set(name string, cells ...string) { t.rows[name] = cells }

// print writes the rows in the order of their names.
func (t *table) print() {
	if len(t.rows) == 0 {
		return
	}
	fmt.Printf("\n| %s |\n|%s\n", strings.Join(t.head, " | "), strings.Repeat("---|", len(t.head)))
	for _, name := range slices.Sorted(maps.Keys(t.rows)) {
		fmt.Printf("| %s | %s |\n", strings.TrimSpace(name), strings.Join(t.rows[name], " | "))
	}
}

// caseRow is a case's line: its findings, each with the nodes, pods, events and steps of
// its counterexample, and what the searches covered.
func caseRow(r *finding.Result, took, used time.Duration) []string {
	var found []string
	for i := range r.Findings {
		f := &r.Findings[i]
		found = append(found, fmt.Sprintf("%s (%d, %d, %d, %d)", f.Rule, f.Scale.Nodes, f.Scale.Pods, len(f.Events), len(f.Interleaving)))
	}
	c := &r.Coverage
	return []string{string(r.Verdict), strings.Join(found, ", "), strconv.Itoa(c.Topologies),
		strconv.FormatUint(c.States, 10), strconv.FormatUint(c.Transitions, 10), millis(took), millis(used)}
}

// processor is the processor time that this process has used, which other processes on
// the machine disturb less than wall time.
func processor() time.Duration {
	var use syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &use) != nil {
		return 0
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

func millis(d time.Duration) string {
	return strconv.FormatInt(d.Round(time.Millisecond).Milliseconds(), 10)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()) }

// peakMiB is the most memory that the process ever had resident, in MiB; 0 where the
// system does not say.
func peakMiB() int {
	raw, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
			return kib / 1024
		}
	}
	return 0
}

// shop is the slice of [BenchmarkGrowth] at one size: workloads whose pods keep apart
// from each other's where they can, and whose images change.
type shop struct{ nodes, pods, workloads, classes int }

// checked verifies the change of a shop within a minute.
func (s shop) checked(t testing.TB) func() *finding.Result {
	return s.checkedWith(t, func(*Options) {})
}

// checkedWith is checked with other options.
func (s shop) checkedWith(t testing.TB, tune func(*Options)) func() *finding.Result {
	p, err := policies.Load("policy.yaml", []byte(s.policy()))
	if err != nil {
		t.Fatal(err)
	}
	ch, err := render.Diff(s.revision(t, "web:1"), s.revision(t, "web:2"))
	if err != nil {
		t.Fatal(err)
	}
	opt := Options{Policy: p, Workers: 2, TimeBudget: time.Minute}
	tune(&opt)
	return func() *finding.Result { return verdict(t)(Check(context.Background(), ch, opt)) }
}

func (s shop) policy() string {
	var b strings.Builder
	b.WriteString("apiVersion: kubesettle.dev/v1alpha1\nkind: Policy\ncluster:\n  nodePools:\n")
	for i := range s.classes {
		fmt.Fprintf(&b, "  - {name: pool-%d, count: {min: 1, max: %d}, labels: {pool: p%d}, allocatable: {cpu: \"64\", memory: 256Gi, pods: \"500\"}}\n", i, s.nodes, i)
	}
	fmt.Fprintf(&b, "bound: {nodes: %d}\n", s.nodes)
	return b.String()
}

func (s shop) revision(t testing.TB, image string) *object.Revision {
	t.Helper()
	dir := t.TempDir()
	for i := range s.workloads {
		prefer := ""
		if s.classes > 1 { // what tells the classes apart
			prefer = "\n        nodeAffinity:\n          preferredDuringSchedulingIgnoredDuringExecution:"
			for k := range s.classes {
				prefer += fmt.Sprintf("\n          - {weight: %d, preference: {matchExpressions: [{key: pool, operator: In, values: [p%d]}]}}", k+1, k)
			}
		}
		manifest := fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata: {name: web-%[1]d, namespace: default}
spec:
  replicas: %[2]d
  selector: {matchLabels: {app: web-%[1]d}}
  template:
    metadata: {labels: {app: web-%[1]d, shop: all}}
    spec:
      affinity:
        podAntiAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
          - {weight: 100, podAffinityTerm: {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {shop: all}}}}%[4]s
      containers:
      - {name: web, image: %[3]q, resources: {requests: {cpu: 100m}}}
`, i, s.pods, image, prefer)
		if err := os.WriteFile(fmt.Sprintf("%s/web-%d.yaml", dir, i), []byte(manifest), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return caseRevision(t, dir)
}
