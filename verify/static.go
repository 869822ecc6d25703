package verify

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

// remark is what is wrong with an object as it stands, whatever runs: it takes no search.
type remark struct {
	rule, release string
	object        *render.Object    // that it is about, on head, or on base if it is fixed
	status        Status            // New or Fixed
	paths         []string          // fields of object that it rests on, most telling first
	beside        [2]*render.Object // whose labels it rests on as well, by version; nil: none
	text          string            // a sentence without a full stop
}

// remarks gathers what is wrong with the objects of the releases, or was on base. With all,
// everything counts as new.
func remarks(ch *render.Changes, all bool) []remark {
	var out []remark
	for _, p := range pairs(ch) {
		if !p.comparable() || !all && p.base != nil && p.base.Err != nil {
			continue // what is new is not known
		}
		out = append(out, dangling(p, others(ch.Head, p.id))...)
	}
	return out
}

// others are the objects of the releases but one, as far as they were rendered.
func others(rev *render.Revision, id string) []*render.Object {
	var out []*render.Object
	for _, rel := range rev.Releases {
		if rel.ID != id && rel.Err == nil {
			out = append(out, rel.Objects...)
		}
	}
	return out
}

// enterRemarks enters remarks into the findings.
func (a *analysis) enterRemarks(list []remark) {
	if a.opt.Shard.Index > 1 {
		return // they are in the first part
	}
	for _, x := range list {
		rule, on := a.ruleFor(x.rule, x.object.ID)
		if !on {
			continue
		}
		f := a.places.remark(x)
		f.Class, f.Severity = string(rule.Class), string(rule.Severity)
		a.result.Findings = append(a.result.Findings, f)
	}
	a.result.Findings = across(a.result.Findings)
	sortFindings(a.result.Findings)
}

// remark words a remark, but for what its rule says.
func (pl places) remark(x remark) Finding {
	f := Finding{
		Rule: x.rule, Status: x.status, Certainty: "inevitable", Scenario: scenarioChange, Timing: "realistic",
		Workload: x.object.ID.String(), Release: x.release, Message: x.text,
		Scale: Scale{Classes: map[string]int{}}, AtDeclaredScale: true, Events: []string{"apply"},
		Locations: []Location{}, Blame: []Blame{},
	}
	if pl.changes == nil {
		f.Scenario = scenarioInstall
	}
	side := "head"
	if x.status == Fixed {
		side = "base"
	}
	if x.status == New {
		f.Blame = append(pl.blamed(x.release, x.object, x.paths), pl.blamed(x.release, x.beside[state.Head], labelPaths)...)
	}
	for _, b := range f.Blame {
		f.Locations = append(f.Locations, *b.Location)
	}
	var because []Because
	for _, path := range x.paths {
		l := pl.location(x.object.Locate(path), side)
		l.Field = path
		f.Locations = append(f.Locations, l)
		because = append(because, Because{File: l.File, Line: l.StartLine, Field: path})
	}
	f.Locations = inDiffFirst(f.Locations)
	f.Interleaving = []Step{{
		Actor: "apply", Class: actor.Event.String(), Action: "apply", Object: f.Workload,
		Text: "once the change is applied, " + x.text, Because: because,
	}}
	h := sha256.Sum256([]byte(strings.Join([]string{"v1", f.Rule, f.Release, f.Workload, strings.Join(x.paths, ",")}, "\x00")))
	f.Fingerprint = hex.EncodeToString(h[:16])
	return f
}

// labelPaths are where a workload has the labels of its pods, or its own name.
var labelPaths = []string{"spec.template.metadata.labels", "metadata.name"}

// blamed are the changed fields of an object at or below some paths, or the object if
// it is new.
func (pl places) blamed(release string, o *render.Object, paths []string) []Blame {
	if pl.changes == nil || o == nil {
		return nil
	}
	var out []Blame
	for i := range pl.changes.Changes {
		c := &pl.changes.Changes[i]
		if c.Release != release || c.ID().String() != o.ID.String() {
			continue
		}
		if c.Base == nil {
			l := pl.location(o.Source, "head")
			return []Blame{{Object: o.ID.String(), Location: &l}}
		}
		for _, f := range slices.Concat(c.Fields, c.Noise) {
			if slices.ContainsFunc(paths, func(p string) bool { return overlap(f.Path, p) }) {
				l := pl.field(f)
				out = append(out, Blame{Object: o.ID.String(), Path: f.Path, Old: value(f.Old, f.Secret), New: value(f.New, f.Secret), Location: &l})
			}
		}
	}
	return out
}
