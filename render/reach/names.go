package reach

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/side"
)

// A release that is the same on both sides is rendered, too, where it may have what a changed object names: the Secret
// of a new reference to one of its keys, the definition of its kind. What the changed releases have themselves is not
// looked for.

// held are the kinds that pods name, each with those of whose resources a controller makes one.
var held = map[string][]string{
	"ConfigMap": {"ConfigMap"},
	"Secret": {"Secret", "ExternalSecret", "SealedSecret", "SopsSecret", "VaultStaticSecret", "VaultDynamicSecret",
		"InfisicalSecret", "OnePasswordItem"},
	"ServiceAccount": {"ServiceAccount"}, "PersistentVolumeClaim": {"PersistentVolumeClaim"},
	"PriorityClass": {"PriorityClass"}, "RuntimeClass": {"RuntimeClass"},
}

// namedBy are the fields of pods that name one of a kind, as it is or by the field within.
var namedBy = map[string][2]string{
	"configMapRef": {"ConfigMap", "name"}, "configMapKeyRef": {"ConfigMap", "name"}, "configMap": {"ConfigMap", "name"},
	"secretRef": {"Secret", "name"}, "secretKeyRef": {"Secret", "name"}, "secret": {"Secret", "secretName"},
	"serviceAccountName": {"ServiceAccount"}, "priorityClassName": {"PriorityClass"}, "runtimeClassName": {"RuntimeClass"},
	"persistentVolumeClaim": {"PersistentVolumeClaim", "claimName"},
}

// wants learns what the changed objects of head name that no changed release has.
func (e *effects) wants(base, head *side.Side) {
	was := map[[4]string]document.Document{}
	for k := range base.Releases {
		for _, d := range base.Outputs[k].Docs {
			was[keyOf(d)] = d
		}
	}
	there, asked := map[[2]string]bool{}, map[[2]string]bool{}
	for i := range head.Releases {
		for _, d := range head.Outputs[i].Docs {
			key := keyOf(d)
			for kind, makers := range held {
				if slices.Contains(makers, key[1]) {
					there[[2]string{kind, key[3]}] = true
				}
			}
			if key[1] == crd {
				spec, _ := d.Content["spec"].(map[string]any)
				there[[2]string{document.Text(spec, "group"), document.Text(spec, "names", "kind")}] = true
			}
			if b, had := was[key]; !had || !reflect.DeepEqual(b.Content["spec"], d.Content["spec"]) {
				namesOf(d.Content["spec"], asked)
				if key[1] == ingress {
					for _, rule := range document.Items(d.Content, "spec", "rules") {
						if host := document.Text(rule, "host"); host != "" {
							asked[[2]string{ingress, host}] = true
						}
					}
				}
				if defines(key[0]) {
					asked[[2]string{key[0], key[1]}] = true
				}
			}
		}
	}
	for x := range asked {
		if !there[x] {
			e.asked = append(e.asked, x)
		}
	}
}

const (
	crd     = "CustomResourceDefinition"
	ingress = "Ingress" // of which the hosts are asked for
)

// defines reports whether a group's kinds are asked for: not those of the tools that deliver, which each change has,
// and whose definitions are long.
func defines(group string) bool {
	return strings.Contains(group, ".") && !strings.HasSuffix(group, ".k8s.io") && group != "argoproj.io" &&
		!strings.HasSuffix(group, ".toolkit.fluxcd.io")
}

// namesOf adds the kinds and names that a value of an object names.
func namesOf(v any, to map[[2]string]bool) {
	switch t := v.(type) {
	case []any:
		for _, x := range t {
			namesOf(x, to)
		}
	case map[string]any:
		for key, x := range t {
			if by, is := namedBy[key]; is {
				name, _ := x.(string)
				if m, whole := x.(map[string]any); whole {
					name, _ = m[by[1]].(string)
					if own, _ := m["name"].(string); name == "" { // of a projected volume
						name = own
					}
				}
				if name != "" && !strings.ContainsAny(name, "{$") {
					to[[2]string{by[0], name}] = true
				}
			}
			namesOf(x, to)
		}
	}
}

// written are the names that a resource gives the Secrets that its controller makes.
func written(d document.Document) []string {
	names := []string{keyOf(d)[3]}
	for _, path := range [][]string{{"spec", "target", "name"}, {"spec", "destination", "name"},
		{"spec", "managedSecretReference", "secretName"}, {"spec", "template", "metadata", "name"}} {
		names = append(names, document.Text(d.Content, path...))
	}
	for _, item := range document.Items(d.Content, "spec", "secretTemplates") {
		names = append(names, document.Text(item, "name"))
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// holds reports whether a release may have an object that a changed one names. A chart is taken to have it only if its
// files or values name it.
func (e *effects) holds(j *release.Recipe) bool {
	settings := sync.OnceValue(func() []byte { b, _ := json.Marshal(&j.Release); return b })
	names := func(name string) bool {
		is := func(b []byte) bool { return hasWord(b, []byte(name)) }
		return anyFile(j, is) || is(settings())
	}
	chart := j.Release.Kind == object.Helm || j.Release.Kind == release.Templates
	return slices.ContainsFunc(e.asked, func(x [2]string) bool {
		kinds, named := held[x[0]]
		switch {
		case x[0] == ingress:
			return names(x[1])
		case !named: // a group, and a kind
			return anyFile(j, func(b []byte) bool {
				return bytes.Contains(b, []byte(crd)) && hasWord(b, []byte(x[0])) && hasWord(b, []byte(x[1]))
			})
		}
		return (!chart || names(x[1])) &&
			slices.ContainsFunc(kinds, func(kind string) bool { return mayHold(j, kind, x[1]) })
	})
}
