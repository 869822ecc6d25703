// Package rewrite proposes texts of files with which a release may render a wanted object. It renders nothing: the
// caller renders them and compares.
package rewrite

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// atom is a setting of which no part is there already.
type atom struct {
	path  fieldpath.Path
	value any
	name  string // of the key in path's place; "": the same
}

// key is the resulting value at the atom's path.
func (a atom) key() string { return cmp.Or(a.name, a.path[len(a.path)-1].Name()) }

// joined makes one atom of a key that goes and one that comes beside it.
func joined(o *object.Object, list []atom) []atom {
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

// atoms splits settings into those that differ from the current values.
func atoms(o *object.Object, settings []object.Setting) []atom {
	var out []atom
	for _, a := range o.Atoms(settings) {
		out = append(out, atom{path: a.Path, value: a.Value})
	}
	return out
}

// Fields gives texts of files of a recipe with which an object may come to have some fields set otherwise: the value,
// patch or manifest that sets them is edited, or a line put in where none does. They are guesses.
func Fields(j *release.Recipe, o *object.Object, settings []object.Setting) []object.Rewrite {
	list := atoms(o, settings)
	var out []object.Rewrite
	for _, how := range []func(*object.Object, atom) (string, splice, bool){
		func(o *object.Object, a atom) (string, splice, bool) { return rewriteSource(j, o, a) },
		func(o *object.Object, a atom) (string, splice, bool) { return rewriteTemplate(j, o, a) },
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
	j *release.Recipe, o *object.Object, list []atom, how func(*object.Object, atom) (string, splice, bool),
) (object.Rewrite, bool) {
	file := ""
	var cuts []splice
	for _, a := range joined(o, list) {
		f, s, ok := how(o, a)
		if !ok || file != "" && f != file {
			return object.Rewrite{}, false
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
		return object.Rewrite{}, false
	}
	text := string(j.Files[file])
	slices.SortFunc(cuts, func(a, b splice) int { return cmp.Or(b.from-a.from, b.to-a.to) })
	for i, c := range cuts {
		if i > 0 && c.to > cuts[i-1].from {
			return object.Rewrite{}, false
		}
		text = text[:c.from] + c.text + text[c.to:]
	}
	return object.Rewrite{File: file, Text: text}, text != string(j.Files[file])
}

// rewriteSource edits YAML: a manifest, a patch or values.
func rewriteSource(j *release.Recipe, o *object.Object, a atom) (string, splice, bool) {
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
func rewriteTemplate(j *release.Recipe, o *object.Object, a atom) (string, splice, bool) {
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
