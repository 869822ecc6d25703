package policies

import (
	"fmt"
	"testing"
)

// Nodes can be told apart where each is declared: objects, or pools of a fixed number and a known
// capacity that fall evenly on their zones.
func TestFixedNodes(t *testing.T) {
	const room = `allocatable: {cpu: "4", memory: 16Gi}`
	for pools, want := range map[string]string{
		`{name: a, count: {min: 2, max: 2}, ` + room + `}`:                                                   "[a-1 a-2]",
		`{name: a, count: {min: 4, max: 4}, zones: [x, y], ` + room + `}`:                                    "[a-x-1 a-x-2 a-y-1 a-y-2]",
		`{name: a, count: {min: 3, max: 3}, zones: [x, y], ` + room + `}`:                                    "[] open", // which zone has two
		`{name: a, count: {min: 1, max: 2}, ` + room + `}`:                                                   "[] open",
		`{name: a, count: {min: 2, max: 2}}`:                                                                 "[] open", // no capacity
		`{name: a, count: {min: 2, max: 2}, autoscaled: true, ` + room + `}`:                                 "[] open",
		`{name: a, count: {min: 1, max: 1}, ` + room + `}, {name: b, count: {min: 1, max: 2}, ` + room + `}`: "[] open",
		`{name: a, count: {min: 13, max: 13}, ` + room + `}`:                                                 "[] open",
	} {
		p, err := Load("p.yaml", []byte("cluster: {nodePools: ["+pools+"]}"))
		if err != nil {
			t.Fatal(err)
		}
		nodes, fixed := p.Cluster.Fixed()
		names := []string{}
		for _, n := range nodes {
			names = append(names, n.Name)
		}
		got := fmt.Sprint(names)
		if !fixed {
			got = "[] open"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", pools, got, want)
		}
	}
	if nodes, fixed := Default().Cluster.Fixed(); fixed {
		t.Errorf("the assumed cluster has %d nodes", len(nodes))
	}
}

// A pattern meets a release by its ID or its path; a star stays within a folder.
func TestReleasesOfACluster(t *testing.T) {
	p, err := Load("p.yaml", []byte("cluster: {releases: ['apps/*/prod', 'argocd:**']}"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"apps/web/prod": true, "apps/web/staging": false, "apps/a/b/prod": false, "argocd:clusters/eu:web": true, "web": false,
	} {
		if got := p.Cluster.Runs(name, "elsewhere"); got != want {
			t.Errorf("%s: %t, want %t", name, got, want)
		}
	}
}
