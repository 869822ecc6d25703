package slice

import (
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/snapshot"
	"github.com/kubesettle/kubesettle/verify/state"
)

// asItIs is a slice of one Deployment default/web whose pods ask for so much CPU.
func asItIs(cpu string, spread bool) *Slice {
	d := &appsv1.Deployment{}
	d.Namespace, d.Name = "default", "web"
	d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "a", Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)},
	}}}
	if spread {
		d.Spec.Template.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: corev1.LabelHostname, WhenUnsatisfiable: corev1.DoNotSchedule}}
	}
	m, _ := state.ManifestOf(d)
	w := state.Workload{ID: "apps/Deployment default/web", Namespace: "default", Name: "web", Manifests: [2]state.Manifest{m, m}}
	sl := &Slice{Workloads: []state.Workload{w}, Keys: map[string]bool{}, Values: map[string]bool{}}
	sl.Spec.Workloads = sl.Workloads
	sl.Spec.PriorityClasses, sl.Spec.NeverPreempt = map[string]int32{}, map[string]bool{}
	return sl
}

// Of a cluster a slice meets the nodes that it runs on and those that could take a pod of it, with
// what the others take there; where domains are counted, all.
func TestSliceMeetsTheNodesThatMatter(t *testing.T) {
	file := `apiVersion: kubesettle.dev/v1alpha1
kind: Snapshot
taken: "2026-01-31T06:00:00Z"
nodes:
- {name: full, allocatable: {cpu: "2", memory: 8Gi, pods: "110"}}
- {name: mine, allocatable: {cpu: "2", memory: 8Gi, pods: "110"}}
- {name: open, allocatable: {cpu: "2", memory: 8Gi, pods: "110"}}
- {name: tainted, taints: [{key: gpu, effect: NoSchedule}], allocatable: {cpu: "2", memory: 8Gi, pods: "110"}}
- {name: yielding, allocatable: {cpu: "2", memory: 8Gi, pods: "110"}}
workloads:
- {kind: apps/Deployment, namespace: default, name: web, replicas: 1, pods: [{requests: {cpu: "1"}, placed: [{node: mine, ready: 1}]}]}
- {kind: apps/Deployment, namespace: other, name: filler, replicas: 3, pods: [{requests: {cpu: 600m}, placed: [{node: full, ready: 2}, {node: mine, ready: 1}]}]}
- {kind: Pod, namespace: other, name: low, pods: [{priority: -1, requests: {cpu: 1500m}, placed: [{node: yielding, ready: 1}]}]}
totals: {nodes: 5, workloads: 3, pods: 5}
`
	for _, tt := range []struct {
		spread bool
		want   string
	}{{false, "[mine open yielding]"}, {true, "[full mine open tainted yielding]"}} {
		p := policies.Default()
		if err := p.SetSnapshot("s.yaml", []byte(file)); err != nil {
			t.Fatal(err)
		}
		sl := asItIs("1", tt.spread)
		own := sl.AsIs(p)
		var names []string
		for _, n := range own.Cluster.Nodes {
			names = append(names, n.Name)
		}
		if got := fmt.Sprint(names); got != tt.want {
			t.Errorf("spread %t: %s, want %s", tt.spread, got, tt.want)
		}
		b := own.Cluster.Beside["mine"]
		if len(b.Pods) != 1 || b.Pods[0].Count != 1 || b.Pods[0].Requests.Cpu().MilliValue() != 600 || b.Mark == "" {
			t.Errorf("beside the slice's pods stands %+v", b)
		}
		if len(p.Cluster.Nodes) != 5 || p.Cluster.Beside != nil {
			t.Error("the policy was changed")
		}
	}
}

// What is no start of the change is said to be none, and why.
func TestNoLiveStart(t *testing.T) {
	web := func(pods ...snapshot.Pods) *snapshot.Snapshot {
		n := 2
		return &snapshot.Snapshot{Workloads: []snapshot.Workload{{Kind: "apps/Deployment", Namespace: "default", Name: "web", Replicas: &n, Pods: pods}}}
	}
	ready := func(revision string) snapshot.Pods {
		return snapshot.Pods{Revision: revision, On: []snapshot.Placed{{Node: "n", Ready: 1}}}
	}
	unknown := web(ready("a"))
	unknown.Workloads[0].Replicas = nil
	partial := web(ready("a"))
	partial.Gaps = []snapshot.Gap{{Kind: "pods", Reason: "forbidden"}}
	for want, shot := range map[string]*snapshot.Snapshot{
		"": web(ready("a")),
		"apps/Deployment default/web was in the middle of a rollout":               web(ready("a"), ready("b")),
		"the cluster does not have apps/Deployment default/web":                    {},
		"how many replicas apps/Deployment default/web has is not in the snapshot": unknown,
		"not all pods are in the snapshot":                                         partial,
	} {
		sl := asItIs("1", false)
		if got := sl.StartLive(shot); got != want || (sl.Live != nil) != (want == "") {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
