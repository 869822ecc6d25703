package static

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// madeSecret is a Secret that a controller writes as one of its resources says.
type madeSecret struct {
	name string
	keys map[string]string // each with the field that gives it; nil: they are not known
	kept bool              // it stays when its resource is deleted
}

// secretMakers read the Secrets of which a resource gives the name, by "group/Kind".
//
// Read from: external-secrets, pkg/controllers/externalsecret: (*Reconciler).Reconcile (an owned Secret of an earlier
// target is deleted); the documentation of external-secrets (creationPolicy, templates), Sealed Secrets, cert-manager
// (a Secret has no owner unless --enable-certificate-owner-ref), and of the operators of Vault, Infisical, 1Password
// and sops.
var secretMakers = map[string]func(o *object.Object) []madeSecret{
	"external-secrets.io/ExternalSecret": externalSecret,
	"bitnami.com/SealedSecret":           sealedSecret,
	"isindir.github.com/SopsSecret":      sopsSecrets,
	"cert-manager.io/Certificate": func(o *object.Object) []madeSecret {
		return []madeSecret{{name: word(slice.ValueAt(o.Content, "spec", "secretName")), kept: true}}
	},
	"secrets.hashicorp.com/VaultStaticSecret":  destination,
	"secrets.hashicorp.com/VaultDynamicSecret": destination,
	"secrets.hashicorp.com/VaultPKISecret":     destination,
	"secrets.infisical.com/InfisicalSecret": func(o *object.Object) []madeSecret {
		ref, _ := slice.ValueAt(o.Content, "spec", "managedSecretReference").(map[string]any)
		return []madeSecret{{name: word(ref["secretName"]), kept: word(ref["creationPolicy"]) != "Owner"}}
	},
	"onepassword.com/OnePasswordItem": func(o *object.Object) []madeSecret { return []madeSecret{{name: o.ID.Name}} },
}

func externalSecret(o *object.Object) []madeSecret {
	target, _ := slice.ValueAt(o.Content, "spec", "target").(map[string]any)
	if word(target["creationPolicy"]) == "None" || target["manifest"] != nil {
		return nil
	}
	s := madeSecret{name: cmp.Or(word(target["name"]), o.ID.Name), keys: map[string]string{},
		kept: slices.Contains([]string{"Orphan", "Merge"}, word(target["creationPolicy"]))}
	template, _ := target["template"].(map[string]any)
	data, _ := template["data"].(map[string]any)
	for key := range data {
		s.keys[key] = "spec.target.template.data[" + key + "]"
	}
	if len(data) == 0 || word(template["mergePolicy"]) == "Merge" {
		for at, item := range items(slice.ValueAt(o.Content, "spec", "data"), "spec.data") {
			s.keys[word(item["secretKey"])] = at + ".secretKey"
		}
	}
	from, _ := slice.ValueAt(o.Content, "spec", "dataFrom").([]any)
	if len(from) > 0 && (len(data) == 0 || word(template["mergePolicy"]) == "Merge") || template["templateFrom"] != nil ||
		s.kept {
		s.keys = nil // what is beside them is not known
	}
	return []madeSecret{s}
}

func sealedSecret(o *object.Object) []madeSecret {
	s := madeSecret{keys: map[string]string{},
		name: cmp.Or(word(slice.ValueAt(o.Content, "spec", "template", "metadata", "name")), o.ID.Name)}
	for _, path := range [][]string{{"spec", "encryptedData"}, {"spec", "template", "data"}} {
		data, _ := slice.ValueAt(o.Content, path...).(map[string]any)
		for key := range data {
			s.keys[key] = strings.Join(path, ".") + "[" + key + "]"
		}
	}
	if annotation(o, "sealedsecrets.bitnami.com/patch") == "true" {
		s.keys = nil
	}
	return []madeSecret{s}
}

func sopsSecrets(o *object.Object) []madeSecret {
	var out []madeSecret
	for at, item := range items(slice.ValueAt(o.Content, "spec", "secretTemplates"), "spec.secretTemplates") {
		s := madeSecret{name: word(item["name"]), keys: map[string]string{}}
		for _, part := range []string{"data", "stringData"} {
			data, _ := item[part].(map[string]any)
			for key := range data {
				s.keys[key] = at + "." + part + "[" + key + "]"
			}
		}
		out = append(out, s)
	}
	return out
}

func destination(o *object.Object) []madeSecret {
	d, _ := slice.ValueAt(o.Content, "spec", "destination").(map[string]any)
	if d["create"] != true {
		return nil
	}
	return []madeSecret{{name: word(d["name"])}}
}

// written are the Secrets that a resource's controller writes, as objects with its maker; a placeholder is no name.
func written(o *object.Object) []*object.Object {
	read := secretMakers[kindOf(o)]
	if read == nil || o.Hook || len(o.Unknown) > 0 {
		return nil
	}
	var out []*object.Object
	for _, s := range read(o) {
		if s.name == "" {
			continue
		}
		data := map[string]any{}
		for key := range s.keys {
			data[key] = s.keys[key]
		}
		content := map[string]any{"kind": "Secret", "data": data}
		if s.kept {
			content["metadata"] = map[string]any{"annotations": map[string]any{keepers[0].annotation: keepers[0].value}}
		}
		out = append(out, &object.Object{ID: object.ID{Kind: "Secret", Namespace: o.ID.Namespace, Name: s.name},
			Release: o.Release, Content: content, Maker: o, Source: o.Source})
	}
	return out
}

// writerOf is what a change edits to change an object: the object, or the resource of which a controller writes it.
func writerOf(o *object.Object) *object.Object {
	if o != nil && o.Maker != nil && secretMakers[kindOf(o.Maker)] != nil {
		return o.Maker
	}
	return o
}

// keyFields are the fields of an object, or of the resource of which it is written, that give a key.
func keyFields(o *object.Object, key string) []string {
	if data, _ := o.Content["data"].(map[string]any); writerOf(o) != o {
		return []string{word(data[key]), "spec"}
	}
	return []string{"data[" + key + "]", "data." + key, "binaryData", "stringData[" + key + "]"}
}

// items are the maps of a list, each with its path.
func items(v any, path string) map[string]map[string]any {
	list, _ := v.([]any)
	out := map[string]map[string]any{}
	for i, item := range list {
		if m, ok := item.(map[string]any); ok {
			out[fmt.Sprintf("%s[%d]", path, i)] = m
		}
	}
	return out
}

// copiesOut reports whether a resource asks for copies of its Secret in other namespaces.
func copiesOut(o *object.Object) bool {
	var asks func(v any) bool
	asks = func(v any) bool {
		switch t := v.(type) {
		case map[string]any:
			for k, x := range t {
				if copying.MatchString(k) || asks(x) {
					return true
				}
			}
		case []any:
			return slices.ContainsFunc(t, asks)
		}
		return false
	}
	return asks(o.Content)
}

// copying are annotations and labels by which a Secret is copied to other namespaces.
var copying = regexp.MustCompile(`(?i)(reflect|replicat|mirror|kubed|copy)`)

// writtenBeside reports whether something beside the resource that a Secret is known to be written of may fill it in.
func (m *unmet) writtenBeside(n need) bool {
	o := m.head.get(m.o.ID.Namespace, n)
	if writerOf(o) == o {
		return m.written(n, state.Head)
	}
	return made(m.where.objects[state.Head], writerOf(o), m.o.ID.Namespace, n.name)
}
