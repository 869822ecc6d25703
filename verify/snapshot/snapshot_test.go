package snapshot

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
)

func collect(t *testing.T, text string) *Collector {
	t.Helper()
	c := NewCollector(time.Date(2026, 1, 31, 6, 0, 0, 0, time.UTC))
	if err := c.AddObjects("cluster.yaml", strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	return c
}

func write(t *testing.T, c *Collector) string {
	t.Helper()
	s, err := c.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.Write()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Read("snapshot.yaml", out); err != nil {
		t.Errorf("what is written is not read: %v", err)
	}
	return string(out)
}

// The objects of a small cluster give the file beside them.
func TestSnapshotOfObjects(t *testing.T) {
	in, err := os.ReadFile("testdata/cluster.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/snapshot.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if got := write(t, collect(t, string(in))); got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// No order of the objects, and no way of listing them, changes a byte.
func TestOrderChangesNothing(t *testing.T) {
	in, err := os.ReadFile("testdata/cluster.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := write(t, collect(t, string(in)))
	_, body, _ := strings.Cut(string(in), "items:\n")
	items := strings.Split(strings.TrimPrefix(body, "- "), "\n- ")
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		var b strings.Builder
		for _, item := range items {
			fmt.Fprintf(&b, "---\n  %s\n", strings.TrimRight(item, "\n"))
		}
		if got := write(t, collect(t, b.String())); got != want {
			t.Fatalf("another order gives\n%s\nwant\n%s", got, want)
		}
	}
}

const least = `apiVersion: kubesettle.dev/v1alpha1
kind: Snapshot
taken: "2026-01-31T06:00:00Z"
nodes:
- name: n1
  allocatable: {cpu: "4", memory: 8Gi, pods: "110"}
workloads:
- kind: apps/Deployment
  namespace: default
  name: web
  replicas: 1
  pods:
  - requests: {cpu: "1"}
    placed:
    - {node: n1, ready: 1}
totals:
  nodes: 1
  workloads: 1
  pods: 1
`

// What is wrong with a file is said with its line and what to do; none of it is guessed.
func TestBadSnapshots(t *testing.T) {
	if _, err := Read("s.yaml", []byte(least)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ old, new, want string }{
		"empty":            {least, "", "s.yaml is empty: take it again"},
		"another version":  {"v1alpha1", "v7", `s.yaml:1: apiVersion: "kubesettle.dev/v7" is not the version that is read here`},
		"another kind":     {"kind: Snapshot", "kind: List", `s.yaml:2: kind: "List", as kubectl prints it, is not a snapshot: turn it into one`},
		"cut off":          {least[strings.Index(least, "totals"):], "", "the totals that end every snapshot are missing: the file was cut off"},
		"cut off in YAML":  {least[strings.Index(least, " 8Gi"):], "", "is not YAML, or was cut off"},
		"edited":           {"ready: 1", "ready: 2", "s.yaml:17: totals: the file holds 1 nodes, 1 workloads and 2 pods, and its totals say 1, 1 and 1"},
		"unknown field":    {"  replicas: 1", "  replica: 1", "s.yaml:11: the field replica is not part of a snapshot: remove it"},
		"wrong type":       {"replicas: 1", "replicas: many", "s.yaml:11: `many` is of the wrong type"},
		"no time":          {`"2026-01-31T06:00:00Z"`, "yesterday", `s.yaml:3: taken: "yesterday" is not a time`},
		"no amount":        {"8Gi", "8 GB", `s.yaml:6: nodes[0].allocatable.memory: "8 GB" is not a quantity`},
		"less than no pod": {"ready: 1", "ready: 2, starting: -1", "s.yaml:15: workloads[0].pods[0].placed[0]: less than no pod"},
		"unknown node":     {"node: n1", "node: n2", `s.yaml:15: workloads[0].pods[0].placed[0].node: "n2" is not a node of this snapshot`},
		"no pods per node": {`, pods: "110"`, "", "s.yaml:6: nodes[0].allocatable: pods is missing"},
		"two documents":    {"totals:", "---\ntotals:", "a second document"},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(least, c.old) {
				t.Fatal("nothing to replace")
			}
			_, err := Read("s.yaml", []byte(strings.Replace(least, c.old, c.new, 1)))
			if !errors.Is(err, ErrSnapshot) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestBadObjects(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"no YAML":        {"a: [", "cluster.yaml: document 1: is neither YAML nor JSON, or was cut off"},
		"a list of none": {"kind: List\napiVersion: v1\n", "document 1: a list without items"},
		"a snapshot":     {least, "is a snapshot already"},
		"no name":        {"kind: Node\napiVersion: v1\n", "a Node without a name"},
		"wrong type":     {"kind: Node\napiVersion: v1\nmetadata: {name: n1}\nspec: {taints: 3}\n", `document 1: Node "n1": `},
		"immense":        {"kind: Node\napiVersion: v1\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: 1e999999999}}\n", "a number that is not a quantity"},
		"no object":      {"[1, 2]", "is not an object of Kubernetes"},
	} {
		t.Run(name, func(t *testing.T) {
			err := NewCollector(time.Unix(0, 0)).AddObjects("cluster.yaml", strings.NewReader(c.in))
			if !errors.Is(err, ErrSnapshot) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
	if _, err := NewCollector(time.Unix(0, 0)).Snapshot(); !errors.Is(err, ErrNoNodes) {
		t.Errorf("no nodes: %v", err)
	}
}

// What could not be listed is named, by kind.
func TestGapsAreNamed(t *testing.T) {
	c := collect(t, "kind: Node\napiVersion: v1\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: 4, memory: 8Gi, pods: 110}}\n")
	c.NameGaps()
	s, err := c.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"pods", "deployments.apps"} {
		if s.Missing(kind) == "" {
			t.Errorf("nothing says that there are no %s", kind)
		}
	}
}

// A hundred nodes and a thousand pods fit into a mebibyte.
func TestSnapshotIsSmall(t *testing.T) {
	c := collect(t, Sample(100, 1000))
	out := write(t, c)
	if len(out) > 1<<20 {
		t.Errorf("%d bytes", len(out))
	}
	s, _ := Read("s.yaml", []byte(out))
	if s.Totals.Nodes != 100 || s.Totals.Pods != 1000 {
		t.Errorf("totals %+v", s.Totals)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(least))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Read("s.yaml", data)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("an error of several lines: %q", err)
			}
			return
		}
		out, err := s.Write()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Read("s.yaml", out); err != nil {
			t.Errorf("what was read and written is not read: %v\n%s", err, out)
		}
	})
}
