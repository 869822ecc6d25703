package render

import (
	"fmt"
	"sort"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/typed"
)

// diff pairs the objects of two revisions and compares them.
func diff(base, head *Revision) (*Changes, error) {
	if base == nil || head == nil {
		return nil, fmt.Errorf("diff: both revisions are needed")
	}
	if base.known == nil || base.known != head.known {
		knowSecrets(base, head) // rendered one by one
	}
	ch := &Changes{Base: base, Head: head}
	old := map[string]*Rendered{}
	for _, r := range base.Releases {
		old[r.ID] = r
	}
	for _, h := range head.Releases {
		b, ok := old[h.ID]
		delete(old, h.ID)
		if !ok {
			b = &Rendered{Release: h.Release}
		}
		ch.Changes = append(ch.Changes, diffRelease(b, h)...)
	}
	for _, b := range old {
		ch.Changes = append(ch.Changes, diffRelease(b, &Rendered{Release: b.Release})...)
	}
	ch.Changes = withoutRepeats(ch.Changes, head)
	sort.SliceStable(ch.Changes, func(i, j int) bool {
		a, b := &ch.Changes[i], &ch.Changes[j]
		if a.Release != b.Release {
			return a.Release < b.Release
		}
		return lessID(a.ID(), b.ID())
	})
	ch.locateWorkloads()
	return ch, ch.diffFiles()
}

// locateWorkloads finds the lines of what a change makes of workloads, which every result tells, one after the other: a
// chart gets a number of renders for it, so that the order counts.
func (c *Changes) locateWorkloads() {
	for i := range c.Changes {
		one := &c.Changes[i]
		if one.Base == nil || one.Head == nil || podTemplate(one.Head) == nil {
			continue
		}
		for _, f := range one.Fields {
			f.Where()
		}
	}
}

// pairKey is what stays when only the version of an object's API changes.
func pairKey(o *Object) release.ObjectID {
	id := o.ID
	if gv, ok := typed.ReadAs[document.GVK(o.Content)]; ok {
		id.Group = gv.Group // extensions/v1beta1 Deployment is apps/v1 Deployment
	}
	id.Version = ""
	return id
}

// diffRelease compares one release. One that failed on either side says nothing: it is
// no mass removal.
func diffRelease(b, h *Rendered) []Change {
	if b.Err != nil || h.Err != nil {
		return nil
	}
	type sided struct{ base, head *Object }
	var keys []release.ObjectID
	pairs := map[release.ObjectID]*sided{}
	take := func(o *Object) *sided {
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
		if !h.lostFiles[o.Source.File] { // what cannot be read is not removed
			take(o).base = o
		}
	}
	for _, o := range h.Objects {
		take(o).head = o
	}
	var out []Change
	var removed, added []*Object
	for _, k := range keys {
		switch p := pairs[k]; {
		case p.head == nil:
			removed = append(removed, p.base)
		case p.base == nil:
			added = append(added, p.head)
		case p.base == p.head: // rendered once for both
		default:
			if c, ok := compare(Modified, p.base, p.head); ok {
				out = append(out, c)
			}
		}
	}
	return append(out, renames(removed, added)...)
}

// renames pairs what is left by likeness; the rest was removed or added.
func renames(removed, added []*Object) []Change {
	p := &pairing{removed: removed, added: added, to: map[int]int{}, taken: map[int]bool{}}
	for _, o := range removed {
		p.was = append(p.was, flatten(o))
	}
	for _, o := range added {
		p.is = append(p.is, flatten(o))
	}
	p.equal()
	p.like()
	var out []Change
	for i, o := range removed {
		if j, ok := p.to[i]; ok {
			ch, _ := compare(Renamed, o, added[j])
			out = append(out, ch)
		} else {
			out = append(out, Change{Kind: Removed, Release: o.Release, Base: o})
		}
	}
	for j, o := range added {
		if !p.taken[j] {
			out = append(out, Change{Kind: Added, Release: o.Release, Head: o})
		}
	}
	return out
}

// renameThreshold is the share of equal leaves from which an object counts as renamed.
const renameThreshold = 0.6

// maxFlat bounds the comparison of large objects.
const maxFlat = 2000

// flatten lists the leaves of an object without its identity.
func flatten(o *Object) map[string]string {
	m := map[string]string{}
	fieldpath.Leaves(o.Content, nil, func(p fieldpath.Path, v any) {
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
func compare(kind ChangeKind, base, head *Object) (c Change, ok bool) {
	c = Change{Kind: kind, Release: head.Release, Base: base, Head: head}
	w := &fieldDiff{base: base, head: head}
	w.walk(nil, nil, base.Content, head.Content)
	for _, f := range w.fields {
		if isNoise(f.Path) {
			c.Noise = append(c.Noise, f)
		} else {
			c.Fields = append(c.Fields, f)
		}
	}
	for _, list := range [][]FieldChange{c.Fields, c.Noise} {
		sort.SliceStable(list, func(i, j int) bool { return lessPath(list[i].Path, list[j].Path) })
	}
	c.TemplateChanged = templateChanged(base, head)
	return c, len(c.Fields) > 0 || c.TemplateChanged || kind == Renamed
}
