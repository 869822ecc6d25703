package verify

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/render/typed"
	"github.com/kubesettle/kubesettle/verify/judge"
)

// speller writes YAML as different people do: in blocks and braces, with quotes or without, dashes indented or not,
// comments, and line ends of either kind.
type speller struct {
	*rand.Rand
	comments int
	indented bool // dashes stand deeper than their key
}

func (s *speller) note() string {
	s.comments++
	return fmt.Sprintf("# c%d", s.comments)
}

func (s *speller) scalar(v any) string {
	text, is := v.(string)
	switch {
	case !is:
		return fmt.Sprint(v)
	case s.IntN(3) == 0 || strings.ContainsAny(text, ": {}[],#") || text == "1" || text == "":
		return `"` + text + `"`
	case s.IntN(4) == 0:
		return "'" + text + "'"
	}
	return text
}

// pairs are a map in the order in which it is to be written.
type pairs []any

func (s *speller) flow(v any) string {
	switch x := v.(type) {
	case pairs:
		var parts []string
		for i := 0; i < len(x); i += 2 {
			parts = append(parts, x[i].(string)+": "+s.flow(x[i+1]))
		}
		return s.braced("{", parts, "}")
	case []any:
		var parts []string
		for _, e := range x {
			parts = append(parts, s.flow(e))
		}
		return s.braced("[", parts, "]")
	}
	return s.scalar(v)
}

func (s *speller) braced(open string, parts []string, end string) string {
	pad := ""
	if s.IntN(3) == 0 {
		pad = " "
	}
	return open + pad + strings.Join(parts, ", ") + pad + end
}

// block writes a value below its key, at an indent.
func (s *speller) block(v any, indent int) []string {
	pad := strings.Repeat(" ", indent)
	var out []string
	switch x := v.(type) {
	case pairs:
		for i := 0; i < len(x); i += 2 {
			if s.IntN(6) == 0 {
				out = append(out, pad+s.note())
			}
			out = append(out, s.entry(x[i].(string), x[i+1], indent)...)
		}
	case []any:
		for _, e := range x {
			inner := s.block(e, indent+2)
			if _, nested := e.(pairs); !nested || s.IntN(4) == 0 {
				out = append(out, pad+"- "+s.flow(e))
				continue
			}
			if strings.HasPrefix(strings.TrimSpace(inner[0]), "#") {
				inner = inner[1:]
			}
			inner[0] = pad + "- " + strings.TrimLeft(inner[0], " ")
			out = append(out, inner...)
		}
	}
	return out
}

func (s *speller) entry(key string, v any, indent int) []string {
	pad := strings.Repeat(" ", indent)
	list, isList := v.([]any)
	_, isMap := v.(pairs)
	tail := ""
	if s.IntN(8) == 0 {
		tail = " " + s.note()
	}
	if m, _ := v.(pairs); isMap && len(m) == 0 {
		isMap = false
	}
	if !isMap && !isList || s.IntN(5) == 0 && key != "spec" || isList && len(list) == 0 {
		return []string{pad + key + ": " + s.flow(v) + tail}
	}
	deeper := indent + 2
	if isList && !s.indented {
		deeper = indent
	}
	return append([]string{pad + key + ":" + tail}, s.block(v, deeper)...)
}

// spelled is a Deployment in some spelling.
func (s *speller) deployment() string {
	web := pairs{"app", "web"}
	pod := pairs{"containers", []any{pairs{"name", "web", "image", "web:1", "resources", pairs{"requests", pairs{"cpu", "500m"}}}}}
	if s.IntN(2) == 0 {
		pod = append(pod, "tolerations", []any{pairs{"operator", "Exists"}, pairs{"key", "a", "operator", "Exists", "effect", "NoSchedule"}})
	}
	if s.IntN(2) == 0 {
		pod = append(pairs{"topologySpreadConstraints", []any{pairs{"maxSkew", 1, "topologyKey", "zone", "whenUnsatisfiable", "DoNotSchedule",
			"labelSelector", pairs{"matchLabels", web}}}}, pod...)
	}
	spec := pairs{"replicas", 2, "selector", pairs{"matchLabels", web}, "template", pairs{"metadata", pairs{"labels", web}, "spec", pod}}
	if s.IntN(2) == 0 {
		spec = append(spec, "strategy", pairs{"type", "RollingUpdate", "rollingUpdate", pairs{"maxSurge", 1, "maxUnavailable", 0}})
	}
	return strings.Join(s.block(pairs{"apiVersion", "apps/v1", "kind", "Deployment", "metadata", pairs{"name", "web", "namespace", "shop"},
		"spec", spec}, 0), "\n") + "\n"
}

// spelledSettings are what remedies set.
var spelledSettings = [][]object.Setting{
	{{Path: "spec.replicas", Value: 3}},
	{{Path: "spec.replicas"}},
	{{Path: "spec.strategy", Value: map[string]any{"rollingUpdate": map[string]any{"maxSurge": 0, "maxUnavailable": 1}}}},
	{{Path: "spec.template.spec.containers[0].resources.requests[cpu]", Value: "250m"}},
	{{Path: "spec.template.spec.containers[0].resources", Value: map[string]any{"requests": map[string]any{"memory": "128Mi"}}}},
	{{Path: "spec.template.spec.nodeSelector", Value: map[string]any{"disk": "ssd"}}},
	{{Path: "spec.template.spec.topologySpreadConstraints[0].whenUnsatisfiable", Value: "ScheduleAnyway"}},
	{{Path: "spec.template.spec.topologySpreadConstraints[0].nodeTaintsPolicy", Value: "Honor"}},
	{{Path: "spec.template.spec.tolerations[0].effect", Value: "NoExecute"}},
	{{Path: "spec.template.spec.tolerations[1].effect"}},
	{{Path: "metadata.annotations", Value: map[string]any{"argocd.argoproj.io/sync-wave": "1"}}},
	{{Path: "spec.minReadySeconds", Value: 5}},
}

var noteMark = regexp.MustCompile(`# c\d+\b`)

// However a manifest or a chart's values are spelled, an edit that is offered renders to just what was tried; it keeps
// every comment and the line ends, and is one that can be made in nearly all of them.
func TestEditsInAnySpelling(t *testing.T) {
	for _, c := range []struct {
		name   string
		file   string
		beside map[string]string
		write  func(*speller) string
		least  int // percent of the settings for which there is an edit
	}{
		{"manifest", "web.yaml", nil, (*speller).deployment, 95},
		{"values", "values.yaml", map[string]string{"Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
			"templates/web.yaml": spelledTemplate}, (*speller).values, 75},
	} {
		t.Run(c.name, func(t *testing.T) {
			made, tried := 0, 0
			for seed := range uint64(100) {
				s := &speller{Rand: rand.New(rand.NewPCG(seed, 7)), indented: seed%2 == 0}
				text := c.write(s)
				if seed%5 == 0 {
					text = strings.ReplaceAll(text, "\n", "\r\n")
				}
				if seed%7 == 0 {
					text = strings.TrimRight(text, "\r\n")
				}
				files := maps.Clone(c.beside)
				if files == nil {
					files = map[string]string{}
				}
				files[c.file] = text
				some, offered := editHolds(t, seed, files, c.file, spelledSettings[s.IntN(len(spelledSettings))])
				tried, made = tried+some, made+offered
			}
			t.Logf("%d of %d", made, tried)
			if tried < 60 || made*100 < tried*c.least {
				t.Errorf("%d of %d have an edit, which is less than %d of 100", made, tried, c.least)
			}
		})
	}
}

// editHolds tries one setting: 1 where there is something to set, and where there is an edit for it.
func editHolds(t *testing.T, seed uint64, files map[string]string, file string, set []object.Setting) (tried, made int) {
	t.Helper()
	rev, o := spelledRevision(t, files)
	if o == nil {
		t.Fatalf("seed %d does not render:\n%s", seed, files[file])
	}
	want, err := typed.With(o, set)
	if err != nil || object.Same([]*object.Object{o}, []*object.Object{want}) {
		return 0, 0 // there is no such list item in this one
	}
	var w object.Rewrite
	for w = range rev.RewriteAll(context.Background(), []object.Part{{Object: o, Set: set}}, []*object.Object{want}) {
		break
	}
	if w.File == "" {
		t.Logf("seed %d: no edit for %v in\n%s", seed, set, files[file])
		return 1, 0
	}
	text := files[w.File]
	e, _ := judge.Difference(w.File, text, w.Text, "")
	edited, ok := e.Apply(text)
	if !ok {
		t.Fatalf("seed %d: the edit does not apply", seed)
	}
	files = maps.Clone(files)
	files[w.File] = edited
	if _, again := spelledRevision(t, files); again == nil ||
		!object.Same([]*object.Object{again}, []*object.Object{want}) {
		t.Errorf("seed %d: %v as text renders to something else:\n%s\nfrom\n%s", seed, set, edited, text)
	}
	if strings.Contains(text, "\r\n") && strings.Count(edited, "\n") != strings.Count(edited, "\r\n") {
		t.Errorf("seed %d: line ends are mixed:\n%q", seed, edited)
	}
	is := noteMark.FindAllString(edited, -1)
	for _, c := range noteMark.FindAllString(text, -1) {
		if !slices.Contains(is, c) && set[0].Value != nil {
			t.Errorf("seed %d: %v lost the comment %s:\n%s\nfrom\n%s", seed, set, c, edited, text)
		}
	}
	return 1, 1
}

func spelledRevision(t *testing.T, text map[string]string) (*object.Revision, *object.Object) {
	t.Helper()
	files, err := tree.Map("head", text)
	if err != nil {
		t.Fatal(err)
	}
	rev, err := render.Render(context.Background(), files, render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(rev.Releases) != 1 || rev.Releases[0].Err != nil || len(rev.Releases[0].Objects) != 1 {
		return rev, nil
	}
	return rev, rev.Releases[0].Objects[0]
}

// spelledTemplate is of the usual kind: what people set stands in the values, the rest in the template.
const spelledTemplate = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
  labels: {app: web}
spec:
  replicas: {{ .Values.web.replicas }}
  {{- with .Values.web.strategy }}
  strategy:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
        {{- with .Values.extraLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      {{- with .Values.web.nodeSelector }}
      nodeSelector: {{ toYaml . | nindent 8 }}
      {{- end }}
      {{- with .Values.web.tolerations }}
      tolerations: {{ toYaml . | nindent 8 }}
      {{- end }}
      {{- if .Values.web.topologySpreadConstraints }}
      topologySpreadConstraints:
      {{- toYaml .Values.web.topologySpreadConstraints | nindent 6 }}
      {{- end }}
      containers:
      - name: web
        image: web:1
        resources:
          {{- toYaml .Values.web.resources | nindent 10 }}
`

// values are those of the template, in some spelling; what is shared has an anchor.
func (s *speller) values() string {
	web := pairs{"replicas", 2, "resources", pairs{"requests", pairs{"cpu", "500m"}}}
	empty := func(key string, v any) {
		switch s.IntN(3) {
		case 0:
			web = append(web, key, pairs{})
		case 1:
			web = append(web, key, v)
		}
	}
	empty("strategy", pairs{"type", "RollingUpdate", "rollingUpdate", pairs{"maxSurge", 1, "maxUnavailable", 0}})
	empty("nodeSelector", pairs{"zone", "a"})
	web = append(web, "tolerations", []any{pairs{"operator", "Exists"}, pairs{"key", "a", "operator", "Exists", "effect", "NoSchedule"}})
	if s.IntN(2) == 0 {
		web = append(web, "topologySpreadConstraints", []any{pairs{"maxSkew", 1, "topologyKey", "zone",
			"whenUnsatisfiable", "DoNotSchedule", "labelSelector", pairs{"matchLabels", pairs{"app", "web"}}}})
	}
	text := strings.Join(s.block(pairs{"web", web, "other", pairs{"replicas", 1}}, 0), "\n") + "\n"
	if s.IntN(2) == 0 {
		text = "shared: &shared\n  team: shop\nextraLabels: *shared\n" + text
	}
	return text
}
