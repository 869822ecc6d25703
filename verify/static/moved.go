package static

import (
	"fmt"
	"reflect"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/typed"
)

// asNewer are the settings with which an object expresses its fields of an older API version in the newest one; nil if
// it has none of these.
//
// Upstream: kubernetes.io/docs/reference/using-api/deprecation-guide, Ingress v1.22 and HorizontalPodAutoscaler v1.25.
func asNewer(o *object.Object) []object.Setting {
	switch o.ID.Kind {
	case "HorizontalPodAutoscaler":
		metrics, _ := o.At("spec.metrics")
		if newer := typed.MetricsFromV2beta1(metrics); newer != nil && !reflect.DeepEqual(newer, metrics) {
			return []object.Setting{{Path: "spec.metrics", Value: newer}}
		}
	case "Ingress":
		return backendsAsNewer(o)
	}
	return nil
}

// backendsAsNewer moves the backends of an Ingress to where networking.k8s.io/v1 has them. A path of an older version
// is as good as ImplementationSpecific.
func backendsAsNewer(o *object.Object) []object.Setting {
	var set []object.Setting
	if v, there := o.At("spec.backend"); there {
		if service := serviceOf(v); service != nil {
			v = map[string]any{"service": service}
		}
		set = append(set, object.Setting{Path: "spec.backend"}, object.Setting{Path: "spec.defaultBackend", Value: v})
	}
	for i := range listAt(o, "spec.rules") {
		paths := fmt.Sprintf("spec.rules[%d].http.paths", i)
		for k := range listAt(o, paths) {
			at := fmt.Sprintf("%s[%d]", paths, k)
			v, _ := o.At(at + ".backend")
			service := serviceOf(v)
			if service == nil {
				continue
			}
			named := at + ".backend.service"
			set = append(set, object.Setting{Path: named + "Name"}, object.Setting{Path: named + "Port"},
				object.Setting{Path: named, Value: service})
			if _, there := o.At(at + ".pathType"); !there {
				set = append(set, object.Setting{Path: at + ".pathType", Value: "ImplementationSpecific"})
			}
		}
	}
	return set
}

// serviceOf is the Service that a backend of an older version names, as v1 writes it; nil: it names none.
func serviceOf(backend any) map[string]any {
	was, _ := backend.(map[string]any)
	name, old := was["serviceName"].(string)
	if !old || was["service"] != nil {
		return nil
	}
	key := "number"
	if _, text := was["servicePort"].(string); text {
		key = "name"
	}
	return map[string]any{"name": name, "port": map[string]any{key: was["servicePort"]}}
}

// listAt are the entries of a list; none where there is none.
func listAt(o *object.Object, path string) []any {
	v, _ := o.At(path)
	list, _ := v.([]any)
	return list
}
