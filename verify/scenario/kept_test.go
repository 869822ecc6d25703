package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/verify/memo"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// leftOut are the fields that may change without another key, each with its reason in kept.go. A field that is not here
// has to make a difference.
var leftOut = map[reflect.Type][]string{
	reflect.TypeFor[search.Options]():    {"Workers", "MaxBytes", "MaxTime", "Progress", "sizes"},
	reflect.TypeFor[resource.Quantity](): {"s"},
}

func keyed(t *testing.T, v reflect.Value) memo.Key {
	t.Helper()
	d := memo.NewDigest(derived())
	d.Add("", v.Interface())
	k, err := d.Key()
	if err != nil {
		t.Fatalf("%v: %v", v.Type(), err)
	}
	return k
}

// open gives a field that can be set, whether it is exported or not.
func open(v reflect.Value) reflect.Value {
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

// reachable lists the struct types that a value of a type can hold.
func reachable(t reflect.Type, seen map[reflect.Type]bool) []reflect.Type {
	if seen[t] {
		return nil
	}
	seen[t] = true
	var out []reflect.Type
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		out = reachable(t.Elem(), seen)
	case reflect.Map:
		out = append(reachable(t.Key(), seen), reachable(t.Elem(), seen)...)
	case reflect.Struct:
		out = append(out, t)
		for i := range t.NumField() {
			out = append(out, reachable(t.Field(i).Type, seen)...)
		}
	}
	return out
}

// another gives values of a type that all differ, its zero among them; depth bounds how deep they are nested.
func another(t reflect.Type, depth int) []reflect.Value {
	zero := reflect.New(t).Elem()
	out := []reflect.Value{zero}
	add := func(set func(v reflect.Value)) {
		v := reflect.New(t).Elem()
		set(v)
		out = append(out, v)
	}
	switch t.Kind() {
	case reflect.Bool:
		add(func(v reflect.Value) { v.SetBool(true) })
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		add(func(v reflect.Value) { v.SetInt(1) })
		add(func(v reflect.Value) { v.SetInt(-1) })
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		add(func(v reflect.Value) { v.SetUint(1) })
	case reflect.Float32, reflect.Float64:
		add(func(v reflect.Value) { v.SetFloat(0.5) })
	case reflect.String:
		add(func(v reflect.Value) { v.SetString("a") })
		add(func(v reflect.Value) { v.SetString("b") })
	case reflect.Pointer:
		if depth > 0 {
			for _, e := range another(t.Elem(), depth-1) {
				add(func(v reflect.Value) { v.Set(reflect.New(t.Elem())); v.Elem().Set(e) })
			}
		}
	case reflect.Slice:
		add(func(v reflect.Value) { v.Set(reflect.MakeSlice(t, 0, 0)) })
		if depth > 0 {
			for _, e := range another(t.Elem(), depth-1) {
				add(func(v reflect.Value) { v.Set(reflect.Append(v, e)) })
				add(func(v reflect.Value) { v.Set(reflect.Append(v, e, e)) })
			}
		}
	case reflect.Map:
		add(func(v reflect.Value) { v.Set(reflect.MakeMap(t)) })
		if depth > 0 {
			for _, k := range another(t.Key(), depth-1) {
				for _, e := range another(t.Elem(), depth-1) {
					add(func(v reflect.Value) { v.Set(reflect.MakeMap(t)); v.SetMapIndex(k, e) })
				}
			}
		}
	case reflect.Struct, reflect.Array:
		if depth > 0 {
			if v := reflect.New(t).Elem(); change(v, depth) {
				out = append(out, v)
			}
		}
	}
	return out
}

// change makes the first part of a struct or an array that has another value, and counts, have it;
// false where there is none within the depth.
func change(v reflect.Value, depth int) bool {
	if v.Kind() == reflect.Array {
		if e := another(v.Type().Elem(), depth-1); v.Len() > 0 && len(e) > 1 {
			v.Index(0).Set(e[len(e)-1])
			return true
		}
		return false
	}
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.Unix(1, 0).UTC()))
		return true
	}
	for i := range v.NumField() {
		if slices.Contains(leftOut[v.Type()], v.Type().Field(i).Name) {
			continue
		}
		if e := another(v.Type().Field(i).Type, depth-1); len(e) > 1 {
			open(v.Field(i)).Set(e[len(e)-1])
			return true
		}
	}
	return false
}

// written is an expression of which only the text is known.
type written string

func (w written) Content() string                              { return string(w) }
func (w written) For(*state.Config, int) (state.Reading, bool) { return nil, false }

// TestEveryFieldOfAConfigurationHasItsKey gives every field, exported or not, of every struct that a compiled
// configuration or a question can hold values that differ, and wants as many keys: for each type on its own, as the
// digest of a whole is made of those of its parts. A new field counts by itself, or has to be left out here, too.
func TestEveryFieldOfAConfigurationHasItsKey(t *testing.T) {
	seen := map[reflect.Type]bool{}
	types := append(reachable(reflect.TypeFor[state.Config](), seen), reachable(reflect.TypeFor[asking](), seen)...)
	fields := 0
	for _, typ := range types {
		if typ == reflect.TypeFor[time.Time]() || typ == reflect.TypeFor[time.Location]() {
			continue // digested as the instant that it is; see memo's own test
		}
		for i := range typ.NumField() {
			f := typ.Field(i)
			out := slices.Contains(leftOut[typ], f.Name)
			values := another(f.Type, 3)
			if len(values) < 2 && !out && typ.NumField() > 0 && (f.Type.Kind() != reflect.Struct || f.Type.NumField() > 0) {
				if f.Type.Kind() == reflect.Interface { // whatever is in it has to be of a type that can be digested
					for _, x := range []any{errors.New("x"), errors.New("y"), written("x"), written("y")} {
						if reflect.TypeOf(x).Implements(f.Type) {
							values = append(values, reflect.ValueOf(x))
						}
					}
				} else {
					t.Fatalf("%v.%s: no values of %v to try", typ, f.Name, f.Type)
				}
			}
			keys := map[memo.Key]int{}
			for k, x := range values {
				v := reflect.New(typ).Elem()
				if out && f.Type.Kind() == reflect.Func {
					continue
				}
				open(v.Field(i)).Set(x)
				keys[keyed(t, v)] = k
			}
			fields++
			switch {
			case out && len(keys) > 1:
				t.Errorf("%v.%s is left out, and counts", typ, f.Name)
			case !out && len(keys) != len(values):
				t.Errorf("%v.%s: %d values have %d keys", typ, f.Name, len(values), len(keys))
			}
		}
	}
	t.Logf("%d fields of %d types", fields, len(types))
	if len(types) < 150 || fields < 800 {
		t.Errorf("%d fields of %d types: the test has lost its teeth", fields, len(types))
	}
}

// TestAnUnsoundAnswerIsNone changes an answer that was kept: one that cannot be true of the question is not taken.
func TestAnUnsoundAnswerIsNone(t *testing.T) {
	p := keptProblem(t)
	dir := t.TempDir()
	bud := Budget{States: 1_000_000, Kept: memo.Open(dir, func() string { return "p" }, true)}
	initial, _, err := p.Settle(t.Context(), state.Base, bud)
	if err != nil || len(initial) == 0 {
		t.Fatal(initial, err)
	}
	results, err := p.explore(t.Context(), initial, 1, bud)
	if err != nil || len(results[0].Violations) == 0 {
		t.Fatal("nothing found", err)
	}
	bud.Kept.Close()
	bud.Kept = memo.Open(dir, func() string { return "p" }, false)
	again, err := p.explore(t.Context(), initial, 1, bud)
	if _, found := bud.Kept.Counts(); err != nil || found != 1 || !reflect.DeepEqual(again, results) {
		t.Fatalf("found %d; %v", found, err)
	}
	sys := p.System
	sys.Initial = initial
	q := question{sys: sys, opt: bud.options()}
	for what, spoil := range map[string]func(r *search.Result, v *search.Violation){
		"as it is":              func(*search.Result, *search.Violation) {},
		"cut off by states":     func(r *search.Result, _ *search.Violation) { r.Bound = search.StateBound },
		"cut off by time":       func(r *search.Result, _ *search.Violation) { r.Bound = search.TimeBound },
		"more than memory has":  func(r *search.Result, _ *search.Violation) { r.Bytes = 1 << 40 },
		"states of another":     func(r *search.Result, _ *search.Violation) { r.Settled = append(r.Settled, []byte{1}) },
		"a rule that is none":   func(_ *search.Result, v *search.Violation) { v.Rule = 1 << 20 },
		"another start":         func(_ *search.Result, v *search.Violation) { v.Start = make([]byte, p.Cfg.Width()) },
		"a step that is none":   func(_ *search.Result, v *search.Violation) { v.Steps[0].Actor = -1 },
		"a state that is none":  func(_ *search.Result, v *search.Violation) { v.Steps[0].To[0] ^= 1 },
		"a loop that is none":   func(_ *search.Result, v *search.Violation) { v.CycleStart = -7 },
		"events that were none": func(_ *search.Result, v *search.Violation) { v.Events++ },
	} {
		b, err := json.Marshal(answer{Result: results[0]})
		if err != nil {
			t.Fatal(err)
		}
		var a answer
		if err := json.Unmarshal(b, &a); err != nil {
			t.Fatal(err)
		}
		k := slices.IndexFunc(a.Result.Violations, func(v search.Violation) bool { return len(v.Steps) > 0 })
		spoil(a.Result, &a.Result.Violations[k])
		bud := bud
		bud.Bytes = 1 << 30
		if sound := a.sound(q, bud); sound != (what == "as it is") {
			t.Errorf("%s: sound is %v", what, sound)
		}
	}
}

// TestWhatABudgetCutOffIsNotKept searches with too few states, and then asks what is kept of it.
func TestWhatABudgetCutOffIsNotKept(t *testing.T) {
	p := keptProblem(t)
	dir := t.TempDir()
	kept := memo.Open(dir, func() string { return "p" }, true)
	results, err := p.explore(t.Context(), p.Installs(state.Base), -1, Budget{States: 100, Kept: kept})
	if err != nil || results[0].Bound != search.StateBound {
		t.Fatal(results, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if results, err = p.explore(ctx, p.Installs(state.Base), -1, Budget{States: 1_000_000, Kept: kept}); err == nil && results[0].Bound == search.Complete {
		t.Fatal("a search that was cancelled is complete")
	}
	kept.Close()
	if list, _ := filepath.Glob(filepath.Join(dir, "v1", "*")); len(list) > 0 {
		t.Errorf("kept %v", list)
	}
}
