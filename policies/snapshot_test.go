package policies

import (
	"strings"
	"testing"
	"time"
)

const shot = `apiVersion: kubesettle.dev/v1alpha1
kind: Snapshot
taken: "2026-01-31T06:00:00Z"
nodes:
- name: n1
  labels: {karpenter.sh/nodepool: general}
  conditions: [Ready=False]
  allocatable: {cpu: "4", memory: 8Gi, pods: "110"}
controllers:
- name: cluster-autoscaler
totals: {nodes: 1, workloads: 0, pods: 0}
`

// A snapshot's nodes are the cluster; a pool that is declared beside them is what it lacks of its
// nodes, and says what may come.
func TestSetSnapshot(t *testing.T) {
	p, err := Load("p.yaml", []byte(`apiVersion: kubesettle.dev/v1alpha1
kind: Policy
cluster:
  snapshot: s.yaml
  maxAge: 2d
  nodePools:
  - {name: general, count: {min: 1, max: 3}, autoscaled: true, allocatable: {cpu: "4", memory: 8Gi}}
controllers: {clusterAutoscaler: {}}
`))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.SetSnapshot("s.yaml", []byte(shot)); err != nil {
		t.Fatal(err)
	}
	c := &p.Cluster
	if c.Assumed || len(c.Nodes) != 1 || len(c.Nodes[0].Spec.Taints) != 1 {
		t.Errorf("nodes %v", c.Nodes)
	}
	if len(c.Pools) != 1 || c.Pools[0].Min != 0 || c.Pools[0].Max != 2 {
		t.Errorf("pools %+v", c.Pools)
	}
	if by := c.Grows(); by != "" {
		t.Errorf("%s may bring nodes, and they are declared", by)
	}
	c.Pools = nil
	if by := c.Grows(); by != "the cluster-autoscaler" {
		t.Errorf("what may bring nodes: %q", by)
	}
	taken := time.Date(2026, 1, 31, 6, 0, 0, 0, time.UTC)
	for hours, days := range map[int]int{0: 0, 48: 0, 49: 2, 24 * 30: 30} {
		if got := c.Stale(taken.Add(time.Duration(hours) * time.Hour)); got != days {
			t.Errorf("after %d hours it is %d days old, want %d", hours, got, days)
		}
	}
}

func TestSnapshotInPolicy(t *testing.T) {
	for text, want := range map[string]string{
		"{snapshot: s.yaml, nodes: n.yaml}":  "together with snapshot",
		"{snapshot: s.yaml, maxAge: 7 days}": "is not an age",
		"{snapshot: s.yaml, maxAge: 0d}":     "is not an age",
		"{maxAge: 7d}":                       "goes with snapshot only",
		"{snapshot: /s.yaml}":                "must be a relative path",
	} {
		_, err := Load("p.yaml", []byte("apiVersion: kubesettle.dev/v1alpha1\nkind: Policy\ncluster: "+text+"\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	anonymous := strings.Replace(shot, "nodes:", "anonymised: true\nnodes:", 1)
	if err := Default().SetSnapshot("s.yaml", []byte(anonymous)); err == nil || !strings.Contains(err.Error(), "--anonymise") {
		t.Errorf("an anonymised snapshot: %v", err)
	}
}
