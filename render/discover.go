package render

import (
	"errors"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
	"github.com/kubesettle/kubesettle/render/typed"
)

// discovery finds the releases of a tree. What it sees and leaves out is in ignored.
type discovery struct {
	src      *source.Source
	opt      Options
	releases []release.Release
	ids      map[string]bool // of releases
	ignored  []object.Ignored
	failed   map[string]*object.Failure // by release: what cannot be had
	late     bool                       // the time ended before all was looked at
	// inChart are the folders of charts; used the paths that another unit renders.
	charts map[string]bool
	used   map[string]string // path to what uses it
	// base are the other side's releases, where this is head; claimed are roots that something else renders.
	base, claimed []release.Release
}

// discover lists the releases of a tree, sorted by ID, declared ones and those of base that are still here included.
//
// Errors: [ErrTime].
func discover(s *source.Source, opt Options, base []release.Release) (*discovery, error) {
	d := &discovery{src: s, opt: opt, base: base, ids: map[string]bool{}, charts: map[string]bool{},
		used: map[string]string{}}
	d.ignored = append(d.ignored, s.Lost...)
	d.declared()
	d.findCharts()
	d.kustomizations()
	d.helmfiles()
	d.helm()
	d.plain()
	d.keep()
	if d.late {
		return nil, ErrTime
	}
	sort.Slice(d.releases, func(i, j int) bool { return d.releases[i].ID < d.releases[j].ID })
	sortIgnored(d.ignored)
	return d, nil
}

// over reports whether there is no time to look at more files, which ends the discovery.
func (d *discovery) over() bool {
	d.late = d.late || d.opt.Clock.Over()
	return d.late
}

func sortIgnored(list []object.Ignored) {
	sort.SliceStable(list, func(i, j int) bool {
		if list[i].Path != list[j].Path {
			return list[i].Path < list[j].Path
		}
		return list[i].Reason < list[j].Reason
	})
}

func (d *discovery) ignore(p, reason string) {
	d.ignored = append(d.ignored, object.Ignored{Path: p, Reason: reason})
}

func (d *discovery) add(r release.Release) {
	if r.KubeVersion == "" {
		r.KubeVersion = d.opt.KubeVersion
	}
	if r.KubeVersion == "" {
		r.KubeVersion = typed.DefaultKubeVersion
	}
	r.APIVersions = append(slices.Clone(r.APIVersions), d.opt.APIVersions...)
	if d.ids[r.ID] {
		d.ignore(r.Path, "release "+r.ID+" is already declared")
		return
	}
	d.ids[r.ID] = true
	d.releases = append(d.releases, r)
}

// declared takes the releases of the policy; their paths are not discovered again.
func (d *discovery) declared() {
	for _, r := range d.opt.Releases {
		r.Path = path.Clean(r.Path)
		r.Declared = true
		if r.Selected == "" {
			r.Selected = "declared in the policy"
		}
		d.used[r.Path] = "release " + r.ID
		d.add(r)
	}
}

// named reports whether a path was asked for by name, which overrules the skipping of test
// data.
func (d *discovery) named(p string) bool {
	for _, want := range d.opt.Paths {
		if want = path.Clean(want); want != "." && source.Under(p, want) {
			return true
		}
	}
	return false
}

// testFolder is the folder that makes a path test data, or "".
func testFolder(p string) string {
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		switch path.Base(dir) {
		case "testdata", "test-data", "__snapshots__", "fixtures":
			return dir
		}
	}
	return ""
}

// findCharts lists the folders with a Chart.yaml that are no vendored sub-charts.
func (d *discovery) findCharts() {
	for _, f := range d.src.Files {
		if path.Base(f) == "Chart.yaml" {
			d.charts[path.Dir(f)] = true
		}
	}
}

// chartAbove is the innermost chart that a path lies in, or "".
func (d *discovery) chartAbove(p string) string {
	for dir := path.Dir(p); ; dir = path.Dir(dir) {
		if d.charts[dir] && dir != p {
			return dir
		}
		if dir == "." {
			return ""
		}
	}
}

// helm adds the releases of charts.
func (d *discovery) helm() {
	dirs := make([]string, 0, len(d.charts))
	for dir := range d.charts {
		dirs = append(dirs, dir)
	}
	sort.Strings(dirs)
	users := map[string]string{}
	for _, dir := range dirs {
		if d.over() {
			return
		}
		m, f := helm.ReadMetadata(d.src, dir)
		if f != nil {
			continue
		}
		for _, dep := range m.Dependencies {
			if dep == nil {
				continue
			}
			if local, ok := strings.CutPrefix(dep.Repository, "file://"); ok {
				// What lies in the charts folder is rendered in its place, perhaps in an older version.
				if target, in := source.Inside(dir, local); in && target != dir && !helm.Vendors(d.src, dir, dep.Name) {
					users[target] = dir
				}
			}
		}
	}
	for _, dir := range dirs {
		if d.over() {
			return
		}
		d.chart(dir, users[dir])
	}
}

// chart adds the releases of one chart, or says why there are none.
func (d *discovery) chart(dir, user string) {
	outer := d.chartAbove(dir)
	base := d.bare(dir)
	switch test := testFolder(dir + "/x"); {
	case d.used[dir] != "":
		d.claim(base, "rendered by "+d.used[dir])
		return
	case slices.Contains(d.opt.Paths, dir): // whoever names a chart wants it rendered
	case outer != "" && dir != ".":
		d.claim(base, "part of chart "+outer)
		return
	case user != "":
		d.claim(base, "a dependency of chart "+user)
		return
	case test != "" && !d.named(dir):
		d.ignore(dir, "test data, in "+test)
		return
	}
	m, f := helm.ReadMetadata(d.src, dir)
	if f != nil && d.templatedChart(dir) {
		d.ignore(dir, "a template of a chart, which a program fills in")
		return
	}
	if f == nil && m.Type == "library" {
		d.claim(base, "a library chart")
		return
	}
	for _, r := range d.withSets(base) {
		d.add(r)
	}
}

// withSets is a chart with its own values alone, and with each file of values beside it.
func (d *discovery) withSets(base release.Release) []release.Release {
	out := []release.Release{base}
	for _, set := range d.valuesSets(base.Path) {
		r := base
		r.ID = base.Path + ":" + strings.TrimPrefix(strings.TrimPrefix(set, base.Path), "/")
		r.Values = append(append([]string(nil), base.Values...), set)
		r.Selected = "Chart.yaml found, with values " + set
		out = append(out, r)
	}
	return out
}

// bare is the release of a chart with its own values alone.
func (d *discovery) bare(dir string) release.Release {
	name := path.Base(dir)
	if m, f := helm.ReadMetadata(d.src, dir); f == nil && m.Name != "" {
		name = m.Name
	}
	r := release.Release{Release: object.Release{ID: dir, Kind: object.Helm, Path: dir,
		Name: installable(name), Selected: "Chart.yaml found"}}
	if own := path.Join(dir, "values.yaml"); d.src.HasFile(own) {
		r.Values = []string{own}
	}
	return r
}

// templateMark is what the templates of files have: {{ name }}, <%= name %>, %%NAME%%, @NAME@.
var templateMark = regexp.MustCompile(`\{\{|<%|%%\w+%%|@\w+@`)

// templatedChart reports whether a Chart.yaml that cannot be read has a template's marks, and base did not read it.
func (d *discovery) templatedChart(dir string) bool {
	b, err := d.src.Read(path.Join(dir, "Chart.yaml"))
	if err != nil || !templateMark.Match(b) {
		return false
	}
	if d.src.Twin == nil {
		return true
	}
	_, was := helm.ReadMetadata(d.src.Twin, dir)
	return was != nil
}

var (
	valuesSibling = regexp.MustCompile(`^(values[-._].+|.+[-._]values)\.ya?ml$`)
	valuesFolder  = regexp.MustCompile(`^(values|env|envs|environments|environment)$`)
)

// valuesSets lists the values files beside a chart's own: values-NAME.yaml,
// values.NAME.yaml, NAME-values.yaml and NAME.values.yaml in its folder, and every YAML
// file directly in its folders values, env, envs, environment and environments.
func (d *discovery) valuesSets(dir string) []string {
	var sets []string
	for _, f := range d.src.Below(dir) {
		rel := strings.TrimPrefix(f, dir+"/")
		if dir == "." {
			rel = f
		}
		folder, base := path.Split(rel)
		ext := path.Ext(base)
		if ext != ".yaml" && ext != ".yml" {
			continue
		}
		switch folder = strings.TrimSuffix(folder, "/"); {
		case folder == "" && valuesSibling.MatchString(base):
		case valuesFolder.MatchString(folder):
		case folder == "ci" && isTestValues(base):
			d.ignore(f, "values of chart-testing, taken where a chart does not render without")
			continue
		default:
			continue
		}
		if b, err := d.src.Read(f); err == nil && source.IsObject(b) {
			d.ignore(f, "a manifest inside chart "+dir)
			continue
		} else if err == nil && isSchema(b) {
			d.ignore(f, "a schema of values, in chart "+dir)
			continue
		}
		sets = append(sets, f)
	}
	return sets
}

// isSchema reports whether a file beside a chart is the schema of its values, which some keep in YAML.
func isSchema(b []byte) bool {
	v, err := document.DecodeYAML(b)
	m, ok := v.(map[string]any)
	if err != nil || !ok {
		return false
	}
	_, named := m["$schema"].(string)
	_, properties := m["properties"].(map[string]any)
	return named || m["type"] == "object" && properties
}

// inTemplates reports whether a file is a chart's template.
func (d *discovery) inTemplates(f string) bool {
	chart := d.chartAbove(f)
	return chart != "" && source.Under(f, path.Join(chart, "templates"))
}

// ErrTime says that the time ended before it was known what there is to render.
var ErrTime = errors.New("the time budget ended while the files of the repository were looked through: name fewer PATHs, or give it more time")
