package memo

import (
	"errors"
	"reflect"
	"testing"
	"time"
)

type nested struct {
	A    int
	b    string
	p    *nested
	m    map[string]int
	Any  any
	left int
}

func digest(t *testing.T, v any) Key {
	t.Helper()
	d := NewDigest(Derived{reflect.TypeFor[nested](): {"left"}})
	d.Add("v", v)
	k, err := d.Key()
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestDigestsTellValuesApart(t *testing.T) {
	var none *nested
	list := []any{
		nil, none, 0, int8(0), uint(0), "", "0", false, true, 0.0, 1.5, []int(nil), []int{}, []int{0}, []int{0, 0}, [1]int{0},
		[]string{"a", "b"}, []string{"ab"}, []string{"a", "b", ""}, []byte("ab"), []byte(nil), map[string]int(nil), map[string]int{},
		map[string]int{"a": 1}, map[string]int{"a": 1, "b": 2}, map[string]int{"a": 2, "b": 1}, map[string]int{"ab": 1},
		nested{}, &nested{}, nested{A: 1}, nested{b: "1"}, nested{p: &nested{}}, nested{p: &nested{A: 1}}, nested{p: &nested{p: &nested{}}},
		nested{m: map[string]int{}}, nested{m: map[string]int{"": 0}}, nested{Any: 1}, nested{Any: "1"}, nested{Any: int8(1)}, nested{Any: nested{}}, nested{Any: &nested{}},
		time.Unix(0, 0).UTC(), time.Unix(1, 0).UTC(), time.Unix(1, 0).In(time.FixedZone("x", 3600)), time.Time{},
	}
	for i, a := range list {
		for j, b := range list {
			if same := digest(t, a) == digest(t, b); same != (i == j) {
				t.Errorf("%#v and %#v: the same is %v", a, b, same)
			}
		}
	}
	if digest(t, nested{A: 1, left: 1}) != digest(t, nested{A: 1, left: 2}) {
		t.Error("what is derived counts")
	}
}

func TestDigestsDoNotHangOnOrder(t *testing.T) {
	want := Key{}
	for i := range 50 {
		m := map[string]map[int]string{}
		for k := range 20 {
			k = (k*7 + i) % 20
			m[string(rune('a'+k))] = map[int]string{k: "x", -k - 1: "y"}
		}
		if got := digest(t, m); i == 0 {
			want = got
		} else if got != want {
			t.Fatal("another digest")
		}
	}
}

func TestWhatCannotBeSeenIsRefused(t *testing.T) {
	loop := &nested{}
	loop.p = loop
	for _, v := range []any{func() {}, make(chan int), []any{func() {}}, map[string]any{"a": func() {}}, nested{Any: digest}, loop} {
		d := NewDigest(nil)
		d.Add("v", v)
		if _, err := d.Key(); !errors.Is(err, ErrOpaque) {
			t.Errorf("%T: %v", v, err)
		}
	}
	d := NewDigest(Derived{reflect.TypeFor[nested](): {"gone"}})
	if _, err := d.Key(); err == nil {
		t.Error("a field that is not there is left out")
	}
}
