package kyverno

import (
	"slices"

	"github.com/kubesettle/kubesettle/render/fieldpath"
)

// keyed are the lists of pods whose elements are merged by the fields named; others are replaced. All lists of one name
// are alike in workloads.
//
// Upstream: kustomize, kyaml v0.21.1, openapi/kubernetesapi/v1_21_2: x-kubernetes-list-map-keys,
// x-kubernetes-patch-merge-key.
var keyed = map[string][]string{
	"containers": {"name"}, "initContainers": {"name"}, "ephemeralContainers": {"name"}, "env": {"name"},
	"volumes": {"name"}, "imagePullSecrets": {"name"}, "volumeMounts": {"mountPath"}, "volumeDevices": {"devicePath"},
	"hostAliases": {"ip"}, "ports": {"containerPort", "protocol"},
	"topologySpreadConstraints": {"topologyKey", "whenUnsatisfiable"},
}

// merge merges a patch into an object. What a patch names of a list comes first, in its order; where a list has two
// keys, only what is new to it.
//
// Upstream: kustomize, kyaml v0.21.1, yaml/merge2: Merge, with lists that grow at their start; yaml/walk:
// setAssociativeSequenceElements.
func merge(object, patch map[string]any) (why string) {
	for key, v := range patch {
		switch t := v.(type) {
		case nil:
			delete(object, key)
		case map[string]any:
			below, _ := object[key].(map[string]any)
			if below == nil {
				below = map[string]any{}
			}
			if why := merge(below, t); why != "" {
				return why
			}
			object[key] = below
		case []any:
			keys, below := keyed[key], object[key]
			if key == "finalizers" || key == "ownerReferences" {
				return "its patch has " + key
			}
			if keys == nil {
				object[key] = t
				continue
			}
			list, _ := below.([]any)
			merged, why := mergeList(list, t, keys)
			if why != "" {
				return why
			}
			object[key] = merged
		default:
			object[key] = v
		}
	}
	return ""
}

func mergeList(list, patch []any, keys []string) ([]any, string) {
	var out []any
	rest := slices.Clone(list)
	for _, x := range patch {
		of, _ := x.(map[string]any)
		same := func(y any) bool {
			e, _ := y.(map[string]any)
			return !slices.ContainsFunc(keys, func(k string) bool {
				a, _ := scalarText(e[k])
				b, _ := scalarText(of[k])
				return a != b
			})
		}
		for _, k := range keys {
			if _, named := scalarText(of[k]); !named {
				return nil, "its patch has an element of a list without " + k
			}
		}
		element := map[string]any{}
		i := slices.IndexFunc(rest, same)
		if i >= 0 {
			element, _ = fieldpath.DeepCopy(rest[i]).(map[string]any)
		} else if slices.ContainsFunc(out, same) {
			return nil, "its patch has an element of a list twice"
		}
		if why := merge(element, of); why != "" {
			return nil, why
		}
		switch {
		case i >= 0 && len(keys) > 1:
			rest[i] = element
			continue
		case i >= 0:
			rest = slices.Delete(rest, i, i+1)
		}
		out = append(out, element)
	}
	return append(out, rest...), ""
}
