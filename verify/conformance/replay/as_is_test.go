//go:build replay

package replay

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/snapshot"
	"github.com/kubesettle/kubesettle/verify/snapshot/live"
)

// app is a Deployment default/web; more are lines of its pod's spec, and deployment of its own.
func app(image, cpu, deployment, more string) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  %s
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "web:%s", resources: {requests: {cpu: %s, memory: 64Mi}}%s}]
      terminationGracePeriodSeconds: 1
`, deployment, image, cpu, more)
}

// other is a Deployment that no revision of the repository has.
func other(name, replicas, cpu, more string) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata: {name: %s, namespace: other}
spec:
  replicas: %s
  selector: {matchLabels: {app: %s}}
  template:
    metadata: {labels: {app: %s}}
    spec:
      %s
      containers: [{name: a, image: a, resources: {requests: {cpu: %s, memory: 64Mi}}}]
`, name, replicas, name, name, more, cpu)
}

const prefersSSD = `}]
      affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, preference: {matchExpressions: [{key: disk, operator: In, values: [ssd]}]}}]}}
      tolerations: [{key: none, operator: Exists`

// asIs is a change on a cluster that is not as base's manifests alone would have it.
type asIs struct {
	name       string
	nodes      map[string]string // CPU by name; one whose name ends in ssd has that label
	other      string            // of another release
	base, head string
	before     func(context.Context, *player) error // before base is applied
	after      func(context.Context, *player) error // before the snapshot is taken
	stuck      bool
}

func cordonNode(node string, on bool) func(context.Context, *player) error {
	return func(ctx context.Context, p *player) error { return p.cordon(ctx, node, on) }
}

func asIsCases() []asIs {
	two := map[string]string{"n1": "4", "n2": "4"}
	three := map[string]string{"n1": "2", "n2": "2", "n3": "2"}
	ssd := map[string]string{"n1": "4", "n2-ssd": "4"}
	agent := other("agent", "1", "1500m", "nodeSelector: {disk: ssd}")
	grows := func(image, cpu string) string { return app(image, cpu, "replicas: 1", prefersSSD) }
	port := ", ports: [{containerPort: 8080, hostPort: 8080}]"
	scale := func(ctx context.Context, p *player) error {
		_, err := p.plane.Client.AppsV1().Deployments("default").Patch(ctx, "web", types.MergePatchType, []byte(`{"spec":{"replicas":3}}`), metav1.PatchOptions{})
		return err
	}
	return []asIs{
		{name: "a filler leaves no room for the surge", nodes: two, other: other("filler", "2", "2200m", ""),
			base: app("1", "1700m", "replicas: 2", ""), head: app("2", "1700m", "replicas: 2", ""), stuck: true},
		{name: "beside a filler without a surge", nodes: two, other: other("filler", "2", "2200m", ""),
			base: app("1", "1700m", "replicas: 2", ""), head: app("2", "1700m", "replicas: 2\n  strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}", "")},
		{name: "a small filler leaves room", nodes: two, other: other("filler", "2", "500m", ""),
			base: app("1", "1700m", "replicas: 2", ""), head: app("2", "1700m", "replicas: 2", "")},
		{name: "a drained node", nodes: three, base: app("1", "1200m", "replicas: 2", ""), head: app("2", "1200m", "replicas: 2", ""),
			before: cordonNode("n3", true), stuck: true},
		{name: "the same node in service", nodes: three, base: app("1", "1200m", "replicas: 2", ""), head: app("2", "1200m", "replicas: 2", "")},
		{name: "more live replicas than in git", nodes: three, base: app("1", "1200m", "minReadySeconds: 0", ""), head: app("2", "1200m", "minReadySeconds: 0", ""),
			after: scale, stuck: true},
		{name: "as many replicas as in git", nodes: three, base: app("1", "1200m", "minReadySeconds: 0", ""), head: app("2", "1200m", "minReadySeconds: 0", "")},
		{name: "an unlucky placement", nodes: ssd, other: agent, base: grows("1", "1"), head: grows("2", "3500m"),
			before: cordonNode("n2-ssd", true), after: cordonNode("n2-ssd", false), stuck: true},
		{name: "a lucky placement", nodes: ssd, other: agent, base: grows("1", "1"), head: grows("2", "3500m")},
		{name: "another release holds the host port", nodes: two, other: strings.Replace(other("proxy", "1", "100m", ""), "image: a,", "image: a"+port+",", 1),
			base: app("1", "100m", "replicas: 1", port), head: app("2", "100m", "replicas: 1", port), stuck: true},
		{name: "pods of lower priority make way", nodes: two,
			other: "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 1000\n---\n" + other("batch", "2", "2200m", ""),
			base:  prioritized("1"), head: prioritized("2")},
	}
}

// prioritized is an application whose pods outrank those of no priority.
func prioritized(image string) string {
	return strings.Replace(app(image, "1700m", "replicas: 2", ""), "      containers:", "      priorityClassName: high\n      containers:", 1)
}

// TestAsIs makes a cluster, takes its snapshot through its API server, checks a change on it, and
// applies the change: what was said is what happens.
func TestAsIs(t *testing.T) {
	binary := os.Getenv(BinaryEnv)
	if binary == "" {
		t.Fatalf("%s is not set: `make replay` builds the control plane and sets it", BinaryEnv)
	}
	for _, c := range asIsCases() {
		t.Run(c.name, func(t *testing.T) { c.run(t, binary) })
	}
}

func manifestsOf(t *testing.T, text string) *object.Revision {
	t.Helper()
	r, err := rendered(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (c asIs) run(t *testing.T, binary string) {
	begin := time.Now()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	base := manifestsOf(t, c.base)
	head := manifestsOf(t, c.head)
	plane, err := Start(ctx, binary, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer plane.Stop()
	p := &player{c: &Case{Policy: policies.Default(), Base: base, Head: head}, out: io.Discard}
	if err := p.join(ctx, plane); err != nil {
		t.Fatal(err)
	}
	defer p.metrics.server.Close()
	if err := c.settle(ctx, t, p); err != nil {
		t.Fatal(err)
	}
	result := p.checkAsIs(ctx, t)
	if err := p.applyHead(ctx); err != nil {
		t.Fatal(err)
	}
	p.view.quiet(ctx, 5*time.Second, 40*time.Second)
	o := &Outcome{}
	p.judgeStuck("default/web", o)
	found := slices.IndexFunc(result.Findings, func(f finding.Finding) bool {
		return f.Severity == "error" && f.Status != finding.Fixed && f.Status != finding.Existing && (f.Rule == "rollout-stuck" || f.Rule == "unschedulable")
	})
	t.Logf("| %s | said stuck: %t | was stuck: %t: %s | %.0f s |", c.name, found >= 0, o.Shown, o.Seen, time.Since(begin).Seconds())
	if o.Shown != c.stuck {
		t.Errorf("the cluster is stuck: %t, want %t: %s", o.Shown, c.stuck, p.view.now())
	}
	if (found >= 0) != o.Shown {
		t.Errorf("it was said that it gets stuck: %t; notices %q", found >= 0, result.Notices)
		for _, f := range result.Findings {
			t.Logf("%s %s %s: %s", f.Severity, f.Status, f.Rule, f.Message)
		}
	}
	if found >= 0 && result.Findings[found].Start != "live" {
		t.Errorf("it starts %q, and not from the cluster as it is", result.Findings[found].Start)
	}
}

// settle brings the cluster to where the snapshot is taken.
func (c asIs) settle(ctx context.Context, t *testing.T, p *player) error {
	for name, cpu := range c.nodes {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name, corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64"}}}
		if strings.HasSuffix(name, "ssd") {
			n.Labels["disk"] = "ssd"
		}
		n.Status.Allocatable = corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("8Gi"), corev1.ResourcePods: resource.MustParse("110"),
		}
		if err := p.kubelets.join(ctx, n); err != nil {
			return err
		}
	}
	if err := p.nodesReady(ctx, len(c.nodes)); err != nil {
		return err
	}
	go p.kubelets.run(ctx)
	others := p.c.Base
	if c.other != "" {
		others = manifestsOf(t, c.other)
		if err := p.applyAll(ctx, others); err != nil {
			return err
		}
	}
	for _, step := range []func(context.Context, *player) error{c.before, func(ctx context.Context, p *player) error { return p.applyAll(ctx, p.c.Base) }, c.after} {
		if step == nil {
			continue
		}
		if err := step(ctx, p); err != nil {
			return err
		}
		p.view.quiet(ctx, 3*time.Second, 30*time.Second)
	}
	return p.plane.Err()
}

func (p *player) applyAll(ctx context.Context, r *object.Revision) error {
	all, err := objects(r)
	if err != nil {
		return err
	}
	for _, o := range all {
		if err := p.applier.apply(ctx, o); err != nil {
			return err
		}
	}
	p.view.quiet(ctx, 3*time.Second, 30*time.Second)
	return nil
}

// checkAsIs takes the snapshot and checks the change on it.
func (p *player) checkAsIs(ctx context.Context, t *testing.T) *finding.Result {
	t.Helper()
	c := snapshot.NewCollector(time.Now())
	if err := live.Collect(ctx, p.plane.Config, c); err != nil {
		t.Fatal(err)
	}
	s, err := c.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Gaps) > 0 || s.Server.Version == "" {
		t.Errorf("gaps %v, server %v", s.Gaps, s.Server)
	}
	file, err := s.Write()
	if err != nil {
		t.Fatal(err)
	}
	policy := policies.Default()
	if err := policy.SetSnapshot("snapshot.yaml", file); err != nil {
		t.Fatal(err)
	}
	ch, err := render.Diff(p.c.Base, p.c.Head)
	if err != nil {
		t.Fatal(err)
	}
	r, err := verify.Check(ctx, ch, verify.Options{Policy: policy, Today: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
