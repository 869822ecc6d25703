package reach

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/side"
)

// A release that is the same on both sides is rendered where it names an object that goes: the StorageClass of its
// claims, the ConfigMap of its pods, the definition of its custom resources. The changed releases are already rendered,
// so the removed objects are known, and only their names are looked for in the files of the others.

// generated is a name with the hash of its content, a form that occurs nowhere else. Upstream: kyaml, api/hasher:
// encode.
var generated = regexp.MustCompile(`-[bcdfghkmt2456789]{10}$`)

// goes learns the names of objects that head no longer has, and of those that lose a key.
func (e *effects) goes(base, head *side.Side) {
	now := map[[4]string]document.Document{}
	of := map[[4]string]*release.Recipe{}
	var was []document.Document
	had := map[[4]string]bool{}
	for k := range base.Releases {
		for _, d := range base.Outputs[k].Docs {
			had[keyOf(d)] = true
		}
	}
	for i, r := range head.Releases {
		if k, ok := base.ByID[r.ID]; !ok || !side.Alike(base.Place(k), head.Place(i)) {
			for _, d := range head.Outputs[i].Docs {
				key := keyOf(d)
				now[key], of[key] = d, head.Recipes[i]
				if r.Delivery.Tool != "" && !had[key] && key[3] != "" && slices.Contains(sharedKinds, key[1]) {
					e.comes = append(e.comes, [2]string{key[1], key[3]})
				}
			}
		}
	}
	for k, r := range base.Releases {
		if i, ok := head.ByID[r.ID]; !ok || head.Failed[i] == nil && head.Outputs[i].Err == nil &&
			!side.Alike(base.Place(k), head.Place(i)) {
			for _, d := range base.Outputs[k].Docs {
				was = append(was, d)
				h := now[keyOf(d)]
				e.lead(d, h, base.Recipes[k])
				e.lead(h, d, of[keyOf(d)])
				delete(of, keyOf(d))
			}
		}
	}
	for key, j := range of {
		e.lead(now[key], document.Document{}, j)
	}
	asked := map[[4]string][]string{}
	for _, d := range was {
		asked[keyOf(d)] = numbers(d)
	}
	for key, d := range now {
		for _, n := range numbers(d) {
			if !slices.Contains(asked[key], n) {
				e.gone = append(e.gone, []byte(n))
			}
		}
	}
	for _, d := range was {
		key := keyOf(d)
		kind := key[0] + "/" + key[1]
		h, stays := now[key]
		same := stays && reflect.DeepEqual(d.Content["spec"], h.Content["spec"])
		if slices.Contains(held["Secret"][1:], key[1]) && !same {
			for _, name := range written(d) {
				e.gone = append(e.gone, []byte(name))
			}
		}
		if !slices.Contains(base.Opt.Referred, kind) || stays && !losesKey(d, h) || generated.MatchString(key[3]) {
			continue
		}
		name := key[3]
		if spec, _ := d.Content["spec"].(map[string]any); kind == "apiextensions.k8s.io/CustomResourceDefinition" {
			name, _ = spec["group"].(string)
		}
		if name != "" {
			e.gone = append(e.gone, []byte(name))
		}
	}
}

// numbers are the ports of the nodes and the address that a Service asks for.
func numbers(d document.Document) []string {
	spec, _ := d.Content["spec"].(map[string]any)
	if document.Text(d.Content, "kind") != "Service" || spec == nil {
		return nil
	}
	var out []string
	if ip, _ := spec["clusterIP"].(string); strings.ContainsAny(ip, ".:") {
		out = append(out, ip)
	}
	ports, _ := spec["ports"].([]any)
	for _, p := range ports {
		if m, _ := p.(map[string]any); m["nodePort"] != nil {
			out = append(out, fmt.Sprint(m["nodePort"]))
		}
	}
	return out
}

// keyOf is the group, kind, namespace and name of a document.
func keyOf(d document.Document) [4]string {
	gvk := document.GVK(d.Content)
	meta, _ := d.Content["metadata"].(map[string]any)
	ns, _ := meta["namespace"].(string)
	name, _ := meta["name"].(string)
	return [4]string{gvk.Group, gvk.Kind, ns, name}
}

// losesKey reports whether the data of an object lacks a key that it had.
func losesKey(was, is document.Document) bool {
	for _, field := range []string{"data", "binaryData", "stringData"} {
		had, _ := was.Content[field].(map[string]any)
		has, _ := is.Content[field].(map[string]any)
		for k := range had {
			if _, ok := has[k]; !ok {
				return true
			}
		}
	}
	return false
}

// refers reports whether a release may name an object that goes.
func (e *effects) refers(j *release.Recipe) bool {
	if len(e.gone) == 0 {
		return false
	}
	settings, err := json.Marshal(&j.Release)
	names := func(b []byte) bool {
		return slices.ContainsFunc(e.gone, func(name []byte) bool { return hasWord(b, name) })
	}
	return err != nil || names(settings) || anyFile(j, names)
}

// sharedKinds are those of which two releases of one cluster may have the same object, each in its own way.
var sharedKinds = []string{"Deployment", "StatefulSet", "DaemonSet", "Rollout", "Service", "ConfigMap",
	"HorizontalPodAutoscaler", "PodDisruptionBudget", "Application", "Kustomization", "HelmRelease"}

// shares reports whether a release that a GitOps tool applies may have an object that comes to another one.
func (e *effects) shares(j *release.Recipe) bool {
	return len(e.comes) > 0 && j.Release.Delivery.Tool != "" && anyFile(j, func(b []byte) bool {
		return slices.ContainsFunc(e.comes, func(x [2]string) bool {
			return hasKind(b, []string{x[0]}) && hasWord(b, []byte(x[1]))
		})
	})
}

// hasWord reports whether a name stands in a text that is no part of a longer one.
func hasWord(b, name []byte) bool {
	part := func(r rune) bool { return r == '-' || r == '.' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	for rest := b; ; {
		i := bytes.Index(rest, name)
		if i < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRune(rest[:i])
		after, _ := utf8.DecodeRune(rest[i+len(name):])
		if !part(before) && !part(after) {
			return true
		}
		rest = rest[i+len(name):]
	}
}
