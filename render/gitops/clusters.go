package gitops

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/worker"
)

// clusterGenerator gives the parameters of one cluster, that stands for those that only Argo CD knows: without a
// selector the one that Argo CD runs in, which upstream adds as a last one where no Secret describes it, and else one
// named after the set. Neither has labels or annotations; [applicationSet.vague] refuses a set that needs them.
//
// Upstream: argo-cd, applicationset/generators: (*ClusterGenerator).GenerateParams.
func (s *applicationSet) clusterGenerator(g any) ([]map[string]any, error) {
	name, server := "in-cluster", "https://kubernetes.default.svc"
	if selects(document.Value(g, "selector")) {
		name = "cluster-of-" + worker.NormalName(document.Text(s.content, "metadata", "name"))
		if n := s.generator; n > 0 {
			name += fmt.Sprintf("-%d", n)
		}
		server = "https://" + name
	}
	s.standsIn = name
	if s.elsewhere {
		name, server = "elsewhere", "https://elsewhere"
	}
	p := map[string]any{"name": name, "nameNormalized": worker.NormalName(name), "server": server, "project": ""}
	if err := s.addValues(g, p); err != nil {
		return nil, err
	}
	if document.Value(g, "flatList") == true {
		p = map[string]any{"clusters": []any{p}}
	}
	return []map[string]any{p}, nil
}

// selects reports whether a selector leaves clusters out.
func selects(selector any) bool {
	return len(document.Items(selector, "matchExpressions")) > 0 || document.Value(selector, "matchLabels") != nil
}

// selectors are those of the cluster generators among some, at any depth.
func selectors(generators []any) []any {
	var out []any
	for _, g := range generators {
		if c := document.Value(g, "clusters"); c != nil {
			out = append(out, document.Value(c, "selector"))
		}
		for _, around := range []string{"matrix", "merge"} {
			out = append(out, selectors(document.Items(g, around, "generators"))...)
		}
	}
	return out
}

// reselects reports whether the change edits which clusters the set goes to.
func (s *applicationSet) reselects() bool {
	base := s.onBase()
	return base != nil && !reflect.DeepEqual(selectors(document.Items(base, "spec", "generators")),
		selectors(document.Items(s.content, "spec", "generators")))
}

// describing is a reference to what describes a cluster: its labels and annotations.
var describing = regexp.MustCompile(`\{\{[^}]*\bmetadata\b[^}]*\}\}`)

// vague reports whether the applications of a generator hang on which clusters there are, beyond where they go: by
// labels, or because another cluster has another chart, folder or file of values, or none; or whether the change edits
// which there are.
func (s *applicationSet) vague(generator any, field string, params []map[string]any) bool {
	t := s.templateOf(generator)
	for _, v := range []any{t.Value, t.Patch, generator} {
		if b, err := json.Marshal(v); err != nil || describing.Match(b) {
			return true
		}
	}
	if len(params) == 0 || s.reselects() {
		return true
	}
	here, err := s.expand(t, params)
	if err != nil {
		return true
	}
	s.elsewhere = true
	defer func() { s.elsewhere = false }()
	if params, err = s.generate(generator, field, nil); err != nil {
		return true
	}
	there, err := s.expand(t, params)
	return err != nil || !slices.EqualFunc(here, there, func(a, b any) bool {
		return reflect.DeepEqual(sourcesOf(a), sourcesOf(b))
	})
}

// sourcesOf are the sources of an application without the settings that stand in it.
func sourcesOf(app any) []any {
	spec := document.Value(app, "spec")
	list := append(slices.Clone(document.Items(spec, "sources")), document.Value(spec, "source"))
	for i := range list {
		list[i] = fieldpath.DeepCopy(list[i])
		if helm, ok := document.Value(list[i], "helm").(map[string]any); ok {
			for _, own := range []string{"parameters", "values", "valuesObject", "releaseName", "namespace"} {
				delete(helm, own)
			}
		}
	}
	return list
}

// merge combines the parameters of generators: each later one overrides those of the first one that have the same
// merge keys. Upstream gives them in no order; here it is that of the first generator.
//
// Upstream: argo-cd, applicationset/generators: (*MergeGenerator).GenerateParams, getParamSetsByMergeKey.
func (s *applicationSet) merge(m any, field string) ([]map[string]any, error) {
	inner, keys := document.Items(m, "generators"), document.Texts(document.Value(m, "mergeKeys"))
	if len(inner) < 2 {
		return nil, fmt.Errorf("a merge of %d generators; it takes two or more", len(inner))
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("a merge needs mergeKeys")
	}
	var base []map[string]any
	var order []string
	for i, g := range inner {
		before := s.standsIn
		s.standsIn = ""
		params, err := s.generate(g, fmt.Sprintf("%s.merge.generators[%d]", field, i), nil)
		if err != nil {
			return nil, err
		}
		if s.standsIn != "" {
			return nil, unknownGenerator("clusters") // which of them the others override is not known
		}
		s.standsIn = before
		byKey := map[string]map[string]any{}
		for _, p := range params {
			key, err := mergeKey(keys, p)
			if err != nil {
				return nil, err
			}
			if byKey[key] != nil {
				return nil, fmt.Errorf("a generator of the merge gives the merge keys %s twice", key)
			}
			byKey[key] = p
			if i == 0 {
				base, order = append(base, p), append(order, key)
			}
		}
		if i == 0 {
			continue
		}
		for j, key := range order {
			if over := byKey[key]; over != nil {
				base[j] = s.override(base[j], over)
			}
		}
	}
	return base, nil
}

func mergeKey(keys []string, params map[string]any) (string, error) {
	of := map[string]any{}
	for _, k := range keys {
		of[k] = params[k]
	}
	b, err := json.Marshal(of)
	return string(b), err
}

// override lays parameters over others: all of them, or with Go templates, as mergo.Merge does it with override, map by
// map and without those that are empty.
func (s *applicationSet) override(base, over map[string]any) map[string]any {
	out := make(map[string]any, len(base)+len(over))
	for k, v := range base {
		out[k] = v
	}
	for k, v := range over {
		was, has := out[k]
		if !s.template.GoTemplate {
			out[k] = v
			continue
		}
		a, isMap := was.(map[string]any)
		b, areMaps := v.(map[string]any)
		switch {
		case isMap && areMaps:
			out[k] = s.override(a, b)
		case !has || !isZero(v) || isZero(was):
			out[k] = v
		}
	}
	return out
}

// isZero reports whether a value is empty, as mergo's isEmptyValue does.
func isZero(v any) bool {
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Map, reflect.Slice:
		return r.Len() == 0
	}
	return r.IsZero()
}
