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
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/jsonnet"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/side"
	"github.com/kubesettle/kubesettle/render/source"
)

// sourceGroup has the kinds that say where others take what they deliver from; alone they deliver nothing.
const sourceGroup = "source.toolkit.fluxcd.io"

// fromElsewhere are the kinds, by their group, by which a controller applies things outside the repository: charts,
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
	"addons.cluster.x-k8s.io":         {"HelmChartProxy", "ClusterResourceSet"},
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

// sameContent are fields that do not change the delivered content: how often it is fetched and with which account, the
// condition to wait for, and the permission to read it.
var sameContent = regexp.MustCompile(`^(metadata|status)\b|^spec\.(interval|timeout|retryInterval|secretRef|certSecretRef|` +
	`proxySecretRef|serviceAccountName|provider|insecure|passCredentials|verify|accessFrom|dependsOn|wait|healthChecks|` +
	`healthCheckExprs|project|revisionHistoryLimit|info|syncPolicy)\b`)

// Elsewhere is a change of an object that delivers what lies outside the repository, and is not rendered.
type Elsewhere struct {
	Change *object.Change
	Object *object.Object // head's, or base's of one that goes
	Field  string         // that changes; "" of one that comes or goes
	// Fetchable says that it would be compared with the network allowed.
	Fetchable bool
	Data      string // the ConfigMap or Secret that changes and that it names; "": it changes itself
}

// ChangedElsewhere lists changes of deliveries from outside the repository. It leaves out files of a release that was
// rendered, or that says itself why it was not.
func ChangedElsewhere(c *object.Changes) []Elsewhere {
	if c.Base == nil {
		return nil
	}
	left, fetchable := map[string]bool{}, map[string]bool{}
	for _, rev := range []*object.Revision{c.Base, c.Head} {
		for _, g := range rev.Ignored {
			left[g.Elsewhere] = true
			if g.Fetchable {
				kind, _, _ := strings.Cut(g.Elsewhere, " ")
				fetchable[g.Elsewhere], fetchable["a "+kind] = true, true
			}
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
		if id.Group == "" && (id.Kind == "ConfigMap" || id.Kind == "Secret") {
			if by, field := takesData(c.Head, id); by != nil && ch.Kind != object.Removed {
				out = append(out, Elsewhere{Change: ch, Object: by, Field: field, Data: id.Kind + " " + id.Name})
			}
			continue
		}
		if !delivers(id) || slices.Contains(followed, id.Group) && !left[id.Kind+" "+id.Name] ||
			id.Group == sourceGroup && (ch.Kind != object.Modified || givesChart(c, e.Object)) {
			continue
		}
		e.Fetchable = fetchable[id.Kind+" "+id.Name] || id.Kind == "GitRepository" && fetchable["a Kustomization"]
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

// takesData is an object that applies things not rendered here and names a ConfigMap or a Secret, and the field by
// which it does.
func takesData(rev *object.Revision, data object.ID) (*object.Object, string) {
	for _, r := range rev.Releases {
		for _, o := range r.Objects {
			if !delivers(o.ID) || slices.Contains(followed, o.ID.Group) || o.ID.Group == sourceGroup ||
				o.ID.Namespace != "" && data.Namespace != "" && o.ID.Namespace != data.Namespace {
				continue
			}
			field := ""
			fieldpath.Leaves(o.Content["spec"], fieldpath.Path{fieldpath.Key("spec")}, func(p fieldpath.Path, v any) {
				if v == data.Name && p[len(p)-1].Name() == "name" && field == "" {
					field = p.String()
				}
			})
			if field != "" {
				return o, field
			}
		}
	}
	return nil, ""
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
var makers = map[string]string{".jsonnet": "", ".libsonnet": "", ".k": "kcl.mod", ".cue": "module.cue", ".dhall": ""}

// workloadText occurs in every program that gives a workload.
var workloadText = regexp.MustCompile(`(?i)\b(deployment|stateful_?set|daemon_?set|cron_?job|containers?)\b`)

// Programs lists the changed programs that give manifests, where any of their kind in the repository speaks of a
// workload, and that are not run. Those that a release is made of, such as the Jsonnet of an Application's folder, are
// not among them, unless others import them too; nor those whose output is committed, and changes with them.
func Programs(c *object.Changes) []string {
	if c.Base == nil {
		return nil
	}
	gives := slices.ContainsFunc([]*object.Revision{c.Head, c.Base}, givesWorkloads)
	var out []string
	for _, f := range c.Files {
		if !apart(f) && (steered(c.Head, f) || steered(c.Base, f)) || gives && isProgram(c, f) && !committed(c, f) {
			out = append(out, f)
		}
	}
	return out
}

// yttText is a line by which ytt makes another file of a manifest.
var yttText = regexp.MustCompile(`(?m)^[ \t-]*([\w."']+:[ \t]+)?#@[ \t/\w]`)

// steered reports whether kpt or ytt change the content of a folder or a manifest.
func steered(rev *object.Revision, f string) bool {
	if path.Base(f) != "Kptfile" && !source.IsManifestName(f) {
		return false
	}
	b, err := fs.ReadFile(rev.Tree, f)
	return err == nil && (yttText.Match(b) || path.Base(f) == "Kptfile" && bytes.Contains(b, []byte("pipeline:")))
}

// importedBeside reports whether Jsonnet that no release is made of imports a file, itself or through others. Where
// imports are looked for is not known of such a program: any file of that name is taken for the one it means.
func importedBeside(rev *object.Revision, f string, used func(string) bool) bool {
	src, err := listed(rev)
	if err != nil {
		return false
	}
	programs := slices.DeleteFunc(slices.Clone(src.Files), func(p string) bool {
		return !strings.HasSuffix(p, "sonnet") || apart(p)
	})
	for reached := []string{f}; len(reached) > 0 && len(programs) > 0; reached = reached[1:] {
		var left []string
		for _, p := range programs {
			switch b, err := src.Read(p); {
			case err != nil || p == reached[0] || !imports(b, reached[0]):
				left = append(left, p)
			case jsonnet.Is(p) && !used(p):
				return true
			default:
				reached = append(reached, p)
			}
		}
		programs = left
	}
	return false
}

// imports reports whether a text may import a file, from wherever it stands.
func imports(text []byte, f string) bool {
	return slices.ContainsFunc(jsonnet.Imports(text), func(name string) bool {
		name = strings.TrimLeft(path.Clean(name), "./")
		return name != "" && strings.HasSuffix("/"+f, "/"+name)
	})
}

// isProgram reports whether a file is a program that no release is made of, or such a one of Jsonnet imports it.
func isProgram(c *object.Changes, f string) bool {
	above, is := makers[path.Ext(f)]
	if apart(f) || c.Head.Narrowed && !rendererOf(c.Head).opt.Paths.Within(f) {
		return false
	}
	revisions := []*object.Revision{c.Base, c.Head}
	used := func(p string) bool {
		return slices.ContainsFunc(revisions, func(rev *object.Revision) bool {
			return slices.ContainsFunc(rev.Releases, func(r *object.Rendered) bool {
				return slices.Contains(r.Reads, p) || r.Err != nil && r.Err.Where.File == p
			})
		})
	}
	switch {
	case is && above != "" && used(f):
		return false
	case !is, used(f):
		return slices.ContainsFunc(revisions, func(rev *object.Revision) bool { return importedBeside(rev, f, used) })
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

// writesFolder is a command by which Jsonnet is evaluated into the files of a folder.
var writesFolder = regexp.MustCompile(`\bjsonnet\b[^\n|;&]*?\s(?:-c?m|--multi)[ =]?["']?([\w./-]+)`)

// committed reports whether a script above a program, which the change leaves alone, evaluates it into a folder of the
// repository, and the change has other manifests of that folder as well: the output is applied, and that is compared.
func committed(c *object.Changes, f string) bool {
	src, err := listed(c.Head)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(src.Files, func(script string) bool {
		dir := path.Dir(script)
		if !isScript(script) || apart(script) || dir != "." && !strings.HasPrefix(f, dir+"/") ||
			slices.Contains(c.Files, script) {
			return false
		}
		b, err := src.Read(script)
		if err != nil {
			return false
		}
		return slices.ContainsFunc(writesFolder.FindAllSubmatch(b, -1), func(m [][]byte) bool {
			to, in := source.Inside(dir, string(m[1]))
			return in && to != "." && slices.ContainsFunc(c.Files, func(f string) bool {
				return strings.HasPrefix(f, to+"/") && source.IsManifestName(f)
			})
		})
	})
}

// isScript reports whether a file is one that people build with.
func isScript(f string) bool {
	name := path.Base(f)
	return slices.Contains([]string{".sh", ".mk"}, path.Ext(name)) ||
		slices.Contains([]string{"Makefile", "makefile", "justfile"}, name)
}
