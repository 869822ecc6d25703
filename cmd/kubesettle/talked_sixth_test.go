package main

import "strings"

// The sixth set: a chart keeps its change behind a condition that no known value meets.
func sixth() map[string]talk {
	good, bad := webManifest(100), webManifest(1500)
	chart := "apiVersion: v2\nname: k\nversion: 1.0.0\n"
	application := treeFiles{"apps/k.yaml": thirdApplication("path: k", "")}
	out := map[string]talk{}
	// Conditions that what is not in the chart decides: also where the chart is declared.
	for _, c := range []string{
		`.Capabilities.APIVersions.Has "example.com/v1"`,
		`.Capabilities.APIVersions.Has "apps/v1/Cart"`,
		`and (.Capabilities.APIVersions.Has "example.com/v1") true`,
		`gt (int .Release.Revision) 3`,
		`hasPrefix "v4" .Capabilities.HelmVersion.Version`,
		`hasPrefix "go9" .Capabilities.HelmVersion.GoVersion`,
		`.Release.IsUpgrade`,
		`lookup "v1" "Namespace" "" "default"`,
	} {
		base := treeFiles{"k/Chart.yaml": chart, "k/templates/web.yaml": good}
		head := base.with(treeFiles{
			"k/templates/web.yaml": "{{ if " + c + " }}\n" + bad + "{{ else }}\n" + good + "{{ end }}\n"})
		out["a chart asks "+c] = talk{base: base, head: head}
		if strings.Contains(c, ".Release.") || strings.HasPrefix(c, "lookup") {
			continue // Argo CD renders every chart as a first install that finds nothing
		}
		out["a declared chart asks "+c] = talk{base: base.with(application), head: head.with(application)}
	}
	// Conditions about values, and about how a chart is installed that nobody declares.
	for c, values := range map[string]string{
		`eq .Release.Name "shop"`:                                      "",
		`.Release.Name | eq "shop"`:                                    "",
		`contains "prod" .Release.Name`:                                "",
		`has .Release.Namespace (list "prod" "live")`:                  "",
		`semverCompare ">=1.36.7-0" .Capabilities.KubeVersion.Version`: "",
		`.Values.x`:                                     "",
		`.Values.a.b`:                                   "a: {}\n",
		`(.Values.a).b`:                                 "",
		`.Values.global.x`:                              "global: {}\n",
		`hasKey .Values.a "x"`:                          "a: {}\n",
		`dig "a" "b" false .Values.AsMap`:               "a: {b: false}\n",
		`index .Values "my-key" "enabled"`:              "my-key: {enabled: false}\n",
		`get .Values "x"`:                               "",
		`and (not .Values.off) .Values.on`:              "off: true\non: false\n",
		`or .Values.a .Values.b`:                        "a: false\nb: false\n",
		`coalesce .Values.a .Values.b`:                  "",
		`eq (default "q" .Values.mode) "ha"`:            "",
		`eq (lower .Values.mode) "ha"`:                  "mode: single\n",
		`ne .Values.mode "single"`:                      "mode: single\n",
		`hasSuffix "-ha" .Values.mode`:                  "mode: single\n",
		`regexMatch "^h" .Values.mode`:                  "mode: single\n",
		`gt (int .Values.size) 3`:                       "size: 1\n",
		`gt (int (default 1 .Values.size)) 3`:           "",
		`lt (int .Values.size) 3`:                       "size: 5\n",
		`gt (len .Values.list) 2`:                       "list: []\n",
		`has "x" .Values.list`:                          "list: []\n",
		`not (empty .Values.list)`:                      "list: []\n",
		`kindIs "map" .Values.x`:                        "x: text\n",
		`eq .Values.a .Values.b`:                        "a: x\nb: z\n",
		`semverCompare ">=2" .Values.release`:           "release: \"1.0.0\"\n",
		`eq (tpl .Values.mode .) "ha"`:                  "mode: single\n",
		`ternary true false .Values.on`:                 "on: false\n",
		`and .Values.a.enabled (eq .Values.a.kind "x")`: "a: {enabled: false, kind: z}\n",
	} {
		base := treeFiles{"k/Chart.yaml": chart, "k/values.yaml": values, "k/templates/web.yaml": good}
		out["a chart has if "+c] = talk{base: base, head: base.with(treeFiles{
			"k/templates/web.yaml": "{{ if " + c + " }}\n" + bad + "{{ else }}\n" + good + "{{ end }}\n"})}
	}
	// Requests that other values make of it.
	for cpu, values := range map[string]string{
		`{{ with .Values.res }}{{ .cpu }}{{ else }}100m{{ end }}`:                            "",
		`100m{{ range .Values.more }}{{ end }}`:                                              "",
		`{{ .Values.res | default "100m" }}`:                                                 "",
		`{{ coalesce .Values.res "100m" }}`:                                                  "",
		`{{ ternary "1500m" "100m" .Values.big }}`:                                           "big: false\n",
		`{{ ternary "1500m" "100m" (eq .Values.mode "ha") }}`:                                "mode: single\n",
		`{{ get (dict "a" "100m" "b" "1500m") .Values.mode }}`:                               "mode: a\n",
		`{{ index (list "100m" "1500m") (int .Values.size) }}`:                               "size: 0\n",
		`{{ mul 100 (int .Values.size) }}m`:                                                  "size: 1\n",
		`{{ $c := "100m" }}{{ if .Values.big }}{{ $c = "1500m" }}{{ end }}{{ $c }}`:          "big: false\n",
		`{{ $c := dict "cpu" "100m" }}{{ merge (default dict .Values.res) $c | get "cpu" }}`: "",
	} {
		base := treeFiles{"k/Chart.yaml": chart, "k/values.yaml": values, "k/templates/web.yaml": good}
		out["a chart requests "+cpu] = talk{base: base, head: base.with(treeFiles{
			"k/templates/web.yaml": strings.Replace(good, "cpu: 100m", "cpu: "+cpu, 1)})}
	}
	return out
}
