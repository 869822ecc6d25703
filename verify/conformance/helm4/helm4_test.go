// Package helm4 renders charts with the engines of Helm 3, which Kubesettle has, and of Helm 4, and compares them. It is
// a module of its own: Helm 4 needs a later Kubernetes than Kubesettle models.
package helm4

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	loader3 "helm.sh/helm/v3/pkg/chart/loader"
	util3 "helm.sh/helm/v3/pkg/chartutil"
	engine3 "helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v4/pkg/chart/common"
	util4 "helm.sh/helm/v4/pkg/chart/common/util"
	loader4 "helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil4 "helm.sh/helm/v4/pkg/chart/v2/util"
	engine4 "helm.sh/helm/v4/pkg/engine"
)

// snippets are what charts are written with: each is a template, beside the values and a part of [chartOf].
var snippets = []string{
	`{{ toYaml .Values | nindent 2 }}`, `{{ .Values.none | default "d" }}`, `{{ required "no" .Values.none }}`, `{{ fail "no" }}`,
	`{{ tpl .Values.template . }}`, `{{ include "named" . }}`, `{{ include "part.named" . }}`, `{{ .Values.part | toJson }}`,
	`{{ .Values.global | toJson }}`, `{{ .Files.Get "a.txt" }}`, `{{ (.Files.Glob "*.txt").AsConfig }}`, `{{ .Files.Lines "a.txt" }}`,
	`{{ lookup "v1" "Secret" "a" "b" | toJson }}`, `{{ .Capabilities.KubeVersion.Version }}`, `{{ .Capabilities.APIVersions.Has "apps/v1" }}`,
	`{{ .Release.IsUpgrade }} {{ .Release.Name }} {{ .Release.Service }}`, `{{ .Chart.Name }} {{ .Chart.Version }} {{ .Chart.AppVersion }}`,
	`{{ .Template.Name }} {{ .Template.BasePath }}`, `{{ fromYaml .Values.text | toYaml }}`, `{{ fromJson "{" }}`, `{{ fromYamlArray "[a, b]" }}`,
	`{{ toToml (dict "a" 1 "b" (list 1 2)) }}`, `{{ fromToml "a = 1" | toJson }}`, `{{ toYamlPretty (dict "a" (list 1)) }}`,
	`{{ range $k, $v := .Values.map }}{{ $k }}={{ $v }};{{ end }}`, `{{ with .Values.part.nested }}{{ .a }}{{ end }}`, `{{ .Values.number }} {{ .Values.large }} {{ .Values.float }} {{ .Values.flag | quote }}`,
	`{{ mustToJson .Values.map }}`, `{{ mergeOverwrite (dict "a" 1) .Values.map | toJson }}`, `{{ semverCompare ">=1.30-0" "1.36.0" }}`,
	`{{ printf "%v %T" .Values.number .Values.number }}`, `{{ .Values.none.deeper }}`, `{{ index .Values.list 7 }}`, `{{ .Values.list | join "," }}`,
	`{{ getHostByName "example.com" }}`, `{{ .Subcharts.part.Values.own }}`, `{{ define "again" }}x{{ end }}{{ template "again" }}`,
}

// withNulls are snippets that the engines make something else of where values are null: Helm 4 has no key for a null of
// the chart's own values, and lets a null for a part stand beside the part's own value, which Helm 3 takes away.
var withNulls = []string{`{{ toYaml .Values | nindent 2 }}`, `{{ hasKey .Values "nil" }}`, `{{ hasKey .Values.map "nil" }}`,
	`{{ range $k, $v := .Values.map }}{{ $k }}={{ $v }};{{ end }}`, `{{ with .Values.part.nested }}{{ .a }}{{ end }}`}

// chartOf writes a chart with a part, and one template; with nulls some of its values are null.
func chartOf(t *testing.T, template string, nulls bool) string {
	t.Helper()
	dir := t.TempDir()
	values := "map: {b: 1, a: two}\nlist: [1, 2]\nnumber: 12\nlarge: 12345678901\nfloat: 1.50\nflag: true\ntext: 'a: 1'\n" +
		"template: '{{ .Release.Name }}-x'\nglobal: {g: 1}\npart: {enabled: true, nested: {b: 3}}\n"
	if nulls {
		values = "map: {b: 1, a: two, nil: null}\nnil: null\npart: {enabled: true, nested: {a: null}}\n"
	}
	for name, text := range map[string]string{
		"Chart.yaml":  "apiVersion: v2\nname: c\nversion: 1.2.3\nappVersion: '4'\ndependencies: [{name: part, version: 1.0.0, condition: part.enabled, import-values: [{child: own, parent: imported}]}]\n",
		"values.yaml": values,
		"a.txt":       "one\ntwo\n", "templates/_h.tpl": `{{ define "named" }}{{ .Chart.Name }}{{ end }}`, "templates/a.yaml": template + "\n",
		"charts/part/Chart.yaml": "apiVersion: v2\nname: part\nversion: 1.0.0\n", "charts/part/values.yaml": "own: {x: 1}\nnested: {a: 1, b: 2}\n",
		"charts/part/templates/_h.tpl": `{{ define "part.named" }}{{ .Values.own }}{{ end }}`, "charts/part/templates/p.yaml": "p: {{ .Values.global | toJson }}\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func render3(dir string) (map[string]string, error) {
	c, err := loader3.LoadDir(dir)
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	if err := util3.ProcessDependenciesWithMerge(c, values); err != nil {
		return nil, err
	}
	caps := util3.DefaultCapabilities.Copy()
	caps.KubeVersion = util3.KubeVersion{Version: "v1.36.0", Major: "1", Minor: "36"}
	caps.APIVersions = []string{"v1", "apps/v1"}
	all, err := util3.ToRenderValues(c, values, util3.ReleaseOptions{Name: "r", Namespace: "n", Revision: 1, IsInstall: true}, caps)
	if err != nil {
		return nil, err
	}
	return engine3.Render(c, all)
}

func render4(dir string) (map[string]string, error) {
	c, err := loader4.LoadDir(dir)
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	if err := chartutil4.ProcessDependencies(c, values); err != nil {
		return nil, err
	}
	caps := common.DefaultCapabilities.Copy()
	caps.KubeVersion = common.KubeVersion{Version: "v1.36.0", Major: "1", Minor: "36"}
	caps.APIVersions = []string{"v1", "apps/v1"}
	all, err := util4.ToRenderValues(c, values, common.ReleaseOptions{Name: "r", Namespace: "n", Revision: 1, IsInstall: true}, caps)
	if err != nil {
		return nil, err
	}
	return engine4.Render(c, all)
}

// compare holds what both engines make of a chart against each other.
func compare(t *testing.T, title, dir string, same bool) {
	t.Helper()
	three, err3 := render3(dir)
	four, err4 := render4(dir)
	if !same {
		if err3 != nil || err4 != nil || maps.Equal(three, four) {
			t.Errorf("%s: the engines agree: %v, %v, %q", title, err3, err4, three)
		}
		return
	}
	if (err3 == nil) != (err4 == nil) {
		t.Errorf("%s: Helm 3 says %v, Helm 4 %v", title, err3, err4)
	}
	if err3 == nil && err4 == nil && !maps.Equal(three, four) {
		t.Errorf("%s: Helm 3 gives\n%q\nHelm 4\n%q", title, three, four)
	}
}

// Both engines make the same of every snippet, and of every chart of the repository, but where values are null.
func TestHelm4RendersTheSame(t *testing.T) {
	for _, s := range snippets {
		compare(t, s, chartOf(t, s, false), true)
	}
	for _, s := range withNulls {
		compare(t, s, chartOf(t, s, true), false)
	}
	charts := 0
	err := filepath.WalkDir("../../..", func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "Chart.yaml" {
			charts++
			compare(t, p, filepath.Dir(p), true)
		}
		return err
	})
	if err != nil || charts < 10 {
		t.Errorf("%d charts, %v", charts, err)
	}
}

// The functions that Helm 4 has and Helm 3 has not are those that render/README.md lists.
func TestFunctionsOfHelm4Alone(t *testing.T) {
	page, err := os.ReadFile("../../../render/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"mustToYaml", "mustToToml", "mustToDuration", "durationSeconds", "durationMilliseconds", "durationMicroseconds",
		"durationNanoseconds", "durationMinutes", "durationHours", "durationDays", "durationWeeks", "durationRoundTo", "durationTruncateTo"} {
		dir := chartOf(t, "{{ $f := "+f+" }}", false)
		_, err3 := render3(dir)
		if err3 == nil || !strings.Contains(err3.Error(), "not defined") || !strings.Contains(string(page), f) && !strings.HasPrefix(f, "duration") {
			t.Errorf("%s: Helm 3 says %v", f, err3)
		}
		if _, err4 := render4(dir); err4 != nil && strings.Contains(err4.Error(), "not defined") {
			t.Errorf("%s: Helm 4 says %v", f, err4)
		}
	}
}
