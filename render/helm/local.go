package helm

import (
	"fmt"
	"path"

	"github.com/Masterminds/semver/v3"
	"helm.sh/helm/v3/pkg/chart"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/source"
)

// refusedRange is the failure of a dependency on a chart of the repository whose version it does not allow, or nil.
// Where base has it like that, nobody builds it with Helm.
//
// Upstream: helm v3.21, pkg/downloader: tarFromLocalDir.
func refusedRange(s *source.Source, dir string, d *chart.Dependency, target string) *object.Failure {
	version, refused := outOfRange(s, d, target)
	if !refused || s.Twin == nil {
		return nil
	}
	was, f := ReadMetadata(s.Twin, dir)
	if f != nil || !s.Twin.HasFile(path.Join(target, "Chart.yaml")) {
		return nil
	}
	for _, x := range was.Dependencies {
		if x != nil && x.Name == d.Name && x.Repository == d.Repository {
			if _, before := outOfRange(s.Twin, x, target); before {
				return nil
			}
		}
	}
	file := path.Join(dir, "Chart.yaml")
	b, _ := s.Read(file)
	line := document.KeyLine(b, "dependencies")
	return &object.Failure{
		Reason: fmt.Sprintf("%s:%d: dependency %s wants version %s, and %s has version %s: Helm does not build it", file,
			line, d.Name, d.Version, target, version),
		Where: object.LineOf(file, line, "file"), Remedy: "give the dependency a range that has this version",
	}
}

// outOfRange reports whether a chart of the repository has a version that a dependency does not allow, and which.
func outOfRange(s *source.Source, d *chart.Dependency, target string) (string, bool) {
	meta, f := ReadMetadata(s, target)
	if f != nil || d.Version == "" {
		return "", false
	}
	if _, err := semver.NewVersion(meta.Version); err != nil { // a pipeline fills it in
		return "", false
	}
	if _, err := semver.NewConstraint(d.Version); err != nil {
		return "", false
	}
	return meta.Version, !inRange(d.Version, meta.Version)
}
