package side

import (
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/redact"
)

var (
	// plugin is filled in before anything is applied: by Argo CD's plugin for vaults and its build variables, by vals,
	// which helmfile calls for each reference to a secret, and what stands for a placeholder of a template.
	plugin = regexp.MustCompile(`<path:[^<>]*>|\$\{?ARGOCD_|\bref\+[a-z0-9]+://|\$kubesettle_`)
	// bracketed is what the filler of a config management plugin replaces.
	bracketed = regexp.MustCompile(`<[^<>\n]+>`)
	// variable is what envsubst, Flux, OpenShift's templates and many a program fill in.
	variable = regexp.MustCompile(`\$\{\{?[A-Za-z_][^{}]*\}`)
	// marked is what other templates, sed and people fill in: marks that no field of the API has a meaning for.
	marked = regexp.MustCompile(`\$\([A-Za-z_][A-Za-z0-9_]*\)|\$[A-Z_][A-Z0-9_]*\b|\{\{[^{}]*\}\}|<[A-Za-z][A-Za-z0-9 _.-]*>|%[A-Za-z_]+%|@[A-Za-z_]+@|__[A-Za-z0-9_]+__`)
	// shouted are words that stand for a value: in capitals, with underscores; in a name, beside others, or a word for
	// what goes there.
	shouted     = regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$`)
	shoutedName = regexp.MustCompile(`\b[A-Z][A-Z0-9]*(_[A-Z0-9]+)+\b|\b([A-Z]*(NAME|NAMESPACE|HOST|NODE)|PLACEHOLDER|REPLACE_?ME|CHANGE_?ME|CLUSTER|TENANT|PROJECT|USER|ENVIRONMENT|DOMAIN|REGION|VERSION|SUFFIX|PREFIX|UUID)\b`)
)

// unknown lists the fields of an object that hold placeholders, in order. If no GitOps object declares a release, it is
// not known how it is applied, and anything may be filled in before. In a declared release, Flux replaces variables
// that the repository does not have, values of charts may come from there, and Argo CD's plugins replace their own
// placeholders. Commands, arguments, environments, annotations and contents may hold such marks for other readers.
func (b *builder) unknown(o *object.Object, asked []string) []string {
	out := slices.DeleteFunc(slices.Clone(asked), func(p string) bool { return forOthers(fieldpath.Parse(p)) })
	named := o.ID.Namespace + "/" + o.ID.Name
	if o.Typed == nil && !onPods(o.Content) || !mayHold(o.Content) && !shoutedName.MatchString(named) {
		return out
	}
	open := b.rel.By.File == "" || b.rel.Kind == object.Helm || b.rel.Substitute.Unknown()
	plain := b.rel.By.File == "" && b.rel.Kind != object.Helm
	assumed := b.rel.Filled && b.rel.DefinedIn == "" // a plugin that is set up elsewhere may fill in other marks too
	stands := func(text string) bool {
		return plugin.MatchString(text) || b.rel.Filled && bracketed.MatchString(text) ||
			open && variable.MatchString(text) || (plain || assumed) && marked.MatchString(text)
	}
	fieldpath.Leaves(o.Content, nil, func(p fieldpath.Path, v any) {
		if len(p) == 0 || forOthers(p) || slices.Contains(out, p.String()) {
			return
		}
		text, _ := v.(string)
		if stands(text) || stands(p[len(p)-1].Key) || plain && word(o, p.String(), text) {
			out = append(out, p.String())
		}
	})
	slices.Sort(out)
	return out
}

// onPods reports whether an object of a kind without a type runs pods, or scales something that does. Others have
// templates with other placeholders: ApplicationSets, policies.
func onPods(content map[string]any) bool {
	return document.Value(content, "spec", "template", "spec", "containers") != nil ||
		document.Value(content, "spec", "scaleTargetRef") != nil || document.Value(content, "spec", "targetRef") != nil
}

// word reports whether a field that takes no words in capitals has one that stands for its value: an object's name, or
// a field that the API server does not decode.
func word(o *object.Object, path, text string) bool {
	if path == "metadata.name" || path == "metadata.namespace" {
		return !strings.Contains(text, "${") && shoutedName.MatchString(text) // one that is never closed stays
	}
	return (shouted.MatchString(text) || strings.ContainsAny(text, "<$%@_{") && redact.Placeholder(text)) &&
		slices.ContainsFunc(o.Refused, func(r object.Refusal) bool { return r.Undecodable && r.Path == path })
}

// mayHold reports whether a value has a text with a mark in it.
func mayHold(v any) bool {
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			if k != "annotations" && (strings.ContainsAny(k, marks) || mayHold(e)) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(x, mayHold)
	case string:
		return strings.ContainsAny(x, marks)
	}
	return false
}

const marks = "$<%@_{+"

// forOthers reports whether a field holds texts that mean something to others than the API server and controllers.
func forOthers(p fieldpath.Path) bool {
	for i, s := range p {
		switch s.Key {
		case "annotations", "data", "stringData", "binaryData":
			return i < 2 || s.Key == "annotations"
		case "image", "env", "args", "command", "workingDir":
			return i > 2 && p[i-1].Index >= 0
		}
	}
	return false
}
