package main

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf16"
)

// hostileCase is what a pull request may hold against whoever checks it: files of its head
// beside a violation that has to be found, and links (name to target). %O in a text or a
// target is a folder outside of the repository, which holds a canary.
type hostileCase struct {
	name  string
	files map[string]string
	links map[string]string
}

const (
	hostileChart  = "apiVersion: v2\nname: c\nversion: 1.0.0\n"
	hostileConfig = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: h, namespace: default}\n"
)

// hostileCases generates all of them, in families.
func hostileCases() []hostileCase {
	var out []hostileCase
	for _, family := range []func() []hostileCase{hostileLinks, hostilePlugins, hostileTemplates, hostileSlow, hostileBombs, hostileYAML, hostileEncodings, hostileMarks, hostileCounts, hostileSecrets, hostilePolicies} {
		out = append(out, family()...)
	}
	return out
}

func one(name, file, text string) hostileCase {
	return hostileCase{name: name, files: map[string]string{file: text}}
}

func chartWith(name, template string) hostileCase {
	return hostileCase{name: name, files: map[string]string{"h/Chart.yaml": hostileChart, "h/values.yaml": "password: hostile-9Z-value\n", "h/templates/a.yaml": template}}
}

func kustomization(name, text string) hostileCase {
	return hostileCase{name: name, files: map[string]string{"h/kustomization.yaml": text, "h/a.yaml": hostileConfig}}
}

func hostileLinks() []hostileCase {
	var out []hostileCase
	for what, target := range map[string]string{
		"a file outside": "%O/canary.yaml", "a folder outside": "%O", "the root": "/", "a password file": "/etc/passwd",
		"endless zeros": "/dev/zero", "the environment": "/proc/self/environ", "itself": "a.yaml", "its folder": ".", "above": "../../../../../../etc/hostname",
	} {
		for _, place := range []struct {
			as    string
			link  string
			files map[string]string
		}{
			{"a manifest", "h/a.yaml", nil},
			{"a template", "h/templates/a.yaml", map[string]string{"h/Chart.yaml": hostileChart}},
			{"values", "h/values.yaml", map[string]string{"h/Chart.yaml": hostileChart, "h/templates/b.yaml": hostileConfig + "data: {a: {{ toYaml .Values | quote }}}\n"}},
			{"a resource", "h/a.yaml", map[string]string{"h/kustomization.yaml": "resources: [a.yaml]\n"}},
			{"a base", "h/base", map[string]string{"h/kustomization.yaml": "resources: [base]\n"}},
		} {
			out = append(out, hostileCase{name: "a link to " + what + " as " + place.as, files: place.files, links: map[string]string{place.link: target}})
		}
	}
	return out
}

func hostilePlugins() []hostileCase {
	var out []hostileCase
	for name, text := range map[string]string{
		"an exec generator":       "generators: [g.yaml]\n",
		"an exec transformer":     "transformers: [g.yaml]\n",
		"a function":              "generators:\n- |-\n  apiVersion: v1\n  kind: X\n  metadata:\n    name: x\n    annotations: {config.kubernetes.io/function: 'exec: {path: /bin/sh}'}\n",
		"a container function":    "transformers:\n- |-\n  apiVersion: v1\n  kind: X\n  metadata:\n    name: x\n    annotations: {config.kubernetes.io/function: 'container: {image: x}'}\n",
		"a remote base by http":   "resources: ['http://127.0.0.1:9/x']\n",
		"a remote base by git":    "resources: ['git::https://127.0.0.1:9/x//y?ref=main']\n",
		"a remote base by ssh":    "resources: ['ssh://git@127.0.0.1/x']\n",
		"a remote base by file":   "resources: ['file://%O']\n",
		"a git option":            "resources: ['--upload-pack=touch %O/written@x:y']\n",
		"a base outside":          "resources: ['%O']\n",
		"a base above":            "resources: [../../../../../../etc]\n",
		"a secret from outside":   "secretGenerator: [{name: s, files: ['%O/canary.yaml']}]\n",
		"variables from outside":  "configMapGenerator: [{name: s, envs: ['%O/canary.yaml']}]\n",
		"a patch from outside":    "resources: [a.yaml]\npatches: [{path: '%O/canary.yaml'}]\n",
		"an inflated chart":       "helmCharts: [{name: x, repo: 'https://127.0.0.1:9', version: 1.0.0}]\n",
		"an inflator's own flags": "helmGlobals: {chartHome: '%O'}\nhelmCharts: [{name: x}]\n",
		"itself":                  "resources: [../h]\n",
		"a schema from outside":   "openapi: {path: '%O/canary.yaml'}\nresources: [a.yaml]\n",
		"a component loop":        "components: [.]\n",
		"a replacement":           "resources: [a.yaml]\nreplacements: [{path: '%O/canary.yaml'}]\n",
	} {
		c := kustomization("a kustomization with "+name, text)
		c.files["h/g.yaml"] = "apiVersion: x/v1\nkind: Exec\nmetadata: {name: g, annotations: {config.kubernetes.io/function: \"exec:\\n  path: ./run.sh\"}}\n"
		c.files["h/run.sh"] = "#!/bin/sh\ntouch %O/written\n"
		out = append(out, c)
	}
	return out
}

func hostileTemplates() []hostileCase {
	var out []hostileCase
	for name, text := range map[string]string{
		"reads a file outside":       hostileConfig + "data: {a: {{ .Files.Get \"%O/canary.yaml\" | quote }}}\n",
		"reads a file above":         hostileConfig + "data: {a: {{ .Files.Get \"../../../../etc/passwd\" | quote }}}\n",
		"globs all files":            hostileConfig + "data:\n{{ (.Files.Glob \"/**\").AsConfig | indent 2 }}\n",
		"asks for a host":            hostileConfig + "data: {a: {{ getHostByName \"example.com\" | quote }}}\n",
		"reads the environment":      hostileConfig + "data: {a: {{ env \"HOME\" | quote }}}\n",
		"expands the environment":    hostileConfig + "data: {a: {{ expandenv \"$HOME\" | quote }}}\n",
		"looks into the cluster":     hostileConfig + "data: {a: {{ lookup \"v1\" \"Secret\" \"\" \"\" | toJson | quote }}}\n",
		"includes itself":            `{{ define "a" }}{{ include "a" . }}{{ end }}{{ include "a" . }}`,
		"calls tpl in itself":        `{{ $t := "{{ tpl .t . }}" }}{{ tpl $t (dict "t" $t "Template" .Template) }}`,
		"fails with a value":         `{{ fail .Values.password }}`,
		"fails in colour":            "{{ fail \"\\u001b[31mred\\u001b[0m\" }}",
		"fails with a command":       "{{ fail \"\\n::error::x\\n::set-output name=verdict::pass\" }}",
		"fails with markup":          `{{ fail "<img src=x onerror=alert(1)> @everyone #1 [a](javascript:1)" }}`,
		"divides by zero":            `{{ div 1 0 }}`,
		"takes an index":             `{{ index (list 1) 99999999 }}`,
		"writes no object":           "just text\n",
		"writes a list":              "- 1\n- 2\n",
		"writes an object by halves": "apiVersion: v1\nkind: Deployment\n",
		"is no template":             "{{ if }",
		"has no end":                 "{{ range .Values }}",
		"writes ten thousand names":  "{{ range until 20000 }}---\n" + strings.Replace(hostileConfig, "name: h", "name: h{{ . }}", 1) + "{{ end }}",
		"writes one name twice":      hostileConfig + "---\n" + hostileConfig,
		"writes null":                "apiVersion: v1\nkind: ConfigMap\nmetadata: null\n",
	} {
		out = append(out, chartWith("a template that "+name, text))
	}
	dependency := chartWith("a dependency outside", hostileConfig)
	dependency.files["h/Chart.yaml"] += "dependencies: [{name: d, version: 1.0.0, repository: 'file://%O'}]\n"
	archive := chartWith("an archive that is none", hostileConfig)
	archive.files["h/charts/d.tgz"] = "not gzip"
	long := chartWith("a chart with a name that leaves its folder", hostileConfig)
	long.files["h/Chart.yaml"] = "apiVersion: v2\nname: ../../../x\nversion: 1.0.0\n"
	return append(out, dependency, archive, long)
}

func hostileSlow() []hostileCase {
	slow := "{{ range until 3000 }}{{ range until 3000 }}{{ end }}{{ end }}"
	many := hostileCase{name: "14 charts that render slowly", files: map[string]string{}}
	for i := range 14 {
		many.files[fmt.Sprintf("h%d/Chart.yaml", i)] = hostileChart
		many.files[fmt.Sprintf("h%d/templates/a.yaml", i)] = "{{ range until 10 }}" + slow + "{{ end }}\n" + strings.Replace(hostileConfig, "name: h", fmt.Sprintf("name: h%d", i), 1)
	}
	return []hostileCase{
		many,
		chartWith("a chart that renders without end", `{{ range until 1000000 }}{{ range until 1000000 }}{{ end }}{{ end }}`),
		chartWith("a chart that makes keys", hostileConfig+"data: {a: {{ range until 60 }}{{ genPrivateKey \"rsa\" | b64enc | trunc 4 }}{{ end }}}\n"),
		chartWith("a chart that hashes slowly", hostileConfig+"data: {a: {{ range until 2000 }}{{ derivePassword 1 \"long\" \"a\" \"b\" \"c\" | trunc 1 }}{{ end }}}\n"),
		chartWith("a large regular expression", hostileConfig+`data: {a: {{ regexMatch "((a{0,1000}){0,1000}){0,1000}" "b" }}}`),
		chartWith("a slow regular expression", hostileConfig+`data: {a: {{ regexReplaceAll "(x+x+)+y" (repeat 100000 "x") "" | trunc 3 }}}`),
	}
}

func hostileBombs() []hostileCase {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c <= 'i'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s*%c]\n", c, c, strings.Repeat(fmt.Sprintf("*%c,", c-1), 9), c-1)
	}
	deep := strings.Repeat("{a: ", 5000) + "1" + strings.Repeat("}", 5000)
	return []hostileCase{
		one("a bomb of aliases in a manifest", "h/a.yaml", hostileConfig+bomb),
		chartWith("a bomb of aliases that a template writes", hostileConfig+bomb),
		{name: "a bomb of aliases in values", files: map[string]string{"h/Chart.yaml": hostileChart, "h/values.yaml": bomb, "h/templates/a.yaml": hostileConfig}},
		kustomization("a bomb of aliases in a kustomization", bomb),
		one("a deep manifest", "h/a.yaml", hostileConfig+"data: "+deep+"\n"),
		one("brackets without end", "h/a.yaml", hostileConfig+"data: "+strings.Repeat("[", 100000)+"\n"),
		chartWith("a template that allocates without end", `{{ $a := list }}{{ range until 1000000 }}{{ $a = append $a (repeat 1000000 "x") }}{{ end }}{{ len $a }}`),
		chartWith("a template that takes 2 GB at once", `a: {{ repeat 2000000000 "x" | len }}`),
		chartWith("a template that writes without end", "{{ range until 1000000 }}{{ repeat 1000000 \"x\" }}\n{{ end }}"),
		one("500,000 documents", "h/a.yaml", hostileConfig+strings.Repeat("---\n{}\n", 500000)),
		one("a line of 20 MB", "h/a.yaml", hostileConfig+"data: {a: '"+strings.Repeat("x", 20<<20)+"'}\n"),
		one("200,000 keys", "h/a.yaml", hostileConfig+"data:\n"+repeated(200000, func(i int) string { return fmt.Sprintf("  k%d: v\n", i) })),
	}
}

func repeated(n int, line func(int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i))
	}
	return b.String()
}

// hostileYAML are twenty ways to break YAML, or what a manifest is.
func hostileYAML() []hostileCase {
	var out []hostileCase
	for name, text := range map[string]string{
		"an unknown anchor": "a: *hostile-9Z-value\n", "an unknown tag": "a: !!hostile-9Z-value x\n", "a tab": "a:\n\tb: 1\n", "two keys": "a: 1\na: 2\n",
		"an open quote": "a: \"b\n", "an open brace": "a: {b: 1\n", "an open bracket": "a: [1, 2\n", "a wrong indent": "a:\n    b: 1\n  c: 2\n", "a bare percent": "%YAML 9.9\n---\na: 1\n",
		"a bare at": "a: @b\n", "a backtick": "a: `b`\n", "a binary tag": "a: !!binary '%%%'\n", "a merge of nothing": "<<: 1\n", "a merge loop": "a: &a {<<: *a}\n", "a key that is a map": "{a: 1}: b\n",
		"a colon too many": "a: b: c\n", "only marks": "---\n...\n---\n", "no kind": "apiVersion: v1\nmetadata: {name: h}\n", "no version": "kind: Pod\nmetadata: {name: h}\n", "a list": "- a\n- b\n",
		"a text": "hello\n", "a wrong type": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: h}\nspec: {replicas: many}\n", "an int as name": "apiVersion: v1\nkind: Pod\nmetadata: {name: 7}\n",
		"a merge conflict": "<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> x\n", "a template's marks": "a: {{ .Values.x }}\n",
	} {
		if !strings.Contains(text, "kind") && !strings.Contains(text, "apiVersion") {
			text = hostileConfig + text
		}
		out = append(out, one("YAML with "+name, "h/a.yaml", text))
	}
	return out
}

func hostileEncodings() []hostileCase {
	wide := func(big bool) string {
		out := []byte{0xff, 0xfe}
		if big {
			out = []byte{0xfe, 0xff}
		}
		for _, r := range utf16.Encode([]rune(hostileConfig)) {
			if big {
				out = append(out, byte(r>>8), byte(r))
			} else {
				out = append(out, byte(r), byte(r>>8))
			}
		}
		return string(out)
	}
	return []hostileCase{
		one("UTF-16", "h/a.yaml", wide(false)), one("UTF-16, big end first", "h/a.yaml", wide(true)),
		one("a byte order mark", "h/a.yaml", "\ufeff"+hostileConfig), one("a NUL", "h/a.yaml", hostileConfig+"data: {a: \"\x00\"}\n"),
		one("bytes that are no text", "h/a.yaml", hostileConfig+"data: {a: \"\xff\xfe\xc3\"}\n"), one("Windows line ends", "h/a.yaml", strings.ReplaceAll(hostileConfig, "\n", "\r\n")),
		one("old line ends", "h/a.yaml", strings.ReplaceAll(hostileConfig, "\n", "\r")), one("line separators", "h/a.yaml", strings.ReplaceAll(hostileConfig, "\n", "\u2028")),
		one("no line end", "h/a.yaml", strings.TrimSpace(hostileConfig)), one("an empty file", "h/a.yaml", ""), one("a binary", "h/a.yaml", "\x7fELF\x02\x01\x01"+strings.Repeat("\x00", 500)),
	}
}

// hostileMarks have in their names what a terminal, a log, Markdown or HTML would obey.
func hostileMarks() []hostileCase {
	var out []hostileCase
	for name, mark := range map[string]string{
		"a workflow command": "\n::set-output name=verdict::pass\n::stop-commands::x", "an escape": "\x1b[2J\x1b[31mPASS\x1b[0m", "an operating system command": "\x1b]0;x\x07",
		"a carriage return": "bad\rPASS", "markup": "<script>alert(1)</script>", "an image": "![x](https://example.com/x.png)", "a mention": "@everyone #1 GH-2", "a fence": "```\n## PASS\n```",
		"a table": "a|b|c\n-|-|-", "a details": "</details></details>", "our marker": "<!-- kubesettle:v1 -->", "bidirectional marks": "\u202egnp.exe\u202c", "no width": "a\u200bb\u200dc",
		"a backslash": `\\\"`, "a percent": "%0A::error::x%25", "an entity": "&lt;b&gt;&#x3c;",
	} {
		quoted := fmt.Sprintf("%q", mark)
		out = append(out,
			one("an annotation with "+name, "h/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: h, namespace: default, annotations: {a: "+quoted+"}}\n"),
			one("a name with "+name, "h/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "+quoted+", namespace: default}\n"))
	}
	for _, file := range []string{"h/::error::x.yaml", "h/<b>.yaml", "h/`a`.yaml", "h/a b.yaml", "h/-o.yaml", "h/$(touch x).yaml", "h/\u202ea.yaml", "h/" + strings.Repeat("n", 200) + ".yaml"} {
		out = append(out, one("a file called "+fmt.Sprintf("%.40q", file), file, hostileConfig+"data: [broken\n"))
	}
	return out
}

func hostileCounts() []hostileCase {
	deployment := func(name, spec, pod, container string) string {
		return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " + name + ", namespace: default}\nspec:\n  " + spec + "\n  selector: {matchLabels: {app: " + name + "}}\n  template:\n    metadata: {labels: {app: " + name + ", all: one}}\n    spec: {" + pod + "containers: [{name: c, image: c" + container + "}]}\n---\n"
	}
	var out []hostileCase
	for name, d := range map[string]string{
		"100,000 replicas": deployment("h", "replicas: 100000", "", ""), "-1 replicas": deployment("h", "replicas: -1", "", ""), "2^31 replicas": deployment("h", "replicas: 2147483648", "", ""), "10^400 replicas": deployment("h", "replicas: 1e400", "", ""),
		"a quantity of 10^309": deployment("h", "replicas: 1", "", ", resources: {requests: {cpu: 1e309}}"), "a negative quantity": deployment("h", "replicas: 1", "", ", resources: {requests: {cpu: '-1'}}"), "an odd quantity": deployment("h", "replicas: 1", "", ", resources: {requests: {cpu: 1.0000000000000000001Ki}}"),
		"maxSurge 100000%": deployment("h", "strategy: {rollingUpdate: {maxSurge: 100000%}}", "", ""), "minReadySeconds without end": deployment("h", "minReadySeconds: 2147483647", "", ""), "a grace without end": deployment("h", "replicas: 1", "terminationGracePeriodSeconds: 9223372036854775807, ", ""),
		"500 containers":    deployment("h", "replicas: 1", "initContainers: ["+strings.TrimSuffix(repeated(500, func(i int) string { return fmt.Sprintf("{name: i%d, image: i},", i) }), ",")+"], ", ""),
		"1,000 tolerations": deployment("h", "replicas: 1", "tolerations: ["+strings.TrimSuffix(repeated(1000, func(i int) string { return fmt.Sprintf("{key: t%d, operator: Exists},", i) }), ",")+"], ", ""),
		"500 spread constraints": deployment("h", "replicas: 9", "topologySpreadConstraints: ["+strings.TrimSuffix(repeated(500, func(i int) string {
			return fmt.Sprintf("{maxSkew: 1, topologyKey: k%d, whenUnsatisfiable: ScheduleAnyway, labelSelector: {}},", i)
		}), ",")+"], ", ""),
		"60 workloads tied by anti-affinity":  repeated(60, func(i int) string { return deployment(fmt.Sprint("h", i), "replicas: 3", tied, "") }),
		"300 workloads tied by anti-affinity": repeated(300, func(i int) string { return deployment(fmt.Sprint("h", i), "replicas: 1", tied, "") }),
		"2,000 Deployments":                   repeated(2000, func(i int) string { return deployment(fmt.Sprint("h", i), "replicas: 1", "", "") }),
		"300 budgets of one workload": deployment("h", "replicas: 3", "", "") + repeated(300, func(i int) string {
			return fmt.Sprintf("apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: p%d, namespace: default}\nspec: {minAvailable: 1, selector: {matchLabels: {app: h}}}\n---\n", i)
		}),
		"100 autoscalers of one workload": deployment("h", "replicas: 3", "", "") + repeated(100, func(i int) string {
			return fmt.Sprintf("apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: a%d, namespace: default}\nspec: {minReplicas: 1, maxReplicas: 1000, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: h}, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]}\n---\n", i)
		}),
	} {
		out = append(out, one(name, "h/a.yaml", d))
	}
	return out
}

const tied = "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {all: one}}}]}}, "

// hostileSecrets are the places of [TestCanariesReachNoSurface], one a repository.
func hostileSecrets() []hostileCase {
	var out []hostileCase
	for i, place := range append(append([]canaryPlace{}, canaryPlaces[:12]...), brokenPlaces...) {
		text := place.text
		if place.file != "c" {
			text = strings.NewReplacer("%64", base64.StdEncoding.EncodeToString([]byte("hostile-9Z-value")), "%s", "hostile-9Z-value").Replace(text)
		}
		text = strings.ReplaceAll(text, "%n", fmt.Sprint("h", i))
		var c hostileCase
		switch place.file {
		case "k":
			c = kustomization(place.name, text)
		case "c":
			c = chartWith(place.name, text)
		case "v":
			c = chartWith(place.name, hostileConfig)
			c.files["h/values.yaml"] = text
		default:
			c = one(place.name, "h/a.yaml", text)
		}
		c.name = "a secret in " + c.name
		out = append(out, c)
	}
	return out
}

// hostilePolicies would loosen the gate, if it were read from head.
func hostilePolicies() []hostileCase {
	return []hostileCase{
		one("a policy that switches all off", ".kubesettle.yaml", "gate: {failOn: \"off\"}\n"),
		one("a policy with more room", ".kubesettle.yaml", "cluster: {nodePools: [{name: n, count: {min: 9, max: 9}, zones: [a], allocatable: {cpu: '64', memory: 64Gi, pods: '110'}}]}\n"),
		one("a policy with a waiver", ".kubesettle.yaml", "waivers:\n- {rule: unschedulable, workload: default/web, reason: x, owner: x, expires: 2999-01-01}\n"),
		one("a policy that is broken", ".kubesettle.yaml", "gate: [\n"),
		one("a policy with nodes outside", ".kubesettle.yaml", "cluster: {nodes: %O/canary.yaml}\n"),
	}
}
