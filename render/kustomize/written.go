package kustomize

import (
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/source"
)

// A patch that a program writes from a template that is here is read from that, with its placeholders unknown, if these
// stand for values alone: then everything else of the patch is known. A template with conditions or loops, or with a
// placeholder in a key, in the name of what is patched or in what finds an entry of a list, says too little.

// unknownValue begins the value that stands for a placeholder of such a template.
const unknownValue = "$kubesettle_"

var (
	// placeholder is one of a template: {{ name }} with functions behind it, ${name}, $NAME.
	placeholder = regexp.MustCompile(
		`\{\{-?\s*\.?([A-Za-z_][\w.]*)\s*(?:\|[^{}\n]*?)?-?\}\}|\$\{([A-Za-z_]\w*)\}|\$([A-Z_][A-Z0-9_]*)\b`)
	// statement is what is left of a template that does more than fill in values.
	statement = regexp.MustCompile(`\{\{|\{%|\{#|<%|\$\{|\$\(`)
	notWord   = regexp.MustCompile(`\W`)
	// words of template languages that are no names of values.
	statements = []string{"end", "else", "break", "continue"}
	// identifying are the fields that say what is patched, or find an entry of a list.
	identifying = []string{"apiVersion", "kind", "name", "namespace", "op", "path", "from", "$patch", "$retainKeys",
		"$setElementOrder", "containerPort", "port", "protocol", "mountPath", "devicePath", "ip", "topologyKey",
		"whenUnsatisfiable", "key", "type", "uid"}
)

// patchFile adds the file of a patch, which must exist, or a template of it that says enough.
func (g *gatherer) patchFile(k *File, dir, ref string) *object.Failure {
	p, in := source.Inside(dir, ref)
	if ref == "" || !in || g.src.HasFile(p) || g.recipe.Release.Substitute != nil {
		return g.need(k, dir, ref)
	}
	template := templateOf(g.src, p)
	if template == "" {
		return g.need(k, dir, ref)
	}
	b, err := g.src.Read(template)
	if err != nil {
		return g.need(k, dir, ref)
	}
	g.recipe.Files[template] = b
	text, ok := withUnknown(string(b))
	if !ok {
		return g.need(k, dir, ref)
	}
	g.recipe.Files[p] = []byte(text)
	if g.recipe.Written == nil {
		g.recipe.Written = map[string]string{}
	}
	g.recipe.Written[p] = template
	g.recipe.Notes = append(g.recipe.Notes,
		object.Say(object.TemplateRead, p, template).At(object.LineOf(k.Path, k.line(ref), "release")))
	return nil
}

// withUnknown puts unknown values for the placeholders of a template; ok is false where that says too little.
func withUnknown(text string) (filled string, ok bool) {
	ok = true
	filled = placeholder.ReplaceAllStringFunc(text, func(s string) string {
		m := placeholder.FindStringSubmatch(s)
		name := m[1] + m[2] + m[3]
		ok = ok && !slices.Contains(statements, name)
		return unknownValue + notWord.ReplaceAllString(name, "_")
	})
	if !ok || statement.MatchString(filled) {
		return "", false
	}
	for _, doc := range document.Split([]byte(filled)) {
		v, err := document.DecodeYAML(doc.Text)
		if err != nil || !isPatch(v) || !inValues(v, "") {
			return "", false
		}
	}
	return filled, true
}

// isPatch reports whether a document is a strategic merge patch, a list of JSON patches, or nothing.
func isPatch(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return document.Text(v, "apiVersion") != "" && document.Text(v, "kind") != ""
	case []any:
		return !slices.ContainsFunc(v, func(e any) bool {
			return document.Text(e, "op") == "" || document.Text(e, "path") == ""
		})
	}
	return v == nil
}

// inValues reports whether unknown values stand in no key, and in no field that says what the others are about.
func inValues(v any, field string) bool {
	switch v := v.(type) {
	case map[string]any:
		for name, x := range v {
			if strings.Contains(name, unknownValue) || !inValues(x, name) {
				return false
			}
		}
	case []any:
		for _, x := range v {
			if !inValues(x, field) {
				return false
			}
		}
	case string:
		return !strings.Contains(v, unknownValue) || field != "" && !slices.Contains(identifying, field)
	}
	return true
}
