package discover

import (
	"errors"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/kubesettle/kubesettle/render/deploys"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
	"github.com/kubesettle/kubesettle/render/typed"
)

// Options say what is looked for.
type Options struct {
	Releases    []release.Release // declared ones
	Further     []release.Release // that head alone declares: they are added, and take nothing
	Paths       Paths
	KubeVersion string
	APIVersions []string
	Clock       *release.Clock // ends the discovery; nil: it has no end
}

// Found finds the releases of a tree. What it sees and leaves out is in ignored.
type Found struct {
	src      *source.Source
	opt      Options
	Releases []release.Release
	ids      map[string]bool // of releases
	Ignored  []object.Ignored
	Failed   map[string]*object.Failure // by release: what cannot be had
	late     bool                       // the time ended before all was looked at
	// inChart are the folders of charts; used the paths that another unit renders.
	charts map[string]bool
	used   map[string]string // path to what uses it
	// base are the other side's releases, where this is head; claimed are roots that something else renders.
	base, claimed []release.Release
	calls         []deploys.Deploy // of scripts and pipelines
	// patchDirs and patchDirsThere are the patchFolders of this side and the other; nil: not looked for yet
	patchDirs, patchDirsThere map[string]string
}

// Releases lists the releases of a tree, sorted by ID, declared ones and those of base that are still here included.
//
// Errors: [ErrTime].
func Releases(s *source.Source, opt Options, base []release.Release) (*Found, error) {
	d := &Found{src: s, opt: opt, base: base, ids: map[string]bool{}, charts: map[string]bool{},
		used: map[string]string{}}
	d.Ignored = append(d.Ignored, s.Lost...)
	d.declared()
	d.findCharts()
	d.calls = deploys.Read(s, d.over)
	d.kustomizations()
	d.helmfiles()
	d.deployed()
	d.helm()
	d.tanka()
	d.programs()
	d.plain()
	d.deployedFiles()
	d.keep()
	d.further()
	if d.late {
		return nil, ErrTime
	}
	sort.Slice(d.Releases, func(i, j int) bool { return d.Releases[i].ID < d.Releases[j].ID })
	SortIgnored(d.Ignored)
	return d, nil
}

// over reports whether there is no time to look at more files, which ends the discovery.
func (d *Found) over() bool {
	d.late = d.late || d.opt.Clock.Over()
	return d.late
}

func SortIgnored(list []object.Ignored) {
	sort.SliceStable(list, func(i, j int) bool {
		if list[i].Path != list[j].Path {
			return list[i].Path < list[j].Path
		}
		return list[i].Reason < list[j].Reason
	})
}

func (d *Found) ignore(p, reason string) {
	d.Ignored = append(d.Ignored, object.Ignored{Path: p, Reason: reason})
}

func (d *Found) add(r release.Release) {
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
	d.Releases = append(d.Releases, r)
}

// declared takes the releases of the policy; their paths are not discovered again.
func (d *Found) declared() {
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

// further adds the releases that head alone declares, as far as their files are here. They hide nothing: a change does
// not choose which part of it is checked.
func (d *Found) further() {
	for _, r := range d.opt.Further {
		r.Path, r.Declared = path.Clean(r.Path), false
		there := d.src.HasDir(r.Path) || d.src.HasFile(r.Path)
		for _, v := range r.Values {
			there = there && d.src.HasFile(v)
		}
		if there || d.src.Twin != nil { // on head, a missing file is the declaration's fault
			d.add(r)
		}
	}
}

// TestFolder is the folder that makes a path test data, or "".
func TestFolder(p string) string {
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		switch path.Base(dir) {
		case "testdata", "test-data", "__snapshots__", "fixtures":
			return dir
		}
	}
	return ""
}

// findCharts lists the folders with a Chart.yaml that are no vendored sub-charts.
func (d *Found) findCharts() {
	for _, f := range d.src.Files {
		if path.Base(f) == "Chart.yaml" {
			d.charts[path.Dir(f)] = true
		}
	}
}

// chartAbove is the innermost chart that a path lies in, or "".
func (d *Found) chartAbove(p string) string {
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
func (d *Found) helm() {
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
func (d *Found) chart(dir, user string) {
	outer := d.chartAbove(dir)
	base := d.bare(dir)
	switch test := TestFolder(dir + "/x"); {
	case d.used[dir] != "":
		d.claim(base, "rendered by "+d.used[dir])
		return
	case slices.Contains(d.opt.Paths, dir): // whoever names a chart wants it rendered
	case outer != "" && source.Under(dir, path.Join(outer, "charts")), d.inTemplates(dir):
		d.claim(base, "part of chart "+outer)
		return
	case user != "":
		d.claim(base, "a dependency of chart "+user)
		return
	case test != "" && !d.opt.Paths.asked(dir):
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
	deployed := false
	for _, r := range d.withSets(base) {
		if d.isDeployed(r) {
			deployed = true
		} else {
			d.add(r)
		}
	}
	if deployed { // by a script that base may not have
		d.claimed = append(d.claimed, base)
	}
}

// templateMark is what the templates of files have: {{ name }}, <%= name %>, %%NAME%%, @NAME@.
var templateMark = regexp.MustCompile(`\{\{|<%|%%\w+%%|@\w+@`)

// templatedChart reports whether a Chart.yaml that cannot be read has a template's marks, and base did not read it.
func (d *Found) templatedChart(dir string) bool {
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

// inTemplates reports whether a file is a chart's template.
func (d *Found) inTemplates(f string) bool {
	chart := d.chartAbove(f)
	return chart != "" && source.Under(f, path.Join(chart, "templates"))
}

// ErrTime says that the time ended before discovery had finished.
var ErrTime = errors.New("the time budget ended while the files of the repository were looked through: name fewer PATHs, or give it more time")

// fail adds a release that cannot be had.
func (d *Found) fail(r release.Release, f *object.Failure) {
	if d.Failed == nil {
		d.Failed = map[string]*object.Failure{}
	}
	if !d.ids[r.ID] {
		d.Failed[r.ID] = f
	}
	d.add(r)
}
