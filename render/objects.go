package render

import (
	"fmt"
	"regexp"
	"sort"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/redact"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/typed"
)

// clusterScoped are the kinds of Kubernetes' own API that have no namespace.
var clusterScoped = map[string]bool{
	"/Namespace": true, "/Node": true, "/PersistentVolume": true, "/ComponentStatus": true,
	"admissionregistration.k8s.io/MutatingWebhookConfiguration":     true,
	"admissionregistration.k8s.io/ValidatingWebhookConfiguration":   true,
	"admissionregistration.k8s.io/ValidatingAdmissionPolicy":        true,
	"admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": true,
	"admissionregistration.k8s.io/MutatingAdmissionPolicy":          true,
	"admissionregistration.k8s.io/MutatingAdmissionPolicyBinding":   true,
	"apiextensions.k8s.io/CustomResourceDefinition":                 true, "apiregistration.k8s.io/APIService": true,
	"certificates.k8s.io/CertificateSigningRequest": true, "certificates.k8s.io/ClusterTrustBundle": true,
	"flowcontrol.apiserver.k8s.io/FlowSchema": true, "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration": true,
	"networking.k8s.io/IngressClass": true, "networking.k8s.io/IPAddress": true, "networking.k8s.io/ServiceCIDR": true,
	"node.k8s.io/RuntimeClass": true, "policy/PodSecurityPolicy": true,
	"rbac.authorization.k8s.io/ClusterRole": true, "rbac.authorization.k8s.io/ClusterRoleBinding": true,
	"resource.k8s.io/DeviceClass": true, "resource.k8s.io/ResourceSlice": true,
	"scheduling.k8s.io/PriorityClass": true,
	"storage.k8s.io/StorageClass":     true, "storage.k8s.io/CSIDriver": true, "storage.k8s.io/CSINode": true,
	"storage.k8s.io/VolumeAttachment": true, "storage.k8s.io/VolumeAttributesClass": true,
	// Well-known custom kinds, for repositories that do not hold their definitions.
	"karpenter.sh/NodePool": true, "karpenter.sh/NodeClaim": true, "karpenter.k8s.aws/EC2NodeClass": true,
	"gateway.networking.k8s.io/GatewayClass": true,
}

// scopes says which kinds have no namespace: the table above, and what the revision's
// own CustomResourceDefinitions say.
type scopes map[string]bool

func (s scopes) cluster(group, kind string) bool {
	if own, ok := s[group+"/"+kind]; ok {
		return own
	}
	builtin := group == "" || !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io")
	return clusterScoped[group+"/"+kind] || (!builtin && strings.HasPrefix(kind, "Cluster"))
}

// learn takes the scope of custom kinds from their definitions.
func (s scopes) learn(docs []document.Document) {
	for _, d := range docs {
		if gvk := document.GVK(d.Content); gvk.Kind != "CustomResourceDefinition" || gvk.Group != "apiextensions.k8s.io" {
			continue
		}
		spec, _ := d.Content["spec"].(map[string]any)
		names, _ := spec["names"].(map[string]any)
		group, _ := spec["group"].(string)
		kind, _ := names["kind"].(string)
		scope, _ := spec["scope"].(string)
		if kind != "" {
			s[group+"/"+kind] = scope == "Cluster"
		}
	}
}

// fill takes over what is not known.
func (s scopes) fill(other scopes) {
	for k, v := range other {
		if _, ok := s[k]; !ok {
			s[k] = v
		}
	}
}

// expand replaces List objects by their items.
func expand(docs []document.Document) []document.Document {
	var out []document.Document
	for _, d := range docs {
		kind, _ := d.Content["kind"].(string)
		items, ok := d.Content["items"].([]any)
		if !ok || !strings.HasSuffix(kind, "List") {
			out = append(out, d)
			continue
		}
		var list []document.Document
		for i, item := range items {
			m, ok := item.(map[string]any)
			if !ok {
				continue
			}
			if kind != "List" && m["kind"] == nil { // items of a typed list carry no type
				m["kind"], m["apiVersion"] = strings.TrimSuffix(kind, "List"), d.Content["apiVersion"]
			}
			e := d
			e.Content, e.Items = m, append(append([]int(nil), d.Items...), i)
			list = append(list, e)
		}
		out = append(out, expand(list)...)
	}
	return out
}

// builder turns documents into objects.
type builder struct {
	rel     release.Release
	scopes  scopes
	locate  func(d document.Document) func(path string) object.Location
	objects []*object.Object
	notes   []string
}

// add makes an object of a document. What is no object fails the release.
func (b *builder) add(d document.Document) *object.Failure {
	gvk := document.GVK(d.Content)
	where := b.locate(d)
	if gvk.Kind == "" || gvk.Version == "" {
		at := where("")
		return &object.Failure{Reason: fmt.Sprintf("%s:%d: an object without kind or apiVersion", at.File, at.StartLine),
			Where: at, Remedy: "give it both"}
	}
	meta, _ := d.Content["metadata"].(map[string]any)
	name, _ := meta["name"].(string)
	if name == "" {
		name, _ = meta["generateName"].(string)
	}
	if name == "" {
		at := where("metadata")
		return &object.Failure{Reason: fmt.Sprintf("%s:%d: %s without metadata.name", at.File, at.StartLine, gvk.Kind),
			Where: at, Remedy: "give it a name"}
	}
	id := object.ID{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind, Name: name}
	if !b.scopes.cluster(gvk.Group, gvk.Kind) {
		id.Namespace, _ = meta["namespace"].(string)
		if id.Namespace == "" {
			id.Namespace = b.rel.Namespace
		}
		if id.Namespace == "" {
			id.Namespace = "default"
		}
	}
	read, err := typed.Decode(d.Content)
	if err != nil {
		at := where("")
		return &object.Failure{
			Reason: fmt.Sprintf("%s:%d: %s: %v", at.File, at.StartLine, id, err),
			Where:  at, Remedy: "correct the value: the API server refuses it",
		}
	}
	o := &object.Object{
		ID: id, Release: b.rel.ID, Content: d.Content, Typed: read.Typed, Refused: read.Refused, Hook: d.Hook,
		Source: where(""), Volatile: d.VolatilePaths(), Origin: &release.Origin{Doc: d, Find: where},
	}
	for _, r := range read.Refused {
		if r.Undecodable && o.IsVolatile(r.Path) {
			at := where(r.Path)
			return &object.Failure{Where: at,
				Reason: fmt.Sprintf("%s:%d: %s: %s: every render draws another value, so that it is not known what is applied",
					at.File, at.StartLine, id, r.Path),
				Remedy: "give it a value that does not change",
			}
		}
		if r.Undecodable && b.filledIn(d.Content, r.Path) {
			at := where(r.Path)
			return &object.Failure{Skipped: true, Where: at,
				Reason: fmt.Sprintf("%s:%d: %s: %s: stands for a value that is filled in before it is applied",
					at.File, at.StartLine, id, r.Path),
				Remedy: "check what is applied, or leave the file out of the check",
			}
		}
	}
	for _, n := range read.Notes {
		b.notes = append(b.notes, id.String()+": "+n)
	}
	b.objects = append(b.objects, o)
	return nil
}

// shouted are words that stand for a value: in capitals, with underscores.
var shouted = regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$`)

// filledIn reports whether a field holds a mark or word that sed, envsubst or a person puts a value for. Who
// applies what no GitOps object declares is not known, and may do so before. Of what is declared, Flux replaces
// variables that the repository does not have, and Argo CD's plugin for vaults replaces paths.
func (b *builder) filledIn(content map[string]any, path string) bool {
	v, _ := fieldpath.Parse(path).Get(content)
	text, ok := v.(string)
	open := b.rel.Kind != object.Helm && b.rel.Substitute != nil && b.rel.Substitute.Open
	switch {
	case !ok:
		return false
	case strings.Contains(text, "<path:"), open && strings.Contains(text, "${"):
		return true
	case b.rel.Kind == object.Helm || b.rel.By.File != "" && !open:
		return false
	}
	return shouted.MatchString(text) || strings.ContainsAny(text, "<$%@_{") && redact.Placeholder(text)
}

// finish sorts the objects and reports those that stand twice: the last one wins, as it
// does when they are applied in order.
func (b *builder) finish() []*object.Object {
	seen := map[object.ID]int{}
	var out []*object.Object
	for _, o := range b.objects {
		id := o.ID
		id.Version = ""
		if o.Hook {
			id.Version = "hook"
		}
		if i, ok := seen[id]; ok && !strings.HasSuffix(o.ID.Name, "-") {
			b.notes = append(b.notes, fmt.Sprintf("%s is declared twice: in %s:%d and %s:%d; the last one counts", o.ID,
				out[i].Source.File, out[i].Source.StartLine, o.Source.File, o.Source.StartLine))
			o.Twin = out[i]
			out[i] = o
			continue
		}
		seen[id] = len(out)
		out = append(out, o)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].ID.Compare(out[j].ID) < 0 })
	sort.Strings(b.notes)
	return out
}
