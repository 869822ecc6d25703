package helmfile

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	yaml3 "go.yaml.in/yaml/v3"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/kustomize"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/source"
)

var (
	// literalAction writes an action that is executed later: {{`{{ .Release.Name }}`}}.
	literalAction = regexp.MustCompile("\\{\\{-?\\s*`([^`\n]*)`\\s*-?\\}\\}")
	// knownAction is one that is filled in.
	knownAction = regexp.MustCompile(`\{\{[ \t]*\.([A-Za-z][A-Za-z0-9_.-]*)[ \t]*(\|[ \t]*(?:quote|toYaml)[ \t]*)?\}\}`)
	// knownTest is the one that decides where a release is installed.
	knownTest     = regexp.MustCompile(`\{\{[ \t]*(eq|ne)[ \t]+\.Environment\.Name[ \t]+"([^"{}\n]*)"[ \t]*(?:\|[ \t]*toYaml[ \t]*)?\}\}`)
	anyAction     = regexp.MustCompile("(?s)\\{\\{-?\\s*`[^`]*`\\s*-?\\}\\}|\\{\\{.*?\\}\\}")
	controlAction = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\{\{-?\s*(if|else|end|range|with|define|template|block|break|continue|\$[A-Za-z0-9_]*\s*:?=)\b`)
	})
)

// maxFilled is the longest text that an action stands for, in bytes: many of them make no large file.
const maxFilled = 256

// fill replaces the known values of the environment and, if there is one, of the release. Unknown ones stay.
func (h *helmfile) fill(text string, release map[string]string) string {
	if !strings.Contains(text, "{{") {
		return text
	}
	written := text
	text = literalAction.ReplaceAllString(text, "$1")
	text = knownTest.ReplaceAllStringFunc(text, func(action string) string {
		m := knownTest.FindStringSubmatch(action)
		return strconv.FormatBool((h.env == m[2]) == (m[1] == "eq"))
	})
	text = knownAction.ReplaceAllStringFunc(text, func(action string) string {
		m := knownAction.FindStringSubmatch(action)
		v, ok := h.lookup(m[1], release)
		switch {
		case !ok || len(v) > maxFilled || strings.ContainsAny(v, "\n{"):
			return action
		case strings.Contains(m[2], "quote"):
			return strconv.Quote(v)
		}
		return v
	})
	if release != nil && strings.Contains(text, "{{") {
		if out, err := h.execute(h.file, h.dir, written, release, false); err == nil {
			return out
		}
	}
	return text
}

// filledIn is the text of a helmfile, or of a part of one, with its templates filled in. An action that only names a
// known value is replaced by it, so that every line stays where it is.
func (h *helmfile) filledIn(file, text string, zero bool) (string, *object.Failure) {
	filled := h.fill(text, nil)
	if !strings.Contains(h.fill(literalAction.ReplaceAllString(text, ""), nil), "{{") {
		return filled, nil
	}
	out, err := h.execute(file, h.dir, text, nil, zero)
	if h.why = nil; err == nil {
		return out, nil
	}
	h.why = h.unfilled(file, text, err)
	if at := controlAction().FindStringIndex(text); at != nil || errors.Is(err, errTooLarge) || errors.Is(err, errSteps) {
		return "", h.why
	}
	return filled, nil
}

// lineOfError is where a template failed.
var lineOfError = regexp.MustCompile(`^template: [^:]*:(\d+)(?::\d+)?: (?:executing "[^"]*" at |function )?(.*)$`)

// unfilled is the failure of a template that is not filled in.
func (h *helmfile) unfilled(file, text string, err error) *object.Failure {
	line, said := 1+strings.Count(text[:max(strings.Index(text, "{{"), 0)], "\n"), err.Error()
	if m := lineOfError.FindStringSubmatch(said); m != nil {
		line, _ = strconv.Atoi(m[1])
		said = m[2]
	}
	for _, e := range []error{errDecided, errTooLarge, errSteps} {
		if errors.Is(err, e) {
			said = e.Error()
		}
	}
	return skip(object.LineOf(file, line, "release"), "its template is not filled in: %s", document.Shorten(said, 200))
}

// bareAction is a value that is one action, which YAML reads as a map unless it is quoted.
var bareAction = regexp.MustCompile(`(?m)^([ \t]*(?:- +)*(?:[A-Za-z0-9_.-]+:[ \t]+|- +))(\{\{.*\}\}[^\n\r'"]*?)([ \t]*\r?)$`)

// quoteActions makes texts of the values that are not filled in, so that the rest can be read.
func quoteActions(text string) string {
	return bareAction.ReplaceAllStringFunc(text, func(line string) string {
		m := bareAction.FindStringSubmatch(line)
		return m[1] + "'" + strings.ReplaceAll(m[2], "'", "''") + "'" + m[3]
	})
}

// lookup is the text of a field of the environment or of a release.
func (h *helmfile) lookup(field string, release map[string]string) (string, bool) {
	if field == "Environment.Name" {
		return h.env, true
	}
	if name, ok := strings.CutPrefix(field, "Release."); ok {
		v, ok := release[name]
		return v, ok
	}
	for _, root := range []string{"Values.", "StateValues.", "Environment.Values."} {
		rest, ok := strings.CutPrefix(field, root)
		if !ok {
			continue
		}
		switch v := document.Value(any(h.values), strings.Split(rest, ".")...).(type) {
		case string, bool, int64, float64:
			return fmt.Sprint(v), true
		}
		return "", false
	}
	return "", false
}

// environmentValues merges the state's own values and those of the environment.
func (h *helmfile) environmentValues() *object.Failure {
	spec := mapAt(h.state, "environments", h.env)
	if document.Text(spec, "mergeStrategy") != "" {
		return skip(object.LineOf(h.file, 1, "release"), "environment %s merges its values in another way", h.env)
	}
	for _, e := range append(slices.Clone(document.Items(h.state, "values")), document.Items(spec, "values")...) {
		switch e := e.(type) {
		case map[string]any:
			h.values = helm.MergeValues(h.values, e)
		case string:
			f := h.valuesOfFile(e,
				firstText(document.Text(spec, "missingFileHandler"), document.Text(h.state, "missingFileHandler")))
			if f != nil {
				return f
			}
		}
	}
	h.values = helm.MergeValues(h.values, h.override) // which is given from outside, and counts
	return nil
}

func firstText(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

// valuesOfFile merges a file, or those that a pattern names, into the environment's values.
func (h *helmfile) valuesOfFile(name, handler string) *object.Failure {
	name = h.fill(name, nil)
	at := object.LineOf(h.file,
		1+strings.Count(h.text[:max(strings.Index(h.text, path.Base(name)), 0)], "\n"), "release")
	list, f := h.files(name, handler, at)
	if f != nil {
		return f
	}
	for _, p := range list {
		m, _, f := h.readValues(p, at, nil)
		if f != nil {
			return f
		}
		h.values = helm.MergeValues(h.values, m)
	}
	return nil
}

// files lists what a path or a pattern in a helmfile names; none where it may be missing.
func (h *helmfile) files(name, handler string, at object.Location) ([]string, *object.Failure) {
	switch {
	case strings.Contains(name, "{{"):
		return nil, skip(at, "file %s is named by a template", name)
	case path.IsAbs(name) && !strings.HasPrefix(name, workspace+"/"), kustomize.RemoteRef().MatchString(name),
		strings.Contains(name, "::"):
		return nil, skip(at, "file %s is not in the repository", name)
	}
	h.namesFiles(h.dir, name)
	p := path.Join(h.dir, name)
	if path.IsAbs(name) {
		p, _ = inside(h.dir, name)
	}
	var list []string
	if h.Src.HasFile(p) {
		list = []string{p}
	} else if strings.ContainsAny(p, "*?[") {
		for _, f := range h.Src.Files {
			if source.Match(p, f) {
				list = append(list, f)
			}
		}
	}
	if len(list) == 0 && (handler == "" || handler == "Error") {
		return nil, &object.Failure{
			Reason: fmt.Sprintf("%s:%d: values file %s does not exist", at.File, at.StartLine, p), Where: at,
			Remedy: "add the file, or correct its name",
		}
	}
	return list, nil
}

// readValues decodes a values file of helmfile's, which is a template if its name says so, and says
// where its values stand.
func (h *helmfile) readValues(p string, at object.Location,
	release map[string]string) (map[string]any, func(fieldpath.Path) object.Location, *object.Failure) {
	b, err := h.Src.Read(p)
	if err != nil {
		return nil, nil, source.AsFailure(p, err)
	}
	h.read = append(h.read, p)
	body := string(document.UTF8(b))
	if path.Ext(p) == ".gotmpl" {
		body = h.fill(body, release)
		if strings.Contains(body, "{{") {
			if body, err = h.execute(p, path.Dir(p), string(document.UTF8(b)), release, false); err != nil {
				return nil, nil, h.unfilled(p, string(document.UTF8(b)), err)
			}
		}
	}
	if ext := path.Ext(strings.TrimSuffix(p, ".gotmpl")); ext != ".yaml" && ext != ".yml" && ext != ".json" {
		return nil, nil, skip(at, "values file %s is not YAML", p)
	}
	v, err := document.DecodeYAML([]byte(body))
	if m, ok := v.(map[string]any); err == nil && (ok || v == nil) {
		place := placesIn(p, body)
		return m, func(in fieldpath.Path) object.Location {
			loc := place(in.String())
			loc.Rung = "value"
			return loc
		}, nil
	}
	line, what := 1, "it is no map"
	if err != nil {
		line, what = max(document.ErrorLine(err), 1), document.ErrorText(err)
	}
	return nil, nil, &object.Failure{
		Reason: fmt.Sprintf("%s:%d: %s", p, line, what), Where: object.LineOf(p, line, "value"),
		Remedy: "correct the values",
	}
}

// placesIn finds fields of the first document of a text.
func placesIn(file, body string) func(field string) object.Location {
	nodes := slices.DeleteFunc(document.Nodes([]byte(body)), func(n *yaml3.Node) bool { return n == nil })
	return func(field string) object.Location {
		if len(nodes) == 0 {
			return object.LineOf(file, 1, "release")
		}
		r, _ := document.Descend(nodes[0], fieldpath.Parse(field))
		return document.NodeRegion(file, r, true)
	}
}
