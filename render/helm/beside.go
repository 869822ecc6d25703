package helm

import (
	"path"
	"strings"

	"helm.sh/helm/v3/pkg/chart"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// takeBeside takes the missing dependencies that lie beside the chart: a repository that publishes charts names its own
// by the address at which they are published, and vendors none. The chart of that name here is the one that will be
// published; a note says that it is not the published one.
func (g *gatherer) takeBeside(rel release.Release) *object.Failure {
	var lost []*chart.Dependency
	for _, d := range g.lost {
		dir := g.beside(rel.Path, d)
		if dir == "" {
			lost = append(lost, d)
			continue
		}
		if f := g.chart(dir, "charts/"+d.Name+"/", 1); f != nil {
			return f
		}
		g.recipe.StandIns = append(g.recipe.StandIns, d.Name)
		g.recipe.Notes = append(g.recipe.Notes, object.Say(object.DependencyBeside, d.Name, d.Version, dir))
	}
	g.lost = lost
	return nil
}

// beside is the nearest folder beside a chart, or beside a folder that it lies in, with the chart that a dependency
// names, at a version that it allows; "": there is none. A dependency with an alias may be there more than once,
// and none is taken for it.
func (g *gatherer) beside(dir string, d *chart.Dependency) string {
	if d.Alias != "" || d.Name == "" || strings.ContainsAny(d.Name, "/\\") {
		return ""
	}
	for up := dir; up != "."; {
		up = path.Dir(up)
		for _, at := range []string{path.Join(up, d.Name), path.Join(up, "charts", d.Name)} {
			if at == dir || !g.src.HasFile(path.Join(at, "Chart.yaml")) {
				continue
			}
			if m, f := g.metadata(at); f == nil && m.Name == d.Name && (d.Version == "" || inRange(d.Version, m.Version)) {
				return at
			}
		}
	}
	return ""
}
