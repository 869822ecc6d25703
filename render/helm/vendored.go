package helm

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/ignore"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/source"
	"github.com/kubesettle/kubesettle/render/tree"
)

// rules reads .helmignore.
func (g *gatherer) rules(dir string) (*ignore.Rules, *object.Failure) {
	rules := ignore.Empty()
	file := path.Join(dir, ".helmignore")
	if g.src.HasFile(file) {
		b, err := g.src.Read(file)
		if err != nil {
			return nil, source.AsFailure(file, err)
		}
		if rules, err = ignore.Parse(bytes.NewReader(b)); err != nil {
			return nil, &object.Failure{Reason: file + ": " + err.Error(), Where: object.FileStart(file),
				Remedy: "correct the pattern"}
		}
	}
	rules.AddDefaults()
	return rules, nil
}

// hidden is why Helm does not find a dependency that lies in charts/ and that no repository has; nil: it does not lie
// there.
//
// Upstream: helm v3.21.4, pkg/action: CheckDependencies.
func (g *gatherer) hidden(dir string, d *chart.Dependency, rules *ignore.Rules) *object.Failure {
	name := path.Join("charts", d.Name)
	if d.Repository != "" || !g.src.HasFile(path.Join(dir, name, "Chart.yaml")) || !Ignored(rules, name+"/Chart.yaml") {
		return nil
	}
	file, line := path.Join(dir, ".helmignore"), 1
	b, _ := g.src.Read(file)
	for i, l := range strings.Split(string(b), "\n") {
		if one, err := ignore.Parse(strings.NewReader(l)); err == nil && Ignored(one, name+"/Chart.yaml") {
			line = i + 1
		}
	}
	return &object.Failure{Where: object.LineOf(file, line, "file"), Remedy: "correct the pattern",
		Reason: fmt.Sprintf("%s:%d: the pattern leaves %s out, so that Helm does not find dependency %s", file, line, name, d.Name)}
}

// Ignored reports whether .helmignore leaves out a name or a folder above it, as Helm's walk does.
func Ignored(rules *ignore.Rules, name string) bool {
	for i, c := range name {
		if c == '/' && rules.Ignore(name[:i], tree.FileInfo(path.Base(name[:i]), fs.ModeDir)) {
			return true
		}
	}
	return rules.Ignore(name, tree.FileInfo(path.Base(name), 0))
}

var archiveName = regexp.MustCompile(`^(.+)-v?\d+\.\d+.*\.tgz$`)

// vendoredNames lists the names of the charts in charts/, from the names of archives
// and the Chart.yaml of folders.
func (g *gatherer) vendoredNames(prefix string) map[string]bool {
	have := map[string]bool{}
	names := make([]string, 0, len(g.names))
	for name := range g.names {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		rest, ok := strings.CutPrefix(name, prefix+"charts/")
		if !ok {
			continue
		}
		if m := archiveName.FindStringSubmatch(rest); m != nil && !strings.Contains(rest, "/") {
			have[m[1]] = true
		}
		if dir, base := path.Split(rest); base == "Chart.yaml" && strings.Count(dir, "/") == 1 {
			var m chart.Metadata
			if yaml.Unmarshal(g.recipe.Files[g.names[name]], &m) == nil {
				have[m.Name] = true
			}
		}
	}
	return have
}

// Vendors reports whether a chart has another one in its charts folder, which Helm takes whatever
// repository Chart.yaml names for it.
func Vendors(s *source.Source, dir, name string) bool {
	return slices.ContainsFunc(s.Below(path.Join(dir, "charts")), func(p string) bool {
		below, base := path.Split(strings.TrimPrefix(p, path.Join(dir, "charts")+"/"))
		if m := archiveName.FindStringSubmatch(base); below == "" && m != nil {
			return m[1] == name
		}
		if base != "Chart.yaml" || strings.Count(below, "/") != 1 {
			return false
		}
		m, f := ReadMetadata(s, path.Dir(p))
		return f == nil && m.Name == name
	})
}
