package static

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/typed"
	"github.com/kubesettle/kubesettle/verify/judge"
)

// token is one placeholder in a text, and shouted a word of a name that only stands for one: in capitals with
// underscores, which no name of an object has, or in capitals and a word for what goes there (HOSTNAME, NODE), which
// sed or a person puts in.
var (
	token = regexp.MustCompile(`\$\{\{?[^{}]*\}\}?|<path:[^<>]*>|\$\([A-Za-z0-9_]*\)|\$[A-Z_][A-Z0-9_]*|\{\{[^{}]*\}\}|<[^<>]*>|%[A-Za-z_]+%|@[A-Za-z_]+@|__[A-Za-z0-9_]+__|\b[A-Z][A-Z0-9]*(_[A-Z0-9]+)+\b`)

	shouted = regexp.MustCompile(`\b[A-Z][A-Z0-9]*(_[A-Z0-9]+)+\b|\b([A-Z]*(NAME|NAMESPACE|HOST|NODE)|PLACEHOLDER|REPLACE_?ME|CHANGE_?ME|CLUSTER|TENANT|PROJECT|USER|ENVIRONMENT|DOMAIN|REGION|VERSION|SUFFIX|PREFIX|UUID)\b`)
)

// nameFilledIn reports whether an error is about a name with a word in capitals that is none of a cluster's. A mark
// that is never closed is never filled in.
func nameFilledIn(e *field.Error) bool {
	name := strings.Contains(e.Detail, "RFC 1123") || strings.Contains(e.Detail, "RFC 1035")
	value, ok := e.BadValue.(string)
	return ok && name && !strings.Contains(value, "${") && shouted.MatchString(value)
}

// standsIn reports whether an error is about a text that only stands for one that a chart asks for.
func standsIn(o *object.Object, e *field.Error) bool {
	stand := func(v any) bool {
		if number, ok := v.(intstr.IntOrString); ok {
			v = number.StrVal
		}
		text, _ := v.(string)
		return strings.Contains(strings.ToLower(text), "example")
	}
	value, _ := fieldpath.Parse(sourceField(e.Field)).Get(o.Content)
	return stand(e.BadValue) || stand(value) || strings.HasSuffix(strings.ToLower(e.Field), ".example")
}

// mostFillings bounds how many values are tried for the placeholders of an object.
const mostFillings = 8

// withValues finds what an object is refused for whatever is filled in for its placeholders: a text that is none of the
// others, and each of those that they are compared with.
func (a *Applied) withValues() {
	objects := slices.DeleteFunc([]*object.Object{a.Head, a.Base}, func(o *object.Object) bool { return o == nil })
	texts := map[string]bool{}
	for _, o := range objects {
		if len(o.Unknown) == 0 {
			continue
		}
		for _, with := range objects { // they are compared with selectors and labels, or with the same place
			fieldpath.Leaves(with.Content, nil, func(p fieldpath.Path, v any) {
				text, ok := v.(string)
				if ok && len(p) > 1 && !token.MatchString(text) &&
					(slices.Contains(o.Unknown, p.String()) || isLabels(p[len(p)-2].Key)) {
					texts[text] = true
				}
			})
		}
	}
	if !slices.ContainsFunc(objects, func(o *object.Object) bool { return len(o.Unknown) > 0 }) {
		return
	}
	tried := slices.Sorted(maps.Keys(texts))
	for i, text := range append([]string{"filled-in"}, tried[:min(len(tried), mostFillings)]...) {
		b := *a
		b.Head, b.Base = withText(a.Head, text), withText(a.Base, text)
		b.Refused, b.Before, b.Back = nil, nil, nil
		if a.Base == a.Head {
			b.Base = b.Head
		}
		b.judge()
		if i == 0 {
			a.Refused, a.Before, a.Back = b.Refused, b.Before, b.Back
			continue
		}
		keep(&a.Refused, b.Refused)
		keep(&a.Before, b.Before)
		keep(&a.Back, b.Back)
	}
	for _, list := range []*field.ErrorList{&a.Refused, &a.Before, &a.Back} {
		*list = slices.DeleteFunc(*list, func(e *field.Error) bool {
			return slices.ContainsFunc(objects, func(o *object.Object) bool { return ofValue(o, e) })
		})
	}
}

func isLabels(key string) bool { return key == "labels" || key == "matchLabels" || key == "selector" }

// ofValue reports whether an error is about a placeholder itself, or what would stand in its place.
func ofValue(o *object.Object, e *field.Error) bool {
	path := sourceField(e.Field)
	return slices.ContainsFunc(o.Unknown, func(u string) bool { return judge.Overlap(path, u) && len(path) >= len(u) })
}

// keep leaves of some errors those that others have, too.
func keep(list *field.ErrorList, others field.ErrorList) {
	*list = slices.DeleteFunc(*list, func(e *field.Error) bool {
		return !slices.ContainsFunc(others, func(o *field.Error) bool { return o.Field == e.Field && o.Type == e.Type })
	})
}

// withText is an object with a text in the place of each placeholder. nil of nil.
func withText(o *object.Object, with string) *object.Object {
	if o == nil || len(o.Unknown) == 0 {
		return o
	}
	out := *o
	out.Content = typed.Fill(o.Content, o.Unknown, func(s string) string { return token.ReplaceAllString(s, with) })
	read, err := typed.Decode(out.Content)
	if err != nil {
		return o
	}
	out.Typed, out.Refused = read.Typed, read.Refused
	meta, _ := out.Content["metadata"].(map[string]any)
	out.ID.Name = fmt.Sprint(meta["name"])
	return &out
}
