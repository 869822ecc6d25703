package policies

import (
	"regexp"
	"strings"
	"testing"
)

var commentedOut = regexp.MustCompile(`(?m)^#([^ ]|  )`)

const starterNodes = `
kind: List
items:
- {kind: Node, metadata: {name: a1, labels: {agentpool: Sys_Pool, topology.kubernetes.io/zone: "1", kubernetes.io/hostname: a1, tier: "on", uid: x}}, status: {allocatable: {cpu: "4", memory: 16000000Ki, pods: "110", hugepages-1Gi: "0"}}}
- {kind: Node, metadata: {name: a2, labels: {agentpool: Sys_Pool, topology.kubernetes.io/zone: "2", kubernetes.io/hostname: a2, tier: "on", uid: y}}, spec: {unschedulable: true, taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]}, status: {allocatable: {cpu: "4", memory: 15999000Ki, pods: "110", hugepages-1Gi: "0"}}}
- {kind: Node, metadata: {name: g1, labels: {agentpool: Sys_Pool, topology.kubernetes.io/zone: "1"}}, spec: {taints: [{key: nvidia.com/gpu, effect: NoSchedule, value: "true"}]}, status: {allocatable: {cpu: "8", memory: 64Gi, pods: "110", nvidia.com/gpu: "1"}}}
- {kind: Node, metadata: {name: z1}, status: {allocatable: {cpu: "8", memory: 64Gi, pods: "110"}}}
`

// TestStarterLoads: the starter is a policy as it is written, and with all of its
// examples uncommented.
func TestStarterLoads(t *testing.T) {
	nodes, err := ParseNodes("n.yaml", []byte(starterNodes))
	if err != nil {
		t.Fatal(err)
	}
	schema := compiledSchema(t)
	for name, data := range map[string]string{"without nodes": string(Starter(nil, nil)), "with nodes": string(Starter(nodes, nil)),
		"with pools": string(Starter(nil, foundPools(t)))} {
		open := commentedOut.ReplaceAllString(data, "$1")
		if open == data {
			t.Errorf("%s: nothing is commented out", name)
		}
		for _, d := range []string{data, open} {
			if _, err := Load("starter.yaml", []byte(d)); err != nil {
				t.Errorf("%s: %v\n%s", name, err, d)
			}
			if _, err := schema.validate([]byte(d)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	p, err := Load("starter.yaml", Starter(nil, nil))
	if err != nil || !p.Cluster.Assumed {
		t.Errorf("a starter without nodes declares a cluster (%v)", err)
	}
	if got := p.Unsupported(); len(got) > 0 {
		t.Errorf("the starter sets what is not modeled: %q", got)
	}
}

func TestStarterKeepsTheNodes(t *testing.T) {
	nodes, err := ParseNodes("n.yaml", []byte(starterNodes))
	if err != nil {
		t.Fatal(err)
	}
	const want = `# The cluster to verify on, from 4 nodes. A minimum below the count lets smaller
# clusters be explored too; autoscaled pools want their own limits here.
cluster:
  nodePools:
  - name: sys-pool
    count: {min: 2, max: 2}
    zones: ["1", "2"]
    labels:
      agentpool: Sys_Pool
      tier: "on"
    allocatable: {cpu: "4", memory: 15999000Ki, pods: "110"}
  - name: sys-pool-2
    count: {min: 1, max: 1}
    zones: ["1"]
    labels:
      agentpool: Sys_Pool
    taints:
      - key: nvidia.com/gpu
        value: "true"
        effect: NoSchedule
    allocatable: {cpu: "8", memory: 64Gi, nvidia.com/gpu: "1", pods: "110"}
  - name: nodes
    count: {min: 1, max: 1}
    allocatable: {cpu: "8", memory: 64Gi, pods: "110"}
`
	got := string(Starter(nodes, nil))
	if !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant in it\n%s", got, want)
	}
}
