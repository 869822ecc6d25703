package render

import (
	"fmt"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fetch"
	"github.com/kubesettle/kubesettle/render/redact"
	"github.com/kubesettle/kubesettle/render/source"
)

// chartOf gives the folder of the chart that an object names; it is fetched when the
// release is gathered, beside others. from words where it is. Where nothing may be fetched
// the release is skipped.
func (o *declaring) chartOf(r *Release, ref fetch.ChartRef, from string) (dir string, f *document.Failure) {
	if !o.src.CanFetch() || ref.Repository == "" {
		return "", remoteChart(ref, from, o.by)
	}
	r.fetch = &ref
	return source.ChartFolder(ref), nil
}

// remoteChart is the failure of a chart that lies in no repository at hand.
func remoteChart(ref fetch.ChartRef, from string, by document.Location) *document.Failure {
	remedy := "commit the chart and declare the release in the policy's `releases`"
	if ref.Repository != "" {
		remedy += ", or run without --offline"
	}
	name := ref.Name
	if ref.Repository != "" { // an OCIRepository's chart has no name but its address
		from, name = ref.Repository, source.ChartName(ref)
	} else if ref.Version != "" {
		name += "@" + ref.Version
	}
	return &document.Failure{
		Skipped: true,
		Reason:  fmt.Sprintf("%s:%d: chart %s of %s is not vendored", by.File, by.StartLine, name, redact.URL(from)),
		Where:   by, Remedy: remedy,
	}
}

// argoChart is the chart that an Application's source names. A registry stands without
// its scheme there.
func argoChart(source map[string]any) fetch.ChartRef {
	repo := strings.TrimSuffix(text(source, "repoURL"), "/")
	if repo != "" && !strings.Contains(repo, "://") {
		repo = "oci://" + repo
	}
	return fetch.ChartRef{Repository: repo, Name: text(source, "chart"), Version: text(source, "targetRevision")}
}

// fluxSource is the chart of a Flux source that the repository holds; without an address
// where it does not, or where the source is of another kind.
func (o *declaring) fluxSource(ref any, chart, version string) fetch.ChartRef {
	c := fetch.ChartRef{Name: chart, Version: version}
	kind := text(ref, "kind")
	p, ok := o.found.lookup(kind, o.refNamespace(ref), text(ref, "name"))
	if !ok {
		return c
	}
	spec := value(p.doc.Content, "spec")
	address := strings.TrimSuffix(text(spec, "url"), "/")
	switch {
	case kind == "HelmRepository":
		c.Repository = address
	case kind == "OCIRepository" && address != "":
		// Upstream: source-controller, (*OCIRepositoryReconciler).getArtifactRef: the digest
		// comes before the range, and the range before the tag.
		c.Repository, c.Digest, c.Version = address, text(spec, "ref", "digest"), text(spec, "ref", "semver")
		if c.Name = ""; c.Digest == "" && c.Version == "" {
			if c.Tag = text(spec, "ref", "tag"); c.Tag == "" {
				c.Tag = "latest"
			}
		}
	}
	return c
}
