package static

import (
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// edited are the ConfigMaps and Secrets that stay, and whose content a change edits.
type edited map[[3]string]*object.Change

func editedIn(changes []*object.Change) edited {
	out := edited{}
	for _, c := range changes {
		if c.Kind == object.Modified && c.Base != nil && c.Head != nil && c.Head.ID.Group == "" && !fixed(c.Base) &&
			(c.Head.ID.Kind == "ConfigMap" || c.Head.ID.Kind == "Secret") && touches(c, "") {
			out[[3]string{kindOf(c.Head), c.Head.ID.Namespace, c.Head.ID.Name}] = c
		}
	}
	return out
}

// Restarted names the workloads of a release whose pods a controller replaces for new content of what they read, as
// their annotations ask it to, or those of what they read; and the charts to which the release gives the name of that.
// A template that changes replaces them anyway.
func Restarted(p slice.Pair, changes []*object.Change) []string {
	list, replaced := editedIn(changes), map[*object.Object]bool{}
	if len(list) == 0 {
		return nil
	}
	for _, c := range changes {
		replaced[c.Head] = c.TemplateChanged || c.Kind != object.Modified
	}
	var out []string
	for _, o := range p.Objects(state.Head) {
		switch {
		case o.Hook || replaced[o]:
		case runsOn(o) && list.restarts(o):
			out = append(out, o.ID.String())
		case list.namedBy(o):
			out = append(out, o.ID.Kind+" "+o.ID.Name)
		}
	}
	return out
}

// restarts reports whether pods of a workload read something of it, and are replaced for that.
func (e edited) restarts(o *object.Object) bool {
	asks := restarts(annotationsOf(o.Content, "metadata")) ||
		restarts(annotationsOf(o.Content, "spec", "template", "metadata"))
	return slices.ContainsFunc(reads(o), func(n need) bool {
		c := e[[3]string{n.kind, o.ID.Namespace, n.name}]
		return c != nil && touches(c, n.key) && (asks || restarts(annotationsOf(c.Head.Content, "metadata")))
	})
}

// namedBy reports whether what delivers a chart names something of it in its namespace, and one of the two asks for
// that pods are replaced.
func (e edited) namedBy(o *object.Object) bool {
	space := o.ID.Namespace
	switch kindOf(o) {
	case "helm.toolkit.fluxcd.io/HelmRelease":
		if to, ok := slice.ValueAt(o.Content, "spec", "targetNamespace").(string); ok {
			space = to
		}
	case "argoproj.io/Application":
		space, _ = slice.ValueAt(o.Content, "spec", "destination", "namespace").(string)
	default:
		return false
	}
	names, asks := map[string]bool{}, false
	fieldpath.Leaves(o.Content, nil, func(p fieldpath.Path, v any) {
		if text, ok := v.(string); ok {
			names[text] = true
		}
		asks = asks || strings.Contains(p[len(p)-1].Key, "/") && restarts(map[string]any{p[len(p)-1].Key: v})
	})
	for at, c := range e {
		if at[1] == space && names[at[2]] && (asks || restarts(annotationsOf(c.Head.Content, "metadata"))) {
			return true
		}
	}
	return false
}
