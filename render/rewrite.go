package render

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/typed"
)

// A Setting gives a field of an object another value. A map is merged into the one that
// is there, key by key.
type Setting struct {
	Path  string // as [Object.Locate] takes it
	Value any    // nil takes the field out
}

// A Rewrite is another text of one file.
type Rewrite struct {
	File string
	Text string
}

// At is the value of a field; false where the object does not have it.
func (o *Object) At(path string) (any, bool) { return fieldpath.Parse(path).Get(o.Content) }

// With gives the object with fields set otherwise, decoded anew, at the same place; its ID follows the namespace.
// Errors: a path that leads nowhere; what the API server's types do not take.
func (o *Object) With(settings []Setting) (*Object, error) {
	out := *o
	out.Content, _ = fieldpath.DeepCopy(o.Content).(map[string]any)
	for _, s := range atoms(o, settings) {
		if !s.path.Put(out.Content, s.value) {
			return nil, fmt.Errorf("%s: there is no %s", o.ID, s.path)
		}
	}
	read, err := typed.Decode(out.Content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.ID, err)
	}
	out.Typed, out.Refused = read.Typed, read.Refused
	was, _ := o.Content["metadata"].(map[string]any)
	is, _ := out.Content["metadata"].(map[string]any)
	if ns, set := is["namespace"].(string); set && ns != was["namespace"] {
		out.ID.Namespace = ns
	}
	return &out, nil
}

// atom is a setting of which no part is there already.
type atom struct {
	path  fieldpath.Path
	value any
	name  string // of the key in path's place; "": the same
}

// key is what stands at the atom's path then.
func (a atom) key() string { return cmp.Or(a.name, a.path[len(a.path)-1].Name()) }

// joined makes one atom of a key that goes and one that comes beside it.
func joined(o *Object, list []atom) []atom {
	out := slices.Clone(list)
	for i := 0; i < len(out); i++ {
		n := len(out[i].path) - 1
		if out[i].value != nil || n < 0 {
			continue
		}
		k := slices.IndexFunc(out, func(b atom) bool {
			_, exists := b.path.Get(o.Content)
			return b.value != nil && !exists && len(b.path) == n+1 && reflect.DeepEqual(b.path[:n], out[i].path[:n])
		})
		if k >= 0 {
			out[i].value, out[i].name = out[k].value, out[k].path[n].Name()
			out = slices.Delete(out, k, k+1)
			i = -1
		}
	}
	return out
}

// atoms takes settings apart into those that differ from what is there.
func atoms(o *Object, settings []Setting) []atom {
	var out []atom
	var walk func(p fieldpath.Path, v any)
	walk = func(p fieldpath.Path, v any) {
		now, exists := p.Get(o.Content)
		if m, ok := v.(map[string]any); ok && exists {
			if old, ok := now.(map[string]any); ok && len(old) > 0 {
				for _, k := range slices.Sorted(maps.Keys(m)) {
					walk(p.With(fieldpath.Key(k)), m[k])
				}
				return
			}
		}
		if exists && sameValue(now, v) || !exists && v == nil {
			return
		}
		out = append(out, atom{path: p, value: v})
	}
	for _, s := range settings {
		walk(fieldpath.Parse(s.Path), s.Value)
	}
	return out
}

func sameValue(a, b any) bool { return reflect.DeepEqual(plainValue(a), plainValue(b)) }

// plainValue is a value of JSON with one type for all numbers.
func plainValue(v any) any {
	switch x := v.(type) {
	case int:
		return float64(x)
	case int32:
		return float64(x)
	case int64:
		return float64(x)
	case map[string]any:
		out := map[string]any{}
		for k, e := range x {
			out[k] = plainValue(e)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, e := range x {
			out[i] = plainValue(e)
		}
		return out
	}
	return v
}

// Rewrites gives texts with which an object of the revision may come to have some fields
// set otherwise: the value, patch or manifest that sets them is edited, or a line put in
// where none does. They are guesses, and are to be rendered and compared; see [Object.With].
func (r *Revision) Rewrites(o *Object, settings []Setting) []Rewrite {
	i := slices.IndexFunc(r.Releases, func(x *Rendered) bool { return x.ID == o.Release })
	if i < 0 || r.Releases[i].recipe == nil {
		return nil
	}
	j := r.Releases[i].recipe
	list := atoms(o, settings)
	var out []Rewrite
	for _, how := range []func(*Object, atom) (string, splice, bool){
		func(o *Object, a atom) (string, splice, bool) { return rewriteSource(j, o, a) },
		func(o *Object, a atom) (string, splice, bool) { return rewriteTemplate(j, o, a) },
	} {
		if w, ok := rewrite(j, o, list, how); ok && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	if len(list) > 0 && j.Chart == nil {
		out = append(out, withoutOps(j, o, list)...)
		out = append(out, rewriteOverlay(j, o, list)...)
	}
	if len(list) > 0 && j.Chart != nil {
		out = append(out, rewriteKnobs(j, o, settings)...)
		out = append(out, rewriteOwnValues(j, o, list)...)
	}
	return out
}

// A splice puts a text in the place of some bytes of a file.
type splice struct {
	from, to int
	text     string
}

// rewrite makes all atoms in one file, each in one way.
func rewrite(
	j *release.Recipe, o *Object, list []atom, how func(*Object, atom) (string, splice, bool),
) (Rewrite, bool) {
	file := ""
	var cuts []splice
	for _, a := range joined(o, list) {
		f, s, ok := how(o, a)
		if !ok || file != "" && f != file {
			return Rewrite{}, false
		}
		file = f
		// lines that are put in at one place stand in the order of the fields
		if i := slices.IndexFunc(cuts,
			func(c splice) bool { return c.from == s.from && c.to == s.to && s.from == s.to }); i >= 0 {
			cuts[i].text += s.text
			continue
		}
		cuts = append(cuts, s)
	}
	if len(cuts) == 0 {
		return Rewrite{}, false
	}
	text := string(j.Files[file])
	slices.SortFunc(cuts, func(a, b splice) int { return cmp.Or(b.from-a.from, b.to-a.to) })
	for i, c := range cuts {
		if i > 0 && c.to > cuts[i-1].from {
			return Rewrite{}, false
		}
		text = text[:c.from] + c.text + text[c.to:]
	}
	return Rewrite{file, text}, text != string(j.Files[file])
}

// rewriteSource edits YAML: a manifest, a patch or values.
func rewriteSource(j *release.Recipe, o *Object, a atom) (string, splice, bool) {
	at := o.Locate(a.path.String())
	if _, exists := a.path.Get(o.Content); exists {
		t, ok := readSource(j, at.File)
		if !ok {
			return "", splice{}, false
		}
		if e, ok := t.entryAt(at.StartLine, at.StartColumn, hasName); ok {
			s, ok := t.replace(e, a)
			return at.File, s, ok
		}
		in, ok := t.embeddedAt(at.StartLine)
		if !ok {
			return "", splice{}, false
		}
		e, ok := in.entryAt(at.StartLine-in.first+1, at.StartColumn-in.indent, hasName)
		if !ok {
			return "", splice{}, false
		}
		s, ok := in.replace(e, a)
		return at.File, in.outside(s), ok
	}
	for n := len(a.path) - 1; n >= 0; n-- {
		prefix := a.path[:n]
		if _, exists := prefix.Get(o.Content); !exists {
			continue
		}
		at := o.Source
		if n > 0 {
			at = o.Locate(prefix.String())
		}
		t, ok := readSource(j, at.File)
		if !ok {
			return "", splice{}, false
		}
		e, ok := t.entryAt(at.StartLine, at.StartColumn, isMapping)
		if !ok {
			return "", splice{}, false
		}
		s, ok := t.insert(e, a.path[n].Name(), nested(a.path[n+1:], a.value))
		return at.File, s, ok
	}
	return "", splice{}, false
}

// nested is a value below the maps that a path leads through.
func nested(p fieldpath.Path, value any) any {
	for i := len(p) - 1; i >= 0; i-- {
		value = map[string]any{p[i].Name(): value}
	}
	return value
}

// rewriteTemplate edits the text of a template by its lines.
func rewriteTemplate(j *release.Recipe, o *Object, a atom) (string, splice, bool) {
	for n := len(a.path); n > 0; n-- {
		if _, exists := a.path[:n].Get(o.Content); !exists {
			continue
		}
		at := templateLine(j, o, a.path[:n])
		text, ok := j.Files[at.File]
		if !ok || strings.HasSuffix(at.File, ".tgz") {
			return "", splice{}, false
		}
		var s splice
		if n == len(a.path) {
			s, ok = replaceLine(string(text), at.StartLine, a)
		} else {
			s, ok = insertLine(string(text), at.StartLine, a.path[n-1], a.path[n].Name(), nested(a.path[n+1:], a.value))
		}
		return at.File, s, ok
	}
	return "", splice{}, false
}

// Same reports whether two renders of a release give the same objects, but for values that
// every render has anew.
func Same(a, b []*Object) bool {
	return slices.EqualFunc(a, b, func(x, y *Object) bool {
		if x.ID != y.ID || x.Hook != y.Hook {
			return false
		}
		if len(x.volatile)+len(y.volatile) == 0 {
			return sameValue(x.Content, y.Content)
		}
		one, _ := fieldpath.DeepCopy(x.Content).(map[string]any)
		two, _ := fieldpath.DeepCopy(y.Content).(map[string]any)
		for _, leaf := range slices.Concat(x.volatile, y.volatile) {
			fieldpath.Parse(leaf.Path).Blank(one)
			fieldpath.Parse(leaf.Path).Blank(two)
		}
		return sameValue(one, two)
	})
}
