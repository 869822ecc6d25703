package typed

import (
	"encoding/base64"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
)

var unknownField = regexp.MustCompile(`unknown field "([^"]*)"$`)

// unknownFields words the messages of strict decoding about fields that a type does not have.
func unknownFields(obj runtime.Object, content map[string]any, strict []error) []object.Refusal {
	var out []object.Refusal
	for _, e := range strict {
		m := unknownField.FindStringSubmatch(e.Error())
		if m == nil {
			continue // a key that stands twice: kubectl keeps the last one, as decodeYAML does
		}
		p, text := pathIn(content, m[1]), "unknown field"
		if hint := meant(reflect.TypeOf(obj), p); hint != "" {
			text += ": " + hint
		}
		out = append(out, object.Refusal{Path: p.String(), Text: text, Surplus: true})
	}
	return out
}

// meant guesses the intended name of an unknown field: one of almost the same name beside it, or one of its name
// elsewhere on the way from the root; "" if it cannot decide.
func meant(root reflect.Type, p fieldpath.Path) string {
	if len(p) == 0 {
		return ""
	}
	name := p[len(p)-1].Key
	types := []reflect.Type{root}
	for _, step := range p[:len(p)-1] {
		types = append(types, typeAt(types[len(types)-1], step))
	}
	beside := FieldsOf(types[len(types)-1])
	best, most := "", 1+len(name)/5
	for _, known := range slices.Sorted(maps.Keys(beside)) {
		if d := editDistance(strings.ToLower(name), strings.ToLower(known)); d < most || d == most && best == "" {
			best, most = known, d
		}
	}
	if best != "" {
		return "is " + best + " meant?"
	}
	if _, ok := beside["matchLabels"]; ok {
		return "labels stand under matchLabels"
	}
	for i := len(types) - 1; i >= 0; i-- {
		if found := placeOf(types[i], name, 4); found != "" && i < len(types) {
			return "it belongs at " + strings.TrimPrefix(p[:i].String()+"."+found, ".")
		}
	}
	return ""
}

// pathIn reads a path that joins keys with dots, which a key may hold itself: they are
// those that the content has.
func pathIn(v any, text string) fieldpath.Path {
	switch x := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			rest, ok := strings.CutPrefix(text, k)
			if ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
				return append(fieldpath.Path{fieldpath.Key(k)}, pathIn(x[k], strings.TrimPrefix(rest, "."))...)
			}
		}
	case []any:
		if p := fieldpath.Parse(text); len(p) > 0 && p[0].Index >= 0 && p[0].Index < len(x) {
			_, rest, _ := strings.Cut(text, "]")
			return append(fieldpath.Path{p[0]}, pathIn(x[p[0].Index], strings.TrimPrefix(rest, "."))...)
		}
	}
	return fieldpath.Parse(text)
}

// placeOf is the path of the nearest field of a name below a type, or "".
func placeOf(t reflect.Type, name string, depth int) string {
	type place struct {
		t  reflect.Type
		at string
	}
	level := []place{{t, ""}}
	for ; depth > 0 && len(level) > 0; depth-- {
		var next []place
		for _, l := range level {
			fields := FieldsOf(l.t)
			if _, ok := fields[name]; ok {
				return strings.TrimPrefix(l.at+"."+name, ".")
			}
			for _, k := range slices.Sorted(maps.Keys(fields)) {
				if l.at == "" && (k == "metadata" || k == "status") {
					continue
				}
				f := fields[k]
				if f.Kind() == reflect.Slice {
					f, k = f.Elem(), k+"[]"
				}
				next = append(next, place{f, l.at + "." + k})
			}
		}
		level = next
	}
	return ""
}

// typeAt is the type of a step into a type; nil where it has none.
func typeAt(t reflect.Type, step fieldpath.Step) reflect.Type {
	t = bare(t)
	switch {
	case t == nil:
		return nil
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Map:
		return t.Elem()
	}
	return FieldsOf(t)[step.Key]
}

// FieldsOf are the fields of a struct by their names in JSON, each of what its pointer points to; none of another type.
func FieldsOf(t reflect.Type) map[string]reflect.Type {
	t = bare(t)
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	out := map[string]reflect.Type{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case name != "":
			out[name] = bare(f.Type)
		case f.Anonymous || strings.Contains(options, "inline"):
			maps.Copy(out, FieldsOf(f.Type))
		}
	}
	return out
}

func bare(t reflect.Type) reflect.Type {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// editDistance counts the letters to insert, delete, replace, or swap with the next one.
func editDistance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}

// decrypted stands for an encrypted value: it is no empty key, and a document where one has to be.
const decrypted = "{}"

// readableSecret gives a Secret whose data can be decoded, and the reasons why the API server refuses it. An encrypted
// Secret is decrypted before it is applied: its values stand for others, which the Secret's type allows.
func readableSecret(content map[string]any) (map[string]any, []object.Refusal) {
	sops := content["sops"] != nil
	out := maps.Clone(content)
	if sops {
		delete(out, "sops")
	}
	data, isMap := out["data"].(map[string]any)
	if s, isText := out["data"].(string); isText && (sops || strings.HasPrefix(s, "ENC[")) {
		delete(out, "data")
		delete(out, "type") // whose keys are not known
	}
	if texts, ok := out["stringData"].(map[string]any); ok {
		open := maps.Clone(texts)
		for k, v := range open {
			if s, isText := v.(string); isText && strings.HasPrefix(s, "ENC[") {
				open[k] = decrypted
			}
		}
		out["stringData"] = open
	}
	if !isMap {
		return out, nil
	}
	readable, refused := map[string]any{}, []object.Refusal(nil)
	for _, k := range slices.Sorted(maps.Keys(data)) {
		readable[k] = data[k]
		s, isText := data[k].(string)
		if !isText {
			continue
		}
		if _, err := base64.StdEncoding.DecodeString(s); err == nil {
			continue
		}
		readable[k] = ""
		if sops || strings.HasPrefix(s, "ENC[") {
			readable[k] = base64.StdEncoding.EncodeToString([]byte(decrypted))
		} else {
			refused = append(refused, object.Refusal{
				Path: append(fieldpath.Path{fieldpath.Key("data")}, fieldpath.Key(k)).String(),
				Text: fmt.Sprintf("the value is not base64: is %s meant?", "stringData"),
			})
		}
	}
	out["data"] = readable
	return out, refused
}
