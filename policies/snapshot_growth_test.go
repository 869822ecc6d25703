package policies

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
)

// What an autoscaler may bring is like the largest node of each pool, with what its nodes have in
// common, in whatever order they are listed; a pool that the policy declares is the policy's.
func TestSnapshotGrows(t *testing.T) {
	nodes := []string{
		`{name: a1, labels: {karpenter.sh/nodepool: a, size: l, topology.kubernetes.io/zone: z2}, taints: [{key: gpu, effect: NoSchedule}, {key: karpenter.sh/disrupted, effect: NoSchedule}], allocatable: {cpu: "8", memory: 8Gi, pods: "9"}}`,
		`{name: a2, labels: {karpenter.sh/nodepool: a, size: s, topology.kubernetes.io/zone: z1}, taints: [{key: gpu, effect: NoSchedule}], allocatable: {cpu: "4", memory: 8Gi, pods: "9"}}`,
		`{name: b1, labels: {karpenter.sh/nodepool: b}, allocatable: {cpu: "4", memory: 8Gi, pods: "9"}}`,
		`{name: c1, labels: {node-role.kubernetes.io/control-plane: "x"}, allocatable: {cpu: "4", memory: 8Gi, pods: "9"}}`,
		`{name: d1, labels: {eks.amazonaws.com/nodegroup: d}, allocatable: {cpu: "4", memory: 8Gi, pods: "9"}}`,
	}
	of := func(more string) string {
		return "apiVersion: kubesettle.dev/v1alpha1\nkind: Snapshot\ntaken: \"2026-01-31T06:00:00Z\"\nnodes:\n- " +
			strings.Join(nodes, "\n- ") + "\n" + more + "totals: {nodes: 5, workloads: 0, pods: 0}\n"
	}
	grown := func(policy, file string) string {
		p, err := Load("p.yaml", []byte("apiVersion: kubesettle.dev/v1alpha1\nkind: Policy\n"+policy))
		if err == nil {
			err = p.SetSnapshot("s.yaml", []byte(file))
		}
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, pool := range p.Cluster.Pools {
			stays := pool.Karpenter == nil || pool.Karpenter.Never
			out = append(out, fmt.Sprintf("%s %d-%d cpu %s %v %v taints %d derived %t stays %t", pool.Name, pool.Min, min(pool.Max, 99), pool.Allocatable.Cpu(), pool.Zones, pool.Labels, len(pool.Taints), pool.Derived, stays))
		}
		return strings.Join(append(out, p.Cluster.Grows()), "\n")
	}
	const pools = "nodePools: [{name: a, limits: {cpu: \"40\"}}, {name: b, replicas: 1}]\n"
	const autoscaler = "controllers: [{name: cluster-autoscaler, flags: {max-nodes-total: \"7\"}}]\n"
	const declared = "cluster:\n  snapshot: s.yaml\n  nodePools: [{name: a, count: {min: 0, max: 4}, allocatable: {cpu: \"2\", memory: 8Gi}}]\n"
	for _, tt := range []struct{ policy, more, want string }{
		{"", "", ""},
		{"", pools, "a 0-3 cpu 8 [z1 z2] map[karpenter.sh/nodepool:a] taints 1 derived true stays true\nKarpenter"},
		{"", autoscaler, "d 0-2 cpu 4 [] map[eks.amazonaws.com/nodegroup:d] taints 0 derived true stays true\nthe cluster-autoscaler"},
		{strings.Replace(declared, "count:", "autoscaled: true, count:", 1), pools, "a 0-2 cpu 2 [] map[karpenter.sh/nodepool:a] taints 0 derived false stays false\n"},
		{declared, pools, "a 0-2 cpu 2 [] map[karpenter.sh/nodepool:a] taints 0 derived false stays false\n"},
	} {
		for range 5 {
			if got := grown(tt.policy, of(tt.more)); got != tt.want {
				t.Errorf("%s\n%sgot  %s\nwant %s", tt.more, tt.policy, got, tt.want)
			}
			rand.Shuffle(len(nodes), func(i, k int) { nodes[i], nodes[k] = nodes[k], nodes[i] })
		}
		slices.Sort(nodes)
	}
}
