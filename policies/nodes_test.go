package policies

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/state"
)

// TestClasses reads testdata/classes: `nodes` and `policy` give a cluster, `classes`
// its quotient by the named labels (all: every one).
func TestClasses(t *testing.T) {
	datadriven.Walk(t, "testdata/classes", func(t *testing.T, path string) {
		p := Default()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "nodes":
				p = Default()
				if err := p.SetNodes("nodes.yaml", []byte(d.Input)); err != nil {
					return err.Error() + "\n"
				}
				return fmt.Sprintf("%d nodes\n", len(p.Cluster.Nodes))
			case "add":
				p.Cluster.NodesFile = "nodes.yaml"
				if err := p.SetNodes("nodes.yaml", []byte(d.Input)); err != nil {
					return err.Error() + "\n"
				}
				return fmt.Sprintf("%d nodes beside %d pools\n", len(p.Cluster.Nodes), len(p.Cluster.Pools))
			case "policy":
				var err error
				if p, err = Load("p.yaml", []byte(d.Input)); err != nil {
					d.Fatalf(t, "%v", err)
				}
				return fmt.Sprintf("%d pools\n", len(p.Cluster.Pools))
			case "classes":
				var keys []string
				for _, a := range d.CmdArgs {
					keys = append(keys, a.Key)
				}
				relevant := func(k string) bool { return slices.Contains(keys, k) }
				if d.HasArg("all") {
					relevant = nil
				}
				return classesOf(p.NodeClasses(relevant))
			}
			d.Fatalf(t, "no such command as %s", d.Cmd)
			return ""
		})
	})
}

func classesOf(classes []state.NodeClass) string {
	var b strings.Builder
	for _, c := range classes {
		fmt.Fprintf(&b, "%s %d..%d", c.Name, c.Min, c.Max)
		if c.Elastic {
			b.WriteString(" elastic")
		}
		for _, k := range slices.Sorted(maps.Keys(c.Node.Status.Allocatable)) {
			q := c.Node.Status.Allocatable[k]
			fmt.Fprintf(&b, " %s=%s", k, q.String())
		}
		if c.Node.Spec.Unschedulable {
			b.WriteString(" unschedulable")
		}
		for _, t := range c.Node.Spec.Taints {
			b.WriteString(" taint:" + t.ToString())
		}
		if len(c.Names) > 0 {
			fmt.Fprintf(&b, " %v", c.Names)
		}
		b.WriteString("\n")
		for _, k := range slices.Sorted(maps.Keys(c.Node.Labels)) {
			fmt.Fprintf(&b, "  %s=%s\n", k, c.Node.Labels[k])
		}
	}
	return b.String()
}

func TestNodeClassesLeaveThePolicyAlone(t *testing.T) {
	p := Default()
	p.Cluster.NodesFile = "n"
	const node = `{kind: Node, metadata: {name: %s, labels: {a: b}}, status: {allocatable: {cpu: 4, memory: %s, pods: 110}}}`
	if err := p.SetNodes("n", fmt.Appendf(nil, node+"\n---\n"+node, "n1", "1000Mi", "n2", "999Mi")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		classes := p.NodeClasses(nil)
		if len(classes) != 1 || len(classes[0].Names) != 2 {
			t.Fatalf("classes %s", classesOf(classes))
		}
		classes[0].Node.Labels["a"] = "changed"
		classes[0].Names[0] = "changed"
	}
	if n := p.Cluster.Nodes[0]; n.Labels["a"] != "b" || n.Status.Allocatable.Memory().String() != "1000Mi" {
		t.Errorf("the policy's node is now %v %v", n.Labels, n.Status.Allocatable)
	}
}

func TestSetNodesTakesThePlaceOfTheCluster(t *testing.T) {
	const node = `{kind: Node, metadata: {name: n1}, status: {capacity: {cpu: 4, memory: 8Gi, pods: 110}}}`
	load := func() *Policy {
		p, err := Load("p.yaml", []byte("cluster: {nodes: nodes.yaml, nodePools: [{name: spot}]}"))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := load()
	if err := p.SetNodes("nodes.yaml", []byte(node)); err != nil || len(p.Cluster.Pools) != 1 {
		t.Errorf("the policy's own nodes: %v, %d pools, want both", err, len(p.Cluster.Pools))
	}
	if err := p.SetNodes("other.yaml", []byte(node)); err != nil || len(p.Cluster.Pools) != 0 {
		t.Errorf("other nodes: %v, %d pools, want the nodes alone", err, len(p.Cluster.Pools))
	}
	p = Default()
	if err := p.SetNodes("x", []byte(node)); err != nil || p.Cluster.Assumed || len(p.Cluster.Pools) != 0 {
		t.Errorf("nodes instead of the assumed cluster: %v, %+v", err, p.Cluster)
	}
	p = Default()
	if err := p.SetNodes("x", nil); !errors.Is(err, ErrNodes) || !p.Cluster.Assumed {
		t.Errorf("an empty file gives %v and declares a cluster", err)
	}
}

// FuzzParseNodes: a file of nodes may be hostile. What is read has a name and a
// capacity, and can be divided into classes.
func FuzzParseNodes(f *testing.F) {
	f.Add(`{kind: Node, metadata: {name: n1, labels: {a: b}}, spec: {taints: [{key: k, effect: NoSchedule}]}, status: {allocatable: {cpu: 4, memory: 8Gi, pods: "110"}}}`)
	f.Add("kind: List\nitems:\n- kind: Node\n  metadata: {name: n}\n")
	f.Add("a: &a [*a]\n---\nkind: NodeList\nitems: [*a]\n")
	f.Fuzz(func(t *testing.T, data string) {
		nodes, err := ParseNodes("n.yaml", []byte(data))
		if err != nil {
			if !errors.Is(err, ErrNodes) || strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Fatalf("%q", err)
			}
			return
		}
		p := &Policy{Cluster: Cluster{Nodes: nodes}}
		total := 0
		for _, c := range p.NodeClasses(nil) {
			total += len(c.Names)
			if c.Max != len(c.Names) || c.Min != c.Max || c.Node.Labels[corev1.LabelHostname] == "" {
				t.Fatalf("class %+v", c)
			}
		}
		if _, err := Load("starter.yaml", Starter(nodes, nil)); err != nil {
			t.Fatalf("the starter does not load: %v\n%s", err, Starter(nodes, nil))
		}
		if total != len(nodes) {
			t.Fatalf("%d nodes in classes, want %d", total, len(nodes))
		}
	})
}

// TestImagesTellNodesApart: an image that a pod runs does, any other does not.
func TestImagesTellNodesApart(t *testing.T) {
	p := Default()
	const node = `{kind: Node, metadata: {name: %s}, status: {allocatable: {cpu: 4, memory: 1Gi, pods: 110}, images: [{names: ["%s:1", "alias:1"], sizeBytes: %d}]}}`
	if err := p.SetNodes("n", fmt.Appendf(nil, node+"\n---\n"+node+"\n---\n"+node, "n1", "web", 2_000_000_000, "n2", "web", 2_000_000_000, "n3", "db", 1_000_000_000)); err != nil {
		t.Fatal(err)
	}
	if classes := p.NodeClasses(nil); len(classes) != 1 || len(classes[0].Node.Status.Images) != 0 {
		t.Errorf("images that nobody asks about make a difference: %s", classesOf(classes))
	}
	classes := p.NodeClasses(func(key string) bool { return key == NodeImage+"web:1" })
	if len(classes) != 2 || len(classes[0].Names) != 2 {
		t.Fatalf("classes %s", classesOf(classes))
	}
	got := classes[0].Node.Status.Images
	if len(got) != 1 || !slices.Equal(got[0].Names, []string{"web:1"}) || got[0].SizeBytes != 2e9 || len(classes[1].Node.Status.Images) != 0 {
		t.Errorf("images %v and %v", got, classes[1].Node.Status.Images)
	}
}
