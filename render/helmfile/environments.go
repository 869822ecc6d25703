package helmfile

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/source"
)

// givers are the helmfiles that give this one values, of those that give some.
func (h *helmfile) givers(given map[string][]string) []string {
	var out []string
	for _, pattern := range slices.Sorted(maps.Keys(given)) {
		if pattern == h.file || pattern == h.dir || source.Match(pattern, h.file) {
			out = append(out, given[pattern]...)
		}
	}
	return out
}

// takeFrom takes the values that another helmfile gives this one in its environment; nil: there is none.
func (h *helmfile) takeFrom(giver *helmfile) *object.Failure {
	if giver == nil {
		return nil
	}
	parent := &helmfile{Host: h.Host, file: giver.file, dir: giver.dir, text: giver.text, env: h.env, world: h.world,
		asked: h.asked}
	f := parent.load()
	h.read = append(append(h.read, parent.file), parent.read...)
	if f != nil {
		return f
	}
	for _, e := range document.Items(parent.state, "helmfiles") {
		m, _ := e.(map[string]any)
		p := path.Join(parent.dir, document.Text(m, "path"))
		if m["values"] == nil || p != h.file && p != h.dir && !source.Match(p, h.file) {
			continue
		}
		if h.override != nil {
			return skip(object.LineOf(parent.file, 1, "release"), "%s lists %s more than once with values", parent.file, h.file)
		}
		if m["selectors"] != nil {
			return skip(object.LineOf(parent.file, 1, "release"), "%s selects releases of %s", parent.file, h.file)
		}
		h.override = map[string]any{}
		for _, v := range document.Items(m, "values") {
			switch v := v.(type) {
			case map[string]any:
				h.override = helm.MergeValues(h.override, v)
			case string:
				at := object.LineOf(parent.file, 1, "release")
				files, f := parent.files(v, "", at)
				if f != nil {
					return f
				}
				for _, p := range files {
					values, _, f := parent.readValues(p, at, nil)
					if f != nil {
						return f
					}
					h.override = helm.MergeValues(h.override, values)
				}
				h.read = append(h.read, files...)
			}
		}
	}
	return nil
}

// environments lists the names that a helmfile and its bases declare.
func (h *helmfile) environments() ([]string, *object.Failure) {
	set := map[string]bool{}
	var collect func(file, text string, bases bool) *object.Failure
	collect = func(file, text string, bases bool) *object.Failure {
		for _, part := range split(withoutActions(text)) {
			v, err := document.DecodeYAML([]byte(part))
			if err != nil && controlAction().MatchString(text) {
				v, err = document.DecodeYAML([]byte(environmentsBlock.FindString(part)))
			}
			if err != nil {
				return broken(file, part, err)
			}
			for name := range mapAt(v, "environments") {
				if strings.Contains(name, filledWord) {
					h.anyEnvironment = true
					continue
				}
				set[name] = true
			}
			for _, base := range document.Texts(document.Value(v, "bases")) {
				if b, err := h.Src.Read(path.Join(path.Dir(file), base)); err == nil && bases {
					if f := collect(path.Join(path.Dir(file), base), string(b), false); f != nil {
						return f
					}
				}
			}
		}
		return nil
	}
	if f := collect(h.file, h.text, true); f != nil {
		return nil, f
	}
	if h.anyEnvironment && h.Called != nil {
		for _, name := range h.Called(h.file) {
			set[name] = true
		}
	}
	names := slices.Sorted(maps.Keys(set))
	if len(names) == 0 {
		names = []string{defaultEnvironment}
	}
	return names, nil
}

// environmentsBlock is the list of environments of a helmfile, whatever else cannot be read of it.
var environmentsBlock = regexp.MustCompile(`(?m)^environments:[^\n]*\n(?:(?:[ \t#][^\n]*)?\n)*`)

// foresee takes the environment's values from a part that is filled in with them. Upstream reads
// such a part twice, too: (*desiredStateLoader).twoPassRenderTemplateToYaml.
func (h *helmfile) foresee(part string) {
	text, f := h.filledIn(h.file, part, true)
	if f != nil {
		return
	}
	v, err := document.DecodeYAML([]byte(anyAction.ReplaceAllString(text, "x")))
	if err != nil || mapAt(v, "environments", h.env) == nil {
		return
	}
	first := *h
	first.state, first.read = map[string]any{"environments": document.Value(v, "environments"),
		"values": document.Value(v, "values")}, nil
	if first.environmentValues() == nil {
		h.values = first.values
	}
}
