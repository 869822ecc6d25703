package conformance

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	descheduler "sigs.k8s.io/descheduler/pkg/descheduler"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

// TestDeschedulerRestarts: of pods whose containers have restarted too often, which are
// those of a bad revision, all at once or only one, upstream evicts what is a step of the
// model; and it leaves the others alone.
func TestDeschedulerRestarts(t *testing.T) {
	descheduler.SetupPlugins()
	klog.SetLogger(logr.Discard())
	r := rand.New(rand.NewPCG(*deschedSeed, 99))
	moved := 0
	for i := range *deschedCases {
		text := restartsPolicy(r)
		p, templates, cluster := deschedChange(t, r, text)
		from := deschedState(p.cfg, r, cluster)
		cluster.crashing = map[int]bool{}
		for class := range p.cfg.Pods {
			if p.cfg.Pods[class].InHead && !p.cfg.Pods[class].InBase && r.IntN(2) == 0 {
				from.SetBad(class)
				cluster.crashing[class] = true
			}
		}
		var model [][]byte
		for _, x := range actor.Successors(p.actor(t, "descheduler"), from) {
			p.cfg.Canon(x.To.B)
			model = append(model, x.To.B)
		}
		model = distinctStates(model)
		file := policyFile(t, text)
		cluster.serve(from)
		for run := range *deschedRuns {
			cluster.alone = run%2 == 1
			cluster.deploy(from, templates, r)
			got := cluster.run(t, file, from)
			same := bytes.Equal(got.B, from.B)
			p.cfg.Canon(got.B)
			found := slices.ContainsFunc(model, func(b []byte) bool { return bytes.Equal(b, got.B) })
			if same && (len(model) == 0 || cluster.alone || cluster.uncertain(from)) {
				continue
			}
			if !found {
				t.Fatalf("case %d: upstream leaves a state that is none of the model's %d\n%s\n%s", i, len(model), text, deschedDiff(p.cfg, from, got, model))
			}
			moved++
		}
	}
	t.Logf("%d clusters, %d runs with evictions", *deschedCases, moved)
	if moved < *deschedCases/4 {
		t.Error("too few evictions: generate others")
	}
}

func restartsPolicy(r *rand.Rand) string {
	either := func(words ...string) string { return words[r.IntN(len(words))] }
	args := either("", ", includingInitContainers: true", ", states: [Running]", ", states: [CrashLoopBackOff]",
		", namespaces: {exclude: [other]}", ", labelSelector: {matchLabels: {app: web}}")
	return fmt.Sprintf(`apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
%s
profiles:
- name: p
  pluginConfig:
  - {name: DefaultEvictor, args: {%s}}
  - {name: RemovePodsHavingTooManyRestarts, args: {podRestartThreshold: 3%s}}
  plugins: {deschedule: {enabled: [RemovePodsHavingTooManyRestarts]}}
`, either("", "", "maxNoOfPodsToEvictTotal: 2", "maxNoOfPodsToEvictPerNode: 1"), either("", "nodeFit: true", "priorityThreshold: {value: 0}"), args)
}

// deschedChange is a generated cluster in which every workload has a new template.
func deschedChange(t *testing.T, r *rand.Rand, text string) (*loopProblem, []*corev1.Pod, *upstreamCluster) {
	t.Helper()
	return deschedClusterOf(t, r, text, func(spec *state.Spec) {
		spec.Events.BadRevision = 1
		for w := range spec.Workloads {
			m := &spec.Workloads[w].Manifests[state.Head]
			m.Deployment = m.Deployment.DeepCopy()
			m.Deployment.Spec.Template.Spec.Containers[0].Image += ":2"
		}
	})
}
