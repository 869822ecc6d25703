package helm

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
	"github.com/kubesettle/kubesettle/render/tree"
)

// maxChartBytes is the limit of all files of one chart, as Helm's own.
const maxChartBytes = 100 << 20

// Gather reads a chart, its file:// dependencies and its values files.
func Gather(s *source.Source, rel release.Release) (*release.Recipe, *object.Failure) {
	j := &release.Recipe{Release: rel, Files: map[string][]byte{}}
	if rel.Fetch != nil && s.Dry {
		j.Later = true
		for _, p := range rel.Files {
			b, _ := s.Read(p) // nil where it cannot be read
			j.Beside(p, b)
		}
		OwnFiles(s, j)
		return j, nil
	}
	if rel.Fetch != nil {
		if f := fetchRelease(s, j, &rel); f != nil {
			OwnFiles(s, j)
			j.Settled = !f.Cut
			return j, f
		}
	}
	g := &gatherer{src: s, recipe: j, names: map[string]string{}, unfetched: map[string]*object.Failure{}}
	g.fails(g.chart(rel.Path, "", 0))
	c := &release.Chart{
		Dir: rel.Path, Names: g.names, Set: rel.Set, Name: rel.Name, Namespace: rel.Namespace,
		KubeVersion: rel.KubeVersion, IncludeCRDs: !rel.SkipCRDs, Inline: rel.Inline, SkipHooks: rel.SkipHooks,
		SkipTests: rel.SkipTests, SkipSchema: rel.SkipSchema,
		SetString: rel.SetString, SetFile: rel.SetFile, OwnValues: rel.OwnValues,
		APIVersions: rel.APIVersions, Hidden: rel.Hidden, Template: strings.HasPrefix(rel.PlainID, "argocd:"),
		AnyValues: filledInLater(rel.Inline) || rel.Deployed && filledInSettings(rel),
	}
	if c.Namespace == "" {
		c.Namespace = "default"
	}
	for i, v := range rel.Values {
		if i == 0 && v == path.Join(rel.Path, "values.yaml") {
			continue // part of the chart
		}
		b, err := s.Read(v)
		if errors.Is(err, tree.ErrNotInTree) {
			g.withhold(v, err)
			continue
		}
		if err != nil {
			f := source.AsFailure(v, err)
			if errors.Is(err, fs.ErrNotExist) {
				f.Reason = fmt.Sprintf("values file %s does not exist", v)
				f.Where = rel.DeclaredAt()
				f.Remedy = "add the file, or correct `values` of release " + rel.ID
			}
			g.fails(f)
			continue
		}
		j.Files[v] = b
		c.Values = append(c.Values, v)
	}
	further := append([]string(nil), rel.OwnValues...)
	for _, k := range slices.Sorted(maps.Keys(rel.SetFile)) {
		further = append(further, rel.SetFile[k])
	}
	for _, p := range further {
		b, err := s.Read(p)
		if err != nil {
			g.fails(source.AsFailure(p, err))
			continue
		}
		j.Files[p] = b
	}
	if g.failed != nil {
		return j, g.failed
	}
	j.Chart = c
	if n := len(j.Holes); n > 0 { // values come after the chart's own files, and templates ask for those
		c.Withheld, c.AnyValues = j.Holes[n-1].Failure(), true
	}
	g.switchedOff(rel, c)
	if s.Dry && len(g.lost) > 0 && s.CanFetch() {
		j.Later = true
		return j, nil
	}
	if f := g.fetchMissing(rel); f != nil {
		return j, f
	}
	if f := g.takeBeside(rel); f != nil {
		return j, f
	}
	if f := g.library(rel); f != nil {
		return j, f
	}
	f := g.missing(rel)
	if f != nil {
		if broken := brokenValues(j.Chart, j.Files); broken != nil {
			return j, broken
		}
		f = g.leaveOut(rel, f)
	}
	return j, f
}

// filledInSettings reports whether a setting of a script is a placeholder.
func filledInSettings(rel release.Release) bool {
	for _, set := range []map[string]string{rel.Set, rel.SetString} {
		for _, v := range set {
			if strings.Contains(v, `$\{`) {
				return true
			}
		}
	}
	return false
}

// filledInLater reports whether a value is a placeholder, of which no schema says anything.
func filledInLater(v any) bool {
	found := false
	fieldpath.Leaves(v, nil, func(_ fieldpath.Path, v any) {
		text, _ := v.(string)
		found = found || strings.Contains(text, "${") || strings.Contains(text, "$ARGOCD_") ||
			strings.Contains(text, "<path:")
	})
	return found
}

type gatherer struct {
	src    *source.Source
	recipe *release.Recipe
	names  map[string]string
	bytes  int
	charts int // below it, by file:// dependencies
	lost   []*chart.Dependency

	unfetched map[string]*object.Failure // why a dependency could not be fetched, by NAME@VERSION
	failed    *object.Failure            // the first one of what could not be read
}

// fails notes that the chart cannot be rendered, and gathering goes on, to know all files that it is made of.
func (g *gatherer) fails(f *object.Failure) {
	if g.failed == nil {
		g.failed = f
	}
}

// withhold goes on without a file whose content is not in the repository's own objects: it is as it was on base if its
// other form is.
func (g *gatherer) withhold(p string, err error) {
	f := source.AsFailure(p, err)
	g.recipe.Files[p] = g.src.StandIn(p, err)
	g.recipe.Holes = append(g.recipe.Holes, object.Hole{Kind: object.Values, What: "what " + p + " gives the chart",
		Where: f.Where, Reason: f.Reason, Remedy: f.Remedy, Own: Digest(string(g.recipe.Files[p]))})
}

// helmReads matches the files of a chart that Helm itself reads: templates see the others alone, as texts.
var helmReads = regexp.MustCompile(`^(charts/[^/]+/)*(Chart\.(yaml|lock)|values\.yaml|values\.schema\.json|requirements\.(yaml|lock)|(templates|crds|charts)/.*)$`)

// maxChartNesting is how deep file:// dependencies go.
const maxChartNesting = 10

// maxCharts is how many charts such dependencies may bring.
const maxCharts = 1000

// chart adds the files of the chart in dir under a prefix such as "charts/db/".
func (g *gatherer) chart(dir, prefix string, depth int) *object.Failure {
	meta, f := g.metadata(dir)
	if f != nil {
		return f
	}
	if depth > maxChartNesting {
		return &object.Failure{
			Reason: fmt.Sprintf("%s: file:// dependencies nest deeper than %d", dir, maxChartNesting),
			Where:  object.FileStart(path.Join(dir, "Chart.yaml")), Remedy: "break the cycle of dependencies",
		}
	}
	if g.charts++; g.charts > maxCharts {
		return &object.Failure{Reason: fmt.Sprintf("%s: file:// dependencies bring more than %d charts", dir, maxCharts),
			Where: object.FileStart(path.Join(dir, "Chart.yaml")), Remedy: "split the chart"}
	}
	rules, f := g.rules(dir)
	if f != nil {
		return f
	}
	vendored := map[string]bool{}
	for _, p := range g.src.Below(dir) {
		name := strings.TrimPrefix(p, dir+"/")
		if dir == "." {
			name = p
		}
		if Ignored(rules, name) {
			continue
		}
		if f := g.file(p, prefix+name); f != nil {
			return f
		}
		if rest, ok := strings.CutPrefix(name, "charts/"); ok {
			vendored[strings.SplitN(rest, "/", 2)[0]] = true
		}
	}
	have := g.vendoredNames(prefix)
	for _, d := range meta.Dependencies {
		if d == nil || have[d.Name] {
			continue
		}
		local, ok := strings.CutPrefix(d.Repository, "file://")
		target, in := source.Inside(dir, local)
		if ok && in && g.src.HasFile(path.Join(target, "Chart.yaml")) {
			if f := refusedRange(g.src, dir, d, target); f != nil {
				return f
			}
			if f := g.chart(target, prefix+"charts/"+d.Name+"/", depth+1); f != nil {
				return f
			}
			continue
		}
		if f := g.hidden(dir, d, rules); f != nil && depth == 0 {
			return f
		}
		if depth == 0 { // Helm looks at the top chart's dependencies alone
			g.lost = append(g.lost, d)
		}
	}
	return nil
}

// file adds one file.
func (g *gatherer) file(p, name string) *object.Failure {
	b, err := g.src.Read(p)
	switch {
	case errors.Is(err, tree.ErrNotInTree) && !helmReads.MatchString(name):
		g.withhold(p, err)
		b = g.recipe.Files[p]
	case err != nil:
		g.recipe.Files[p] = g.src.StandIn(p, err)
		g.fails(source.AsFailure(p, err))
		return nil
	}
	g.bytes += len(b)
	if g.bytes > maxChartBytes {
		return &object.Failure{
			Reason: fmt.Sprintf("%s: the chart is larger than %d MiB", p, maxChartBytes>>20),
			Where:  object.FileStart(p), Remedy: "list files that are not part of it in .helmignore",
		}
	}
	g.recipe.Files[p] = b
	g.names[name] = p
	return nil
}

// metadata reads Chart.yaml, and requirements.yaml of a chart of Helm 2.
func (g *gatherer) metadata(dir string) (*chart.Metadata, *object.Failure) {
	return ReadMetadata(g.src, dir)
}

// ReadMetadata reads a chart's own metadata and its dependencies.
func ReadMetadata(s *source.Source, dir string) (*chart.Metadata, *object.Failure) {
	file := path.Join(dir, "Chart.yaml")
	b, err := s.Read(file)
	if err != nil {
		return nil, source.AsFailure(file, err)
	}
	m, err := metadataOf(s.Memo, b)
	if err != nil {
		line := document.ErrorLine(err)
		return nil, &object.Failure{
			Reason: fmt.Sprintf("%s:%d: %s", file, line, document.ErrorText(err)),
			Where:  object.LineOf(file, line, "file"), Remedy: "correct Chart.yaml",
		}
	}
	old := path.Join(dir, "requirements.yaml")
	if len(m.Dependencies) == 0 && s.HasFile(old) {
		b, err := s.Read(old)
		if err != nil {
			return nil, source.AsFailure(old, err)
		}
		if err := yaml.Unmarshal(b, m); err != nil {
			return nil, &object.Failure{
				Reason: fmt.Sprintf("%s:%d: %s", old, document.ErrorLine(err), document.ErrorText(err)),
				Where:  object.LineOf(old, document.ErrorLine(err), "file"), Remedy: "correct requirements.yaml",
			}
		}
	}
	return m, nil
}

// metadataOf decodes a Chart.yaml once, however often it is asked for on both sides; the caller may change the result.
func metadataOf(memo *source.Memo, b []byte) (*chart.Metadata, error) {
	type decoded struct {
		m   chart.Metadata
		err error
	}
	d := source.Learn(memo, "chart", b, func() (*decoded, bool) {
		d := &decoded{}
		d.err = yaml.Unmarshal(b, &d.m)
		return d, true
	})
	m := d.m
	m.Dependencies = slices.Clone(m.Dependencies)
	for i, dep := range m.Dependencies {
		if dep != nil {
			one := *dep
			m.Dependencies[i] = &one
		}
	}
	return &m, d.err
}

// library is the failure of a chart that renders nothing itself, or nil.
func (g *gatherer) library(rel release.Release) *object.Failure {
	meta, f := g.metadata(rel.Path)
	if f != nil || meta.Type != "library" {
		return nil
	}
	file := path.Join(rel.Path, "Chart.yaml")
	line := document.KeyLine(g.recipe.Files[file], "type")
	return &object.Failure{
		Reason: fmt.Sprintf("%s:%d: a library chart, which renders nothing", file, line),
		Where:  object.LineOf(file, line, "file"), Remedy: "declare a chart that depends on it",
	}
}

// missing is the failure of dependencies that are not vendored, or nil.
func (g *gatherer) missing(rel release.Release) *object.Failure {
	if len(g.lost) == 0 {
		return nil
	}
	var names []string
	for _, d := range g.lost {
		if f := g.unfetched[d.Name+"@"+d.Version]; f != nil {
			return f
		}
		names = append(names, d.Name+"@"+d.Version)
	}
	sort.Strings(names)
	word, verb := "dependency", "is"
	if len(names) > 1 {
		word, verb = "dependencies", "are"
	}
	remedy := fmt.Sprintf("run `helm dependency build %s` and commit %s", rel.Path, path.Join(rel.Path, "charts/"))
	remote := func(d *chart.Dependency) bool {
		return d.Repository != "" && !strings.HasPrefix(d.Repository, "file://")
	}
	switch {
	case !slices.ContainsFunc(g.lost, remote):
		remedy = "commit the chart that its `repository` names, or correct it"
	case !g.src.CanFetch():
		remedy += ", or run without --offline"
	}
	where := object.FileStart(path.Join(rel.Path, "Chart.yaml"))
	if meta, f := g.metadata(rel.Path); f == nil {
		where = g.dependencyLine(rel.Path, meta, g.lost[0])
		where.Rung = "file"
	}
	return &object.Failure{Skipped: true,
		Reason: fmt.Sprintf("%s %s %s not vendored", word, strings.Join(names, ", "), verb), Where: where, Remedy: remedy}
}
