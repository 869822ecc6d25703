package variants

import (
	"maps"
	"slices"
	"strings"
)

// rests are harmless contents of maps and lists that a chart copies into an object, by how their usual names end: what
// stands below the name, and its value, as --set takes them.
var rests = []struct {
	ends string
	with []toggle
}{
	{"poddisruptionbudget", []toggle{{".maxUnavailable", "1"}}},
	{"pdb", []toggle{{".maxUnavailable", "1"}}},
	{"nodeselector", []toggle{{`.kubernetes\.io/os`, "linux"}}},
	{"tolerations", []toggle{{"[0].key", "dedicated"}, {"[0].operator", "Exists"}}},
	{"affinity", []toggle{{".nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight", "1"}}},
	{"labels", []toggle{{".example", "example"}}},
	{"annotations", []toggle{{".example", "example"}}},
	{"env", environment}, {"envs", environment}, {"envvars", environment}, {"environment", environment},
	{"envfrom", []toggle{{"[0].configMapRef.name", "example"}, {"[0].configMapRef.optional", "true"}}},
	{"volumes", []toggle{{"[0].emptyDir.sizeLimit", "1Gi"}, {"[0].name", "example"}}},
	{"volumemounts", []toggle{{"[0].mountPath", "example"}, {"[0].name", "example"}}},
	{"retentionpolicy", []toggle{{".whenDeleted", "Retain"}, {".whenScaled", "Retain"}}},
	{"hosts", []toggle{{"[0]", "example"}}},
	{"args", []toggle{{"[0]", "example"}}},
}

var environment = []toggle{{"[0].name", "EXAMPLE"}, {"[0].value", "example"}}

// vacant reports whether values leave a map or a list to who installs the chart.
func vacant(have any) bool {
	switch x := have.(type) {
	case nil:
		return true
	case map[string]any:
		return len(x) == 0
	case []any:
		return len(x) == 0
	}
	return false
}

// filling are the settings that fill a map or a list with harmless content; nil: none is known. A mount has its volume
// beside it.
func (r *reading) filling(path []string) []toggle {
	at := setting(path, "x")
	if at == nil {
		return nil
	}
	last := len(path) - 1
	name, have := strings.ToLower(path[last]), any(nil)
	have, _ = r.value(path)
	for _, rest := range rests {
		if !strings.HasSuffix(name, rest.ends) {
			continue
		}
		var out []toggle
		for _, t := range rest.with {
			if _, list := have.([]any); have != nil && list != strings.HasPrefix(t.path, "[") {
				return nil
			}
			out = append(out, toggle{at[0].path + t.path, t.value})
		}
		if rest.ends == "volumemounts" {
			volumes := append(slices.Clone(path[:last]), strings.TrimSuffix(path[last], "Mounts")+"s")
			if held, known := r.value(volumes); !known || !vacant(held) {
				return nil
			}
			return append(out, r.filling(volumes)...)
		}
		return out
	}
	return nil
}

// entry is one toggle of a setting, with all others of the list that it is in: an entry of a list is valid as a whole,
// and a mount beside its volume.
func entry(set []toggle, one toggle) []toggle {
	list, _, in := strings.Cut(one.path, "[")
	if !in {
		return []toggle{one}
	}
	var out []toggle
	for _, t := range set {
		of, _, also := strings.Cut(t.path, "[")
		mounted := strings.HasSuffix(of, "olumes") || strings.HasSuffix(of, "olumeMounts")
		if also && (of == list || mounted) {
			out = append(out, t)
		}
	}
	return out
}

// withRequests adds the requests that pods need to a setting that switches an autoscaler on, if the chart leaves them
// to its users.
func (t *chartTexts) withRequests(set []toggle) []toggle {
	out := slices.Clone(set)
	for _, x := range set {
		at := strings.ToLower(x.path)
		if !slices.ContainsFunc([]string{"autoscal", "hpa", "keda"}, func(w string) bool { return strings.Contains(at, w) }) {
			continue
		}
		keys := strings.Split(x.path, ".")
		for n := len(keys) - 1; n >= 0; n-- {
			at := append(slices.Clone(keys[:n]), "resources")
			have, ok := (&reading{texts: t}).value(at)
			if m, is := have.(map[string]any); !ok || have != nil && (!is || len(m) > 0) {
				continue
			}
			for _, r := range [][2]string{{"cpu", "100m"}, {"memory", "128Mi"}} {
				out = append(out, setting(append(slices.Clone(at), "requests", r[0]), r[1])...)
			}
		}
	}
	if all, ok := sortToggles(out); ok {
		return all
	}
	return set
}

// withBounds gives an autoscaler that a setting switches on the bounds and the target that the chart leaves to who
// installs it.
func (t *chartTexts) withBounds(set []toggle) []toggle {
	out := slices.Clone(set)
	for _, x := range set {
		keys := strings.Split(x.path, ".")
		at := keys[:len(keys)-1]
		have, _ := (&reading{texts: t}).value(at)
		m, _ := have.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(m)) {
			low := strings.ToLower(key)
			for _, b := range bounds {
				if strings.HasPrefix(low, b.path) && (m[key] == nil || m[key] == "") {
					out = append(out, setting(append(slices.Clone(at), key), b.value)...)
				}
			}
		}
	}
	if all, ok := sortToggles(out); ok {
		return all
	}
	return set
}

// withStorage gives the claim that a setting switches on a size, where the chart leaves that to who installs it.
func (t *chartTexts) withStorage(set []toggle) []toggle {
	out := slices.Clone(set)
	for _, x := range set {
		keys := strings.Split(x.path, ".")
		at := keys[:len(keys)-1]
		have, _ := (&reading{texts: t}).value(at)
		m, _ := have.(map[string]any)
		_, modes := m["accessModes"]
		_, mode := m["accessMode"]
		if !modes && !mode {
			continue
		}
		if size, ok := m["size"]; ok && (size == nil || size == "") {
			out = append(out, setting(append(slices.Clone(at), "size"), "1Gi")...)
		}
		if rest, ok := m["resources"]; ok && vacant(rest) {
			out = append(out, setting(append(slices.Clone(at), "resources", "requests", "storage"), "1Gi")...)
		}
	}
	if all, ok := sortToggles(out); ok {
		return all
	}
	return set
}

// withPaths gives the hosts of an Ingress that a setting switches on a path, where the chart's own have none: the API
// server takes no rule without.
func (t *chartTexts) withPaths(set []toggle) []toggle {
	out := slices.Clone(set)
	for _, x := range set {
		keys := strings.Split(x.path, ".")
		at := append(slices.Clone(keys[:len(keys)-1]), "hosts")
		have, _ := (&reading{texts: t}).value(at)
		list, _ := have.([]any)
		if len(list) == 0 {
			continue
		}
		host, _ := list[0].(map[string]any)
		if paths, ok := host["paths"].([]any); !ok || len(paths) > 0 || setting(at, "x") == nil {
			continue
		}
		first := strings.Join(at, ".") + "[0]."
		out = append(out, toggle{first + "host", "example"}, toggle{first + "paths[0].path", "/"},
			toggle{first + "paths[0].pathType", "Prefix"})
	}
	if all, ok := sortToggles(out); ok {
		return all
	}
	return set
}

// bounds are the values that an autoscaler needs, by how their names begin.
var bounds = []toggle{{"minreplicas", "1"}, {"maxreplicas", "3"}, {"targetcpu", "80"}}
