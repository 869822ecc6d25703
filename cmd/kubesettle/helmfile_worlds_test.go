package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// asking are helmfiles that decide by what only their environment has. A knob is what another environment than the one
// that is analysed makes of the release; KNOWN is what each makes of it.
func asking() map[string]treeFiles {
	chart := strings.NewReplacer("cpu: 100m", "cpu: {{ .Values.cpu }}m", "type: Recreate}",
		"type: Recreate}\n  replicas: {{ .Values.replicas }}").Replace(webManifest(100))
	with := func(files treeFiles) treeFiles {
		return treeFiles{
			"helmfile.yaml.gotmpl":      "releases:\n- name: web\n  chart: ./chart\n  values: [values.yaml.gotmpl, {cpu: KNOWN}]\n",
			"chart/Chart.yaml":          "apiVersion: v2\nname: web\nversion: 1.0.0\n",
			"chart/values.yaml":         "replicas: 1\ncpu: 1\n",
			"chart/templates/web.yaml":  chart,
			"values.yaml.gotmpl":        "replicas: 1\n",
			"environments/a/other.yaml": "replicas: 1\n",
		}.with(files)
	}
	values := func(text string) treeFiles { return with(treeFiles{"values.yaml.gotmpl": text + "\n"}) }
	out := map[string]treeFiles{
		"set or not":         values(`replicas: {{ if env "X" }}«2|3»{{ else }}1{{ end }}`),
		"with":               values(`replicas: {{ with env "X" }}«2|3»{{ else }}1{{ end }}`),
		"a text":             values(`replicas: {{ if eq (env "X") "prod" }}«2|3»{{ else }}1{{ end }}`),
		"not a text":         values(`replicas: {{ if ne (requiredEnv "X") "prod" }}1{{ else }}«2|3»{{ end }}`),
		"one of some":        values(`replicas: {{ if has (requiredEnv "X") (list "prod" "test") }}«2|3»{{ else }}1{{ end }}`),
		"a part":             values(`replicas: {{ if hasPrefix "eu-" (requiredEnv "X") }}«2|3»{{ else }}1{{ end }}`),
		"two":                values(`replicas: {{ if and (env "X") (env "Y") }}«2|3»{{ else }}1{{ end }}`),
		"one and not other":  values(`replicas: {{ if and (env "X") (not (env "Y")) }}«2|3»{{ else }}1{{ end }}`),
		"ternary":            values(`replicas: {{ ternary «2|3» 1 (eq (env "X") "prod") }}`),
		"a variable":         values(`{{ $prod := eq (env "X" | default "dev") "prod" }}replicas: {{ if $prod }}«2|3»{{ else }}1{{ end }}`),
		"a map's key":        values(`replicas: {{ index (dict "a" 1 "b" «2|3») (requiredEnv "X") | default 1 }}`),
		"a number":           values(`replicas: {{ if gt (env "X" | int) 1 }}«2|3»{{ else }}1{{ end }}`),
		"a command":          values(`replicas: {{ if eq (exec "whoami" list) "root" }}«2|3»{{ else }}1{{ end }}`),
		"by an expression":   values(`replicas: {{ if env "X" | regexMatch "^a" }}«2|3»{{ else }}1{{ end }}`),
		"in a values file":   with(treeFiles{"values.yaml.gotmpl": `replicas: {{ if env "X" }}{{ readFile "n" }}{{ else }}1{{ end }}`, "n": "«2|3»"}),
		"whether it is":      with(treeFiles{"helmfile.yaml.gotmpl": "releases:\n- name: web\n  chart: ./chart\n  installed: {{ env \"X\" | default \"true\" }}\n  values: [{cpu: KNOWN}]\n- name: more\n  namespace: other\n  chart: ./chart\n  installed: {{ env \"X\" | default \"false\" }}\n  values: [{replicas: «2|3», cpu: 1}]\n"}),
		"through the values": with(treeFiles{"helmfile.yaml.gotmpl": "environments:\n  default: {values: [env.yaml.gotmpl]}\n---\nreleases:\n- name: web\n  chart: ./chart\n  values: [values.yaml.gotmpl, {cpu: KNOWN}]\n", "env.yaml.gotmpl": "{{ if env \"X\" }}num: «2|3»{{ else }}num: 1{{ end }}\n", "values.yaml.gotmpl": "replicas: {{ .Values.num }}\n"}),
		"a file":             with(treeFiles{"helmfile.yaml.gotmpl": "releases:\n- name: web\n  chart: ./chart\n  values: [\"environments/{{ requiredEnv \"X\" }}/values.yaml\", {cpu: KNOWN}]\n", "environments/a/values.yaml": "replicas: 1\n", "environments/b/values.yaml": "replicas: «2|3»\n"}),
		"a namespace":        with(treeFiles{"helmfile.yaml.gotmpl": "releases:\n- name: web\n  namespace: {{ requiredEnv \"NS\" }}\n  chart: ./chart\n  values: [{cpu: KNOWN, replicas: {{ if eq (requiredEnv \"NS\") \"prod\" }}«2|3»{{ else }}1{{ end }}}]\n"}),
	}
	return out
}

// What only the environment of a helmfile decides is unknown where it changes. Where it does not, what does not depend on
// it is analysed as if it were known.
func TestWhatTheEnvironmentDecidesIsUnknown(t *testing.T) {
	t.Parallel()
	notUnderRace(t)
	all := asking()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		tree := func(n int, cpu string) treeFiles {
			out, _ := all[name].turned(n)
			for f, text := range out {
				out[f] = strings.ReplaceAll(text, "KNOWN", cpu)
			}
			return out.with(treeFiles{".kubesettle.yaml": actionPolicy})
		}
		base := tree(-1, "100")
		// A release that another environment alone has is analysed in its place.
		own := 0
		if name == "whether it is" || name == "a namespace" {
			own = 1
		}
		passes := func(c checked, least int) bool {
			return c.result.Verdict == finding.Pass && (own == 0 || len(c.result.Workloads) < least+own)
		}
		if got := checkTrees(t, base, tree(0, "100")); passes(got, 0) {
			t.Errorf("%s: what is unknown changes, and that is a pass:\n%s", name, got.text)
		}
		if got := checkTrees(t, base, tree(0, "200")); passes(got, 1) {
			t.Errorf("%s: what is unknown changes beside what is known, and that is a pass:\n%s", name, got.text)
		}
		if got := checkTrees(t, base, tree(-1, "200")); got.result.Verdict != finding.Pass || len(got.result.Workloads) == 0 {
			t.Errorf("%s: what is known changes, and that is no pass:\n%s", name, got.text)
		}
		if got := checkTrees(t, base, tree(-1, "2000")); got.result.Verdict != finding.Fail {
			t.Errorf("%s: no node has room, and nothing says so:\n%s", name, got.text)
		}
	}
}
