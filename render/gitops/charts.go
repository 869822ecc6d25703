package gitops

import (
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fetch"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// chartOf gives the folder of the chart that an object names; it is fetched when the
// release is gathered, beside others. from words where it is. A release is skipped where
// nothing says that. in is the field of the object that names it, with its version if it has one.
func (o *declaring) chartOf(r *release.Release, ref fetch.ChartRef, from, in string) (dir string, f *object.Failure) {
	at := o.by
	for _, field := range []string{"targetRevision", "version", "chart"} {
		if _, is := fieldpath.Parse(in + "." + field).Get(o.content); is {
			at = o.at(in + "." + field)
			break
		}
	}
	if ref.Repository == "" {
		return "", helm.RemoteChart(ref, from, at)
	}
	r.Fetch, r.FetchAt = &ref, at
	return source.ChartFolder(ref), nil
}

// argoChart is the chart that an Application's source names. A registry stands without
// its scheme there.
func argoChart(source map[string]any) fetch.ChartRef {
	repo := strings.TrimSuffix(document.Text(source, "repoURL"), "/")
	if repo != "" && !strings.Contains(repo, "://") {
		repo = "oci://" + repo
	}
	return fetch.ChartRef{Repository: repo, Name: document.Text(source, "chart"),
		Version: document.Text(source, "targetRevision")}
}

// argoArtifact is the chart that an artifact of a registry is. Its revision is a digest, a range of versions, or a tag.
//
// Upstream: argo-cd v3.1, util/oci: (*nativeOCIClient).ResolveRevision.
func argoArtifact(source map[string]any) fetch.ChartRef {
	out := fetch.ChartRef{Repository: strings.TrimSuffix(document.Text(source, "repoURL"), "/")}
	switch at := document.Text(source, "targetRevision"); {
	case strings.HasPrefix(at, "sha256:"):
		out.Digest = at
	case fetch.Exact(at), strings.ContainsAny(at, "*<>=^~ ,|"):
		out.Version = at
	default:
		if out.Tag = at; at == "" {
			out.Tag = "latest"
		}
	}
	return out
}

// fluxSource is the chart of a Flux source that the repository holds; without an address
// where it does not, or where the source is of another kind.
func (o *declaring) fluxSource(ref any, chart, version string) fetch.ChartRef {
	c := fetch.ChartRef{Name: chart, Version: version}
	kind := document.Text(ref, "kind")
	p, ok := o.Found.lookup(kind, o.refNamespace(ref), document.Text(ref, "name"))
	if !ok {
		return c
	}
	spec := document.Value(p.doc.Content, "spec")
	address := strings.TrimSuffix(document.Text(spec, "url"), "/")
	switch {
	case kind == "HelmRepository":
		c.Repository = address
	case kind == "OCIRepository" && address != "":
		// Upstream: source-controller, (*OCIRepositoryReconciler).getArtifactRef: the digest
		// comes before the range, and the range before the tag.
		c.Repository, c.Digest, c.Version = address, document.Text(spec, "ref",
			"digest"), document.Text(spec, "ref", "semver")
		if c.Name = ""; c.Digest == "" && c.Version == "" {
			if c.Tag = document.Text(spec, "ref", "tag"); c.Tag == "" {
				c.Tag = "latest"
			}
		}
	}
	return c
}
