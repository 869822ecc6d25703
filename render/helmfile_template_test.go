package render

import (
	"maps"
	"strings"
	"testing"
)

// templatedHelmfile has one release for each of an environment's applications, whose values are a template.
func templatedHelmfile() map[string]string {
	return map[string]string{
		"helmfile.yaml.gotmpl": `environments:
  prod: {values: [env.yaml.gotmpl]}
---
releases:
{{- range $name, $app := .Values.apps }}
{{- if $app | get "enabled" true }}
- name: {{ $name }}
  namespace: {{ $.Environment.Name }}
  chart: ./charts/web
  values: [values.yaml.gotmpl]
{{- end }}
{{- end }}
`,
		"env.yaml.gotmpl":                "apps:\n  web: {num: {{ add 1 2 }}}\n  api: {enabled: false}\n",
		"values.yaml.gotmpl":             "{{ readFile \"more.yaml\" }}\n",
		"more.yaml":                      "a: more\n",
		"charts/web/Chart.yaml":          "apiVersion: v2\nname: web\nversion: 1.0.0\n",
		"charts/web/templates/data.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {a: {{ .Values.a | toString | quote }}}\n",
	}
}

// A helmfile's templates are filled in with what the repository says. What a command, the environment or a store of
// secrets gives is a placeholder where it is a text of a value, and otherwise leaves what it decides unknown.
func TestHelmfileTemplates(t *testing.T) {
	const id = "helmfile:helmfile.yaml.gotmpl:prod:prod/web"
	for values, want := range map[string]string{
		`{{ readFile "more.yaml" }}`:                                                              "more",
		"a: {{ .Release.Name | upper }}-{{ .Environment.Name }}":                                  "WEB-prod",
		`a: {{ get "apps.web.num" .Values }}{{ .StateValues | get "none" "x" }}`:                  "3x",
		`a: {{ .Values.apps | keys | sortAlpha | join "-" }}`:                                     "api-web",
		"{{ $x := 1 }}{{ range until 3 }}{{ $x = mul $x 2 }}{{ end }}a: {{ $x }}":                 "8",
		"{{ with .Values.apps.web }}a: {{ toYaml . | quote }}{{ end }}":                           "num: 3",
		`a: {{ tpl "{{ .Environment.Name }}" . }}`:                                                "prod",
		"a: '{{`{{ .Values.b }}`}}'":                                                              "{{ .Values.b }}",
		"a: {{ if hasKey .Values \"b\" }}1{{ else }}{{ fromYaml \"c: 2\" | get \"c\" }}{{ end }}": "2",

		`a: {{ requiredEnv "TOKEN" | quote }}`:                                                         "${HELMFILE_TOKEN}",
		`a: {{ env "TOKEN" | default "b" }}`:                                                           "b",
		`a: x-{{ exec "git" (list "rev-parse") }}`:                                                     "x-${HELMFILE_exec_git}",
		`a: {{ fetchSecretValue "ref+vault://a/b" }}`:                                                  "${HELMFILE_secret_ref_vault_a_b}",
		`a: {{ if env "TOKEN" }}1{{ else }}2{{ end }}`:                                                 "2",
		`a: {{ if eq (env "TOKEN") "x" }}1{{ else }}2{{ end }}`:                                        "2",
		`a: {{ if eq (requiredEnv "TOKEN") "x" }}1{{ else }}2{{ end }}`:                                "2",
		`a: {{ upper (requiredEnv "TOKEN") | trunc 3 }}`:                                               "${HELMFILE_trunc_3bd31e14}",
		`a: {{ len (requiredEnv "TOKEN") }}`:                                                           "! decides",
		`a: {{ index (dict "x" "1") (env "TOKEN") | default "2" }}`:                                    "2",
		`a: {{ (env "HOSTS" | splitList "," | len) }}`:                                                 "1",
		`a: {{ len (env "TOKEN") }}`:                                                                   "0",
		`a: {{ requiredEnv "N" | int }}`:                                                               "! decides",
		`a: {{ requiredEnv "HOSTS" | splitList "," | first }}`:                                         "! decides",
		`{{ readFile (printf "%s/more.yaml" (env "PWD")) }}`:                                           "more",
		`{{ readFile (printf "%s/more.yaml" (exec "pwd" list)) }}`:                                     "more",
		`{{ readFile (printf "%s/../more.yaml" (env "PWD")) }}`:                                        "! is not in the repository",
		`a: {{ readFile (env "FILE") }}`:                                                               "! is not filled in",
		`{{ readFile (printf "%s.yaml" (requiredEnv "NAME")) }}`:                                       "more",
		`a: {{ readFile "../../etc/passwd" }}`:                                                         "! is not in the repository",
		`a: {{ readFile "/etc/passwd" }}`:                                                              "! is not in the repository",
		`a: {{ .Values.none }}`:                                                                        "! map has no entry",
		`a: {{ unheardOf }}`:                                                                           "! \"unheardOf\" not defined",
		`{{ range until 9999 }}{{ range until 9999 }}{{ end }}{{ end }}`:                               "! too many steps",
		`{{ $x := "xxxxxxxxxxxxxxxx" }}{{ range until 99 }}{{ $x = print $x $x }}{{ end }}a: {{ $x }}`: "! too much",
		`{{ $x := list 1 }}{{ range until 99 }}{{ $x = list $x $x }}{{ end }}a: {{ $x }}`:              "! too much",
		`{{ $x := dict }}{{ $_ := set $x "x" $x }}a: {{ $x }}`:                                         "! too much",
		`a: {{ printf "%999999999d" 1 }}`:                                                              "! too much",
		`a: {{ untilStep 0 999999999 1 }}`:                                                             "! too much",
		`{{ $x := printf "%9999d" 1 }}a: {{ replace " " (replace " " "xxxxxxxxxxxxxxxxxxxxx" $x) (replace " " "xxxxxxxxx" $x) }}`: "! too much",
	} {
		files := templatedHelmfile()
		maps.Copy(files, map[string]string{"values.yaml.gotmpl": values + "\n"})
		rev := renderWith(t, files, Options{})
		if says, unknown := strings.CutPrefix(want, "! "); unknown {
			if r := releaseOf(t, rev, id); r.Err == nil || !r.Err.Skipped || !strings.Contains(r.Err.Reason, says) {
				t.Errorf("%s: %v, want %q", values, r.Err, says)
			}
			continue
		}
		r := renders(t, rev, id)
		if got := objectOf(t, r, "web").Content["data"].(map[string]any)["a"]; got != want {
			t.Errorf("%s: %q, want %q", values, got, want)
		}
	}
}

// What its templates read is what a release is made of, also where they cannot be filled in.
func TestHelmfileTemplatesReadFiles(t *testing.T) {
	const id = "helmfile:helmfile.yaml.gotmpl:prod:prod/web"
	for _, values := range []string{`{{ readFile "more.yaml" }}`, `{{ if env "A" }}{{ readFile "more.yaml" }}{{ end }}`} {
		files := templatedHelmfile()
		files["values.yaml.gotmpl"] = values + "\n"
		reads := releaseOf(t, renderWith(t, files, Options{}), id).Reads
		for _, want := range []string{"helmfile.yaml.gotmpl", "values.yaml.gotmpl", "more.yaml"} {
			if !strings.Contains(" "+strings.Join(reads, " ")+" ", " "+want+" ") {
				t.Errorf("%s: %s is not among %q", values, want, reads)
			}
		}
	}
}

// The names of files in a values file start from its own folder, and those in the helmfile from the helmfile's.
func TestHelmfileTemplatesReadBesideThemselves(t *testing.T) {
	files := templatedHelmfile()
	delete(files, "more.yaml")
	files["helmfile.yaml.gotmpl"] = strings.ReplaceAll(files["helmfile.yaml.gotmpl"], "values.yaml.gotmpl",
		`conf/values.yaml.gotmpl, {b: {{ readFile "b.txt" }}}`)
	files["conf/values.yaml.gotmpl"] = `a: {{ readFile "./of/more.txt" }}{{ isFile "../b.txt" }}` + "\n"
	files["conf/of/more.txt"], files["b.txt"] = "more", "b"
	r := renders(t, renderWith(t, files, Options{}), "helmfile:helmfile.yaml.gotmpl:prod:prod/web")
	if got := objectOf(t, r, "web").Content["data"].(map[string]any)["a"]; got != "moretrue" {
		t.Errorf("%q", got)
	}
}

// A helmfile that another one lists with values has these, over its own.
func TestHelmfileIsGivenValues(t *testing.T) {
	files := templatedHelmfile()
	files["values.yaml.gotmpl"] = "a: {{ .Values.apps.web.num }}-{{ .Values | get \"more\" \"none\" }}\n"
	files["top/helmfile.yaml"] = "environments:\n  prod: {values: [{from: top}]}\n---\nhelmfiles:\n- path: ../helmfile.yaml.gotmpl\n" +
		"  values:\n  - {{ toYaml (dict \"more\" .Values.from) | nindent 4 }}\n  - given.yaml\n"
	files["top/given.yaml"] = "apps: {web: {num: 7}}\n"
	const id = "helmfile:helmfile.yaml.gotmpl:prod:prod/web"
	r := renders(t, renderWith(t, files, Options{}), id)
	if got := objectOf(t, r, "web").Content["data"].(map[string]any)["a"]; got != "7-top" {
		t.Errorf("%q", got)
	}
	if reads := strings.Join(r.Reads, " "); !strings.Contains(reads, "top/helmfile.yaml") ||
		!strings.Contains(reads, "top/given.yaml") {
		t.Errorf("reads %s", reads)
	}
	files["other/helmfile.yaml"] = "helmfiles:\n- path: ../helmfile.yaml.gotmpl\n  values: [{more: 1}]\n"
	fails(t, renderWith(t, files, Options{}), "helmfile:helmfile.yaml.gotmpl", "give it values: how often", "render it before")
}

// A helmfile that declares whatever environment it is called with has those that scripts call it with.
func TestHelmfileIsCalledWithEnvironments(t *testing.T) {
	files := templatedHelmfile()
	files["helmfile.yaml.gotmpl"] = strings.Replace(files["helmfile.yaml.gotmpl"], "  prod:", "  {{ .Environment.Name }}:", 1)
	files["deploy.sh"] = "helmfile -f helmfile.yaml.gotmpl -e eu apply\nhelmfile --environment=us -f helmfile.yaml.gotmpl sync\n" +
		"helmfile -e \"$WHERE\" -f helmfile.yaml.gotmpl apply\nhelmfile -e other -f other/helmfile.yaml apply\n"
	files["other/helmfile.yaml"] = "releases: []\n"
	rev := renderWith(t, files, Options{})
	for _, env := range []string{"eu", "us"} {
		renders(t, rev, "helmfile:helmfile.yaml.gotmpl:"+env+":"+env+"/web")
	}
	for _, r := range rev.Releases {
		if strings.Contains(r.ID, "other") || strings.Contains(r.ID, "WHERE") || strings.Contains(r.ID, "default") {
			t.Errorf("%s", r.ID)
		}
	}
}

// What a template writes into its values is gone with it: the file is filled in more than once, and its values files see
// the values as they are declared.
func TestTemplatesOfHelmfilesWriteInACopy(t *testing.T) {
	files := map[string]string{
		"defaults.yaml": "release: {name: web, chart: charts/web, namespace: shop, values: [values.yaml.gotmpl]}\n",
		"helmfile.yaml": "environments: {default: {values: [defaults.yaml]}}\n---\n" +
			"{{- $_ := set .Values.release \"name\" (printf \"%sx\" .Values.release.name) }}\n" +
			"releases:\n- {{ .Values.release | toYaml | nindent 2 }}\n",
		"values.yaml.gotmpl":             "name: {{ .Values.release.name }}\n",
		"charts/web/Chart.yaml":          "apiVersion: v2\nname: web\nversion: 1.0.0\n",
		"charts/web/templates/data.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .Values.name }}'}\n",
	}
	objectOf(t, renders(t, renderWith(t, files, Options{}), "helmfile:helmfile.yaml:shop/webx"), "web")
}
