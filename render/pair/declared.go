package pair

import (
	"cmp"
	"path"
	"regexp"
	"slices"

	"github.com/kubesettle/kubesettle/render/side"
)

// declaredAs is the ID of a release that an object or a helmfile declares: what declares it, where, its name in the
// cluster, and its place among several sources.
var declaredAs = regexp.MustCompile(`^(argocd|flux|helmrelease|helmfile):(.*):([^:]+/[^:]+?)(:\d+)?$`)

// declaration is one place that declares a name, with its releases.
type declaration struct {
	where, source string // as in the ID, and the file
	releases      []int
}

// FollowDeclared gives what base alone declares the ID of what head alone declares under the same name, in another file
// or folder: in the cluster both are one. Where a repository has several clusters, a name in another folder may be that
// of another one, and is followed only if the folder, or the release that declares it, stays.
func FollowDeclared(base, head *side.Side) {
	was, is := declarations(base), declarations(head)
	clusters := map[string]bool{} // the kinds of which one name is declared in several files
	for _, of := range []map[[2]string][]declaration{was, is} {
		for name, list := range of {
			for _, d := range list {
				clusters[name[0]] = clusters[name[0]] || d.source != list[0].source
			}
		}
	}
	for i := range head.Releases { // in their order
		m := declaredAs.FindStringSubmatch(head.Releases[i].ID)
		if m == nil {
			continue
		}
		name := [2]string{m[1], m[3]}
		from, to := alone(was[name], is[name]), alone(is[name], was[name])
		for _, p := range movedDeclarations(base, head, from, to, clusters[m[1]]) {
			for _, k := range p[0].releases {
				id := declaredAs.FindStringSubmatch(base.Releases[k].ID)
				base.Call(k, m[1]+":"+p[1].where+":"+m[3]+id[4])
			}
		}
		delete(is, name)
	}
}

func declarations(s *side.Side) map[[2]string][]declaration {
	out := map[[2]string][]declaration{}
	for i, r := range s.Releases {
		m := declaredAs.FindStringSubmatch(r.ID)
		if m == nil || r.By.File == "" {
			continue
		}
		name := [2]string{m[1], m[3]}
		at := slices.IndexFunc(out[name], func(d declaration) bool { return d.where == m[2] })
		if at < 0 {
			at = len(out[name])
			out[name] = append(out[name], declaration{where: m[2], source: r.By.File})
		}
		out[name][at].releases = append(out[name][at].releases, i)
	}
	return out
}

// alone are the declarations of a side that the other one does not have.
func alone(of, other []declaration) []declaration {
	return slices.DeleteFunc(slices.Clone(of), func(d declaration) bool {
		return slices.ContainsFunc(other, func(x declaration) bool { return x.where == d.where })
	})
}

// movedDeclarations pairs declarations of one name: those of one environment first, then the likest, each once.
func movedDeclarations(base, head *side.Side, from, to []declaration, clusters bool) [][2]declaration {
	type candidate struct{ from, to, environment, like int }
	var all []candidate
	for n, b := range from {
		for m, h := range to {
			k, i := b.releases[0], h.releases[0]
			x, y := base.Releases[k], head.Releases[i]
			near := path.Dir(b.source) == path.Dir(h.source) || x.Parent != "" && x.Parent == y.Parent
			if x.Cluster == y.Cluster && (near || !clusters) {
				all = append(all, candidate{n, m, rank(environment(b) != environment(h)),
					likeDocs(named(base.Outputs[k].Docs), named(head.Outputs[i].Docs))})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Or(a.environment-b.environment, b.like-a.like) })
	var out [][2]declaration
	left, taken := map[int]bool{}, map[int]bool{}
	for _, c := range all {
		if !left[c.from] && !taken[c.to] {
			left[c.from], taken[c.to] = true, true
			out = append(out, [2]declaration{from[c.from], to[c.to]})
		}
	}
	return out
}

// environment is that of a helmfile's release; "": it has one only.
func environment(d declaration) string {
	if len(d.where) > len(d.source) && d.where[:len(d.source)] == d.source {
		return d.where[len(d.source):]
	}
	return ""
}
