package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubesettle/kubesettle/verify/finding"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden files in testdata")

// fillStrings replaces every string that v holds.
func fillStrings(v any, f func(string) string) { fillValue(reflect.ValueOf(v).Elem(), f) }

func fillValue(v reflect.Value, f func(string) string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fillValue(v.Elem(), f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fillValue(v.Field(i), f)
		}
	case reflect.Slice:
		for i := range v.Len() {
			fillValue(v.Index(i), f)
		}
	case reflect.Map:
		keys := v.MapKeys() // all maps of a result have strings for keys
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, k := range keys {
			n := v.MapIndex(k)
			v.SetMapIndex(k, reflect.Value{})
			v.SetMapIndex(reflect.ValueOf(f(k.String())), n)
		}
	case reflect.String:
		v.SetString(f(v.String()))
	}
}

// golden compares got with a file, or writes it with -rewrite.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name)
	if *rewrite {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); d != "" {
		t.Errorf("%s (-golden +got); go test ./report -run %s -rewrite\n%s", name, t.Name(), d)
	}
}

// surface is one output of the package, for what must hold on all of them.
type surface struct {
	name  string
	write func(t *testing.T, r *finding.Result) string
}

func written(t *testing.T, write func(*bytes.Buffer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var testMarker = Marker{Instance: "prod", Head: "2222222222222222222222222222222222222222", RunID: 17, Attempt: 2}

func testMarkdown() Options {
	return Options{Marker: testMarker, Repository: "https://github.com/acme/shop", Run: "https://github.com/acme/shop/actions/runs/17"}
}

func surfaces() []surface {
	return []surface{
		{"txt", func(t *testing.T, r *finding.Result) string {
			return written(t, func(b *bytes.Buffer) error { return Text(b, r, Options{Rules: testRules}) })
		}},
		{"json", func(t *testing.T, r *finding.Result) string {
			return written(t, func(b *bytes.Buffer) error { return JSON(b, r) })
		}},
		{"sarif", func(t *testing.T, r *finding.Result) string {
			return written(t, func(b *bytes.Buffer) error {
				return SARIF(b, r, Options{Rules: testRules, Repository: "https://github.com/acme/shop"})
			})
		}},
		{"comment.md", func(_ *testing.T, r *finding.Result) string { return Comment(r, testMarkdown()) }},
		{"resolved.md", func(_ *testing.T, r *finding.Result) string { return Resolved(r, testMarkdown()) }},
		{"summary.md", func(t *testing.T, r *finding.Result) string {
			return written(t, func(b *bytes.Buffer) error { return Summary(b, r, testMarkdown()) })
		}},
		{"codequality", func(t *testing.T, r *finding.Result) string {
			return written(t, func(b *bytes.Buffer) error { return CodeQuality(b, r, Options{}) })
		}},
		{"junit.xml", func(t *testing.T, r *finding.Result) string {
			return written(t, func(b *bytes.Buffer) error { return JUnit(b, r, Options{}) })
		}},
		{"html", func(t *testing.T, r *finding.Result) string {
			return written(t, func(b *bytes.Buffer) error {
				return HTML(b, r, Options{Rules: testRules, Repository: "https://github.com/acme/shop"})
			})
		}},
		{"annotations", func(_ *testing.T, r *finding.Result) string {
			list, left := Annotations(r, AnnotationOptions{Rules: testRules})
			var b strings.Builder
			for _, a := range list {
				b.WriteString(a.WorkflowCommand() + "\n")
			}
			if left > 0 {
				b.WriteString(count(left, "annotation") + " left out\n")
			}
			return b.String()
		}},
	}
}

// goldenResults are one of each kind.
func goldenResults() map[string]*finding.Result {
	return map[string]*finding.Result{"spread": spreadResult(), "loop": loopResult(), "rollout": rolloutResult(), "empty": emptyResult(), "nothing": nothingResult()}
}

func TestGolden(t *testing.T) {
	for name, r := range goldenResults() {
		for _, s := range surfaces() {
			t.Run(name+"."+s.name, func(t *testing.T) {
				got := s.write(t, r)
				if s.name != "html" { // its markup is checked by structure
					golden(t, name+"."+s.name, got)
				}
				if again := s.write(t, r); again != got {
					t.Error("the second output differs from the first")
				}
			})
		}
	}
}

// Control bytes never leave, whatever the result holds; a result is not changed.
func TestControlBytesAreStripped(t *testing.T) {
	for k := 0; k < len(hostile); k += 5 { // each result has every hostile string somewhere
		r := hostileResult(k)
		before := hostileResult(k)
		for _, s := range surfaces() {
			for i, c := range s.write(t, r) {
				if hidden(c) {
					t.Fatalf("%s: rune %U at byte %d", s.name, c, i)
				}
			}
		}
		if d := cmp.Diff(before, r); d != "" {
			t.Fatalf("the result was changed:\n%s", d)
		}
	}
}
