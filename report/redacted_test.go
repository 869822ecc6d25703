package report

import (
	"reflect"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// A result with every field filled in is redacted and cleaned, of whatever types it comes to be made of.
func TestCopiesTakeAnything(t *testing.T) {
	r := &finding.Result{}
	fill(reflect.ValueOf(r).Elem(), 6)
	if len(r.Coverage.Swarmed) == 0 || len(r.Findings) == 0 {
		t.Fatal("nothing is filled in")
	}
	out := Redacted(r, func(string) string { return "hidden" })
	if len(out.Coverage.Swarmed) != 1 || out.Coverage.Swarmed[0].Nodes != 1 || out.Findings[0].Message != "hidden" {
		t.Errorf("%+v", out.Coverage.Swarmed)
	}
	if out := sanitized(r); len(out.Coverage.Swarmed) != 1 || out.Coverage.Swarmed[0].Nodes != 1 {
		t.Errorf("cleaned: %+v", out.Coverage.Swarmed)
	}
}

// fill gives each exported field something, so many levels deep.
func fill(v reflect.Value, depth int) {
	if depth == 0 || !v.CanSet() {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth-1)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), depth-1)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), depth-1)
	case reflect.String:
		v.SetString("text")
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint64:
		v.SetUint(1)
	}
}
