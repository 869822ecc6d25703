package render

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/discover"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/side"
	"github.com/kubesettle/kubesettle/render/source"
)

// sourceGroup has the kinds that say where others take what they deliver from; alone they deliver nothing.
const sourceGroup = "source.toolkit.fluxcd.io"

// fromElsewhere are the kinds, by their group, by which a controller applies what lies outside the repository: charts,
// packages, artifacts, other repositories. Rendering follows none of them; "" is every kind of the group.
var fromElsewhere = map[string][]string{
	sourceGroup:                       {"GitRepository", "OCIRepository", "Bucket", "HelmRepository", "HelmChart", "ExternalArtifact"},
	"source.extensions.fluxcd.io":     {"ArtifactGenerator"},
	"fluxcd.controlplane.io":          {"FluxInstance", "ResourceSet", "ResourceSetInputProvider"},
	"helm.fluxcd.io":                  {"HelmRelease"},
	"helm.cattle.io":                  {"HelmChart", "HelmChartConfig"},
	"fleet.cattle.io":                 {"GitRepo", "HelmOp", "Bundle"},
	"catalog.cattle.io":               {"App", "ClusterRepo"},
	"pkg.crossplane.io":               {""},
	"helm.crossplane.io":              {"Release"},
	"helm.m.crossplane.io":            {"Release"},
	"kappctrl.k14s.io":                {"App"},
	"packaging.carvel.dev":            {"PackageInstall", "PackageRepository"},
	"data.packaging.carvel.dev":       {"Package"},
	"operators.coreos.com":            {"Subscription", "CatalogSource"},
	"olm.operatorframework.io":        {"ClusterExtension", "ClusterCatalog"},
	"configsync.gke.io":               {"RootSync", "RepoSync"},
	"addons.cluster.x-k8s.io":         {"HelmChartProxy"},
	"operator.cluster.x-k8s.io":       {""},
	"config.projectsveltos.io":        {"ClusterProfile", "Profile"},
	"helm.k0sproject.io":              {"Chart"},
	"apps.open-cluster-management.io": {"Subscription", "Channel"},
	"gitops.kluctl.io":                {"KluctlDeployment"},
	"kots.io":                         {"HelmChart"},
	"core.oam.dev":                    {"Application"},
	"argoproj.io":                     {"Application", "ApplicationSet"},
	"kustomize.toolkit.fluxcd.io":     {"Kustomization"},
	"helm.toolkit.fluxcd.io":          {"HelmRelease"},
}

// followed are those of these kinds that rendering follows, unless it says of one that it leads out of the repository.
var followed = []string{"argoproj.io", "kustomize.toolkit.fluxcd.io", "helm.toolkit.fluxcd.io"}

// delivers reports whether an object is of a kind that applies what lies outside the repository.
func delivers(id object.ID) bool {
	kinds := fromElsewhere[id.Group]
	return slices.Contains(kinds, id.Kind) || slices.Contains(kinds, "")
}

// sameContent are fields that leave what is delivered as it is: how often and by whom it is asked for, what is waited
// for, and who may read it.
var sameContent = regexp.MustCompile(`^(metadata|status)\b|^spec\.(interval|timeout|retryInterval|secretRef|certSecretRef|` +
	`proxySecretRef|serviceAccountName|provider|insecure|passCredentials|verify|accessFrom|dependsOn|wait|healthChecks|` +
	`healthCheckExprs|project|revisionHistoryLimit|info|syncPolicy)\b`)

// Elsewhere is a change of an object that delivers what lies outside the repository, and is not rendered.
type Elsewhere struct {
	Change *object.Change
	Object *object.Object // head's, or base's of one that goes
	Field  string         // that changes; "" of one that comes or goes
}

// ChangedElsewhere lists the changes of what is delivered from outside the repository. What a release is made of that
// was rendered, or that says itself why it was not, is not among them.
func ChangedElsewhere(c *object.Changes) []Elsewhere {
	if c.Base == nil {
		return nil
	}
	left := map[string]bool{}
	for _, rev := range []*object.Revision{c.Base, c.Head} {
		for _, g := range rev.Ignored {
			left[g.Elsewhere] = true
		}
	}
	var out []Elsewhere
	for i := range c.Changes {
		ch := &c.Changes[i]
		e := Elsewhere{Change: ch, Object: ch.Head}
		if e.Object == nil {
			e.Object = ch.Base
		}
		id := e.Object.ID
		if !delivers(id) || slices.Contains(followed, id.Group) && !left[id.Kind+" "+id.Name] ||
			id.Group == sourceGroup && (ch.Kind != object.Modified || givesChart(c, e.Object)) {
			continue
		}
		if ch.Kind == object.Modified {
			at := slices.IndexFunc(ch.Fields, func(f object.FieldChange) bool { return !sameContent.MatchString(f.Path) })
			if at < 0 {
				continue
			}
			e.Field = ch.Fields[at].Path
		}
		out = append(out, e)
	}
	return out
}

// givesChart reports whether the chart of a release comes from a source: then it is one of the files of the release.
func givesChart(c *object.Changes, o *object.Object) bool {
	kind, name := o.ID.Kind, o.ID.Name
	if spec, _ := o.Content["spec"].(map[string]any); kind == "HelmChart" {
		ref, _ := spec["sourceRef"].(map[string]any)
		kind, name = fmt.Sprint(ref["kind"]), fmt.Sprint(ref["name"])
	}
	return slices.ContainsFunc(c.Head.Releases, func(r *object.Rendered) bool {
		source := side.MadeOf(r).Release.ChartSource
		return strings.HasPrefix(source, kind+" ") && strings.HasSuffix(source, "/"+name)
	})
}

// makers are programs that give manifests, by their extension, with the file that a folder above them has; "": none.
var makers = map[string]string{".jsonnet": "", ".libsonnet": "", ".k": "kcl.mod", ".cue": "module.cue"}

// workloadText is what a program that gives a workload says of it somewhere.
var workloadText = regexp.MustCompile(`(?i)\b(deployment|stateful_?set|daemon_?set|cron_?job|containers?)\b`)

// Programs lists the changed programs that give manifests, where any of their kind in the repository speaks of a
// workload: they are not run. Those that a release is made of, such as the Jsonnet of an Application's folder, are not
// among them.
func Programs(c *object.Changes) []string {
	if c.Base == nil {
		return nil
	}
	gives := slices.ContainsFunc([]*object.Revision{c.Head, c.Base}, givesWorkloads)
	var out []string
	for _, f := range c.Files {
		if !apart(f) && (steered(c.Head, f) || steered(c.Base, f)) ||
			gives && (isProgram(c, f) || imported(c.Head, f) && !apart(f)) {
			out = append(out, f)
		}
	}
	return out
}

// yttText is a line by which ytt makes another file of a manifest.
var yttText = regexp.MustCompile(`(?m)^[ \t-]*([\w."']+:[ \t]+)?#@[ \t/\w]`)

// steered reports whether kpt or ytt make something else of a folder or a manifest than what stands there.
func steered(rev *object.Revision, f string) bool {
	if path.Base(f) != "Kptfile" && !source.IsManifestName(f) {
		return false
	}
	b, err := fs.ReadFile(rev.Tree, f)
	return err == nil && (yttText.Match(b) || path.Base(f) == "Kptfile" && bytes.Contains(b, []byte("pipeline:")))
}

// imported reports whether Jsonnet takes a file as a text.
func imported(rev *object.Revision, f string) bool {
	src, err := listed(rev)
	return err == nil && makers[path.Ext(f)] == "" && slices.ContainsFunc(src.Files, func(p string) bool {
		if !strings.HasSuffix(p, "sonnet") || apart(p) {
			return false
		}
		b, err := src.Read(p)
		return err == nil && bytes.Contains(b, []byte("importstr")) && bytes.Contains(b, []byte(path.Base(f)))
	})
}

func isProgram(c *object.Changes, f string) bool {
	above, is := makers[path.Ext(f)]
	if !is || apart(f) || c.Head.Narrowed && !rendererOf(c.Head).opt.Paths.Within(f) {
		return false
	}
	for _, rev := range []*object.Revision{c.Base, c.Head} {
		for _, r := range rev.Releases {
			if slices.Contains(r.Reads, f) || r.Err != nil && r.Err.Where.File == f {
				return false
			}
		}
	}
	for dir := path.Dir(f); above != ""; dir = path.Dir(dir) {
		for _, rev := range []*object.Revision{c.Base, c.Head} {
			for _, name := range []string{above, path.Join("cue.mod", above)} {
				if _, err := fs.Stat(rev.Tree, path.Join(dir, name)); err == nil {
					return true
				}
			}
		}
		if dir == "." {
			return false
		}
	}
	return true
}

// apart reports whether a program is of others, or a test's.
func apart(f string) bool {
	return strings.HasPrefix(f, ".") || strings.Contains("/"+f, "/vendor/") || strings.Contains("/"+f, "/test") ||
		strings.Contains(f, "/cue.mod/") || discover.TestFolder(f) != ""
}

func givesWorkloads(rev *object.Revision) bool {
	src, err := listed(rev)
	if err != nil {
		return true
	}
	return slices.ContainsFunc(src.Files, func(f string) bool {
		if _, is := makers[path.Ext(f)]; !is || apart(f) {
			return false
		}
		b, err := src.Read(f)
		return err != nil || workloadText.Match(b)
	})
}
