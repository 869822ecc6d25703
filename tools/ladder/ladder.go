// Package ladder checks ordinary applications: a Deployment of some size and shape, a change of it, some number of
// nodes. It shows from which rung on a search no longer ends as declared.
package ladder

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kubesettle/kubesettle/tools/corpus"
)

var (
	sizes  = []int{2, 3, 5, 10}
	shapes = []string{"plain", "budget", "HPA", "soft spread", "soft anti-affinity", "all"}
	nodes  = []int{0, 3, 10, 100} // 0: nothing declared
)

// changes are those that a shape can have: an autoscaler owns the replicas.
func changes(shape string) []string {
	if autoscaled(shape) {
		return []string{"image", "CPU request", "memory", "HPA bounds"}
	}
	return []string{"image", "CPU request", "memory", "replicas"}
}

func autoscaled(shape string) bool { return shape == "HPA" || shape == "all" }

// A rung is one check.
type rung struct {
	shape, change string
	size, nodes   int
}

// limits are what a rung may take: states, and seconds of processor.
const limitStates, limitSeconds = 50_000, 0.5

// Run writes the table of verify/COST.md.
func Run(args []string) (int, error) {
	set, b := corpus.Flags("ladder", "\nEvery rung is printed; the table goes to a page where one is given.", 20*time.Second)
	quick := set.Bool("quick", false, "only Deployments of 3, with nothing and with 10 nodes declared")
	page := set.String("page", "", "page that has the table between <!-- ladder --> and <!-- /ladder -->")
	if _, err := b.Parse(set, args, 0); err != nil {
		return 2, err
	}
	if *quick {
		sizes, nodes = []int{3}, []int{0, 10}
	}
	work, _, err := corpus.Scratch("ladder")
	if err != nil {
		return 2, err
	}
	defer os.RemoveAll(work)
	results := map[rung]corpus.Result{}
	corpus.Head(os.Stdout, "shape", "change", "pods", "nodes", "verdict", "bound", "pods verified", "states", "processor, s")
	for _, shape := range shapes {
		for _, change := range changes(shape) {
			for _, size := range sizes {
				for _, n := range nodes {
					r := rung{shape, change, size, n}
					if results[r], err = r.check(*b, work); err != nil {
						return 2, err
					}
					x := results[r]
					corpus.Row(os.Stdout, shape, change, size, n, x.Verdict, x.Coverage.Bound, verified(x), x.Coverage.States, fmt.Sprintf("%.2f", x.Processor.Seconds()))
				}
			}
		}
	}
	var table strings.Builder
	summarise(&table, results, b.Budget)
	fmt.Println("\n" + table.String())
	if *page == "" {
		return 0, nil
	}
	return 0, corpus.Between(*page, "<!-- ladder -->\n", "<!-- /ladder -->\n", "\n"+table.String()+"\n", true)
}

// verified words at how many pods a workload was searched to the end.
func verified(r corpus.Result) string {
	for _, c := range r.Coverage.Reduced {
		return fmt.Sprintf("%d of %d", c.Verified, c.Declared)
	}
	return "all"
}

// ends reports whether a rung was searched to the end as declared.
func ends(r corpus.Result) bool {
	return r.Coverage.Bound == "complete" && len(r.Coverage.Reduced) == 0 && r.Verdict != "inconclusive" && r.Verdict != "error"
}

// summarise prints a row for each shape and change: the most states and processor time of any size, by nodes, and the
// sizes that do not end.
func summarise(w io.Writer, results map[rung]corpus.Result, budget time.Duration) {
	head := []string{"shape", "change"}
	for _, n := range nodes {
		head = append(head, map[bool]string{true: "nothing declared", false: fmt.Sprint(n, " nodes")}[n == 0])
	}
	corpus.Head(w, head...)
	all, ended, within := 0, 0, 0
	for _, shape := range shapes {
		for _, change := range changes(shape) {
			cells := []any{shape, change}
			for _, n := range nodes {
				states, seconds, open := 0, 0.0, []string{}
				for _, size := range sizes {
					r := results[rung{shape, change, size, n}]
					spent := r.Processor.Seconds()
					states, seconds = max(states, r.Coverage.States), max(seconds, spent)
					if all++; ends(r) {
						ended++
						if r.Coverage.States <= limitStates && spent <= limitSeconds {
							within++
						}
					} else {
						open = append(open, strconv.Itoa(size))
					}
				}
				cell := fmt.Sprintf("%s, %.2f s", grouped(states), seconds)
				if len(open) > 0 {
					cell += "; not " + strings.Join(open, ", ")
				}
				cells = append(cells, cell)
			}
			corpus.Row(w, cells...)
		}
	}
	fmt.Fprintf(w, "\n%d of %d end as declared with a time budget of %s each; %d take at most %s states and %.1f s of processor time.\n",
		ended, all, budget, within, grouped(limitStates), limitSeconds)
}

// grouped writes a number with commas.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// check writes both sides and the policy, and checks the one against the other.
func (r rung) check(b corpus.Binary, work string) (corpus.Result, error) {
	args := []string{"check"}
	for side, changed := range map[string]bool{"base": false, "head": true} {
		dir := filepath.Join(work, side)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return corpus.Result{}, err
		}
		if err := os.WriteFile(filepath.Join(dir, "web.yaml"), []byte(r.manifests(changed)), 0o644); err != nil {
			return corpus.Result{}, err
		}
	}
	policy := corpus.EmptyPolicy
	if r.nodes > 0 {
		policy += fmt.Sprintf("cluster:\n  nodePools:\n  - {name: general, count: {min: %d, max: %[1]d}, zones: [a, b, c], allocatable: {cpu: 4, memory: 16Gi}}\n", r.nodes)
	}
	file := filepath.Join(work, "ladder.yaml")
	if err := os.WriteFile(file, []byte(policy), 0o644); err != nil {
		return corpus.Result{}, err
	}
	args = append(args, "--base-dir", filepath.Join(work, "base"), "--head-dir", filepath.Join(work, "head"), "--policy", file)
	return b.Result(work, args...)
}

// manifests is the application, with its change where that is asked for.
func (r rung) manifests(changed bool) string {
	is := func(change string) bool { return changed && r.change == change }
	pick := func(change, is, was string) string {
		if changed && r.change == change {
			return is
		}
		return was
	}
	replicas := fmt.Sprintf("  replicas: %d\n", r.size)
	if is("replicas") {
		replicas = fmt.Sprintf("  replicas: %d\n", r.size+1)
	}
	if autoscaled(r.shape) {
		replicas = ""
	}
	has := func(shape string) bool { return r.shape == "all" || r.shape == shape }
	var pod strings.Builder
	if has("soft spread") {
		pod.WriteString(`      topologySpreadConstraints:
      - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: web}}}
`)
	}
	if has("soft anti-affinity") {
		pod.WriteString(`      affinity:
        podAntiAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
          - weight: 100
            podAffinityTerm: {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}
`)
	}
	out := []string{`apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: prod}
spec:
` + replicas + `  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
` + pod.String() + `      containers:
      - name: web
        image: registry.example.com/web:` + pick("image", "1.1.0", "1.0.0") + `
        resources: {requests: {cpu: ` + pick("CPU request", "300m", "250m") + `, memory: ` + pick("memory", "320Mi", "256Mi") + `}}
        readinessProbe: {httpGet: {path: /ready, port: 8080}}
`}
	if has("budget") {
		out = append(out, `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web, namespace: prod}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: web}}}
`)
	}
	if autoscaled(r.shape) {
		most := max(10, 2*r.size)
		if is("HPA bounds") {
			most += 2
		}
		out = append(out, fmt.Sprintf(`apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: prod}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: %d
  maxReplicas: %d
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 70}}}]
`, r.size, most))
	}
	return strings.Join(slices.Clip(out), "---\n")
}
