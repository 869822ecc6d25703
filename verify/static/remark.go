package static

import (
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Remark is an error of an object as it stands, in any run: it takes no search.
type Remark struct {
	Rule, release string
	Object        *object.Object    // that it is about, on head, or on base if it is fixed
	status        finding.Status    // New or Fixed
	paths         []string          // fields of object that it rests on, most telling first
	beside        [2]*object.Object // whose labels it rests on as well, by version; nil: none
	text          string            // a sentence without a full stop
	causes        []cause           // that the change is blamed for as well
	first         []cause           // what it rests on before the fields of object
	// occasion is what it takes beside the apply before anybody sees it; "": nothing. It is possible then, not inevitable.
	occasion string
	gate     string // feature gate that has to be off for it; "": none
	since    int    // minor version of Kubernetes from which on it holds; 0: of all
	more     int    // of the same kind that it stands for
	gone     bool   // object is one of base
	race     bool   // it depends on which comes first
	recovers bool   // the loops repair it before the run ends
	anew     bool   // the object is a workload that is deleted and created again
	unready  bool   // the pods of its template never become ready
	broken   bool   // it is about a release that head does not render
	next     bool   // it shows at the next change of a template, not at this one
	remedies []Remedy
	// Conditional says that it holds for some clusters only, which text names: it is no error.
	Conditional bool
	Note        bool // it may well be meant, or does no harm by itself
	// premise names the clusters that it holds for, of which nothing is declared; "": it does not hang on nodes. Where
	// nodes are declared, a search tells instead.
	premise string
	// searched says that a search tells it instead where nodes are declared.
	searched bool
	// with is a release that the remark needs, and that is not declared to run in the same cluster; "": none.
	with  string
	shape string // what tells it from another remark on the same fields; "": nothing
	// at is a line of head that shows it, before all others; zero: none.
	at object.Location
}

// cause is an object that the change edits, or takes away, and what of it tells: fields, or all of it.
type cause struct {
	object *object.Object // on head, or on base where head has it no more
	paths  []string       // none: the object as a whole
}

// renderedObjects are the objects of all releases, as far as they were rendered.
func renderedObjects(rev *object.Revision) []*object.Object {
	var out []*object.Object
	for _, rel := range rev.Releases {
		if rel.Err == nil {
			out = append(out, rel.Objects...)
		}
	}
	return out
}

// Remedies are ways out of a new remark, the first one to be tried first.
func (x Remark) Remedies() []Remedy {
	if x.status != finding.New {
		return nil
	}
	return x.remedies
}

// Severity is that of a remark whose rule has one.
func (x Remark) Severity(of rules.Severity) rules.Severity {
	switch {
	case x.Note:
		return rules.Note
	case (x.Conditional || x.with != "") && of == rules.Error:
		return rules.Warning
	}
	return of
}

// Finding words a remark, except for the words of its rule.
func (x Remark) Finding(pl judge.Places) finding.Finding {
	f := finding.Draft{
		Rule: x.Rule, Status: x.status, Certainty: finding.Inevitable, Scenario: scenario.ScenarioChange,
		Workload: x.Object.ID.String(), Release: x.release, Message: x.text, AtDeclaredScale: true,
		Events: []string{"apply"}, Shape: append([]string{}, x.paths...),
	}
	if x.shape != "" {
		f.Shape = append(f.Shape, x.shape)
	}
	if pl.Changes == nil {
		f.Scenario = scenario.ScenarioInstall
	}
	if x.next {
		f.Scenario = scenario.ScenarioNext
	}
	side := "head"
	if x.status == finding.Fixed || x.gone {
		side = "base"
	}
	if x.status == finding.New {
		f.Blame = blamed(pl, x.release, x.Object, x.paths)
		if t := x.beside[state.Head]; t != nil { // which may be of another release
			f.Blame = append(f.Blame, blamed(pl, t.Release, t, labelPaths)...)
		}
		for _, c := range x.causes {
			for _, b := range c.blamed(pl) {
				same := func(x finding.Blame) bool {
					return x.Object == b.Object && x.Path == b.Path && (*x.Location == *b.Location ||
						b.Path == "" && x.Location.File == b.Location.File) // a new object is named once
				}
				if !slices.ContainsFunc(f.Blame, same) {
					f.Blame = append(f.Blame, b)
				}
			}
		}
	}
	if x.race {
		f.Certainty = finding.Possible
	}
	if x.occasion != "" {
		f.Certainty, f.Events = finding.Possible, append(f.Events, x.occasion)
	}
	if x.at.File != "" {
		f.Locations = append(f.Locations, pl.Location(x.at, "head"))
	}
	for _, b := range f.Blame {
		f.Locations = append(f.Locations, *b.Location)
	}
	var because []finding.Because
	for _, c := range append(slices.Clone(x.first), cause{x.Object, x.paths}) {
		for _, path := range c.paths {
			l := pl.Location(c.object.Locate(path), side)
			l.Field = path
			f.Locations = append(f.Locations, l)
			because = append(because, finding.Because{File: l.File, Line: l.StartLine, Field: path})
		}
	}
	f.Locations = inDiffFirst(f.Locations)
	f.Steps = []finding.Step{{
		Actor: "apply", Class: actor.Event.String(), Action: "apply", Object: f.Workload,
		Text: "once the change is applied, " + x.text, Because: because,
	}}
	made := f.Finding()
	made.Unrendered = x.broken
	if x.recovers {
		made.Recovers = &x.recovers
	}
	if x.premise != "" {
		made.Premised(x.premise)
	}
	if x.with != "" {
		made.Together(x.release, x.with)
	}
	return made
}

// blamed are the changed fields of a cause, or the object as a whole where it is new or gone.
func (c cause) blamed(pl judge.Places) []finding.Blame {
	if pl.Changes == nil {
		return nil
	}
	i := slices.IndexFunc(pl.Changes.Changes,
		func(x object.Change) bool { return x.Head == c.object || x.Base == c.object })
	if i < 0 {
		return nil
	}
	if x := &pl.Changes.Changes[i]; x.Base == c.object { // gone under this name
		if x.Head != nil {
			c = cause{object: x.Head, paths: []string{"metadata.name"}}
		} else {
			l := pl.Location(c.object.Source, "base")
			return []finding.Blame{{Object: c.object.ID.String(), Location: &l}}
		}
	}
	return blamed(pl, c.object.Release, c.object, c.paths)
}

// labelPaths are where a workload has the labels of its pods, or its own name.
var labelPaths = []string{"spec.template.metadata.labels", "metadata.name"}

// ownLine is where the first of some paths that an object has is written, or what encloses the first one. Without
// paths, or with the name alone, it is where the object begins.
func ownLine(o *object.Object, paths []string) object.Location {
	if len(paths) == 0 || len(paths) == 1 && paths[0] == "metadata.name" {
		return o.Source
	}
	written := slices.IndexFunc(paths, func(p string) bool { _, ok := o.At(p); return ok })
	return o.Locate(paths[max(written, 0)])
}

// blamed are the changed fields of an object at or below some paths, or the object, at the line of the first of them,
// if it is new.
func blamed(pl judge.Places, release string, o *object.Object, paths []string) []finding.Blame {
	if pl.Changes == nil || o == nil {
		return nil
	}
	c := pl.Change(release, o.ID.String())
	if c == nil {
		return nil
	}
	if c.Base == nil {
		l := pl.Location(ownLine(o, paths), "head")
		return []finding.Blame{{Object: o.ID.String(), Location: &l}}
	}
	var out []finding.Blame
	for _, f := range slices.Concat(c.Fields, c.Noise) {
		if slices.ContainsFunc(paths, func(p string) bool { return judge.Overlap(f.Path, p) }) {
			l := pl.Field(f)
			out = append(out, finding.Blame{Object: o.ID.String(), Path: f.Path, Old: judge.Value(f.Old, f.Secret),
				New: judge.Value(f.New, f.Secret), Location: &l})
		}
	}
	return out
}
