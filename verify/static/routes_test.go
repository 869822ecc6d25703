package static_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/typed"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/static"
)

// served draws Services with two ports each, among which some are missing.
func served(r *rand.Rand, whole bool) map[string][]int {
	out := map[string][]int{}
	for _, name := range []string{"alpha", "bravo", "charlie"} {
		if !whole && r.IntN(4) == 0 {
			continue
		}
		for _, port := range []int{80, 8443} {
			if whole || r.IntN(4) > 0 {
				out[name] = append(out[name], port)
			}
		}
		if len(out[name]) == 0 {
			out[name] = []int{7000}
		}
	}
	return out
}

func servicesText(of map[string][]int) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(of)) {
		ports := of[name]
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: Service\nmetadata: {name: %s}\nspec:\n  selector: {app: %s}\n  ports:\n", name, name)
		for _, p := range ports {
			fmt.Fprintf(&b, "  - {name: p%d, port: %d, targetPort: 9}\n", p, p)
		}
	}
	return b.String()
}

// What leads to a Service and a port that base has is told of just when head has them no more, however they are named,
// and not when it is edited as is offered.
func TestRoutesLeadToWhatThereIs(t *testing.T) {
	told := 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		base, head := served(r, true), served(r, false)
		var paths strings.Builder
		lost := map[string]bool{} // what is missed: a Service, or a port of one
		for i := range 1 + r.IntN(4) {
			name, port := []string{"alpha", "bravo", "charlie"}[r.IntN(3)], []int{80, 8443}[r.IntN(2)]
			spelt := fmt.Sprint("number: ", port)
			if r.IntN(2) == 0 {
				spelt = fmt.Sprint("name: p", port)
			}
			fmt.Fprintf(&paths, "      - {path: /%d, pathType: Prefix, backend: {service: {name: %s, port: {%s}}}}\n", i, name, spelt)
			switch ports, there := head[name]; {
			case !there:
				lost[name] = true
			case !slices.Contains(ports, port):
				lost[name+spelt] = true
			}
		}
		ingress := "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\nspec:\n  rules:\n  - host: web.example.com\n    http:\n      paths:\n" + paths.String()
		services, front := "services.yaml", "ingress.yaml"
		was, is := servicesText(base), servicesText(head)
		if seed%2 == 1 { // of two releases in one namespace
			services, front = "back/services.yaml", "front/ingress.yaml"
			for _, text := range []*string{&was, &is, &ingress} {
				*text = strings.ReplaceAll(*text, "metadata: {", "metadata: {namespace: shop, ")
			}
		}
		before := revision(t, map[string]string{services: was, front: ingress})
		after := revision(t, map[string]string{services: is, front: ingress})
		found := freshRemarks(t, before, after)
		if len(found) != len(lost) {
			t.Errorf("seed %d: %d remarks, and %v are missed of %s with %v", seed, len(found), lost, paths.String(), head)
		}
		told += len(found)
		for _, x := range found {
			for _, m := range x.Remedies() {
				if m.Object == nil {
					continue
				}
				mended, err := typed.With(m.Object, m.Set)
				if err != nil {
					t.Fatal(err)
				}
				next := &object.Revision{Tree: after.Tree}
				for _, r := range after.Releases {
					rel := *r
					rel.Objects = slices.Clone(rel.Objects)
					if at := slices.Index(rel.Objects, m.Object); at >= 0 {
						rel.Objects[at] = mended
					}
					next.Releases = append(next.Releases, &rel)
				}
				if left := freshRemarks(t, before, next); len(left) != len(found)-1 {
					t.Errorf("seed %d: %q leaves %d of %d", seed, m.Say, len(left), len(found))
				}
			}
		}
	}
	if told < 20 {
		t.Errorf("%d remarks", told)
	}
}

// freshRemarks are those that the change brings.
func freshRemarks(t *testing.T, base, head *object.Revision) (out []static.Remark) {
	t.Helper()
	ch, err := render.Diff(base, head)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range remarksOf(ch) {
		if x.Rule == "dangling-target" && x.Finding(judge.NewPlaces(ch)).Status == finding.New {
			out = append(out, x)
		}
	}
	return out
}
