package render

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
)

// randomValue is a value of JSON's kinds, up to a depth.
func randomValue(r *rand.Rand, depth int) any {
	switch n := r.Intn(8); {
	case n < 3 && depth > 0:
		m := map[string]any{}
		for range r.Intn(4) {
			m[[]string{"name", "image", "a.b/c", "value", "replicas", "x"}[r.Intn(6)]] = randomValue(r, depth-1)
		}
		return m
	case n < 5 && depth > 0:
		l := make([]any, r.Intn(4))
		for i := range l {
			l[i] = randomValue(r, depth-1)
		}
		return l
	case n == 5:
		return int64(r.Intn(3))
	case n == 6:
		return r.Intn(2) == 0
	}
	return []string{"a", "b", "1", "true", ""}[r.Intn(5)]
}

func randomObject(r *rand.Rand, name string) *object.Object {
	o := &object.Object{ID: object.ID{Group: "example.com", Version: "v1", Kind: "Thing", Namespace: "default", Name: name}, Release: "r"}
	o.Content = map[string]any{
		"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": name}, "spec": randomValue(r, 4),
	}
	return o
}

func revisionOf(t *testing.T, objects ...*object.Object) *object.Revision {
	t.Helper()
	tree, err := tree.Map("x", map[string]string{"a": "b"})
	if err != nil {
		t.Fatal(err)
	}
	return &object.Revision{Tree: tree, Releases: []*object.Rendered{{Release: object.Release{ID: "r"}, Objects: objects}}}
}

// The difference of a revision with itself is empty; with another one it is empty only
// where the objects mean the same; a failed side gives no change.
func TestDiffProperties(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 500 {
		a, b := randomObject(r, "a"), randomObject(r, "a")
		same, err := Diff(revisionOf(t, a), revisionOf(t, a))
		if err != nil || len(same.Changes) != 0 {
			t.Fatalf("diff with itself: %v %v of %v", same.Changes, err, a.Content)
		}
		ch, err := Diff(revisionOf(t, a), revisionOf(t, b))
		if err != nil {
			t.Fatal(err)
		}
		if len(ch.Changes) == 0 && fmt.Sprint(dropEmpty(a.Content)) != fmt.Sprint(dropEmpty(b.Content)) && !reordered(a.Content, b.Content) {
			t.Fatalf("no change between\n%v\n%v", a.Content, b.Content)
		}
		for _, c := range ch.Changes {
			for i, f := range c.Fields {
				if i > 0 && fieldpath.Less(f.Path, c.Fields[i-1].Path) {
					t.Fatalf("fields out of order: %s after %s", f.Path, c.Fields[i-1].Path)
				}
			}
		}
		failed := revisionOf(t, b)
		failed.Releases[0].Err = &object.Failure{Reason: "x"}
		if ch, _ := Diff(revisionOf(t, a), failed); len(ch.Changes) != 0 {
			t.Fatalf("a failed release changed: %v", ch.Changes)
		}
	}
}

// dropEmpty removes empty maps and lists, which mean the same as none.
func dropEmpty(v any) any {
	switch x := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for k, e := range x {
			if e = dropEmpty(e); e != nil {
				m[k] = e
			}
		}
		if len(m) > 0 {
			return m
		}
		return nil
	case []any:
		if len(x) == 0 {
			return nil
		}
		l := make([]any, len(x))
		for i, e := range x {
			l[i] = dropEmpty(e)
		}
		return l
	}
	return v
}

// reordered reports whether two objects have the same leaves in another order.
func reordered(a, b any) bool {
	count := map[string]int{}
	fieldpath.Leaves(a, nil, func(p fieldpath.Path, v any) { count[fmt.Sprint(p[len(p)-1].Key, v)]++ })
	fieldpath.Leaves(b, nil, func(p fieldpath.Path, v any) { count[fmt.Sprint(p[len(p)-1].Key, v)]-- })
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// A path that was written is read back, for every leaf of a value.
func TestPathRoundTrip(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for range 500 {
		v := map[string]any{"labels": map[string]any{"a.b/c": "x", "plain": "y"}, "spec": randomValue(r, 5)}
		fieldpath.Leaves(v, nil, func(p fieldpath.Path, want any) {
			got, ok := fieldpath.Parse(p.String()).Get(v)
			if !ok || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%s: %v, want %v", p, got, want)
			}
		})
	}
}

// Applying a unified diff to one side gives the other.
func TestUnifiedDiffApplies(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for range 500 {
		a, b := randomObject(r, "a"), randomObject(r, "a")
		text := UnifiedDiff(object.Change{Kind: object.Modified, Base: a, Head: b})
		from, to := redactPair(a, b) // what may be shown of them
		if got, want := applyUnified(t, yamlText(from), text), yamlText(to); got != want {
			t.Fatalf("from\n%s\nby\n%s\ncame\n%s\nwant\n%s", yamlText(from), text, got, want)
		}
	}
}

// applyUnified applies a diff as the patch command does, without fuzz.
func applyUnified(t *testing.T, from, diff string) string {
	t.Helper()
	old := strings.Split(strings.TrimSuffix(from, "\n"), "\n")
	var out []string
	at := 0
	for _, l := range strings.Split(strings.TrimSuffix(diff, "\n"), "\n")[2:] {
		if strings.HasPrefix(l, "@@ ") {
			var start, count int
			if n, _ := fmt.Sscanf(l, "@@ -%d,%d", &start, &count); n == 1 {
				count = 1
			}
			if count == 0 {
				start++
			}
			for ; at < start-1; at++ {
				out = append(out, old[at])
			}
			continue
		}
		if l[0] != '+' {
			if old[at] != l[1:] {
				t.Fatalf("line %d is %q, the diff says %q\n%s", at+1, old[at], l[1:], diff)
			}
			at++
		}
		if l[0] != '-' {
			out = append(out, l[1:])
		}
	}
	return strings.Join(append(out, old[at:]...), "\n") + "\n"
}

// FuzzDecodeStream: no input makes the decoder panic or give what JSON cannot hold.
func FuzzDecodeStream(f *testing.F) {
	for _, s := range []string{"a: 1\n---\nb: [x, *y]\n", "&a {*a: 1}", "? {a: b}\n: c", "1: 2\ntrue: x\n", "a: !!binary x", "{", "a: .inf", "- a", "a: 2020-01-01"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		docs, fail := document.Decode("f.yaml", b)
		if fail != nil {
			if fail.Where.StartLine < 1 || fail.Where.EndColumn <= 0 {
				t.Fatalf("no place: %+v", fail)
			}
			return
		}
		for _, d := range docs {
			if _, err := yaml.Marshal(d.Content); err != nil {
				t.Fatalf("%v does not marshal: %v", d.Content, err)
			}
		}
	})
}

// FuzzParsePath: every text is a path, and what is written again is stable.
func FuzzParsePath(f *testing.F) {
	for _, s := range []string{"spec.a[0].b[c.d/e]", "[", "a..b", "a[b", "[0]", ".A.A0.00000"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := fieldpath.Parse(s).String()
		if strings.ContainsAny(s, "]\"'") {
			return // keys with brackets or quotes have no notation
		}
		if twice := fieldpath.Parse(once).String(); twice != once {
			t.Fatalf("%q: %q, then %q", s, once, twice)
		}
	})
}

// FuzzDiff: two arbitrary manifests never break the differ, and equal ones never differ.
func FuzzDiff(f *testing.F) {
	for _, m := range plants {
		f.Add(plant(m, "a"), plant(m, "b"))
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		ra, rb := renderFiles(t, map[string]string{"m/a.yaml": a}), renderFiles(t, map[string]string{"m/a.yaml": b})
		ch, err := Diff(ra, rb)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range ch.Changes {
			UnifiedDiff(c)
		}
		if same, _ := Diff(ra, ra); len(same.Changes) > 0 {
			t.Fatalf("differs from itself: %v", same.Changes)
		}
	})
}
