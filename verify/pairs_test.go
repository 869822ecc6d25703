package verify

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/scenario"
)

// morePairs is for nightly runs: 10000.
var morePairs = flag.Int("pairs", 0, "random pairs of base and head, each for all properties of verdicts; 0: as many as a commit waits for, each for every fourth")

var firstPair = flag.Int("first-pair", 0, "the first of the random pairs")

// onceWrong are pairs beyond the first ones that showed a defect.
var onceWrong = []int{2577, 1380, 2453, 20945, 22040, 22205, 23105, 23144, 30150, 30281}

// A random pair is a base and a head of one or two workloads on a small cluster, small
// enough to be searched in milliseconds, and made of the things that verdicts hang on. It is
// kept in parts, so that it can be written down again in another order, with other names, on
// a wider pool or with more events.
type randomPair struct {
	base, head [2]randomWorkload
	two        bool // there is a second workload
	nodes      int  // of each of the pools, or so many Node objects
	cpu        int
	taint      bool // of the last Node object, or of a second pool
	quota      int  // pods; 0: none
	events     map[string]int
	minReady   int
}

// randomWorkload is one version of a workload.
type randomWorkload struct {
	kind                 string // Deployment, StatefulSet, DaemonSet
	replicas, image, cpu int
	surge, unavailable   int
	hpa                  [2]int // bounds; none if 0
	pdb                  int    // minAvailable; 0: none
	apart, spread, port  bool
	priority, tolerates  bool
	selects              bool // by a label that all nodes have
}

func somewhere(r *rand.Rand, n int) bool { return r.IntN(n) == 0 }

func newRandomPair(r *rand.Rand) randomPair {
	p := randomPair{nodes: 1 + r.IntN(3), cpu: 1 + r.IntN(3), two: somewhere(r, 3), events: map[string]int{}}
	for i := range p.base {
		p.base[i] = newRandomWorkload(r)
		p.head[i] = p.base[i]
		for range r.IntN(3) {
			next := newRandomWorkload(r)
			p.head[i].change(r.IntN(9), next)
		}
	}
	p.taint = somewhere(r, 4)
	if somewhere(r, 5) {
		p.quota = 1 + r.IntN(4)
	}
	if somewhere(r, 2) {
		p.events["loadChange"] = 1
	}
	if somewhere(r, 3) {
		p.events["nodeFailure"] = 1
	}
	if somewhere(r, 3) {
		p.events["podCrash"] = 1
	}
	if somewhere(r, 3) {
		p.minReady = 1
	}
	return p
}

func newRandomWorkload(r *rand.Rand) randomWorkload {
	w := randomWorkload{
		kind: []string{"Deployment", "Deployment", "StatefulSet", "DaemonSet"}[r.IntN(4)], replicas: 1 + r.IntN(3), image: 1 + r.IntN(2), cpu: r.IntN(3),
		surge: r.IntN(2), unavailable: r.IntN(2), apart: somewhere(r, 4), spread: somewhere(r, 5), port: somewhere(r, 6),
		priority: somewhere(r, 5), tolerates: somewhere(r, 3), selects: somewhere(r, 5),
	}
	if w.surge+w.unavailable == 0 {
		w.surge = 1
	}
	if somewhere(r, 4) {
		w.hpa = [2]int{1, 2 + r.IntN(2)}
	}
	if somewhere(r, 3) {
		w.pdb = 1 + r.IntN(2)
	}
	return w
}

// change takes one trait of another workload over.
func (w *randomWorkload) change(trait int, next randomWorkload) {
	switch trait {
	case 0:
		w.replicas = next.replicas
	case 1:
		w.image = 3 - w.image
	case 2:
		w.cpu = next.cpu
	case 3:
		w.surge, w.unavailable = next.surge, next.unavailable
	case 4:
		w.hpa = next.hpa
	case 5:
		w.pdb = next.pdb
	case 6:
		w.apart, w.port = next.apart, next.port
	case 7:
		w.spread, w.selects = next.spread, next.selects
	case 8:
		w.tolerates, w.priority = next.tolerates, next.priority
	}
}

// dress is how a pair is written down.
type dress struct {
	names    [2]string
	prefix   string // of nodes
	reversed bool   // documents, and nodes
	objects  bool   // Node objects in place of pools
	wider    int    // nodes more that a pool may have
	more     string // an event that may happen once more
	custom   string // an intent of the user's own
	files    bool   // each document in a file of its own
	// text changes what is written down: manifests of base (0) and head (1), the policy (2).
	text   func(part int, s string) string
	beside string // a further document
}

// written is a text as the dress has it.
func (d dress) written(part int, s string) string {
	if d.text == nil {
		return s
	}
	return d.text(part, s)
}

var plainDress = dress{names: [2]string{"web", "api"}, prefix: "node"}

// manifests writes one side down.
func (p randomPair) manifests(side [2]randomWorkload, d dress) string {
	var docs []string
	for i, w := range side {
		if i == 0 || p.two {
			docs = append(docs, w.documents(d.names[i])...)
		}
	}
	docs = append(docs, "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 100\n")
	if p.quota > 0 {
		docs = append(docs, fmt.Sprintf("apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: default}\nspec: {hard: {pods: \"%d\"}}\n", p.quota))
	}
	if d.beside != "" {
		docs = append(docs, d.beside)
	}
	if d.reversed {
		slices.Reverse(docs)
	}
	return strings.Join(docs, "---\n")
}

func (w randomWorkload) documents(name string) []string {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: apps/v1\nkind: %s\nmetadata: {name: %s, namespace: default}\nspec:\n", w.kind, name)
	switch w.kind {
	case "Deployment":
		fmt.Fprintf(&b, "  strategy: {rollingUpdate: {maxSurge: %d, maxUnavailable: %d}}\n", w.surge, w.unavailable)
	case "StatefulSet":
		fmt.Fprintf(&b, "  serviceName: %s\n", name)
	}
	scaled := w.hpa[1] > 0 && w.kind == "Deployment"
	if w.kind != "DaemonSet" && !scaled {
		fmt.Fprintf(&b, "  replicas: %d\n", w.replicas)
	}
	fmt.Fprintf(&b, "  selector: {matchLabels: {app: %s}}\n  template:\n    metadata: {labels: {app: %s}}\n    spec:\n", name, name)
	if w.apart {
		fmt.Fprintf(&b, "      affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchLabels: {app: %s}}, topologyKey: kubernetes.io/hostname}]}}\n", name)
	}
	if w.spread && w.kind != "DaemonSet" {
		fmt.Fprintf(&b, "      topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: %s}}}]\n", name)
	}
	if w.selects {
		b.WriteString("      nodeSelector: {disk: ssd}\n")
	}
	if w.tolerates {
		b.WriteString("      tolerations: [{key: own, operator: Exists}]\n")
	}
	if w.priority {
		b.WriteString("      priorityClassName: high\n")
	}
	port := ""
	if w.port {
		port = ", ports: [{containerPort: 80, hostPort: 80}]"
	}
	fmt.Fprintf(&b, "      containers: [{name: c, image: \"i:%d\"%s, resources: {requests: {cpu: %dm}}}]\n", w.image, port, 100+400*w.cpu)
	docs := []string{b.String()}
	if w.pdb > 0 {
		docs = append(docs, fmt.Sprintf("apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: %s, namespace: default}\nspec: {minAvailable: %d, selector: {matchLabels: {app: %s}}}\n", name, w.pdb, name))
	}
	if scaled {
		docs = append(docs, fmt.Sprintf("apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: %s, namespace: default}\nspec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: %s}, minReplicas: %d, maxReplicas: %d, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]}\n", name, name, w.hpa[0], w.hpa[1]))
	}
	return docs
}

// policy writes the cluster and the events down.
func (p randomPair) policy(t testing.TB, d dress) *policies.Policy {
	t.Helper()
	var b strings.Builder
	b.WriteString("apiVersion: kubesettle.dev/v1alpha1\nkind: Policy\nbound: {nodes: 4}\n")
	alloc := fmt.Sprintf(`{cpu: "%d", memory: 8Gi, pods: "10"}`, p.cpu)
	if !d.objects {
		b.WriteString("cluster:\n  nodePools:\n")
		pools := []string{fmt.Sprintf("  - {name: %s, count: {min: %d, max: %d}, labels: {disk: ssd}, allocatable: %s}\n", d.prefix, p.nodes, p.nodes+d.wider, alloc)}
		if p.taint {
			pools = append(pools, fmt.Sprintf("  - {name: own-%s, count: {min: 1, max: 1}, labels: {disk: ssd}, taints: [{key: own, effect: NoSchedule}], allocatable: %s}\n", d.prefix, alloc))
		}
		if d.reversed {
			slices.Reverse(pools)
		}
		b.WriteString(strings.Join(pools, ""))
	}
	events := map[string]int{"loadChange": 0, "nodeFailure": 0, "podCrash": 0, "badRevision": 0}
	for k, n := range p.events {
		events[k] = n
	}
	if d.more != "" {
		events[d.more]++
	}
	b.WriteString("events:\n")
	for _, k := range []string{"loadChange", "nodeFailure", "podCrash", "badRevision"} {
		fmt.Fprintf(&b, "  %s: {budget: %d}\n", k, events[k])
	}
	floor := ""
	if p.minReady > 0 {
		floor = fmt.Sprintf("below-floor: {minReady: %d}, ", p.minReady)
	}
	fmt.Fprintf(&b, "intents: {%scustom: [%s]}\n", floor, d.custom)
	out, err := policies.Load("policy.yaml", []byte(d.written(2, b.String())))
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	if d.objects {
		if err := out.SetNodes("nodes.yaml", []byte(d.written(2, p.nodeObjects(d, alloc)))); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func (p randomPair) nodeObjects(d dress, alloc string) string {
	var docs []string
	total := p.nodes
	if p.taint {
		total++
	}
	for i := range total {
		taints := ""
		if i == p.nodes {
			taints = "\nspec: {taints: [{key: own, effect: NoSchedule}]}"
		}
		name := fmt.Sprintf("%s-%d", d.prefix, i)
		docs = append(docs, fmt.Sprintf("apiVersion: v1\nkind: Node\nmetadata: {name: %s, labels: {disk: ssd, kubernetes.io/hostname: %s, kubernetes.io/os: linux, kubernetes.io/arch: amd64}}%s\nstatus: {allocatable: %s}\n", name, name, taints, alloc))
	}
	if d.reversed {
		slices.Reverse(docs)
	}
	return strings.Join(docs, "---\n")
}

// check gives the result of a pair in a dress.
func (p randomPair) check(t testing.TB, d dress, opt Options) *Result {
	t.Helper()
	ar := &txtar.Archive{}
	for i, side := range []struct {
		name string
		is   [2]randomWorkload
	}{{"base", p.base}, {"head", p.head}} {
		text := d.written(i, p.manifests(side.is, d))
		docs := []string{text}
		if d.files {
			docs = strings.Split(text, "---\n")
		}
		for k, doc := range docs { // the first document in the last file
			ar.Files = append(ar.Files, txtar.File{Name: fmt.Sprintf("%s/%c.yaml", side.name, 'z'-k), Data: []byte(doc)})
		}
	}
	ch, err := render.Diff(scriptRevision(t, ar, "base"), scriptRevision(t, ar, "head"))
	if err != nil {
		t.Fatal(err)
	}
	opt.Policy, opt.Workers = p.policy(t, d), 1
	return verdict(t)(Check(context.Background(), ch, opt))
}

// told is what a result says, with the names of a dress taken out of it.
func told(r *Result, d dress) []string {
	var out []string
	for _, f := range r.Findings {
		who := f.Workload
		for i, name := range d.names {
			who = strings.Replace(strings.Replace(who, "a-namespace/", "default/", 1), "/"+name, "/"+plainDress.names[i], 1)
		}
		events := slices.Sorted(slices.Values(f.Events))
		out = append(out, fmt.Sprintf("%s %s %s %s %s at %d with %v", f.Status, f.Severity, f.Certainty, f.Rule, who, f.Scale.Nodes, events))
	}
	slices.Sort(out)
	return append(out, string(r.Verdict))
}

// looseness orders verdicts: what holds a change back comes first.
func looseness(v Verdict) int {
	return slices.Index([]Verdict{Fail, Errored, Inconclusive, Pass}, v)
}

// property is something that holds of the verdicts on every pair; it gives what is wrong.
type property struct {
	name string
	hold func(t testing.TB, p randomPair, plain *Result) string
}

// differ words how two lists differ.
func differ(a, b []string) string {
	if slices.Equal(a, b) {
		return ""
	}
	return fmt.Sprintf("%s\nbecomes\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
}

// explicit writes head's defaults out.
func explicit(part int, s string) string {
	if part != 1 {
		return s
	}
	for _, x := range [][2]string{
		{"    spec:\n", "    spec:\n      restartPolicy: Always\n      dnsPolicy: ClusterFirst\n      schedulerName: default-scheduler\n      terminationGracePeriodSeconds: 30\n      securityContext: {}\n"},
		{"{rollingUpdate: ", "{type: RollingUpdate, rollingUpdate: "},
		{"{containerPort", "{protocol: TCP, containerPort"},
		{"{name: c, image", "{name: c, imagePullPolicy: IfNotPresent, terminationMessagePath: /dev/termination-log, image"},
		{"  serviceName:", "  podManagementPolicy: OrderedReady\n  updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 0}}\n  revisionHistoryLimit: 10\n  serviceName:"},
		{"  strategy:", "  progressDeadlineSeconds: 600\n  revisionHistoryLimit: 10\n  minReadySeconds: 0\n  strategy:"},
	} {
		s = strings.ReplaceAll(s, x[0], x[1])
	}
	return s
}

func same(t testing.TB, p randomPair, plain *Result, d dress) string {
	if a, b := told(plain, plainDress), told(p.check(t, d, Options{}), d); !slices.Equal(a, b) {
		return fmt.Sprintf("%s\nbecomes\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
	return ""
}

func noLooser(t testing.TB, p randomPair, plain *Result, d dress) string {
	if r := p.check(t, d, Options{}); looseness(r.Verdict) > looseness(plain.Verdict) {
		return fmt.Sprintf("%s\nbecomes\n%s", strings.Join(told(plain, plainDress), "\n"), strings.Join(told(r, d), "\n"))
	}
	return ""
}

var properties = []property{
	{"more events never loosen", func(t testing.TB, p randomPair, plain *Result) string {
		d := plainDress
		d.more = []string{"loadChange", "nodeFailure", "podCrash"}[p.nodes%3]
		return noLooser(t, p, plain, d)
	}},
	{"a wider pool never loosens", func(t testing.TB, p randomPair, plain *Result) string {
		d := plainDress
		d.wider = 1
		return noLooser(t, p, plain, d)
	}},
	{"names, and the order of documents and pools, change nothing", func(t testing.TB, p randomPair, plain *Result) string {
		d := plainDress
		d.names, d.prefix, d.reversed = [2]string{"zz-a-much-longer-name", "a"}, "m", true
		return same(t, p, plain, d)
	}},
	{"names of namespaces and labels, and the order of files, change nothing", func(t testing.TB, p randomPair, plain *Result) string {
		d := plainDress
		d.files = true
		other := strings.NewReplacer("namespace: default", "namespace: a-namespace", "app: ", "example.com/name: ", "disk: ", "a-disk: ")
		d.text = func(_ int, s string) string { return other.Replace(s) }
		return same(t, p, plain, d)
	}},
	{"a pool and the same nodes as objects agree", func(t testing.TB, p randomPair, plain *Result) string {
		d := plainDress
		d.objects = true
		return same(t, p, plain, d)
	}},
	{"the order of Node objects changes nothing", func(t testing.TB, p randomPair, plain *Result) string {
		d := plainDress
		d.objects, d.reversed = true, true
		return same(t, p, plain, d)
	}},
	{"a bystander in another namespace changes nothing", func(t testing.TB, p randomPair, plain *Result) string {
		d := plainDress
		d.beside = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: by, namespace: other}\nspec: {selector: {matchLabels: {app: by}}, template: {metadata: {labels: {app: by}}, spec: {containers: [{name: c, image: \"by:1\"}]}}}\n"
		r := p.check(t, d, Options{})
		r.Findings = slices.DeleteFunc(r.Findings, func(f judge.Finding) bool { return strings.HasSuffix(f.Workload, " other/by") })
		if a, b := told(plain, plainDress), told(r, d); !slices.Equal(a, b) {
			return fmt.Sprintf("%s\nbecomes\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
		}
		return ""
	}},
	{"base equal to head is silent", func(t testing.TB, p randomPair, _ *Result) string {
		p.head = p.base
		if r := p.check(t, plainDress, Options{}); r.Verdict != Pass {
			return strings.Join(told(r, plainDress), "\n")
		}
		return ""
	}},
	{"another rule changes no other rule's findings", func(t testing.TB, p randomPair, plain *Result) string {
		d := plainDress
		d.custom = "{name: own, never: \"workload('default/web').ready >= 3\"}"
		r := p.check(t, d, Options{})
		r.Findings = slices.DeleteFunc(r.Findings, func(f judge.Finding) bool { return f.Rule == "own" })
		a, b := told(plain, plainDress), told(r, d)
		return differ(a[:len(a)-1], b[:len(b)-1])
	}},
	{"explicit defaults are silent", func(t testing.TB, p randomPair, _ *Result) string {
		p.head = p.base
		d := plainDress
		d.text = explicit
		if r := p.check(t, d, Options{}); r.Verdict != Pass || len(r.Findings) > 0 && slices.ContainsFunc(r.Findings, func(f judge.Finding) bool { return f.Status != judge.Existing }) {
			return strings.Join(told(r, d), "\n")
		}
		return ""
	}},
	{"a smaller budget gives the same or is inconclusive", func(t testing.TB, p randomPair, plain *Result) string {
		r := p.check(t, plainDress, Options{states: []uint64{30, 300, 3000}[(p.nodes+p.cpu)%3]})
		if r.Verdict == Inconclusive || r.Verdict == Fail && plain.Verdict == Fail {
			return ""
		}
		return differ(told(plain, plainDress), told(r, plainDress))
	}},
	{"what a change breaks at rest, its way back has to do with", func(t testing.TB, p randomPair, plain *Result) string {
		p.base, p.head = p.head, p.base
		r := p.check(t, plainDress, Options{})
		if r.Verdict == Inconclusive {
			return ""
		}
		for _, f := range plain.Findings {
			rests := (f.Scenario == scenario.ScenarioSteady || f.Scenario == scenario.ScenarioInstall) && (f.Rule == "unschedulable" || f.Rule == "spread-violated")
			if f.Status == judge.New && rests && !slices.ContainsFunc(r.Findings, func(o judge.Finding) bool { return o.Rule == f.Rule && o.Workload == f.Workload }) {
				return fmt.Sprintf("%s of %s is new, and back it is not fixed:\n%s\nback\n%s", f.Rule, f.Workload, strings.Join(told(plain, plainDress), "\n"), strings.Join(told(r, plainDress), "\n"))
			}
		}
		return ""
	}},
	{"a rule less changes no other rule's findings", func(t testing.TB, p randomPair, plain *Result) string {
		less := []string{"unschedulable", "rollout-stuck", "below-floor"}[p.cpu%3]
		var on []string
		for _, r := range rules.All() {
			if r.ID != less {
				on = append(on, r.ID)
			}
		}
		without := func(r *Result) []string {
			var out []string
			for _, s := range told(r, plainDress) {
				if !strings.Contains(s, " "+less+" ") && strings.Contains(s, " at ") {
					out = append(out, s)
				}
			}
			return out
		}
		if a, b := without(plain), without(p.check(t, plainDress, Options{Rules: on})); !slices.Equal(a, b) {
			return fmt.Sprintf("without %s\n%s\nbecomes\n%s", less, strings.Join(a, "\n"), strings.Join(b, "\n"))
		}
		return ""
	}},
}

// TestVerdictsAreMonotoneAndSymmetric tries the properties on random pairs, and holds their
// counterexamples against the documentation.
func TestVerdictsAreMonotoneAndSymmetric(t *testing.T) {
	pairs := 300
	if *morePairs > 0 {
		pairs = *morePairs
	}
	if testing.Short() {
		pairs = 40
	}
	var mu sync.Mutex
	violated, tried := map[string]int{}, map[string]int{}
	findings, runs, steps := 0, 0, 0
	one := func(t *testing.T, seed int) {
		p := newRandomPair(rand.New(rand.NewPCG(13, uint64(seed))))
		var again recheckAll
		plain := p.check(t, plainDress, Options{watch: again.watch})
		mu.Lock()
		findings, runs, steps = findings+len(plain.Findings), runs+again.runs, steps+again.steps
		for _, w := range again.wrong {
			t.Errorf("pair %d: %s", seed, w)
		}
		mu.Unlock()
		for i, x := range properties {
			if *morePairs == 0 && seed%4 != i%4 { // of each pair every fourth property
				continue
			}
			wrong := x.hold(t, p, plain)
			mu.Lock()
			if tried[x.name]++; wrong != "" {
				if violated[x.name]++; violated[x.name] <= 2 {
					t.Errorf("pair %d: %s:\n%s", seed, x.name, wrong)
				}
			}
			mu.Unlock()
		}
	}
	for _, seed := range onceWrong {
		one(t, seed)
	}
	t.Run("pairs", func(t *testing.T) {
		workers := runtime.GOMAXPROCS(0)
		for w := range workers {
			t.Run(fmt.Sprint(w+1), func(t *testing.T) {
				t.Parallel()
				for seed := w; seed < pairs; seed += workers {
					one(t, *firstPair+seed)
				}
			})
		}
	})
	if findings < pairs/10 {
		t.Errorf("%d findings on %d pairs: they say little", findings, pairs)
	}
	for _, x := range properties {
		t.Logf("%-70s %d pairs, %d violations", x.name, tried[x.name], violated[x.name])
	}
	t.Logf("%d pairs, %d findings; %d counterexamples of %d steps, held against the documentation", pairs, findings, runs, steps)
}
