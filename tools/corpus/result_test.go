package corpus

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Every field that is read of a result is one that is published: a renamed one would stay empty.
func TestEveryFieldIsPublished(t *testing.T) {
	raw, err := os.ReadFile("../../report/schema/result.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	checked := 0
	var walk func(at string, of reflect.Type, node map[string]any)
	walk = func(at string, of reflect.Type, node map[string]any) {
		for node["oneOf"] != nil { // null, or something
			node = node["oneOf"].([]any)[1].(map[string]any)
		}
		for node["$ref"] != nil {
			name := strings.TrimPrefix(node["$ref"].(string), "#/$defs/")
			node = schema["$defs"].(map[string]any)[name].(map[string]any)
		}
		switch of.Kind() {
		case reflect.Pointer:
			walk(at, of.Elem(), node)
		case reflect.Slice:
			items, _ := node["items"].(map[string]any)
			walk(at, of.Elem(), items)
		case reflect.Struct:
			properties, _ := node["properties"].(map[string]any)
			for i := range of.NumField() {
				f := of.Field(i)
				name := f.Tag.Get("json")
				if name == "-" {
					continue
				}
				var found map[string]any
				for k, v := range properties {
					if strings.EqualFold(k, f.Name) || k == name {
						found, _ = v.(map[string]any)
					}
				}
				if checked++; found == nil {
					t.Errorf("no %s.%s in the schema", at, f.Name)
					continue
				}
				walk(at+"."+f.Name, f.Type, found)
			}
		}
	}
	walk("result", reflect.TypeFor[Result](), schema)
	if checked < 40 {
		t.Errorf("%d fields were looked at", checked)
	}
}

// An edit takes the place of whole lines, also of the last one, and never reaches beyond the file.
func TestEditReplacesLines(t *testing.T) {
	for _, test := range []struct {
		first, last int
		want        string
	}{{1, 1, "new\nb\nc\n"}, {2, 3, "a\nnew\n"}, {3, 9, ""}, {0, 1, ""}} {
		f := Fix{Mechanical: true, Replacement: "new\n", Location: &Location{StartLine: test.first, EndLine: test.last}}
		if got, ok := f.Edit("a\nb\nc\n"); got != test.want || ok != (test.want != "") {
			t.Errorf("lines %d to %d: %q, %v", test.first, test.last, got, ok)
		}
	}
}

// A blamed field counts at each of its lines on head.
func TestAtIsWhereItIsBlamed(t *testing.T) {
	f := Finding{Blame: []Blame{{Path: "spec.replicas", Location: &Location{File: "app/values.yaml", StartLine: 12, EndLine: 13, Side: "head"}}}}
	for line := 11; line <= 14; line++ {
		if want := slices.Contains([]int{12, 13}, line); f.At("app/values.yaml", []int{line}) != want {
			t.Errorf("at line %d: %t", line, !want)
		}
	}
	if got, want := f.Blame[0].String(), "app/values.yaml:12 spec.replicas"; got != want {
		t.Errorf("blame %s, want %s", got, want)
	}
}
