package policies

import (
	"reflect"
	"slices"
	"testing"

	"github.com/kubesettle/kubesettle/policies/rules"
)

// TestWhatARuleIsMadeOfIsItsContent changes every field of an intent in turn. Those that a search depends on have to
// show in the content of the rules: what is kept of searches goes by it. The others are named here.
func TestWhatARuleIsMadeOfIsItsContent(t *testing.T) {
	judges := func(p *Policy) (out []string) {
		list, err := Select(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list {
			c, known := r.Content()
			if !known {
				t.Fatalf("%s: nobody knows its content", r.ID)
			}
			out = append(out, c)
		}
		return out
	}
	words := []string{"Severity", "Message", "Help", "File", "Line"}                             // of what was found
	forms := map[string]bool{"Always": true, "Never": true, "Eventually": true, "Settles": true} // one of which is set
	plain := CustomIntent{Name: "own", Always: "self.ready >= 0"}
	typ := reflect.TypeFor[CustomIntent]()
	for i := range typ.NumField() {
		in, name := plain, typ.Field(i).Name
		f := reflect.ValueOf(&in).Elem().Field(i)
		switch {
		case forms[name]:
			in.Always = ""
			f.SetString("self.ready >= 1")
		case f.Kind() == reflect.String && name == "Severity":
			f.SetString("note")
		case f.Kind() == reflect.String:
			f.SetString("other")
		case f.Kind() == reflect.Int:
			f.SetInt(7)
		default:
			f.Set(reflect.ValueOf([]string{"default/web"}))
		}
		a, b := judges(&Policy{Custom: []CustomIntent{plain}}), judges(&Policy{Custom: []CustomIntent{in}})
		if same := slices.Equal(a, b); same != slices.Contains(words, name) {
			t.Errorf("custom intent with another %s: the same content is %v", name, same)
		}
	}
	floor := func(in Intent) []string { return judges(&Policy{Intents: map[string]Intent{rules.BelowFloor: in}}) }
	for _, tt := range []struct {
		in   Intent
		same bool
	}{{Intent{}, true}, {Intent{Severity: rules.Note}, true}, {Intent{MinReady: 1}, false}, {Intent{MinReady: 2}, false}} {
		if same := slices.Equal(floor(tt.in), judges(nil)); same != tt.same {
			t.Errorf("below-floor with %+v: the same content is %v", tt.in, same)
		}
	}
	if slices.Equal(floor(Intent{MinReady: 1}), floor(Intent{MinReady: 2})) {
		t.Error("two floors have one content")
	}
	if reflect.TypeFor[Intent]().NumField() != 3 {
		t.Error("an intent has another field: say here whether a search depends on it")
	}
}
