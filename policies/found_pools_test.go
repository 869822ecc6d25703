package policies

import (
	"fmt"
	"strings"
	"testing"
)

// foundFiles declare pools to the tools that make them.
const foundFiles = `apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
availabilityZones: [eu-1b, eu-1a]
managedNodeGroups:
- {name: web, minSize: 2, maxSize: 5, labels: {tier: web}}
- {name: gpu, desiredCapacity: 1, availabilityZones: [eu-1a], taints: [{key: nvidia.com/gpu, value: "true", effect: NoSchedule}]}
---
apiVersion: kops.k8s.io/v1alpha2
kind: InstanceGroup
metadata: {name: nodes}
spec: {role: Node, minSize: 3, maxSize: 3, zones: [a], nodeLabels: {pool: nodes}, taints: ["dedicated=batch:NoSchedule"]}
---
apiVersion: kops.k8s.io/v1alpha2
kind: InstanceGroup
metadata: {name: masters}
spec: {role: ControlPlane, minSize: 1, maxSize: 1}
---
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineDeployment
metadata:
  name: md.0
  annotations: {cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size: "1", cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size: "4"}
spec: {template: {metadata: {labels: {node-role.kubernetes.io/worker: "", other: x}}, spec: {failureDomain: z1}}}
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: spot}
spec: {template: {metadata: {labels: {team: a}}, spec: {requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [z2]}, {key: kubernetes.io/arch, operator: In, values: [arm64]}]}}}
---
apiVersion: kind.x-k8s.io/v1alpha4
kind: Cluster
nodes: [{role: control-plane}, {role: worker, labels: {topology.kubernetes.io/zone: a}}, {role: worker, labels: {topology.kubernetes.io/zone: b}}]
---
apiVersion: k3d.io/v1alpha5
kind: Simple
metadata: {name: trial}
servers: 1
agents: 2
`

func foundPools(t *testing.T) []FoundPool {
	t.Helper()
	return PoolsIn("pools.yaml", []byte(foundFiles))
}

// Each tool's pools are read as it makes them: number, zones, labels and taints of the nodes.
func TestPoolsThatFilesDeclare(t *testing.T) {
	var got []string
	for _, p := range foundPools(t) {
		got = append(got, fmt.Sprintf("%s %s %d-%d %v %v %v scaled=%t trial=%t", p.At, p.Name, p.Min, p.Max, p.Zones, p.Labels,
			p.Taints, p.Scaled, p.Trial))
	}
	want := []string{
		"pools.yaml:1 web 2-5 [eu-1a eu-1b] map[tier:web] [] scaled=true trial=false",
		"pools.yaml:1 gpu 1-1 [eu-1a] map[] [{nvidia.com/gpu true NoSchedule <nil>}] scaled=false trial=false",
		"pools.yaml:8 nodes 3-3 [a] map[pool:nodes] [{dedicated batch NoSchedule <nil>}] scaled=false trial=false",
		"pools.yaml:18 md-0 1-4 [z1] map[node-role.kubernetes.io/worker:] [] scaled=true trial=false",
		"pools.yaml:25 spot 1-6 [z2] map[karpenter.sh/nodepool:spot kubernetes.io/arch:arm64 team:a] [] scaled=true trial=false",
		"pools.yaml:30 kind-1 2-2 [a b] map[] [] scaled=false trial=true",
		"pools.yaml:34 trial 3-3 [] map[] [] scaled=false trial=true",
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("read:\n%s\nwant:\n%s", g, w)
	}
}

// A starter has the pools that were found, each with where it stands; those for trials only where there are no others.
func TestStarterHasTheFoundPools(t *testing.T) {
	found := foundPools(t)
	for name, tc := range map[string]struct {
		found []FoundPool
		want  []string
	}{
		"all":    {found, []string{"web", "gpu", "nodes", "md-0", "spot"}},
		"trials": {found[5:], []string{"kind-1", "trial"}},
		"twins":  {[]FoundPool{found[0], found[0]}, []string{"web", "web-2"}},
	} {
		text := Starter(nil, tc.found)
		p, err := Load("starter.yaml", text)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		var got []string
		for _, pool := range p.Cluster.Pools {
			got = append(got, pool.Name)
		}
		if fmt.Sprint(got) != fmt.Sprint(tc.want) || p.Cluster.Assumed {
			t.Errorf("%s: pools %v, want %v", name, got, tc.want)
		}
	}
}

// FuzzPoolsIn: no file makes it fail, and whatever pools are found make a policy that loads.
func FuzzPoolsIn(f *testing.F) {
	for doc := range strings.SplitSeq(foundFiles, "---\n") {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if found := PoolsIn("x.yaml", data); len(found) > 0 {
			text := Starter(nil, found)
			if _, err := Load("starter.yaml", text); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
		}
	})
}
