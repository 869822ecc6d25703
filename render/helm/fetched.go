package helm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
	"helm.sh/helm/v3/pkg/chart"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fetch"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/redact"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// fetchMissing fetches the dependencies that are not vendored, as `helm dependency build` would: at the versions of the
// lock, which has to fit Chart.yaml; without a lock at the newest version in the range. A dependency that does not come
// from a host stays missing, and may lie beside the chart.
func (g *gatherer) fetchMissing(rel release.Release) *object.Failure {
	if len(g.lost) == 0 || !g.src.CanFetch() {
		return nil
	}
	meta, f := g.metadata(rel.Path)
	if f != nil {
		return f
	}
	lock, f := g.lock(rel.Path, meta)
	if f != nil {
		return f
	}
	var lost []*chart.Dependency
	for _, d := range g.lost {
		if d.Repository == "" || strings.HasPrefix(d.Repository, "file://") {
			lost = append(lost, d)
			continue
		}
		switch f := g.fetchDependency(d, lock, g.dependencyLine(rel.Path, meta, d)); {
		case f != nil && f.Skipped:
			lost = append(lost, d)
			g.unfetched[d.Name+"@"+d.Version] = f
		case f != nil:
			return f
		}
	}
	g.lost = lost
	return nil
}

// fetchDependency adds one dependency's files.
func (g *gatherer) fetchDependency(d *chart.Dependency, lock *chart.Lock, where object.Location) *object.Failure {
	version := d.Version
	if lock != nil {
		locked := lockedVersion(lock, d)
		if locked == "" {
			return lockFailure(path.Dir(where.File), where, fmt.Sprintf("dependency %s is not in the lock", d.Name))
		}
		version = locked
	}
	dir, notes, f := g.src.FetchChart(fetch.ChartRef{Repository: d.Repository, Name: d.Name, Version: version}, where)
	if f != nil {
		return f
	}
	g.recipe.Notes = append(g.recipe.Notes, notes...)
	g.recipe.FetchedAt(dir, where)
	place := "charts/" + d.Name + "/"
	if _, taken := g.names[place+"Chart.yaml"]; taken { // the same chart again, under an alias
		place = "charts/" + d.Name + "-" + version + "/"
	}
	return g.chart(dir, place, 1)
}

// inRange reports whether a version is one that a range allows.
func inRange(constraint, version string) bool {
	c, err := semver.NewConstraint(constraint)
	if err != nil {
		return false
	}
	v, err := semver.NewVersion(version)
	return err == nil && c.Check(v)
}

// lockedVersion is the version that a lock gives a dependency, or "". One chart may be
// locked at two versions, under two aliases: Helm keeps their order.
func lockedVersion(lock *chart.Lock, d *chart.Dependency) string {
	fallback := ""
	for _, l := range lock.Dependencies {
		if l == nil || l.Name != d.Name {
			continue
		}
		if fallback == "" {
			fallback = l.Version
		}
		if inRange(d.Version, l.Version) {
			return l.Version
		}
	}
	return fallback
}

// lock reads Chart.lock, or requirements.lock of a chart of Helm 2; nil where there is none.
func (g *gatherer) lock(dir string, meta *chart.Metadata) (*chart.Lock, *object.Failure) {
	for _, name := range []string{"Chart.lock", "requirements.lock"} {
		file := path.Join(dir, name)
		if !g.src.HasFile(file) {
			continue
		}
		b, err := g.src.Read(file)
		if err != nil {
			return nil, source.AsFailure(file, err)
		}
		g.recipe.Files[file] = b
		l := &chart.Lock{}
		if err := yaml.Unmarshal(b, l); err != nil {
			line := document.ErrorLine(err)
			return nil, lockFailure(dir, object.LineOf(file, line, "file"), document.ErrorText(err))
		}
		if !lockFits(l, meta) {
			return nil, lockFailure(dir, object.LineOf(file, document.KeyLine(b, "digest"), "file"),
				"the lock does not fit the dependencies of the chart")
		}
		return l, nil
	}
	return nil, nil
}

func lockFailure(dir string, where object.Location, why string) *object.Failure {
	return &object.Failure{
		Reason: fmt.Sprintf("%s:%d: %s", where.File, where.StartLine, why), Where: where,
		Remedy: fmt.Sprintf("run `helm dependency update %s` and commit %s", dir, path.Join(dir, "Chart.lock")),
	}
}

// lockFits reports whether a lock was made for the dependencies that a chart has now.
//
// Upstream: helm v3.21.4, pkg/downloader, (*Manager).Build, and internal/resolver,
// HashReq and HashV2Req. Where a repository is given by the name that Helm knows it by,
// the digest cannot be computed here, and the lock is taken as it is.
func lockFits(l *chart.Lock, meta *chart.Metadata) bool {
	for _, d := range meta.Dependencies {
		if d != nil && (strings.HasPrefix(d.Repository, "@") || strings.HasPrefix(d.Repository, "alias:")) {
			return true
		}
	}
	if l.Digest == jsonDigest([2][]*chart.Dependency{meta.Dependencies, l.Dependencies}) {
		return true
	}
	old := map[string][]*chart.Dependency{"dependencies": meta.Dependencies}
	return meta.APIVersion == chart.APIVersionV1 && l.Digest == jsonDigest(old)
}

func jsonDigest(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// dependencyLine is the entry of a dependency in Chart.yaml or requirements.yaml.
func (g *gatherer) dependencyLine(dir string, meta *chart.Metadata, d *chart.Dependency) object.Location {
	for _, name := range []string{"Chart.yaml", "requirements.yaml"} {
		file := path.Join(dir, name)
		b, err := g.src.Read(file)
		if err != nil {
			continue
		}
		for _, root := range document.Nodes(b) {
			list := document.Child(root, fieldpath.Key("dependencies"))
			for i, m := range meta.Dependencies {
				if n := document.Child(list, fieldpath.At(i)); m == d && n != nil || n != nil && sameDependency(m, d) {
					return object.LineOf(file, n.Line, "release")
				}
			}
		}
	}
	return object.FileStart(path.Join(dir, "Chart.yaml"))
}

func sameDependency(a, b *chart.Dependency) bool {
	return a != nil && a.Name == b.Name && a.Alias == b.Alias && a.Version == b.Version
}

// fetchRelease fetches the chart of a release that a GitOps object declares, and settles
// which of the values files that it names in the chart there are.
func fetchRelease(s *source.Source, j *release.Recipe, rel *release.Release) *object.Failure {
	by, at := rel.DeclaredAt(), rel.FetchAt
	if at.File == "" {
		at = by
	}
	f := RemoteChart(*rel.Fetch, "", at)
	var dir string
	var notes []object.Note
	if s.CanFetch() {
		dir, notes, f = s.FetchChart(*rel.Fetch, at)
	}
	if f != nil {
		for _, p := range rel.Files { // as [release.Unread] has it
			j.Files[p] = nil
		}
		return f
	}
	j.Notes = append(j.Notes, notes...)
	j.FetchedAt(dir, by)
	var lost string
	there := func(list []string) []string {
		var out []string
		for i, p := range list {
			matches := matching(s, p)
			switch {
			case len(matches) > 0:
				out = append(out, matches...)
			case lost == "" && !slices.Contains(rel.MayMiss, p) && (i > 0 || p != path.Join(dir, "values.yaml")):
				lost = strings.TrimPrefix(p, dir+"/")
			}
		}
		return out
	}
	rel.Values, rel.OwnValues = there(rel.Values), there(rel.OwnValues)
	j.Release.Values, j.Release.OwnValues = rel.Values, rel.OwnValues
	if lost == "" {
		return nil
	}
	return &object.Failure{
		Reason: fmt.Sprintf("%s:%d: values file %s does not exist in chart %s", by.File, by.StartLine, lost,
			source.ChartName(*rel.Fetch)),
		Where: by, Remedy: "name one that the chart has: correct `valuesFiles` or `valueFiles`",
	}
}

// matching lists the files that a path, or a pattern in something fetched, stands for.
func matching(s *source.Source, p string) []string {
	if s.HasFile(p) {
		return []string{p}
	}
	var out []string
	if m := source.MountOf(p); m != "" && strings.ContainsAny(p, "*?[") {
		for _, f := range s.Below(m) {
			if source.Match(p, f) {
				out = append(out, f)
			}
		}
	}
	return out
}

// OwnFiles adds the files of the repository that a release is made with beside its chart. If the chart is not at hand,
// a change of these files changes an unknown output.
func OwnFiles(s *source.Source, j *release.Recipe) {
	rel := &j.Release
	for _, p := range slices.Concat(rel.Values, rel.OwnValues, slices.Collect(maps.Values(rel.SetFile))) {
		if source.MountOf(p) != "" {
			continue
		}
		if b, err := s.Read(p); err == nil {
			j.Files[p] = b
		} else if s.HasFile(p) {
			j.Files[p] = s.StandIn(p, err)
		}
	}
}

// RemoteChart is the failure of a chart that lies in no repository at hand.
func RemoteChart(ref fetch.ChartRef, from string, by object.Location) *object.Failure {
	remedy := "commit the chart, and name its folder instead"
	if ref.Repository != "" {
		remedy += ", or run without --offline"
	}
	name := ref.Name
	if ref.Repository != "" { // an OCIRepository's chart has no name but its address
		from, name = ref.Repository, source.ChartName(ref)
	} else if ref.Version != "" {
		name += "@" + ref.Version
	}
	return &object.Failure{
		Skipped: true,
		Reason:  fmt.Sprintf("%s:%d: chart %s of %s is not vendored", by.File, by.StartLine, name, redact.URL(from)),
		Where:   by, Remedy: remedy,
	}
}
