package static

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/validation"
)

// refusedPlace is where a refused field stands.
type refusedPlace struct {
	changed   []object.FieldChange // that are refused
	locations []finding.Location
}

// refusedAt finds the changed fields that an error is about, or else the field itself.
func refusedAt(pl judge.Places, o *object.Object, e *field.Error, changes []object.FieldChange,
	onBase bool) refusedPlace {
	path := sourceField(e.Field)
	mutable := validation.Mutable(o.Typed, path)
	about := func(field string) bool {
		if _, secret := o.Typed.(*corev1.Secret); secret {
			field = strings.Replace(field, "stringData", "data", 1)
		}
		free := slices.ContainsFunc(mutable, func(m string) bool { return judge.Overlap(field, m) })
		return !free && judge.Overlap(field, path)
	}
	var out refusedPlace
	enter := func(at func(field string) bool) {
		for _, c := range changes {
			if at(c.Path) {
				out.changed = append(out.changed, c)
				out.locations = append(out.locations, fieldWithin(pl, o, c, path, onBase))
			}
		}
	}
	enter(about)
	if _, written := o.At(path); len(out.locations) == 0 && !written { // what it does not go with stands beside it
		beside := path[:max(strings.LastIndexByte(path, '.'), 0)]
		enter(func(field string) bool { return strings.Contains(beside, ".") && judge.Overlap(field, beside) })
	}
	if len(out.locations) > 0 {
		return out
	}
	side := "head"
	if onBase {
		side = "base"
	}
	for _, v := range o.Volatile {
		if about(v) {
			l := pl.Location(o.Locate(v), side)
			l.Field = v
			out.locations = append(out.locations, l)
		}
	}
	if len(out.locations) == 0 {
		l := pl.Location(o.Locate(path), side)
		l.Field = path
		out.locations = append(out.locations, l)
	}
	return out
}

// fieldWithin locates a changed field or, where all of a list or a map is one change, the refused field within it.
func fieldWithin(pl judge.Places, o *object.Object, c object.FieldChange, path string, onBase bool) finding.Location {
	whole := pl.Field(c)
	if _, written := o.At(path); c.OnBase != onBase || !written || len(path) <= len(c.Path) {
		return whole
	}
	l := pl.Location(o.Locate(path), whole.Side)
	if l.File != whole.File || l.StartLine < whole.StartLine {
		return whole
	}
	l.Field = path
	return l
}

// inDiffFirst orders locations as [judge.Places.locations] does.
func inDiffFirst(list []finding.Location) []finding.Location {
	var edited, rest []finding.Location
	for _, l := range list {
		if l.InDiff {
			edited = append(edited, l)
		} else {
			rest = append(rest, l)
		}
	}
	return judge.Distinct(append(edited, rest...))
}
