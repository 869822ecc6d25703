package pair

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/side"
)

// declaredAs is the ID of a release that an object, a helmfile or a script declares: what declares it, where, its name
// in the cluster, and its place among several sources, or its values.
var declaredAs = regexp.MustCompile(`^(?:(argocd|flux|helmrelease|helmfile):(.*):([^:]+/[^:]+?)(:\d+)?|` +
	`(deploy):([^:]*):([^:/]+/[^:/]+)(:.*)?)$`)

// declared reads the ID of a release. Helmfiles and scripts both declare releases of Helm.
func declared(id string) (name [2]string, where, last string, ok bool) {
	m := declaredAs.FindStringSubmatch(id)
	if m == nil {
		return name, "", "", false
	}
	kind := m[1] + m[5]
	if where = m[2] + m[6]; kind == "helmfile" || kind == "deploy" {
		where, kind = kind+":"+where, "helm"
	}
	return [2]string{kind, m[3] + m[7]}, where, m[4] + m[8], true
}

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
		name, _, _, ok := declared(head.Releases[i].ID)
		if !ok {
			continue
		}
		from, to := alone(was[name], is[name]), alone(is[name], was[name])
		for _, p := range movedDeclarations(base, head, from, to, clusters[name[0]]) {
			for _, k := range p[0].releases {
				to := head.Releases[p[1].releases[0]].ID
				if _, _, last, _ := declared(base.Releases[k].ID); name[0] == "argocd" { // each of several sources
					to = "argocd:" + p[1].where + ":" + name[1] + last
				}
				base.Call(k, to)
			}
		}
		delete(is, name)
	}
}

func declarations(s *side.Side) map[[2]string][]declaration {
	out := map[[2]string][]declaration{}
	for i, r := range s.Releases {
		name, where, last, ok := declared(r.ID)
		source := cmp.Or(r.By.File, r.At.File)
		if !ok || source == "" {
			continue
		}
		if name[0] == "helm" {
			where += last
		}
		at := slices.IndexFunc(out[name], func(d declaration) bool { return d.where == where })
		if at < 0 {
			at = len(out[name])
			out[name] = append(out[name], declaration{where: where, source: source})
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
	if rest, ok := strings.CutPrefix(d.where, "helmfile:"+d.source); ok {
		return rest
	}
	return ""
}
