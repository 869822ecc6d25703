package kyverno

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// block is a match or exclude block.
type block struct {
	any, all []filter // one of them may have elements
	open     bool     // it has more than is read, so whom it matches is not known
}

// filter is one condition of a block; the fields are conditions that all have to be met.
type filter struct {
	Kinds             []string              `json:"kinds"`
	Name              string                `json:"name"`
	Names             []string              `json:"names"`
	Namespaces        []string              `json:"namespaces"`
	Selector          *metav1.LabelSelector `json:"selector"`
	NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector"`
	Operations        []string              `json:"operations"`
	Annotations       map[string]string     `json:"annotations"`
	open              bool                  // it has conditions that are not read
}

func readBlock(text json.RawMessage) block {
	var out block
	if len(text) == 0 || string(text) == "null" {
		return out
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return block{open: true}
	}
	list := func(text json.RawMessage) (out []filter) {
		var items []map[string]json.RawMessage
		if json.Unmarshal(text, &items) != nil {
			return []filter{{open: true}}
		}
		for _, item := range items {
			out = append(out, readFilter(item))
		}
		return out
	}
	switch {
	case len(fields["any"]) > 0:
		out.any = list(fields["any"])
	case len(fields["all"]) > 0:
		out.all = list(fields["all"])
	default:
		out.all = []filter{readFilter(fields)}
	}
	return out
}

func readFilter(fields map[string]json.RawMessage) filter {
	var out filter
	text := fields["resources"]
	bad := len(text) > 0 && json.Unmarshal(text, &out) != nil
	out.open = bad || len(fields) > 1 || len(text) == 0 || strings.Contains(string(text), "{{") ||
		len(out.Annotations) > 0 || slices.ContainsFunc([]*metav1.LabelSelector{out.Selector, out.NamespaceSelector},
		wildSelector)
	return out
}

// wildSelector reports whether a selector has wildcards, which Kyverno expands.
func wildSelector(s *metav1.LabelSelector) bool {
	if s == nil {
		return false
	}
	for k, v := range s.MatchLabels {
		if strings.ContainsAny(k+v, "*?") {
			return true
		}
	}
	return false
}

// answer is whether something matches; unsure: it is not known.
type answer int

const (
	no answer = iota
	unsure
	yes
)

// matches reports whether a rule is for an object, and whether that is sure.
func (x rule) matches(r Request) (matches, sure bool) {
	in, out := x.match.of(r, x.kinds, false), x.exclude.of(r, x.kinds, true)
	if x.match.open {
		in = unsure
	}
	switch {
	case in == no || out == yes:
		return false, true
	case in == unsure || out == unsure || x.exclude.open:
		return true, false
	}
	return true, true
}

func (b block) of(r Request, kinds []string, exclude bool) answer {
	switch {
	case len(b.any) > 0:
		out := no
		for _, f := range b.any {
			out = max(out, f.of(r, kinds, exclude))
		}
		return out
	case len(b.all) > 0:
		out := yes
		for _, f := range b.all {
			out = min(out, f.of(r, kinds, exclude))
		}
		return out
	}
	return no
}

// of says whether a filter matches an object; of the two names that a pod may have it is asked for both.
func (f filter) of(r Request, kinds []string, exclude bool) answer {
	name := r.Name
	if r.GeneratedFrom != "" { // it is drawn after the webhooks are asked
		name = r.GeneratedFrom
	}
	set := labelsOf(r)
	switch {
	case len(f.Kinds) > 0 && !slices.ContainsFunc(f.kindsFor(kinds), func(k string) bool { return isKind(k, r.Kind) }),
		f.Name != "" && !wild(f.Name, name),
		len(f.Names) > 0 && !slices.ContainsFunc(f.Names, func(n string) bool { return wild(n, name) }),
		len(f.Namespaces) > 0 && !slices.ContainsFunc(f.Namespaces, func(n string) bool { return wild(n, r.Namespace) }),
		f.Selector != nil && !selects(f.Selector, set),
		f.NamespaceSelector != nil && !selects(f.NamespaceSelector, r.NamespaceLabels):
		return no
	case f.open:
		return unsure
	}
	if len(f.Operations) == 0 {
		return yes
	}
	creates, updates := slices.Contains(f.Operations, "CREATE"), slices.Contains(f.Operations, "UPDATE")
	pod := r.Kind.Kind == "Pod"
	switch {
	case !creates && (pod || !updates):
		return no
	case creates && (pod || updates):
		return yes
	}
	return unsure // whether the object is new
}

// kindsFor are the kinds of a filter in a rule, with those that stand for Pod in a derived one.
func (f filter) kindsFor(kinds []string) []string {
	if kinds == nil || !slices.ContainsFunc(f.Kinds, namesPod) {
		return f.Kinds
	}
	return kinds
}

func labelsOf(r Request) labels.Set {
	if m, ok := r.Object.(metav1.Object); ok {
		return m.GetLabels()
	}
	return nil
}

func selects(s *metav1.LabelSelector, set labels.Set) bool {
	x, err := metav1.LabelSelectorAsSelector(s)
	return err == nil && x.Matches(set)
}

// sees reports whether a block may match objects of a kind.
func (b block) sees(kind schema.GroupVersionKind, kinds []string) bool {
	return b.open || slices.ContainsFunc(slices.Concat(b.any, b.all), func(f filter) bool {
		return len(f.Kinds) == 0 || slices.ContainsFunc(f.kindsFor(kinds), func(k string) bool { return isKind(k, kind) })
	})
}

var versionText = regexp.MustCompile(`^(v\d\w*|\*)$`)

// isKind reports whether a text such as "apps/v1/Deployment", "v1/Pod" or "*" names a kind; one with a subresource
// names none.
//
// Upstream: ext/utils/kube: ParseKindSelector.
func isKind(text string, kind schema.GroupVersionKind) bool {
	parts := strings.Split(text, "/")
	group, version := "*", "*"
	switch {
	case len(parts) == 1:
	case len(parts) == 2 && versionText.MatchString(parts[0]):
		version = parts[0]
	case len(parts) == 3 && versionText.MatchString(parts[1]):
		group, version = parts[0], parts[1]
	default:
		return false
	}
	return wild(group, kind.Group) && wild(version, kind.Version) && wild(parts[len(parts)-1], kind.Kind)
}

func namesPod(text string) bool {
	return isKind(text, schema.GroupVersionKind{Version: "v1", Kind: "Pod"}) && strings.HasSuffix(text, "Pod")
}

// wild reports whether a pattern with * (any text) and ? (one character) matches.
func wild(pattern, text string) bool {
	if pattern == "" {
		return text == ""
	}
	switch pattern[0] {
	case '*':
		return wild(pattern[1:], text) || text != "" && wild(pattern, text[1:])
	case '?':
		return text != "" && wild(pattern[1:], text[1:])
	}
	return text != "" && text[0] == pattern[0] && wild(pattern[1:], text[1:])
}

// allControllers are the kinds that rules on pods are derived for, but for CronJob.
var allControllers = []string{"DaemonSet", "Deployment", "Job", "ReplicaSet", "ReplicationController", "StatefulSet"}

// controllers are the kinds that rules on pods are derived for: none where a rule of the policy names or selects
// objects, mixes kinds, generates, or has JSON patches.
//
// Upstream: pkg/autogen/v1: CanAutoGen, computeRules.
func controllers(meta *metav1.ObjectMeta, s *spec) []string {
	for _, r := range s.Rules {
		text := string(r["mutate"])
		if len(r["generate"]) > 0 || strings.Contains(text, `"patchesJson6902":`) {
			return nil
		}
		for _, b := range []block{readBlock(r["match"]), readBlock(r["exclude"])} {
			for _, f := range slices.Concat(b.any, b.all) {
				if f.Name != "" || len(f.Names) > 0 || f.Selector != nil || f.Annotations != nil ||
					len(f.Kinds) > 1 && slices.ContainsFunc(f.Kinds, namesPod) {
					return nil
				}
			}
		}
	}
	asked, ok := meta.Annotations["pod-policies.kyverno.io/autogen-controllers"]
	all := append(slices.Clone(allControllers), "CronJob")
	if !ok || asked == "all" {
		return all
	}
	return slices.DeleteFunc(all, func(k string) bool { return !slices.Contains(strings.Split(asked, ","), k) })
}

// derive are the rules on controllers that are made of one on pods.
func derive(of rule, kinds []string) []rule {
	pods := func(b block) bool {
		return slices.ContainsFunc(slices.Concat(b.any, b.all), func(f filter) bool {
			return slices.ContainsFunc(f.Kinds, namesPod)
		})
	}
	named := slices.ContainsFunc(slices.Concat(of.exclude.any, of.exclude.all), func(f filter) bool {
		return len(f.Kinds) > 0
	})
	if !pods(of.match) || named && !pods(of.exclude) || of.patches != "" {
		return nil
	}
	under := func(keys ...string) map[string]any {
		out := of.merge
		for _, key := range slices.Backward(keys) {
			out = map[string]any{key: out}
		}
		return out
	}
	var out []rule
	if others := slices.DeleteFunc(slices.Clone(kinds), func(k string) bool { return k == "CronJob" }); len(others) > 0 {
		x := of
		x.kinds, x.merge = others, under("spec", "template")
		out = append(out, x)
	}
	if slices.Contains(kinds, "CronJob") {
		x := of
		x.kinds, x.merge = []string{"CronJob"}, under("spec", "jobTemplate", "spec", "template")
		out = append(out, x)
	}
	return out
}
