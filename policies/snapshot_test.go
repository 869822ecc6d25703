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

// The flags of control loops are those of the models; what a program would refuse is an error that
// names it.
func TestSetSnapshotTakesFlags(t *testing.T) {
	of := func(program, flag, value string) string {
		return strings.Replace(shot, "- name: cluster-autoscaler\n", "- name: "+program+"\n  flags: {"+flag+": \""+value+"\"}\n", 1)
	}
	for _, tt := range []struct {
		program, flag, value string
		want                 string // part of the error; "": it is taken
		took                 func(*Policy) bool
	}{
		{"kube-controller-manager", hpaTolerance, "0.25", "", func(p *Policy) bool { return *p.Cluster.HPA.Tolerance == 0.25 }},
		{"kube-controller-manager", hpaTolerance, "NaN", "give a number of at least 0", nil},
		{"kube-controller-manager", hpaDownWindow, "1m30s", "", func(p *Policy) bool { return *p.Cluster.HPA.DownWindow == 90 }},
		{"kube-controller-manager", hpaDownWindow, "90", "give a duration", nil},
		{"cluster-autoscaler", scaleDown, "false", "", func(p *Policy) bool { return p.Controllers.AutoscalerFlags.KeepNodes }},
		{"cluster-autoscaler", scaleDown, "no", "give true or false", nil},
		{"cluster-autoscaler", scaleDownAt, "0.7", "", func(p *Policy) bool { return *p.Controllers.AutoscalerFlags.Threshold == 0.7 }},
		{"cluster-autoscaler", scaleDownAt, "70", "give a number from 0 to 1", nil},
		{"kube-scheduler", hpaTolerance, "0.25", "", func(p *Policy) bool { return p.Cluster.HPA.Tolerance == nil }},
	} {
		p, err := Load("p.yaml", []byte("apiVersion: kubesettle.dev/v1alpha1\nkind: Policy\n"))
		if err != nil {
			t.Fatal(err)
		}
		err = p.SetSnapshot("s.yaml", []byte(of(tt.program, tt.flag, tt.value)))
		switch {
		case tt.want == "" && (err != nil || !tt.took(p)):
			t.Errorf("%s --%s=%s is not taken: %v", tt.program, tt.flag, tt.value, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), tt.flag)):
			t.Errorf("%s --%s=%s: got %v, want %q", tt.program, tt.flag, tt.value, err, tt.want)
		}
	}
}
