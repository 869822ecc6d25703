package diff

import (
	"cmp"
	"fmt"
	"sort"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/typed"
)

// Releases pairs the objects of two sides and compares them. A release that failed on either side contributes no
// changes. lost are the files of a release of head that cannot be read: objects that base has from them do not count as
// removed.
func Releases(base, head []*object.Rendered, lost func(*object.Rendered) map[string]bool) []object.Change {
	var out []object.Change
	old := map[string]*object.Rendered{}
	for _, r := range base {
		old[r.ID] = r
	}
	for _, h := range head {
		b, ok := old[h.ID]
		delete(old, h.ID)
		if !ok {
			b = &object.Rendered{Release: h.Release}
		}
		out = append(out, diffRelease(b, h, lost(h))...)
	}
	for _, b := range old {
		out = append(out, diffRelease(b, &object.Rendered{Release: b.Release}, nil)...)
	}
	sort.SliceStable(out, func(i, j int) bool {
		return cmp.Or(cmp.Compare(out[i].Release, out[j].Release), out[i].ID().Compare(out[j].ID())) < 0
	})
	return out
}

// Compare lists in which fields two versions of an object differ, with those that are
// noise apart.
func Compare(base, head *object.Object) object.Change {
	c, _ := compare(object.Modified, base, head)
	return c
}

// pairKey is what stays when only the version of an object's API changes.
func pairKey(o *object.Object) object.ID {
	id := o.ID
	if gv, ok := typed.ReadAs[document.GVK(o.Content)]; ok {
		id.Group = gv.Group // extensions/v1beta1 Deployment is apps/v1 Deployment
	}
	id.Version = ""
	return id
}

// diffRelease compares one release. One that failed on either side says nothing: it is
// no mass removal.
func diffRelease(b, h *object.Rendered, lost map[string]bool) []object.Change {
	if b.Err != nil || h.Err != nil {
		return nil
	}
	type sided struct{ base, head *object.Object }
	var keys []object.ID
	pairs := map[object.ID]*sided{}
	take := func(o *object.Object) *sided {
		k := pairKey(o)
		if o.Hook {
			k.Version = "hook"
		}
		if pairs[k] == nil {
			pairs[k] = &sided{}
			keys = append(keys, k)
		}
		return pairs[k]
	}
	for _, o := range b.Objects {
		if !lost[o.Source.File] { // objects of an unreadable file are not removed
			take(o).base = o
		}
	}
	for _, o := range h.Objects {
		take(o).head = o
	}
	var out []object.Change
	var removed, added []*object.Object
	for _, k := range keys {
		switch p := pairs[k]; {
		case p.head == nil:
			removed = append(removed, p.base)
		case p.base == nil:
			added = append(added, p.head)
		case p.base == p.head: // rendered once for both
		default:
			if c, ok := compare(object.Modified, p.base, p.head); ok {
				out = append(out, c)
			}
		}
	}
	// If more is unknown on one side than on the other, an object may be in the unknown part: it is not known to be
	// gone, or new.
	switch onBase, onHead := missingParts(b), missingParts(h); {
	case onHead > onBase:
		removed = nil
	case onHead < onBase:
		added = nil
	}
	return append(out, renames(removed, added)...)
}

func missingParts(r *object.Rendered) int {
	n := 0
	for _, h := range r.Holes {
		if h.Part() {
			n++
		}
	}
	return n
}

// renames pairs the remaining objects by likeness; the rest was removed or added.
func renames(removed, added []*object.Object) []object.Change {
	p := &pairing{removed: removed, added: added, to: map[int]int{}, taken: map[int]bool{}}
	for _, o := range removed {
		p.was = append(p.was, flatten(o.Content))
	}
	for _, o := range added {
		p.is = append(p.is, flatten(o.Content))
	}
	p.equal()
	p.like()
	var out []object.Change
	for i, o := range removed {
		if j, ok := p.to[i]; ok {
			ch, _ := compare(object.Renamed, o, added[j])
			out = append(out, ch)
		} else {
			out = append(out, object.Change{Kind: object.Removed, Release: o.Release, Base: o})
		}
	}
	for j, o := range added {
		if !p.taken[j] {
			out = append(out, object.Change{Kind: object.Added, Release: o.Release, Head: o})
		}
	}
	return out
}

// RenameThreshold is the share of equal leaves from which an object counts as renamed.
const RenameThreshold = 0.6

// maxFlat bounds the comparison of large objects.
const maxFlat = 2000

// flatten lists the leaves of an object without its identity.
func flatten(content map[string]any) map[string]string {
	m := map[string]string{}
	fieldpath.Leaves(content, nil, func(p fieldpath.Path, v any) {
		if len(m) >= maxFlat || len(p) == 0 || p[0].Key == "apiVersion" || p[0].Key == "kind" {
			return
		}
		if len(p) == 2 && p[0].Key == "metadata" && (p[1].Key == "name" || p[1].Key == "namespace") {
			return
		}
		m[p.String()] = fmt.Sprint(v)
	})
	return m
}

// Likeness is the share of leaves that two contents have in common, 0 to 1.
func Likeness(a, b map[string]any) float64 { return likeness(flatten(a), flatten(b)) }

// likeness is the share of leaves that are equal on both sides, 0 to 1.
func likeness(a, b map[string]string) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	same := 0
	for k, v := range a {
		if w, ok := b[k]; ok && v == w {
			same++
		}
	}
	return 2 * float64(same) / float64(len(a)+len(b))
}

// compare lists the changed fields of a pair; ok is false where nothing is left that
// counts.
func compare(kind object.ChangeKind, base, head *object.Object) (c object.Change, ok bool) {
	c = object.Change{Kind: kind, Release: head.Release, Base: base, Head: head}
	w := &fieldDiff{base: base, head: head}
	w.walk(nil, nil, base.Content, head.Content)
	for _, f := range w.fields {
		if isNoise(f.Path) {
			c.Noise = append(c.Noise, f)
		} else {
			c.Fields = append(c.Fields, f)
		}
	}
	for _, list := range [][]object.FieldChange{c.Fields, c.Noise} {
		sort.SliceStable(list, func(i, j int) bool { return fieldpath.Less(list[i].Path, list[j].Path) })
	}
	c.TemplateChanged = templateChanged(base, head)
	return c, len(c.Fields) > 0 || c.TemplateChanged || kind == object.Renamed
}
