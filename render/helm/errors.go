package helm

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// renderedError is rendered text that is no YAML.
type renderedError struct {
	name, text string
	err        error
}

func (e *renderedError) Error() string {
	return fmt.Sprintf("%s: the rendered text: %s", e.name, document.ErrorText(e.err))
}

const giveYAML = "correct the template so that it gives YAML"

// GivesNoYAML reports whether a chart fails as the text that a template renders to is no YAML.
func GivesNoYAML(f *object.Failure) bool { return f.Remedy == giveYAML }

var templateAt = regexp.MustCompile(`([A-Za-z0-9_@+./-]+/(?:templates|charts|crds)/[A-Za-z0-9_@+./ -]*?\.[A-Za-z]+):(\d+)(?::(\d+))?`)

// templateFailure gives an error of Helm's the repository's file and line: the
// innermost template that it names.
func templateFailure(c *release.Chart, ch *chart.Chart, texts map[string]string, err error) *object.Failure {
	f := &object.Failure{Where: object.FileStart(path.Join(c.Dir, "Chart.yaml")),
		Remedy: "correct the template or its values"}
	var re *renderedError
	if errors.As(err, &re) {
		file := TemplateFile(c, re.name)
		f.Where = object.LineOf(file, renderedLine(c, ch, re), "template")
		f.Reason = fmt.Sprintf("%s:%d: %s", file, f.Where.StartLine, re.Error())
		f.Remedy = giveYAML
		if c.AnyValues && strings.Contains(re.text, "${") { // with the value in its place it may be YAML
			f.Skipped, f.Remedy = true, "put the value into quotes, or render it before and after with what fills it in"
			f.Reason += ", with what stands for a value that is filled in later"
		}
		return f
	}
	text := strings.Join(strings.Fields(err.Error()), " ")
	for _, m := range templateAt.FindAllStringSubmatch(text, -1) {
		if file := TemplateFile(c, m[1]); file != "" {
			line, _ := strconv.Atoi(m[2])
			f.Where = object.LineOf(file, line, "template")
			if column, err := strconv.Atoi(m[3]); err == nil {
				f.Where.StartColumn, f.Where.EndColumn = column+1, column+2
			}
		}
	}
	f.Reason = fmt.Sprintf("%s:%d: %s", f.Where.File, f.Where.StartLine, document.Shorten(text, 600))
	return f
}

// renderedLine finds the line of the template that a broken line of its output is from.
func renderedLine(c *release.Chart, ch *chart.Chart, e *renderedError) int {
	lines := strings.Split(e.text, "\n")
	n := document.ErrorLine(e.err)
	if n > len(lines) {
		return 1
	}
	source := templateSource(ch, ch.ChartFullPath(), e.name)
	for _, want := range []string{lines[n-1], lines[max(n-2, 0)]} {
		k, _, found := strings.Cut(strings.TrimSpace(want), ":")
		if !found || k == "" {
			continue
		}
		for i, l := range bytes.Split(source, []byte("\n")) {
			if bytes.HasPrefix(bytes.TrimSpace(l), []byte(k+":")) {
				return i + 1
			}
		}
	}
	return 1
}

// templateSource is the text of a template by its full name.
func templateSource(ch *chart.Chart, full, name string) []byte {
	for _, t := range ch.Templates {
		if path.Join(full, t.Name) == name {
			return t.Data
		}
	}
	for _, d := range ch.Dependencies() {
		if b := templateSource(d, path.Join(full, "charts", d.Name()), name); b != nil {
			return b
		}
	}
	return nil
}

// TemplateFile is the repository path of a template's full name, such as
// "web/charts/db/templates/a.yaml"; of a template in an archive it is the archive. ""
// where there is none.
func TemplateFile(c *release.Chart, full string) string {
	_, name, ok := strings.Cut(full, "/") // the chart's own name may differ from its folder's
	if !ok {
		return ""
	}
	if p, ok := c.Names[name]; ok {
		return p
	}
	best := ""
	for have, p := range c.Names {
		rest, ok := strings.CutPrefix(have, "charts/")
		if !ok || !strings.HasPrefix(name, "charts/") {
			continue
		}
		sub := strings.SplitN(strings.TrimPrefix(name, "charts/"), "/", 2)[0]
		isArchive := path.Ext(rest) == ".tgz" && strings.HasPrefix(rest, sub)
		sameTail := strings.HasSuffix(have, tail(name))
		if (isArchive || sameTail) && (best == "" || p < best) {
			best = p
		}
	}
	return best
}

// tail is a template's name from its innermost templates/ on.
func tail(name string) string {
	if i := strings.LastIndex(name, "/templates/"); i >= 0 {
		return name[i:]
	}
	return name
}

// validate checks values against the schemas of a chart and its dependencies. A schema
// that refers to another file or address is not followed: nothing outside the chart is
// ever read.
func validate(c *release.Chart, ch *chart.Chart, vals map[string]any) *object.Failure {
	if ch.Schema != nil {
		if f := validateOne(c, ch, vals); f != nil {
			return f
		}
	}
	for _, d := range ch.Dependencies() {
		sub, ok := vals[d.Name()].(map[string]any)
		if v, isTable := vals[d.Name()].(chartutil.Values); isTable {
			sub, ok = v, true
		}
		if !ok {
			continue
		}
		if f := validate(c, d, sub); f != nil {
			return f
		}
	}
	return nil
}

// refuse is a schema loader that loads nothing.
type refuse struct{}

var errRemoteSchema = errors.New("refers to another schema")

func (refuse) Load(url string) (any, error) { return nil, errRemoteSchema }

// compileSchema compiles a chart's schema without reading anything else.
func compileSchema(text []byte) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(refuse{})
	if err := compiler.AddResource("mem:///values.schema.json", doc); err != nil {
		return nil, err
	}
	return compiler.Compile("mem:///values.schema.json")
}

// refersAway reports whether the schema of a chart or a dependency refers to another one.
func refersAway(ch *chart.Chart) bool {
	if ch.Schema != nil {
		if _, err := schemas.compile(ch.Schema); err != nil && strings.Contains(err.Error(), errRemoteSchema.Error()) {
			return true
		}
	}
	for _, d := range ch.Dependencies() {
		if refersAway(d) {
			return true
		}
	}
	return false
}

func validateOne(c *release.Chart, ch *chart.Chart, vals map[string]any) *object.Failure {
	file := path.Join(c.Dir, "values.schema.json")
	schema, err := schemas.compile(ch.Schema)
	if err != nil {
		if strings.Contains(err.Error(), errRemoteSchema.Error()) {
			return nil // values go unchecked, as with helm's --skip-schema-validation
		}
		return &object.Failure{Reason: fmt.Sprintf("%s: %v", file, err), Where: object.FileStart(file),
			Remedy: "correct the schema"}
	}
	err = schema.Validate(map[string]any(vals))
	var ve *jsonschema.ValidationError
	if !errors.As(err, &ve) {
		return nil
	}
	place := ve
	for len(place.Causes) > 0 {
		place = place.Causes[0]
	}
	return &object.Failure{
		Reason: fmt.Sprintf("values of chart %s: %s is not what %s expects at %s", ch.Name(),
			"/"+strings.Join(place.InstanceLocation, "/"), path.Base(file), place.SchemaURL),
		Where: object.FileStart(valuesFile(c)), Remedy: "correct the values",
	}
}

// valuesFile is the last values file.
func valuesFile(c *release.Chart) string {
	if n := len(c.Values); n > 0 {
		return c.Values[n-1]
	}
	return path.Join(c.Dir, "values.yaml")
}
