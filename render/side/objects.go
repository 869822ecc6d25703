package side

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/typed"
)

// Scopes says which kinds have no namespace: the table above, and what the revision's
// own CustomResourceDefinitions say.
type Scopes map[string]bool

func (s Scopes) cluster(group, kind string) bool {
	if own, ok := s[group+"/"+kind]; ok {
		return own
	}
	yes, _ := object.ClusterScoped(group, kind)
	return yes
}

// learn takes the scope of custom kinds from their definitions.
func (s Scopes) learn(docs []document.Document) {
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

// Fill takes over facts that are not known yet.
func (s Scopes) Fill(other Scopes) {
	for k, v := range other {
		if _, ok := s[k]; !ok {
			s[k] = v
		}
	}
}

// builder turns documents into objects.
type builder struct {
	rel     release.Release
	scopes  Scopes
	locate  func(d document.Document) func(path string) object.Location
	lacks   func(at object.Location) string // of a chart with its own values alone
	objects []*object.Object
	notes   []object.Note
}

// add makes an object of a document. A document that is no object fails the release.
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
		what, remedy := gvk.Kind+" without metadata.name", "give it a name"
		if v := meta["name"]; v != nil && v != "" {
			what, remedy = gvk.Kind+" with a metadata.name that is no text", "put the name into quotes"
		} else if meta == nil && d.Content["metadata"] != nil {
			what, remedy = gvk.Kind+" with metadata that are no mapping", "write metadata: {name: NAME}"
		}
		return &object.Failure{Reason: fmt.Sprintf("%s:%d: %s", at.File, at.StartLine, what), Where: at, Remedy: remedy}
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
		Source: where(""), Volatile: d.VolatilePaths(), Origin: &release.Origin{Doc: d, Find: where, Lacks: b.lacks},
	}
	if len(d.Items) == 0 {
		for _, p := range d.Twice {
			o.Refused = append(o.Refused, object.Refusal{Path: p, Text: "stands twice with two values", Twice: true})
		}
	}
	for _, r := range read.Refused {
		if r.Undecodable && o.IsVolatile(r.Path) {
			at := where(r.Path)
			return &object.Failure{Where: at,
				Reason: fmt.Sprintf("%s:%d: %s: %s: every render draws another value, so the applied objects are unknown",
					at.File, at.StartLine, id, r.Path),
				Remedy: "give it a value that does not change",
			}
		}
	}
	o.Unknown = b.unknown(o, d.Open)
	if len(o.Unknown) > 0 && o.Typed != nil {
		if filled, err := typed.Decode(typed.Fill(o.Content, o.Unknown, nil)); err == nil {
			o.Typed = filled.Typed
		}
	}
	for i, r := range o.Refused {
		o.Refused[i].Unknown = r.Undecodable && slices.Contains(o.Unknown, r.Path)
	}
	for _, n := range read.Notes {
		b.notes = append(b.notes, n.On(id))
	}
	b.objects = append(b.objects, o)
	return nil
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
			b.notes = append(b.notes, object.Say(object.MadeTwice, place(out[i].Source), place(o.Source)).On(o.ID))
			o.Twin = out[i]
			out[i] = o
			continue
		}
		seen[id] = len(out)
		out = append(out, o)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].ID.Compare(out[j].ID) < 0 })
	slices.SortStableFunc(b.notes, object.Note.Compare)
	return out
}

func place(l object.Location) string { return fmt.Sprintf("%s:%d", l.File, l.StartLine) }
