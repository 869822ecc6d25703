package helm

import (
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// chartOf is a chart in c with values for it in v.yaml; files are further ones of the chart.
func chartOf(template, own, given string, files map[string]string) *release.Recipe {
	j := &release.Recipe{Chart: &release.Chart{Dir: "c", Names: map[string]string{}, Values: []string{"v.yaml"}, Name: "c"},
		Files: map[string][]byte{"v.yaml": []byte(given)}}
	all := map[string]string{"Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n", "values.yaml": own,
		"templates/a.yaml": template}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		j.Chart.Names[name], j.Files["c/"+name] = "c/"+name, []byte(text)
	}
	return j
}

func unreadText(base, head *release.Recipe) string {
	var out []string
	for _, n := range Unread(base, head) {
		out = append(out, n.Args[0]+" -> "+n.Args[1])
	}
	return strings.Join(out, ", ")
}

// A value that nothing reads is told with the one that may be meant, where it is set.
func TestUnread(t *testing.T) {
	t.Parallel()
	const template = "a: {{ .Values.image.tag }}\nb: {{ .Values.replicaCount }}\nc: {{ .Values.resources.limits.cpu }}\n"
	const own = "image: {repository: r, tag: '1'}\nreplicaCount: 1\nresources: {limits: {cpu: 1, memory: 1Gi}}\n"
	part := map[string]string{"charts/d/Chart.yaml": "apiVersion: v2\nname: d\nversion: 1.0.0\n",
		"charts/d/values.yaml": "port: 80\n", "charts/d/templates/b.yaml": "a: {{ .Values.port }}\n"}
	for given, want := range map[string]string{
		"tag: '2'":                            "tag -> image.tag",
		"replicasCount: 2":                    "replicasCount -> replicaCount",
		"image: {tga: '2'}":                   "", // too short a name to tell
		"image: {repositori: x}":              "image.repositori -> image.repository",
		"resources: {cpu: 2}":                 "resources.cpu -> resources.limits.cpu",
		"image: {tag: '2'}":                   "",
		"unknown: 1":                          "", // nothing is near
		"global: {tag: '2'}":                  "",
		"port: 81":                            "port -> d.port",
		"d: {ports: 81}":                      "d.ports -> d.port",
		"d: {port: 81}":                       "",
		"replicaCount: 2\nreplicasCount: 2\n": "replicasCount -> replicaCount",
	} {
		base, head := chartOf(template, own, "", part), chartOf(template, own, given, part)
		if got := unreadText(base, head); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
		if got := unreadText(nil, head); got != want {
			t.Errorf("%q in a release that comes: %q, want %q", given, got, want)
		}
		if got := unreadText(head, head); got != "" {
			t.Errorf("%q stays, and is told: %q", given, got)
		}
	}
	base, head := chartOf(template, own, "", nil), chartOf(template, strings.Replace(own, "replicaC", "replicasC", 1), "", nil)
	if got := unreadText(base, head); got != "replicasCount -> replicaCount" {
		t.Errorf("in the chart's own values: %q", got)
	}
	head = chartOf(template+"{{ .Values.replicasCount }}", strings.Replace(own, "replicaC", "replicasC", 1), "", nil)
	if got := unreadText(base, head); got != "" {
		t.Errorf("read by a new template: %q", got)
	}
	list := Unread(nil, chartOf(template, own, "x: 1\nimage:\n  # where\n  repositori: 2\n", nil))
	if len(list) != 1 || list[0].File != "v.yaml" || list[0].Line != 4 || list[0].Kind != object.UnreadValue {
		t.Errorf("at %v, want v.yaml:4", list)
	}
}

// Whatever may read a value keeps it from being told.
func TestUnreadIsSure(t *testing.T) {
	t.Parallel()
	const own = "image: {tag: '1', repository: r}\n"
	for name, c := range map[string]struct {
		template, given string
		files           map[string]string
	}{
		"by its name":         {template: "a: {{ .Values.tag }}"},
		"by index":            {template: `a: {{ index .Values "tag" }}`},
		"below a with":        {template: "{{ with .Values }}a: {{ .tag }}{{ end }}"},
		"of a variable":       {template: "{{ $v := .Values }}a: {{ $v.tag }}"},
		"all of them":         {template: "a: {{ toYaml .Values }}"},
		"in a loop":           {template: "{{ range $k, $v := .Values }}{{ $k }}: {{ $v }}{{ end }}"},
		"by a made-up name":   {template: `a: {{ get .Values (printf "%sg" "ta") }}`},
		"by a text of values": {template: "a: {{ tpl .Values.text . }}", given: "text: '{{ .Values.tag }}'\n"},
		"by a schema":         {template: "a: 1", files: map[string]string{"values.schema.json": `{"properties": {"tag": {}}}`}},
		"by a condition": {template: "a: 1", files: map[string]string{
			"Chart.yaml":          "apiVersion: v2\nname: c\nversion: 1.0.0\ndependencies: [{name: d, version: 1.0.0, condition: tag}]\n",
			"charts/d/Chart.yaml": "apiVersion: v2\nname: d\nversion: 1.0.0\n"}},
		"by a library": {template: `{{ include "x" . }}`, files: map[string]string{
			"charts/d/Chart.yaml":       "apiVersion: v2\nname: d\nversion: 1.0.0\ntype: library\n",
			"charts/d/templates/_x.tpl": `{{ define "x" }}a: {{ .Values.tag }}{{ end }}`}},
		"by a file of the chart": {template: `{{ tpl (.Files.Get "f") . }}`, files: map[string]string{"f": "{{ .Values.tag }}"}},
	} {
		base := chartOf(c.template+"\nb: {{ .Values.image.tag }}", own, c.given, c.files)
		head := chartOf(c.template+"\nb: {{ .Values.image.tag }}", own, c.given+"tag: '2'", c.files)
		if got := unreadText(base, head); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
	base := chartOf("a: {{ toYaml .Values.image }}", own, "", nil)
	if got := unreadText(base, chartOf("a: {{ toYaml .Values.image }}", own, "image: {repositori: x}", nil)); got != "" {
		t.Errorf("below what is taken as a whole: %q", got)
	}
}
