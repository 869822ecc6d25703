package static

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubesettle/kubesettle/render/object"
)

// What somebody fills in before the API server sees it is no error; a name that is only
// written wrong is one.
func TestNameFilledIn(t *testing.T) {
	t.Parallel()
	at := field.NewPath("metadata", "name")
	for name, want := range map[string]bool{
		"ROLLOUT_NAME-active": true, "disk-wipe-HOSTNAME": true, "NODE-debug": true, "USER": true, "my-API": false, "Frontend": false, "Node-debug": false, "my-NODES": false, "web-ROLLOUT_NAME": true, "NAMESPACE": true,
		"web_active": false, "Web": false, "MyApp": false, "WEB": false, "-web": false, "web.": false, "we b": false,
		"Web_Active": false, "web-1_a": false, "1_A b": false,
	} {
		said := validation.IsDNS1123Label(name)
		if len(said) == 0 {
			t.Fatalf("%q is a name", name)
		}
		if got := nameFilledIn(field.Invalid(at, name, said[0])); got != want {
			t.Errorf("%q: filled in %v, want %v", name, got, want)
		}
	}
	if nameFilledIn(field.Invalid(at, nil, "unknown field")) || nameFilledIn(field.Required(at, "")) {
		t.Error("an error about no value is about a placeholder")
	}
	// Outside of names, words in capitals are what they are.
	env := field.NewPath("spec", "restartPolicy")
	if nameFilledIn(field.NotSupported(env, "ALWAYS_ON", []string{"Always"})) {
		t.Error("a policy in capitals is filled in by nobody")
	}
}

// A text that only stands for one that a chart asks for is no value that the API server refuses, whatever wants a number
// there; what is wrong beside it is.
func TestStandInsAreNotRefused(t *testing.T) {
	o := &object.Object{Content: map[string]any{"spec": map[string]any{
		"limit": "example", "max": "sample", "map": map[string]any{"example": "example"}}}}
	at := func(path string, bad any) *field.Error {
		return &field.Error{Type: field.ErrorTypeInvalid, Field: path, BadValue: bad}
	}
	for _, c := range []struct {
		e    *field.Error
		want bool
	}{
		{at("spec.limit", nil), true}, {at("spec.max", nil), false}, {at("spec.map", nil), false},
		{at("spec.map", map[string]any{"example": "example"}), false}, {at("spec.map.example", nil), true},
		{at("spec.gone", intstr.FromString("example")), true}, {at("spec.gone", intstr.FromInt32(1)), false},
		{at("spec.gone", "EXAMPLE"), true},
	} {
		if got := standsIn(o, c.e); got != c.want {
			t.Errorf("%v: %v, want %v", c.e, got, c.want)
		}
	}
}
