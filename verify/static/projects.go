package static

import (
	"fmt"
	"path"
	"strings"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
)

var projects = Analyzer{Name: "projects", Rule: rules.ApplyRejected, Run: notPermitted, Compares: true, Whole: true,
	Doc: "what an AppProject does not let an Application apply"}

// notPermitted lists what Argo CD refuses to apply on head, as the AppProject of its Application does not permit it:
// its repository, its destination, or its kind. What base's project refused already is left out.
//
// Upstream: argo-cd, pkg/apis/application/v1alpha1: (AppProject).IsSourcePermitted, IsDestinationPermitted,
// IsGroupKindNamePermitted.
func notPermitted(p *Pass) []Remark {
	ch := p.where().ch
	before := map[string]bool{}
	for _, r := range ch.Base.Releases {
		if project := projectOf(ch.Base, r); project != nil {
			for _, o := range r.Objects {
				field, _ := forbids(project, r, o)
				before[r.ID+" "+keyOf(o).String()] = field != ""
			}
		}
	}
	var out []Remark
	for _, r := range ch.Head.Releases {
		project := projectOf(ch.Head, r)
		if project == nil || r.Err != nil {
			continue
		}
		var first *Remark
		for _, o := range r.Objects {
			field, why := forbids(project, r, o)
			if field == "" || o.Hook || before[r.ID+" "+keyOf(o).String()] {
				continue
			}
			if first != nil {
				first.more++
				continue
			}
			first = &Remark{release: r.ID, Object: o, status: finding.New, paths: []string{"kind"},
				causes: []cause{{project, []string{field}}},
				text: fmt.Sprintf("Argo CD does not apply %s, nor the rest of Application %s: AppProject %s does not permit %s",
					o.ID, r.Delivery.Name, project.ID.Name, why),
				remedies: byHand("permit it in " + field + " of the AppProject")}
		}
		if first != nil {
			out = append(out, *first)
		}
	}
	return out
}

// projectOf is the AppProject of an Application, where the repository has one of that name.
func projectOf(rev *object.Revision, r *object.Rendered) *object.Object {
	if r.Delivery.Tool != object.ArgoCD {
		return nil
	}
	app := declaringObject(rev, r)
	if app == nil {
		return nil
	}
	name := textAt(app.Content, "spec.project")
	if app.ID.Kind == "ApplicationSet" {
		name = textAt(app.Content, "spec.template.spec.project")
	}
	var found []*object.Object
	for _, o := range renderedObjects(rev) {
		if o.ID.Group == "argoproj.io" && o.ID.Kind == "AppProject" &&
			o.ID.Name == name && o.ID.Namespace == app.ID.Namespace {
			found = append(found, o)
		}
	}
	if len(found) != 1 || strings.ContainsAny(fmt.Sprint(found[0].Content["spec"]), "{$") {
		return nil // one of another cluster, or one that something fills in
	}
	return found[0]
}

// forbids is the field of a project by which it does not permit an object of a release, and what it does not permit; ""
// if it does.
func forbids(project *object.Object, r *object.Rendered, o *object.Object) (field, why string) {
	list := func(name string) []any {
		v, _ := fieldpath.Parse("spec." + name).Get(project.Content)
		items, _ := v.([]any)
		return items
	}
	kinds := func(name string) bool {
		for _, k := range list(name) {
			if matches(textAt(k, "group"), o.ID.Group) && matches(textAt(k, "kind"), o.ID.Kind) {
				return true
			}
		}
		return false
	}
	generated := r.Delivery.Set != "" // by an ApplicationSet: what its generators give may not be known
	var repos []string
	for _, one := range list("sourceRepos") {
		pattern, denied := strings.CutPrefix(fmt.Sprint(one), "!")
		if pattern = object.FromGit(pattern, "").Repository; denied {
			pattern = "!" + pattern
		}
		repos = append(repos, pattern)
	}
	if repo := r.Delivery.From.Repository; repo != "" && !generated && !allowed(repos, repo) {
		return "spec.sourceRepos", "its repository"
	}
	lands := false
	var spaces []string
	for _, d := range list("destinations") {
		to := generated || r.Cluster == "" || leadsTo(textAt(d, "server"), textAt(d, "name"), r.Cluster)
		lands = lands || to
		if to {
			spaces = append(spaces, textAt(d, "namespace"))
		}
	}
	switch what := o.ID.Kind + " of " + groupOf(o); {
	case !lands:
		return "spec.destinations", "its cluster"
	case o.ID.Namespace != "" && !allowed(spaces, o.ID.Namespace):
		return "spec.destinations", "the namespace " + o.ID.Namespace
	case o.ID.Namespace != "" && kinds("namespaceResourceBlacklist"):
		return "spec.namespaceResourceBlacklist", what
	case o.ID.Namespace != "" && len(list("namespaceResourceWhitelist")) > 0 && !kinds("namespaceResourceWhitelist"):
		return "spec.namespaceResourceWhitelist", what
	case o.ID.Namespace == "" && (kinds("clusterResourceBlacklist") || !kinds("clusterResourceWhitelist")):
		return "spec.clusterResourceWhitelist", what
	}
	return "", ""
}

// leadsTo reports whether a destination may be a cluster: it is not known which address has which name, but for the
// cluster that Argo CD runs in.
func leadsTo(server, name, cluster string) bool {
	own := func(s string) bool { return s == "in-cluster" || s == "https://kubernetes.default.svc" }
	address := strings.Contains(cluster, "://")
	return matches(server, cluster) || matches(name, cluster) || own(cluster) && (own(server) || own(name)) ||
		!own(cluster) && (address && server == "" || !address && name == "")
}

// textAt is a text at a path of some content; "": there is none.
func textAt(content any, path string) string {
	v, _ := fieldpath.Parse(path).Get(content)
	s, _ := v.(string)
	return s
}

func groupOf(o *object.Object) string {
	if o.ID.Group == "" {
		return "the core group"
	}
	return o.ID.Group
}

// allowed reports whether a text fits one of some patterns, and none of those that begin with "!".
func allowed(patterns []string, text string) bool {
	yes := false
	for _, p := range patterns {
		if denied, isDenial := strings.CutPrefix(p, "!"); isDenial && matches(denied, text) {
			return false
		}
		yes = yes || matches(p, text)
	}
	return yes
}

// matches reports whether a text is what a pattern says, in which "*" stands for anything.
func matches(pattern, text string) bool {
	if pattern == "*" || pattern == text {
		return true
	}
	yes, err := path.Match(strings.ReplaceAll(pattern, "/", "\x00"), strings.ReplaceAll(text, "/", "\x00"))
	return yes && err == nil && pattern != ""
}
