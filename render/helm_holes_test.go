package render

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// What is rendered beside a dependency that is not there is what is rendered with it, whatever values the dependency
// has; and a template that needs nothing of it is rendered.
func TestBesideAMissingDependency(t *testing.T) {
	const seed = 11
	r := rand.New(rand.NewPCG(seed, 0))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	known := []string{
		`{{ .Values.own | quote }}`, `{{ .Values.db.given | quote }}`, `{{ include "web.name" . }}`, `{{ .Chart.Name }}`,
		`{{ with .Values.map }}{{ .a | quote }}{{ end }}`, `{{ index .Values "db" "given" | quote }}`, `{{ $.Release.Name }}`,
		`{{ if .Values.db.enabled }}a{{ else }}b{{ end }}`, `{{ .Values.global.g | default "x" }}`,
	}
	open := []string{
		`{{ .Values.db.port | quote }}`, `{{ include "db.name" . | default "x" }}`, `{{ template "web.port" . }}`,
		`{{ .Values | toJson | quote }}`, `{{ with .Values.db }}{{ .port | quote }}{{ end }}`,
		`{{ $v := .Values }}{{ $v.db.port | quote }}`,
		`{{ index .Values "db" "port" | quote }}`, `{{ tpl .Values.text . | quote }}`,
		`{{ if .Values.db.on }}a{{ else }}b{{ end }}`,
		`{{ get .Values.db "port" | quote }}`, `{{ .Subcharts.db | toJson | quote }}`, `{{ $.Values.db.deep.port | quote }}`,
		`{{ dig "db" "port" "none" (.Values | merge (dict)) | quote }}`, `{{ range $k, $v := .Values.db }}{{ $k }}{{ end }}`,
	}
	beside := 0
	for n := range 300 {
		sure := map[string]bool{}
		files := map[string]string{
			"web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n" +
				"- {name: db, version: 1.0.0, repository: \"https://charts.example.com\"}\n",
			"web/values.yaml": "own: o\nmap: {a: b}\ntext: \"{{ .Values.db.port }}\"\nglobal: {}\n" +
				"db: {given: 1, enabled: true, deep: {}}\n",
			"web/templates/_h.tpl": `{{ define "web.name" }}n{{ end }}` +
				`{{ define "web.port" }}{{ .Values.db.port | quote }}{{ end }}`,
		}
		for k := range 1 + r.IntN(4) {
			name, text := fmt.Sprintf("m%d", k), pick(known...)
			if sure[name] = r.IntN(2) == 0; !sure[name] {
				text += pick(open...)
			}
			files["web/templates/"+name+".yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + "}\n# " + text +
				"\ndata: {a: '" + text + "'}\n"
		}
		whole := map[string]string{
			"web/charts/db/Chart.yaml":        "apiVersion: v2\nname: db\nversion: 1.0.0\n",
			"web/charts/db/values.yaml":       pick("port: 1\n", "port: 2\non: true\ndeep: {port: 1}\n", "given: 7\n"),
			"web/charts/db/templates/_h.tpl":  `{{ define "db.name" }}` + pick("a", "b") + `{{ end }}`,
			"web/charts/db/templates/db.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: db}\n",
		}
		for p, text := range files {
			whole[p] = text
		}
		got := releaseOf(t, renderWith(t, files, Options{}), "web")
		want := releaseOf(t, renderWith(t, whole, Options{}), "web")
		if got.Lacks() == nil {
			t.Fatalf("seed %d, case %d: nothing is missing", seed, n)
		}
		for name, is := range sure {
			has := strings.Contains(fmt.Sprint(contents(got)), "name:"+name+"]")
			if is && !has && want.Err == nil {
				t.Errorf("seed %d, case %d: %s needs nothing that is missing: %v\n%s", seed, n, name, got.Lacks(),
					files["web/templates/"+name+".yaml"])
			}
		}
		if want.Err != nil {
			continue
		}
		for _, o := range contents(got) {
			beside++
			if !slices.ContainsFunc(contents(want), func(w any) bool { return reflect.DeepEqual(o, w) }) {
				t.Errorf("seed %d, case %d: %v is not what the whole chart gives\n%v", seed, n, o, files)
			}
		}
	}
	if beside < 100 {
		t.Errorf("%d objects beside what is missing: want more", beside)
	}
}
