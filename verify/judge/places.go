package judge

import (
	"encoding/json"
	"io/fs"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Places knows where things stand in the repository and which of it changed.
type Places struct {
	Changes *object.Changes     // nil for one revision alone
	Head    *object.Revision    // nil: not known, and no fix is tried
	at      map[[2]string]int   // where in it an object's change is, by release and ID
	split   map[string][]string // files of head as lines, as they were asked for; nil: none is kept
}

// NewPlaces are those of a change, or of one revision if there is no base.
func NewPlaces(ch *object.Changes) Places {
	pl := Places{Head: ch.Head, at: map[[2]string]int{}, split: map[string][]string{}}
	if ch.Base == nil {
		return pl
	}
	pl.Changes = ch
	for i := range ch.Changes {
		c := &ch.Changes[i]
		k := [2]string{c.Release, c.ID().String()}
		if _, known := pl.at[k]; !known {
			pl.at[k] = i
		}
	}
	return pl
}

// pairs are both sides of the releases, as changes.
func (pl Places) pairs() *object.Changes {
	if pl.Changes != nil {
		return pl.Changes
	}
	return &object.Changes{Head: pl.Head}
}

// most locations of a finding; GitHub keeps 100 and places the alert by the first.
const mostLocations = 10

func (pl Places) Location(l object.Location, side string) finding.Location {
	out := finding.Location{
		File: l.File, StartLine: max(l.StartLine, 1), StartColumn: max(l.StartColumn, 1),
		EndLine: max(l.EndLine, l.StartLine, 1), EndColumn: max(l.EndColumn, 1), Side: side, Attribution: l.Rung,
	}
	if out.EndLine == out.StartLine {
		out.EndColumn = max(out.EndColumn, out.StartColumn)
	}
	out.InDiff = pl.Changes != nil && side == "head" && pl.Changes.EditedWithin(out.File, out.StartLine, out.EndLine)
	return out
}

// Changed lists the changed fields of an object of a slice.
func (pl Places) Changed(release, id string) []object.FieldChange {
	if c := pl.Change(release, id); c != nil {
		return c.Fields
	}
	return nil
}

// Change is that of an object, or nil.
func (pl Places) Change(release, id string) *object.Change {
	if i, ok := pl.at[[2]string{release, id}]; ok {
		return &pl.Changes.Changes[i]
	}
	return nil
}

// locations gives where a finding shows: first the changed lines that are to blame, then
// changed lines among what the counterexample rests on, then the rest of that, at last
// the object itself. Other changed lines of the workload stand in for a cause that is not known, before the rest; what
// base has as well is not caused by them, and they come behind it.
func (pl Places) locations(w wording, status finding.Status, blame []finding.Blame) []finding.Location {
	var edited, rest, others []finding.Location
	add := func(l finding.Location) {
		if l.File == "" {
			return
		}
		if l.InDiff {
			edited = append(edited, l)
		} else {
			rest = append(rest, l)
		}
	}
	refs := w.refs()
	for _, b := range blame {
		if b.Path == "" { // the object is new: what the run rests on tells more than its first line
			for _, r := range refs {
				if r.Object == b.Object {
					add(pl.ref(w, r))
				}
			}
		}
		if b.Location != nil {
			add(*b.Location)
		}
	}
	for _, r := range refs {
		for _, c := range pl.Changed(w.slice.Owner(r.Object), r.Object) {
			if Overlap(c.Path, r.Field) {
				add(pl.Field(c))
			}
		}
	}
	for _, c := range pl.Changed(w.slice.Owner(w.Key().Workload), w.Key().Workload) {
		if status == finding.Existing {
			others = append(others, pl.Field(c))
			continue
		}
		add(pl.Field(c))
	}
	for _, r := range refs {
		if file, line, ok := w.slice.OwnConfigured(r); ok {
			add(pl.declared(rules.Declaration{File: file, Line: line}))
		}
	}
	for i, r := range refs {
		add(pl.ref(w, r))
		if i == 0 {
			add(pl.declared(w.Bound.Rule.Declared))
		}
	}
	rest = append(rest, others...)
	if o := w.sources(w.Key().Workload, state.Head); o != nil {
		add(pl.Location(o.Source, sideOf(w, r(w.Key().Workload))))
	}
	return Distinct(append(edited, rest...))
}

// declared locates a rule or a controller of the user's own, if its policy file lies in the repository.
func (pl Places) declared(at rules.Declaration) finding.Location {
	if at.Line == 0 || !fs.ValidPath(at.File) {
		return finding.Location{}
	}
	return pl.Location(object.Location{File: at.File, StartLine: at.Line, StartColumn: 1, EndLine: at.Line, EndColumn: 2,
		Rung: "policy"}, "head")
}

func r(id string) actor.Ref { return actor.Ref{Object: id, Version: state.Head} }

// ref locates what a step rests on.
func (pl Places) ref(w wording, r actor.Ref) finding.Location {
	o := w.sources(r.Object, r.Version)
	if o == nil {
		return pl.configured(w, r)
	}
	l := pl.Location(o.Locate(r.Field), sideOf(w, r))
	l.Field = r.Field
	return l
}

// configured locates what a step rests on in a controller's configuration that was found in
// the repository.
func (pl Places) configured(w wording, r actor.Ref) finding.Location {
	file, line, ok := w.slice.Configured(r)
	c := &w.slice.Controllers
	if d := w.slice.Deliverer; ok && d != nil && r.Object == d.ID.String() {
		l := pl.Location(d.Locate(r.Field), "head")
		l.Field = r.Field
		return l
	}
	if healed := c.GitOps != nil && c.GitOps.File == file; !ok ||
		!healed && file != c.DeschedulerAt && file != c.SchedulerAt && file != c.AutoscalerAt {
		return finding.Location{}
	}
	at := object.Location{File: file, StartLine: line, StartColumn: 1, EndLine: line, EndColumn: 2, Rung: "file"}
	l := pl.Location(at, "head")
	l.Field = r.Field
	return l
}

// sideOf says which revision's file a reference points into.
func sideOf(w wording, r actor.Ref) string {
	pair := w.slice.Objects[r.Object]
	if pair != nil && w.sources(r.Object, r.Version) == pair[state.Head] {
		return "head"
	}
	return "base"
}

// Field locates a changed field.
func (pl Places) Field(c object.FieldChange) finding.Location {
	side := "head"
	if c.OnBase {
		side = "base"
	}
	l := pl.Location(c.Where(), side)
	l.Field = c.Path
	return l
}

func Distinct(in []finding.Location) []finding.Location {
	out := []finding.Location{}
	for _, l := range in {
		same := func(o finding.Location) bool {
			return o.File == l.File && o.StartLine == l.StartLine && o.Side == l.Side
		}
		if !slices.ContainsFunc(out, same) {
			out = append(out, l)
		}
	}
	// a place that only base has cannot be shown on the pull request's files: keep it last
	slices.SortStableFunc(out, func(a, b finding.Location) int { return strings.Compare(b.Side, a.Side) })
	return out[:min(len(out), mostLocations)]
}

// Overlap reports whether one field path is the other or lies within it.
func Overlap(a, b string) bool {
	return within(a, b) || within(b, a)
}

// within reports whether path a is b or lies in it.
func within(a, b string) bool {
	rest, ok := strings.CutPrefix(a, b)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// FieldChanges words the changed fields of an object.
func (pl Places) FieldChanges(fields []object.FieldChange) []finding.FieldChange {
	var out []finding.FieldChange
	for _, c := range fields {
		l := pl.Field(c)
		out = append(out, finding.FieldChange{Path: c.Path, Old: Value(c.Old, c.Secret), New: Value(c.New, c.Secret),
			Location: &l})
	}
	return out
}

// Value words one side of a changed field as JSON.
func Value(v any, secret bool) string {
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
