package static

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
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
