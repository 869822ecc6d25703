package static

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// need is a ConfigMap or Secret, or a key of one, that a pod does not start without.
//
// Upstream: kubernetes v1.36.3, pkg/kubelet/kubelet_pods.go: makeEnvironmentVariables; pkg/volume/configmap, secret and
// projected: MakePayload; pkg/volume/util: GetPodVolumeNames (a volume that nothing mounts is not waited for).
type need struct {
	kind     string // as "group/Kind"
	name     string
	in       string // namespace, if it is another one than that of who needs it
	key      string // "": the object as a whole
	path     string // of the field that says so
	at       string // the part of the pod that needs it, the same on both sides: "env LOG_LEVEL of container app"
	once     bool   // read when the container starts and never again
	soft     bool   // the container starts without the key, with a folder in place of the file
	optional bool   // and without any of it
	comes    string // the effect if the object as a whole is absent; "": pods do not start
	doubtful bool   // and that may be meant, or does no harm at once
	alone    bool   // it is reported only if the repository does not mention the name
	rule     string // that says so; "": missing configuration
}

// wants lists what an object names, its pods' needs included; see [names].
func wants(o *object.Object) []need {
	if o == nil {
		return nil
	}
	return append(needs(o), names(o)...)
}

// podSpec is that of the pods an object makes, with its path and a dot; nil: it makes none.
func podSpec(o *object.Object) (*corev1.PodSpec, string) {
	for _, at := range [][]string{{"spec", "template", "spec"},
		{"spec", "jobTemplate", "spec", "template", "spec"}, {"spec"}} {
		content, ok := slice.ValueAt(o.Content, at...).(map[string]any)
		if list, _ := content["containers"].([]any); !ok || len(list) == 0 || len(at) == 1 && o.ID.Kind != "Pod" {
			continue
		}
		text, err := json.Marshal(content)
		if err != nil {
			return nil, ""
		}
		var spec corev1.PodSpec
		if json.Unmarshal(text, &spec) != nil && o.Typed != nil {
			return decodedSpec(o, at), strings.Join(at, ".") + "."
		}
		return &spec, strings.Join(at, ".") + "."
	}
	return nil, ""
}

// decodedSpec is the spec at a path of an object with a value of another type in it, as the object was decoded: its
// other mistakes are reported, too. nil: there is none.
func decodedSpec(o *object.Object, at []string) *corev1.PodSpec {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o.Typed)
	if err != nil {
		return nil
	}
	part, ok := slice.ValueAt(content, at...).(map[string]any)
	var spec corev1.PodSpec
	if !ok || runtime.DefaultUnstructuredConverter.FromUnstructured(part, &spec) != nil {
		return nil
	}
	return &spec
}

// needs lists what the pods of an object do not start without, in the order of its fields.
func needs(o *object.Object) []need {
	return slices.DeleteFunc(reads(o), func(n need) bool { return n.optional })
}

// reads lists what the pods of an object read, in the order of its fields.
func reads(o *object.Object) []need {
	if o == nil {
		return nil
	}
	spec, prefix := podSpec(o)
	if spec == nil {
		return nil
	}
	var out []need
	mounts := map[string][]mount{}
	for _, list := range []struct {
		field string
		of    []corev1.Container
	}{{"initContainers", spec.InitContainers}, {"containers", spec.Containers}} {
		for i, c := range list.of {
			at := fmt.Sprintf("%s%s[%d].", prefix, list.field, i)
			out = append(out, envNeeds(c, at)...)
			for j, m := range c.VolumeMounts {
				mounts[m.Name] = append(mounts[m.Name], mount{m.SubPath, fmt.Sprintf("%svolumeMounts[%d].subPath", at, j)})
			}
		}
	}
	for i, v := range spec.Volumes {
		if len(mounts[v.Name]) > 0 {
			out = append(out, volumeNeeds(v, fmt.Sprintf("%svolumes[%d].", prefix, i), mounts[v.Name])...)
		}
	}
	return out
}

// mount is where a container mounts a volume: as a whole, or a path in it.
type mount struct{ subPath, field string }

func envNeeds(c corev1.Container, at string) []need {
	var out []need
	add := func(kind, name, key string, optional *bool, field, what string) {
		if name != "" {
			out = append(out, need{kind: kind, name: name, key: key, path: at + field,
				at: what + " of container " + c.Name, once: true, optional: optional != nil && *optional})
		}
	}
	for i, e := range c.EnvFrom {
		what := fmt.Sprintf("envFrom[%d]", i)
		if r := e.ConfigMapRef; r != nil {
			add(configMap, r.Name, "", r.Optional, what+".configMapRef.name", what)
		}
		if r := e.SecretRef; r != nil {
			add(secret, r.Name, "", r.Optional, what+".secretRef.name", what)
		}
	}
	for i, e := range c.Env {
		if e.ValueFrom == nil {
			continue
		}
		field, what := fmt.Sprintf("env[%d].valueFrom.", i), "env "+e.Name
		if r := e.ValueFrom.ConfigMapKeyRef; r != nil {
			add(configMap, r.Name, r.Key, r.Optional, field+"configMapKeyRef", what)
		}
		if r := e.ValueFrom.SecretKeyRef; r != nil {
			add(secret, r.Name, r.Key, r.Optional, field+"secretKeyRef", what)
		}
	}
	return out
}

func volumeNeeds(v corev1.Volume, at string, mounts []mount) []need {
	var out []need
	what := "volume " + v.Name
	once := !slices.ContainsFunc(mounts, func(m mount) bool { return m.subPath == "" })
	add := func(kind, name string, items []corev1.KeyToPath, optional *bool, field, nameField string) {
		if name == "" {
			return
		}
		may := optional != nil && *optional
		out = append(out, need{kind: kind, name: name, path: at + field + nameField, at: what, once: once, optional: may})
		for i, it := range items {
			out = append(out, need{kind: kind, name: name, key: it.Key, path: fmt.Sprintf("%s%sitems[%d]", at, field, i),
				at: what + " key " + it.Key, once: once, optional: may})
		}
		for _, m := range mounts {
			first, _, deeper := strings.Cut(path.Clean(m.subPath), "/")
			if m.subPath != "" && !deeper && len(items) == 0 && !strings.HasPrefix(field, "projected") {
				out = append(out, need{kind: kind, name: name, key: first, path: m.field, at: what + " subPath " + first,
					once: true, soft: true, optional: may})
			}
		}
	}
	switch {
	case v.ConfigMap != nil:
		add(configMap, v.ConfigMap.Name, v.ConfigMap.Items, v.ConfigMap.Optional, "configMap.", "name")
	case v.Secret != nil:
		add(secret, v.Secret.SecretName, v.Secret.Items, v.Secret.Optional, "secret.", "secretName")
	case v.Projected != nil:
		for i, s := range v.Projected.Sources {
			field := fmt.Sprintf("projected.sources[%d].", i)
			if s.ConfigMap != nil {
				add(configMap, s.ConfigMap.Name, s.ConfigMap.Items, s.ConfigMap.Optional, field+"configMap.", "name")
			}
			if s.Secret != nil {
				add(secret, s.Secret.Name, s.Secret.Items, s.Secret.Optional, field+"secret.", "name")
			}
		}
	}
	return out
}
