package verify

import (
	"encoding/json"
	"io/fs"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

// places knows where things stand in the repository and which of it changed.
type places struct {
	changes *render.Changes // nil for one revision alone
}

// most locations of a finding; GitHub keeps 100 and places the alert by the first.
const mostLocations = 10

func (pl places) location(l render.Location, side string) Location {
	out := Location{
		File: l.File, StartLine: max(l.StartLine, 1), StartColumn: max(l.StartColumn, 1),
		EndLine: max(l.EndLine, l.StartLine, 1), EndColumn: max(l.EndColumn, 1), Side: side, Attribution: l.Rung,
	}
	if out.EndLine == out.StartLine {
		out.EndColumn = max(out.EndColumn, out.StartColumn)
	}
	if pl.changes != nil && side == "head" {
		for line := out.StartLine; line <= out.EndLine; line++ {
			if pl.changes.Edited(out.File, line) {
				out.InDiff = true
				break
			}
		}
	}
	return out
}

// changed lists the changed fields of an object of a slice.
func (pl places) changed(release, id string) []render.FieldChange {
	if pl.changes == nil {
		return nil
	}
	for i := range pl.changes.Changes {
		c := &pl.changes.Changes[i]
		if c.Release == release && c.ID().String() == id {
			return c.Fields
		}
	}
	return nil
}

// locations gives where a finding shows: first the changed lines that are to blame, then
// changed lines among what the counterexample rests on, then the rest of that, at last
// the object itself.
func (pl places) locations(w wording, blame []Blame) []Location {
	var edited, rest []Location
	add := func(l Location) {
		if l.File == "" {
			return
		}
		if l.InDiff {
			edited = append(edited, l)
		} else {
			rest = append(rest, l)
		}
	}
	for _, b := range blame {
		if b.Location != nil {
			add(*b.Location)
		}
	}
	refs := w.refs()
	for _, r := range refs {
		for _, c := range pl.changed(w.slice.release, r.Object) {
			if overlap(c.Path, r.Field) {
				add(pl.field(c))
			}
		}
	}
	for _, c := range pl.changed(w.slice.release, w.key().workload) {
		add(pl.field(c))
	}
	for i, r := range refs {
		add(pl.ref(w, r))
		if i == 0 {
			add(pl.declared(w.bound.rule.Declared))
		}
	}
	if o := w.sources(w.key().workload, state.Head); o != nil {
		add(pl.location(o.Source, sideOf(w, r(w.key().workload))))
	}
	return distinct(append(edited, rest...))
}

// declared locates a rule of the user's own, if its policy file lies in the repository.
func (pl places) declared(at rules.Declaration) Location {
	if at.Line == 0 || !fs.ValidPath(at.File) {
		return Location{}
	}
	return pl.location(render.Location{File: at.File, StartLine: at.Line, StartColumn: 1, EndLine: at.Line, EndColumn: 2, Rung: "policy"}, "head")
}

func r(id string) actor.Ref { return actor.Ref{Object: id, Version: state.Head} }

// ref locates what a step rests on.
func (pl places) ref(w wording, r actor.Ref) Location {
	o := w.sources(r.Object, r.Version)
	if o == nil {
		return pl.configured(w, r)
	}
	l := pl.location(o.Locate(r.Field), sideOf(w, r))
	l.Field = r.Field
	return l
}

// configured locates what a step rests on in a controller's configuration that was found in
// the repository.
func (pl places) configured(w wording, r actor.Ref) Location {
	b, ok := w.slice.configured(r)
	if c := &w.slice.controllers; !ok || b.File != c.DeschedulerAt && b.File != c.SchedulerAt {
		return Location{}
	}
	at := render.Location{File: b.File, StartLine: b.Line, StartColumn: 1, EndLine: b.Line, EndColumn: 2, Rung: "file"}
	l := pl.location(at, "head")
	l.Field = r.Field
	return l
}

// sideOf says which revision's file a reference points into.
func sideOf(w wording, r actor.Ref) string {
	pair := w.slice.objects[r.Object]
	if pair != nil && w.sources(r.Object, r.Version) == pair[state.Head] {
		return "head"
	}
	return "base"
}

// field locates a changed field.
func (pl places) field(c render.FieldChange) Location {
	side := "head"
	if c.OnBase {
		side = "base"
	}
	l := pl.location(c.Where, side)
	l.Field = c.Path
	return l
}

func distinct(in []Location) []Location {
	out := []Location{}
	for _, l := range in {
		same := func(o Location) bool { return o.File == l.File && o.StartLine == l.StartLine && o.Side == l.Side }
		if !slices.ContainsFunc(out, same) {
			out = append(out, l)
		}
	}
	// what only base has cannot be shown on the pull request's files: keep it last
	slices.SortStableFunc(out, func(a, b Location) int { return strings.Compare(b.Side, a.Side) })
	return out[:min(len(out), mostLocations)]
}

// overlap says whether one field path is the other or lies within it.
func overlap(a, b string) bool {
	return within(a, b) || within(b, a)
}

// within says whether path a is b or lies in it.
func within(a, b string) bool {
	rest, ok := strings.CutPrefix(a, b)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// fieldChanges words the changed fields of an object.
func (pl places) fieldChanges(fields []render.FieldChange) []FieldChange {
	var out []FieldChange
	for _, c := range fields {
		l := pl.field(c)
		out = append(out, FieldChange{Path: c.Path, Old: value(c.Old, c.Secret), New: value(c.New, c.Secret), Location: &l})
	}
	return out
}

// value words one side of a changed field as JSON.
func value(v any, secret bool) string {
	if v == nil {
		return ""
	}
	if secret {
		return "(not shown)"
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // every surface escapes what it shows
	if err := enc.Encode(v); err != nil {
		return "(unprintable)"
	}
	return strings.TrimSuffix(b.String(), "\n")
}
