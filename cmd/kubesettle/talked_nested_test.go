package main

import "strings"

// sixthNested is the sixth set with the chart as a subchart: in the folder of another one, beside it, and under an alias
// that is switched off; and with a chart that comes with the change, and keeps a whole template behind the condition.
func sixthNested() map[string]talk {
	parent := func(dependency string) treeFiles {
		return treeFiles{"u/Chart.yaml": "apiVersion: v2\nname: u\nversion: 1.0.0\ndependencies: [{name: k, version: 1.0.0" + dependency + "}]\n",
			"u/templates/note.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: note}\ndata: {a: b}\n"}
	}
	off := parent(", alias: j, condition: j.enabled").with(treeFiles{"u/values.yaml": "j: {enabled: false}\n"})
	out := map[string]talk{}
	for name, one := range sixth() {
		if _, declared := one.base["apps/k.yaml"]; declared {
			continue
		}
		out[name+", of a subchart"] = talk{base: parent("").with(one.base.moved("k", "u/charts/k")), head: parent("").with(one.head.moved("k", "u/charts/k"))}
		beside := parent(", repository: \"file://../k\"")
		out[name+", of a chart beside it"] = talk{base: beside.with(one.base), head: beside.with(one.head)}
		out[name+", of one that is switched off"] = talk{base: off.with(one.base.moved("k", "u/charts/k")), head: off.with(one.head.moved("k", "u/charts/k"))}
		if whole, hidden := strings.CutSuffix(one.head["k/templates/web.yaml"], "{{ else }}\n"+webManifest(100)+"{{ end }}\n"); hidden {
			out[name+", of a new chart"] = talk{base: treeFiles{"README.md": "a"}, head: one.head.with(treeFiles{"k/templates/web.yaml": whole + "{{ end }}\n"})}
		}
	}
	return out
}
