package control_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

// everyPlugin is a policy in which every plugin occurs; limits stand before its profiles.
const everyPlugin = `
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
%s
profiles:
- name: sweep
  pluginConfig:
  - {name: DefaultEvictor, args: {minReplicas: 2}}
  - {name: RemovePodsViolatingNodeTaints, args: {includePreferNoSchedule: true}}
  - {name: RemovePodsViolatingNodeAffinity, args: {nodeAffinityType: [preferredDuringSchedulingIgnoredDuringExecution]}}
  - {name: RemovePodsViolatingInterPodAntiAffinity}
  - {name: PodLifeTime, args: {maxPodLifeTimeSeconds: 3600, labelSelector: {matchLabels: {app: db}}}}
  plugins:
    deschedule: {enabled: [%s]}
- name: balance
  pluginConfig:
  - {name: DefaultEvictor, args: {nodeFit: true, priorityThreshold: {value: 1000}}}
  - {name: RemoveDuplicates, args: {namespaces: {exclude: [kube-system]}}}
  - {name: RemovePodsViolatingTopologySpreadConstraint, args: {constraints: [DoNotSchedule, ScheduleAnyway]}}
  - {name: LowNodeUtilization, args: {thresholds: {cpu: 20, pods: 2}, targetThresholds: {cpu: 50, pods: 3}}}
  - {name: HighNodeUtilization, args: {thresholds: {cpu: 25}}}
  plugins:
    balance: {enabled: [%s]}
`

// TestEveryPluginKeepsTheContract: symmetry, purity and words of each plugin by itself
// and of a cycle of all, with and without limits and budgets.
func TestEveryPluginKeepsTheContract(t *testing.T) {
	deschedule := []string{"RemovePodsViolatingNodeTaints", "RemovePodsViolatingNodeAffinity", "RemovePodsViolatingInterPodAntiAffinity"}
	balance := []string{"RemoveDuplicates", "RemovePodsViolatingTopologySpreadConstraint", "LowNodeUtilization", "HighNodeUtilization"}
	var policies [][2]string
	for _, p := range deschedule {
		policies = append(policies, [2]string{p, ""})
	}
	for _, p := range balance {
		policies = append(policies, [2]string{"", p})
	}
	policies = append(policies, [2]string{strings.Join(deschedule, ", "), strings.Join(balance[:2], ", ")}, [2]string{"PodLifeTime", ""})
	for i, enabled := range policies {
		for _, limits := range []string{"", "maxNoOfPodsToEvictPerNode: 1", "maxNoOfPodsToEvictTotal: 2", "maxNoOfPodsToEvictPerNamespace: 2"} {
			t.Run(fmt.Sprintf("%s%s/%s", enabled[0], enabled[1], limits), func(t *testing.T) {
				for _, e := range []state.Events{{}, {Drain: 2, NodeFailure: 1, NodeRemoved: 1}} {
					x := everyPluginScript(t, fmt.Sprintf(everyPlugin, limits, enabled[0], enabled[1]), e)
					a := x.actors[len(x.actors)-1]
					keepsContract(t, x, a, rand.New(rand.NewPCG(uint64(i), 7)))
				}
			})
		}
	}
}

func everyPluginScript(t *testing.T, policy string, e state.Events) *deschedScript {
	t.Helper()
	x := &deschedScript{}
	for _, d := range []datadriven.TestData{
		{Cmd: "nodes", Input: "a 2 cpu=4 zone=a taint=old:yes:PreferNoSchedule label=disk:ssd\nb 2 cpu=8 zone=b taint=dedicated:db:NoSchedule\nc 1 cpu=8 zone=c"},
		{Cmd: "manifests", Input: strings.TrimSpace(everyPluginManifests)},
		{Cmd: "descheduler", Input: policy},
	} {
		out, err := x.play(&d)
		if err != nil || strings.HasPrefix(out, "error") || strings.HasPrefix(out, "refused") {
			t.Fatal(out, err)
		}
		x.spec.Events = e
	}
	return x
}

const everyPluginManifests = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: main, image: "web:1", resources: {requests: {cpu: 500m}}}]
      topologySpreadConstraints:
      - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: web}}}
      - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}
      affinity:
        nodeAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
          - {weight: 10, preference: {matchExpressions: [{key: disk, operator: In, values: [ssd]}]}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: db}
spec:
  replicas: 2
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      containers: [{name: main, image: "db:1", resources: {requests: {cpu: "1"}, limits: {cpu: "1", memory: 1Gi}}}]
      tolerations: [{key: dedicated, operator: Exists}]
      affinity:
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
          - {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: db}}}
          - {topologyKey: topology.kubernetes.io/zone, labelSelector: {matchLabels: {app: web}}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: db, namespace: default}
spec: {minAvailable: 1, selector: {matchLabels: {app: db}}}
`

func keepsContract(t *testing.T, x *deschedScript, a actor.Actor, r *rand.Rand) {
	var in []state.State
	moved := 0
	for range 60 {
		from := sparse(x, r)
		in = append(in, from)
		before := string(from.B)
		all := actor.Successors(a, from)
		moved += len(all)
		for i, s := range actor.Successors(a, from) {
			if string(s.To.B) != string(all[i].To.B) || s.Move != all[i].Move {
				t.Fatal("gives other successors when asked again")
			}
			if string(s.To.B) == before || string(from.B) != before {
				t.Fatal("offers the state itself, or changed it")
			}
			wordsMatch(t, a, from, s)
		}
		to := x.cfg.New()
		copy(to.B, from.B)
		for class := range x.nodes {
			first, end := x.cfg.NodesOf(class)
			r.Shuffle(end-first, func(i, j int) { to.SwapNodes(first+i, first+j) })
		}
		if one, other := x.canonical(a, from), x.canonical(a, to); !slices.Equal(one, other) {
			t.Fatalf("%d successors, and %d or others with nodes exchanged, in\n%v", len(one), len(other), from.B)
		}
	}
	if moved == 0 {
		t.Error("never moved")
	}
	if n := StepAllocs(a, in); n > 0 {
		t.Errorf("%v allocations in %d steps", n, len(in))
	}
}

// sparse is a state with few pods.
func sparse(x *deschedScript, r *rand.Rand) state.State {
	s := x.cfg.New()
	for w := range x.spec.Workloads {
		s.SetReplicas(w, 2+r.IntN(4))
	}
	for p := range x.cfg.Pods {
		s.Set(x.cfg.Class[p].Exists, 1)
		s.Set(x.cfg.Class[p].Size, 6)
		for n := range x.cfg.Nodes {
			s.SetAt(n, x.cfg.Class[p].Phase[state.Ready], max(0, r.IntN(6)-2))
			s.SetAt(n, x.cfg.Class[p].Phase[state.Starting], max(0, r.IntN(6)-4))
			s.SetAt(n, x.cfg.Class[p].Phase[state.Terminating], max(0, r.IntN(8)-6))
		}
	}
	if x.spec.Events.Drain > 0 {
		for n := range x.cfg.Nodes {
			s.SetMaintenance(n, state.Maintenance(r.IntN(3)))
			s.SetDown(n, r.IntN(5) == 0)
		}
	}
	x.come(s, r)
	return s
}

// wordsMatch checks that the words of a step name exactly the pods that it evicts.
func wordsMatch(t *testing.T, a actor.Actor, from state.State, x actor.Successor) {
	t.Helper()
	w := a.Describe(from, x.To, x.Move)
	if w.Action != "evict" || w.Object == "" || len(w.Because) == 0 {
		t.Fatalf("%+v", w)
	}
	for n := range from.C.Nodes {
		for p := range from.C.Pods {
			for i, phase := range []string{"starting", "ready"} {
				gone := from.On(n, p, state.Phase(i)) - x.To.On(n, p, state.Phase(i))
				name := fmt.Sprintf("%s pod", phase)
				if gone > 1 {
					name += "s"
				}
				text := fmt.Sprintf("%d %s of default/%s on %s", gone, name, from.C.Spec.Workloads[from.C.Pods[p].Workload].Name, from.C.Nodes[n].Name)
				if gone > 0 && !strings.Contains(w.Text, text) && strings.Count(w.Text, "evicts") == 1 {
					t.Fatalf("%q does not say %q", w.Text, text)
				}
			}
		}
	}
}

// BenchmarkDeschedulerStep keeps the cost of one cycle in sight.
func BenchmarkDeschedulerStep(b *testing.B) {
	t := &testing.T{}
	x := everyPluginScript(t, fmt.Sprintf(everyPlugin, "", "RemovePodsViolatingNodeTaints", "RemoveDuplicates, RemovePodsViolatingTopologySpreadConstraint"), state.Events{})
	r := rand.New(rand.NewPCG(1, 1))
	var in []state.State
	for range 64 {
		in = append(in, sparse(x, r))
	}
	a := x.actors[len(x.actors)-1]
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		StepAllocs(a, in[i%64:i%64+1])
	}
}
