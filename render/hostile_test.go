package render

import (
	"context"
	"flag"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/tree"
)

var defaultLimits = flag.Bool("default-limits", false, "let hostile input run into the limits that users have")

// hostileInput is what a repository may hold against whoever renders it: files of the
// release bad, and the words that its failure has; several, between bars, where it is the
// machine's speed that says which bound is met first.
var hostileInput = []struct {
	name  string
	files func() map[string]string
	want  string
}{
	{"a template that allocates without end", hostileChart(`{{ $a := list }}{{ range until 1000000 }}{{ $a = append $a (repeat 1000000 "x") }}{{ end }}{{ len $a }}`), "MiB of memory"},
	{"a template that allocates 2 GB at once", hostileChart(`a: {{ repeat 2000000000 "x" | len }}`), "MiB of memory"},
	{"a template that writes without end", hostileChart("{{ range until 1000000 }}{{ repeat 1000000 \"x\" }}\n{{ end }}"), "MiB of memory"},
	{"an endless range", hostileChart(`{{ define "a" }}{{ range until 1000000 }}{{ range until 1000000 }}{{ end }}{{ end }}{{ end }}{{ include "a" . }}`), "more than 2,000,000 steps"},
	{"an endless range in a text", hostileChart(`{{ tpl "{{ range until 1000000 }}{{ range until 1000000 }}{{ end }}{{ end }}" . }}`), "more than 2,000,000 steps"},
	{"a template that includes itself", hostileChart(`{{ define "a" }}{{ include "a" . }}{{ end }}{{ include "a" . }}`), "bad/templates/a.yaml:1"},
	{"a tpl that calls itself", hostileChart(`{{ $t := "{{ tpl .t . }}" }}{{ tpl $t (dict "t" $t "Template" .Template) }}`), "longer than|nests endlessly|MiB of memory"},
	{"a YAML bomb in a manifest", func() map[string]string {
		return map[string]string{"bad/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n" + yamlBomb()}
	}, "excessive aliasing"},
	{"a YAML bomb in values", func() map[string]string {
		return map[string]string{"bad/Chart.yaml": chartYAML, "bad/values.yaml": yamlBomb(), "bad/templates/a.yaml": goodYAML}
	}, "excessive aliasing"},
	{"a YAML bomb that a template writes", hostileChart("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n" + yamlBomb()), "excessive aliasing"},
	{"a YAML bomb in a kustomization", func() map[string]string {
		return map[string]string{"bad/kustomization.yaml": yamlBomb()}
	}, "excessive aliasing"},
	{"values of 100 MB", func() map[string]string {
		return map[string]string{"bad/Chart.yaml": chartYAML, "bad/values.yaml": "a: " + strings.Repeat("x", 100_000_000) + "\n", "bad/templates/a.yaml": goodYAML}
	}, "too big"},
	{"100,000 levels of nesting in a manifest", func() map[string]string {
		return map[string]string{"bad/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: " + strings.Repeat("[", 100_000) + "\n"}
	}, "bad/a.yaml:"},
	{"1,000 levels of nesting in a manifest", func() map[string]string {
		return map[string]string{"bad/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: " + strings.Repeat("[", 1_000) + strings.Repeat("]", 1_000) + "\n"}
	}, "deeper than 200"},
	{"1,000 levels of nesting in values", func() map[string]string {
		return map[string]string{"bad/Chart.yaml": chartYAML, "bad/values.yaml": "a: " + strings.Repeat("[", 1_000) + strings.Repeat("]", 1_000) + "\n", "bad/templates/a.yaml": "a: {{ toYaml .Values }}\n"}
	}, "bad/"},
	{"1,000 levels of nesting in a kustomization's base", func() map[string]string {
		return map[string]string{"bad/kustomization.yaml": "resources: [a.yaml]\n", "bad/a.yaml": "apiVersion: v1\nkind: T\nmetadata: {name: a}\nspec: " + strings.Repeat("{a: ", 1_000) + "1" + strings.Repeat("}", 1_000) + "\n"}
	}, "bad/"},
	{"500,000 documents in a file", func() map[string]string {
		return map[string]string{"bad/a.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n" + strings.Repeat("---\n{}\n", 500_000)}
	}, "500001 documents"},
	{"500,000 documents of a template", hostileChart("{{ range until 500000 }}---\na: 1\n{{ end }}"), "documents, the limit is 10000"},
	{"Jsonnet without end", hostileJsonnet("local f(x) = if x == 0 then 0 else f(x - 1) + f(x - 1); [f(100)]"), "longer than"},
	{"Jsonnet of a billion numbers", hostileJsonnet("std.range(1, 1000000000)"), "MiB of memory"},
	{"Jsonnet of a text that doubles", hostileJsonnet("std.foldl(function(a, b) a + a, std.range(1, 60), 'x')"), "MiB of memory"},
	{"Jsonnet that calls itself", hostileJsonnet("local f(x) = [f(x + 1)[0]]; f(1)"), "max stack frames exceeded"},
	{"Jsonnet that imports itself", hostileJsonnet("(import 'main.jsonnet') + {}"), "infinite|max stack frames exceeded"},
	{"100,000 levels of nesting in Jsonnet", hostileJsonnet(strings.Repeat("[", 100_000)), "nests endlessly|MiB of memory|bad/main.jsonnet:"},
	{"Jsonnet that gives 10,000 levels", hostileJsonnet("std.foldl(function(a, b) [a], std.range(1, 10000), 1)"), "bad/main.jsonnet"},
	{"a regular expression with a large count", hostileChart(`{{ mustRegexMatch "((a{0,1000}){0,1000}){0,1000}" "b" }}`), "bad/templates/a.yaml:1"},
}

func hostileJsonnet(program string) func() map[string]string {
	return func() map[string]string {
		return map[string]string{"bad/jsonnetfile.json": "{}", "bad/main.jsonnet": program,
			"bad/spec.json": `{"apiVersion": "tanka.dev/v1alpha1", "kind": "Environment", "metadata": {"name": "bad"}, "spec": {}}`}
	}
}

func hostileChart(template string) func() map[string]string {
	return func() map[string]string {
		return map[string]string{"bad/Chart.yaml": chartYAML, "bad/templates/a.yaml": template}
	}
}

// yamlBomb is a map whose aliases stand for 10^9 values.
func yamlBomb() string {
	var b strings.Builder
	b.WriteString("a: &a [x,x,x,x,x,x,x,x,x,x]\n")
	for c := 'b'; c <= 'i'; c++ {
		fmt.Fprintf(&b, "%c: &%c [%s*%c]\n", c, c, strings.Repeat(fmt.Sprintf("*%c,", c-1), 9), c-1)
	}
	return b.String()
}

func endsAs(reason, want string) bool {
	return slices.ContainsFunc(strings.Split(want, "|"), func(words string) bool { return strings.Contains(reason, words) })
}

// Each hostile input fails its own release, in bounded time and memory, and the others'
// results stand. With -v and -default-limits it prints the manual's table.
func TestHostileInputIsBounded(t *testing.T) {
	if raceDetector {
		t.Skip("the bounds are of time and memory, and the detector takes several times both")
	}
	if testing.Verbose() {
		fmt.Println("| input | ends as | after, s | memory, MiB |\n|---|---|---|---|")
	}
	for _, c := range hostileInput {
		limit, memory := 20*time.Second, int64(200<<20)
		switch {
		case *defaultLimits:
			limit, memory = 0, 0
		case strings.HasPrefix(c.want, "longer than"):
			limit = 3 * time.Second
		}
		files := map[string]string{
			"good/Chart.yaml": chartYAML, "good/templates/a.yaml": goodYAML, "good/values.yaml": "n: 3\n",
			"k/kustomization.yaml": "resources: [a.yaml]\n", "k/a.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n",
			"plain/a.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n",
		}
		for name, text := range c.files() {
			files[name] = text
		}
		tree, err := tree.Map("t", files)
		if err != nil {
			t.Fatal(err)
		}
		box := sandbox(t, limit, memory)
		debug.FreeOSMemory()
		m, start := startMeter(), time.Now()
		rev, err := Render(context.Background(), tree, Options{Workers: 2, Sandbox: box})
		took, used := time.Since(start), m.end()
		if err != nil {
			t.Fatal(err)
		}
		if !*defaultLimits && took > 40*time.Second {
			t.Errorf("%s: took %s", c.name, took)
		}
		stand := 0
		for _, r := range rev.Releases {
			switch {
			case strings.HasPrefix(r.ID, "bad"):
				if r.Err == nil || !endsAs(r.Err.Reason, c.want) || len(r.Err.Reason) > 1000 || r.Err.Remedy == "" || r.Err.Where.StartLine < 1 {
					t.Errorf("%s: %+v, want %q", c.name, r.Err, c.want)
				} else if testing.Verbose() {
					fmt.Printf("| %s | %s | %.1f | %d |\n", c.name, document.Shorten(r.Err.Reason, 120), took.Seconds(), used>>20)
				}
			case r.Err != nil || len(r.Objects) != 1:
				t.Errorf("%s: %s does not stand: %v", c.name, r.ID, r.Err)
			default:
				stand++
			}
		}
		if stand != 3 || len(rev.Releases) != 4 {
			t.Errorf("%s: %d releases of %d stand", c.name, stand, len(rev.Releases))
		}
	}
}
