package verify

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/tree"
)

// A new object that is refused for what an object of base in the same release is refused for (the same value of the
// same field, of the same kind, or of the metadata that all kinds have) is refused as before. Another value, field,
// kind or release is no practice, nor is what a change does to an object that was taken.
func TestNewObjectIsRefusedAsOthersAre(t *testing.T) {
	object := func(kind, name, label, more string) string {
		api := map[string]string{"PodDisruptionBudget": "policy/v1", "ConfigMap": "v1", "Service": "v1", "Deployment": "apps/v1"}[kind]
		return fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata: {name: %s, namespace: shop, labels: {chart: %s}}\n%s---\n", api, kind, name, label, more)
	}
	budget := func(name, label, max string) string {
		return object("PodDisruptionBudget", name, label, "spec: {selector: {matchLabels: {app: web}}, maxUnavailable: "+max+"}\n")
	}
	ports := func(name, list string) string {
		return object("Service", name, "ok", "spec: {selector: {app: web}, ports: ["+list+"]}\n")
	}
	deployment := func(name, typo string) string {
		return object("Deployment", name, "ok", "spec: {selector: {matchLabels: {app: "+name+"}}, template: {metadata: {labels: {app: "+name+
			"}}, spec: {"+typo+": x, containers: [{name: c, image: c}]}}}\n")
	}
	const good, bad, other = "{name: a, port: 80}", "{name: b, port: 70000}", "{name: b, port: 80000}"
	for _, x := range []struct {
		name, base, added string
		want              string // status of the finding on what was added
	}{
		{"a label of another kind", object("ConfigMap", "a", "web-", ""), budget("new", "web-", "1"), "existing"},
		{"another label", object("ConfigMap", "a", "web-", ""), budget("new", "api-", "1"), "new"},
		{"no practice", object("ConfigMap", "a", "web", ""), budget("new", "web-", "1"), "new"},
		{"a field of the same kind", budget("a", "ok", "200%"), budget("new", "ok", "200%"), "existing"},
		{"another value of it", budget("a", "ok", "200%"), budget("new", "ok", "300%"), "new"},
		{"the practice and more", budget("a", "web-", "1"), budget("new", "web-", "200%"), "new"},
		{"elsewhere in a list", ports("a", bad), ports("new", good+", "+bad), "existing"},
		{"another value in a list", ports("a", bad), ports("new", good+", "+other), "new"},
		{"the same misspelt field", deployment("a", "dnsPolciy"), deployment("new", "dnsPolciy"), "existing"},
		{"another misspelt field", deployment("a", "dnsPolciy"), deployment("new", "hostNetwrok"), "new"},
	} {
		for _, where := range []string{"shop", "elsewhere"} { // the release that has the practice
			t.Run(x.name+" "+where, func(t *testing.T) {
				files := func(added string) tree.Tree {
					m, err := tree.Map("side", map[string]string{
						where + "/Chart.yaml": "apiVersion: v2\nname: " + where + "\nversion: 1.0.0\n", where + "/templates/a.yaml": x.base,
						"shop/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\n", "shop/templates/b.yaml": added,
					})
					if err != nil {
						t.Fatal(err)
					}
					return m
				}
				want := x.want
				if where != "shop" {
					want = "new"
				}
				kept := object("ConfigMap", "kept", "ok", "")
				var got []string
				for _, f := range checkSides(t, files(kept), files(kept+x.added)).Findings {
					if f.Rule == rules.ApplyRejected && strings.HasSuffix(f.Workload, "/new") {
						got = append(got, string(f.Status))
					}
				}
				if !slices.Equal(got, []string{want}) {
					t.Errorf("%q, want %s", got, want)
				}
			})
		}
	}
	sides := []tree.Tree{}
	for _, max := range []string{"1", "200%"} {
		m, err := tree.Map("side", map[string]string{"shop/a.yaml": budget("a", "ok", "200%") + budget("b", "ok", max)})
		if err != nil {
			t.Fatal(err)
		}
		sides = append(sides, m)
	}
	status := map[string]string{}
	for _, f := range checkSides(t, sides[0], sides[1]).Findings {
		status[f.Workload] += string(f.Status)
	}
	if got := status["policy/PodDisruptionBudget shop/b"]; got != "new" {
		t.Errorf("an object that the change breaks as another is broken: %q of %v", got, status)
	}
}
