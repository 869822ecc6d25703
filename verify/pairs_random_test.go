package verify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/verify/finding"
)

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

// check gives the result of a pair in a dress; with blame and fixes in long runs only, as no property is about them.
func (p randomPair) check(t testing.TB, d dress, opt Options) *finding.Result {
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
	opt.Policy, opt.Workers, opt.Plain = p.policy(t, d), 1, *morePairs == 0
	return verdict(t)(Check(context.Background(), ch, opt))
}
