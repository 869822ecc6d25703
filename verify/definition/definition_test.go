package definition_test

import (
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/verify/definition"
)

const widgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.acme.example}
spec:
  group: acme.example
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, required: [size, mode],
      x-kubernetes-validations: [{rule: self.size >= oldSelf.size, message: size may only grow}],
      properties: {size: {type: integer, maximum: 5}, mode: {type: string, default: fast, enum: [fast, slow]},
        tags: {type: array, x-kubernetes-list-type: set, items: {type: string}},
        any: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}}}
`

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	var out map[string]any
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// A resource is refused for what the API server refuses: unknown fields, values, sets, transitions; not for what a
// default fills in, for what the schema preserves, or for what was as wrong before.
func TestResourcesAreHeldAgainstTheirDefinition(t *testing.T) {
	d, err := definition.Read(object(t, widgets), "v1")
	if err != nil || d == nil {
		t.Fatal(d, err)
	}
	for _, tc := range []struct{ now, was, field string }{
		{"{size: 3}", "", ""},
		{"{size: 9}", "", "spec.size"},
		{`{size: "3"}`, "", "spec.size"},
		{"{}", "", "spec.size"},
		{"{size: 3, colour: red}", "", "spec.colour"},
		{"{size: 3, any: {colour: red}}", "", ""},
		{"{size: 3, mode: slower}", "", "spec.mode"},
		{"{size: 3, tags: [a, a]}", "", "spec.tags[1]"},
		{"{size: 2}", "{size: 3}", "spec"},
		{"{size: 9, mode: slow}", "{size: 9}", ""},
		{"{size: 2}", "{size: 9}", ""},
	} {
		resource := func(spec string) map[string]any {
			if spec == "" {
				return nil
			}
			return object(t, "{apiVersion: acme.example/v1, kind: Widget, metadata: {name: w}, spec: "+spec+"}")
		}
		list := d.Refused(resource(tc.now), resource(tc.was))
		if len(list) == 0 && tc.field != "" || len(list) > 0 && (len(list) > 1 || list[0].Field != tc.field) {
			t.Errorf("%s after %q: refused for %v, want %q", tc.now, tc.was, list, tc.field)
		}
	}
	if d, err := definition.Read(object(t, widgets), "v2"); d != nil || err != nil {
		t.Errorf("a version that is not there: %v, %v", d, err)
	}
}

// A definition that stays is taken, and so is one in a version that nobody serves any more.
func TestDefinitionsAreChecked(t *testing.T) {
	crd := object(t, widgets)
	if list := definition.Check(crd, nil); len(list) > 0 {
		t.Error("created:", list)
	}
	if list := definition.Check(crd, crd); len(list) > 0 {
		t.Error("as it was:", list)
	}
	patch := object(t, "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, "+
		"metadata: {name: widgets.acme.example, annotations: {a: b}}}")
	if list := definition.Check(patch, nil); len(list) > 0 {
		t.Error("a patch:", list)
	}
	old := object(t, "{apiVersion: apiextensions.k8s.io/v1beta1, kind: CustomResourceDefinition}")
	if list := definition.Check(old, nil); list != nil {
		t.Error("v1beta1:", list)
	}
}
