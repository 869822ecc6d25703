package verify

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/validation"
)

// applied is one object of a release on both sides, and why the API server refuses it.
type applied struct {
	release    string
	base, head *render.Object // nil where absent
	refused    field.ErrorList
	before     field.ErrorList // that of base applied over itself
	back       field.ErrorList // what the revert is refused for, where the change is not
	again      bool            // refused is about the second apply of the same manifests
	lookup     bool            // the chart looks into the cluster, which may keep what differs
}

// refusals lists the objects that the API server refuses to create, or to update from base
// to head, or, where the release is applied again as it changes, to update from one render of
// head to the next. With all, the whole of head is created.
func refusals(p pair, changed, all bool) []applied {
	base := map[string]*render.Object{}
	if p.base != nil && p.base.Err == nil {
		for _, o := range p.base.Objects {
			base[o.ID.String()] = o
		}
	}
	lookup := slices.ContainsFunc(p.head.Notes, func(n string) bool { return strings.Contains(n, "calls lookup") })
	known := all || p.base != nil && p.base.Err == nil
	var out []applied
	for _, o := range p.head.Objects {
		if o.Typed == nil || o.Hook || !known {
			continue
		}
		a := applied{release: p.id, base: base[o.ID.String()], head: o, lookup: lookup}
		if a.base != nil && (a.base.Typed == nil || a.base.Hook) {
			a.base = nil
		}
		a.judge()
		if len(a.refused)+len(a.before)+len(a.back) > 0 {
			out = append(out, a)
			continue
		}
		if !all && !changed {
			continue
		}
		a.again = true
		a.refused = nextRender(o)
		if a.base != nil {
			a.before = nextRender(a.base)
		}
		if len(a.refused)+len(a.before) > 0 {
			out = append(out, a)
		}
	}
	return out
}

// judge fills in what one apply is refused for.
func (a *applied) judge() {
	if a.base == a.head {
		return // what has not changed is as good or bad as it was
	}
	if a.base == nil {
		a.refused = created(a.head)
		return
	}
	a.before = created(a.base)
	if replaced(a.base) || replaced(a.head) {
		a.refused = created(a.head)
		return
	}
	a.refused = slices.Concat(undecoded(a.head), steadyErrors(a.head, validation.Update(a.head.Typed, a.base.Typed)))
	if len(a.refused)+len(a.before) == 0 {
		a.back = steadyErrors(a.base, validation.Update(a.base.Typed, validation.Live(a.head.Typed, a.base.Typed)))
	}
}

// created is why the API server refuses to create an object.
func created(o *render.Object) field.ErrorList {
	return slices.Concat(undecoded(o), steadyErrors(o, validation.Create(o.Typed)))
}

// undecoded are the fields that the API server does not decode: it is asked to be strict by
// kubectl (--validate), Argo CD and Flux, and refuses the object for a field that is
// misspelt or stands in the wrong place.
func undecoded(o *render.Object) field.ErrorList {
	var out field.ErrorList
	for _, r := range o.Refused {
		out = append(out, &field.Error{Type: field.ErrorTypeTypeInvalid, Field: r.Path, Detail: r.Text})
	}
	return out
}

// steadyErrors leaves out the errors of fields that every render gives another value: what
// is seen of them is a mask.
func steadyErrors(o *render.Object, list field.ErrorList) field.ErrorList {
	return slices.DeleteFunc(list, func(e *field.Error) bool { return e.Field != "" && o.IsVolatile(sourceField(e.Field)) })
}

// nextRender is why the API server refuses an object as the next render of it has it.
func nextRender(o *render.Object) field.ErrorList {
	next := o.Rerendered()
	if next == nil || replaced(o) || len(validation.Create(o.Typed)) > 0 || len(validation.Create(next)) > 0 {
		return nil // what is wrong with it anyway, or with the mask
	}
	return validation.Update(next, o.Typed)
}

// replaced says whether an apply deletes an object and creates it anew, or does not find
// it any more, so that no field of it is immutable.
//
// Read from: the documentation of Argo CD (resource hooks, the sync option Force=true: kubectl
// apply --force, which replaces what cannot be patched) and of Flux (kustomize-controller: the
// annotations force, and ssa with IfNotPresent or Ignore), and of Jobs (ttlSecondsAfterFinished).
func replaced(o *render.Object) bool {
	meta, _ := o.Content["metadata"].(map[string]any)
	if name, _ := meta["name"].(string); name == "" {
		return true // generateName
	}
	annotations, _ := meta["annotations"].(map[string]any)
	text := func(key string) string { s, _ := annotations[key].(string); return s }
	if text("argocd.argoproj.io/hook") != "" {
		return true
	}
	for _, option := range strings.Split(text("argocd.argoproj.io/sync-options"), ",") {
		if strings.TrimSpace(option) == "Force=true" {
			return true
		}
	}
	if on := text("kustomize.toolkit.fluxcd.io/force"); strings.EqualFold(on, "enabled") || strings.EqualFold(on, "true") {
		return true
	}
	if how := text("kustomize.toolkit.fluxcd.io/ssa"); how == "IfNotPresent" || how == "Ignore" {
		return true
	}
	job, ok := o.Typed.(*batchv1.Job)
	return ok && job.Spec.TTLSecondsAfterFinished != nil
}

// sourceField is where the manifest holds a field that validation names.
func sourceField(path string) string {
	for _, list := range []string{".labels", ".annotations"} {
		for _, at := range []string{"spec.template", "spec.jobTemplate.spec.template"} {
			if rest, ok := strings.CutPrefix(path, at+list); ok {
				return at + ".metadata" + list + rest
			}
		}
	}
	path = strings.Replace(path, "spec.clusterIPs[0]", "spec.clusterIP", 1)
	path, _, _ = strings.Cut(path, ".{") // of spread constraints: "{topologyKey, whenUnsatisfiable}"
	return path
}

// fresh are the errors of head that base applied over itself does not have.
func (a *applied) fresh() field.ErrorList {
	var out field.ErrorList
	for _, e := range a.refused {
		if !slices.ContainsFunc(a.before, func(o *field.Error) bool { return o.Field == e.Field && o.Type == e.Type }) {
			out = append(out, e)
		}
	}
	return out
}

// enterRefusals enters what the API server refuses into the findings: it takes no search.
func (a *analysis) enterRefusals(list []applied) {
	if a.opt.Shard.Index > 1 {
		return // it is in the first part
	}
	for i := range list {
		x := &list[i]
		if len(x.back) > 0 {
			if rule, on := a.ruleFor(rules.CannotRevert, x.head.ID); on {
				a.result.Findings = append(a.result.Findings, a.places.refusal(x, x.head, x.back, rule, New))
			}
			continue
		}
		rule, on := a.ruleFor(rules.ApplyRejected, x.head.ID)
		if !on {
			continue
		}
		errs, status, o := x.fresh(), New, x.head
		switch {
		case len(errs) > 0:
		case len(x.refused) > 0:
			errs, status = x.refused, Existing
		default:
			errs, status, o = x.before, Fixed, x.base
		}
		a.result.Findings = append(a.result.Findings, a.places.refusal(x, o, errs, rule, status))
	}
	a.result.Findings = across(a.result.Findings)
	sortFindings(a.result.Findings)
}

// standIns says what is there in place of the objects that cannot exist as they are: what base
// has, if that can.
func standIns(list []applied) map[*render.Object]*render.Object {
	out := map[*render.Object]*render.Object{}
	for i := range list {
		x := &list[i]
		if x.base != nil && len(x.before) > 0 {
			out[x.base] = nil
		}
		if x.again || len(validation.Create(x.head.Typed)) == 0 {
			continue
		}
		out[x.head] = nil
		if x.base != nil && len(x.before) == 0 {
			out[x.head] = x.base
		}
	}
	return out
}

// ruleFor is a rule as it is tuned for an object; false where it is off.
func (a *analysis) ruleFor(id string, of render.ObjectID) (rules.Rule, bool) {
	for _, r := range a.checker.rules {
		if r.ID == id && r.Concerns(of.Namespace+"/"+of.Name) {
			return r, true
		}
	}
	return rules.Rule{}, false
}

// refusal words what the API server says to one object.
func (pl places) refusal(x *applied, o *render.Object, errs field.ErrorList, rule rules.Rule, status Status) Finding {
	f := Finding{
		Rule: rule.ID, Class: string(rule.Class), Severity: string(rule.Severity), Status: status,
		Certainty: "inevitable", Scenario: scenarioChange, Timing: "realistic", Workload: o.ID.String(), Release: x.release,
		Scale: Scale{Classes: map[string]int{}}, AtDeclaredScale: true, Events: []string{"apply"},
		Interleaving: []Step{}, Locations: []Location{}, Blame: []Blame{},
	}
	verb := "the change of"
	switch {
	case len(x.back) > 0:
		f.Scenario, verb, f.Events = scenarioRevert, "the revert of", []string{"apply", "revert"}
	case x.again:
		f.Scenario, verb = scenarioSteady, "every further apply of"
		if x.lookup {
			f.Certainty, f.Severity = "possible", string(lower(rule.Severity))
		}
	case x.base == nil:
		verb = "to create"
		if pl.changes == nil {
			f.Scenario = scenarioInstall
		}
	}
	f.Message = fmt.Sprintf("the API server refuses %s %s: %s", verb, o.ID, refusalText(errs[0], x.again))
	if n := len(errs) - 1; n > 0 {
		f.Message += fmt.Sprintf(", and %d more", n)
	}
	var changes []render.FieldChange
	if x.base != nil && x.base != x.head {
		c := render.Compare(x.base, x.head)
		changes = slices.Concat(c.Fields, c.Noise)
	}
	event := f.Events[len(f.Events)-1]
	for _, e := range errs {
		at := pl.refusedAt(o, e, changes, status == Fixed)
		for _, c := range at.changed {
			l := pl.field(c)
			if status == New {
				f.Blame = append(f.Blame, Blame{Object: o.ID.String(), Path: c.Path, Old: value(c.Old, c.Secret), New: value(c.New, c.Secret), Location: &l})
			}
		}
		f.Locations = append(f.Locations, at.locations...)
		because := []Because{}
		for _, l := range at.locations {
			because = append(because, Because{File: l.File, Line: l.StartLine, Field: l.Field})
		}
		f.Interleaving = append(f.Interleaving, Step{
			Actor: event, Class: actor.Event.String(), Action: "apply-refused", Object: o.ID.String(),
			Text: fmt.Sprintf("the API server refuses %s %s: %s", verb, o.ID, refusalText(e, x.again)), Because: because,
		})
	}
	f.Locations = inDiffFirst(f.Locations)
	h := sha256.Sum256([]byte(strings.Join([]string{"v1", f.Rule, f.Release, f.Workload, "apply"}, "\x00")))
	f.Fingerprint = hex.EncodeToString(h[:16])
	return f
}

// refusalText is an error without the value, which may be long or secret.
func refusalText(e *field.Error, again bool) string {
	text := e.Detail
	if text == "" {
		text = strings.ToLower(e.Type.String())
	}
	if again {
		text += ", and every render gives it another value"
	}
	if e.Field == "" {
		return text
	}
	return sourceField(e.Field) + ": " + text
}

// refusedPlace is where a refused field stands.
type refusedPlace struct {
	changed   []render.FieldChange // that are refused
	locations []Location
}

// refusedAt finds the changed fields that an error is about, or else the field itself.
func (pl places) refusedAt(o *render.Object, e *field.Error, changes []render.FieldChange, onBase bool) refusedPlace {
	path := sourceField(e.Field)
	mutable := validation.Mutable(o.Typed, path)
	about := func(field string) bool {
		if _, secret := o.Typed.(*corev1.Secret); secret {
			field = strings.Replace(field, "stringData", "data", 1)
		}
		free := slices.ContainsFunc(mutable, func(m string) bool { return overlap(field, m) })
		return !free && overlap(field, path)
	}
	var out refusedPlace
	for _, c := range changes {
		if about(c.Path) {
			out.changed = append(out.changed, c)
			out.locations = append(out.locations, pl.field(c))
		}
	}
	if len(out.locations) > 0 {
		return out
	}
	side := "head"
	if onBase {
		side = "base"
	}
	for _, v := range o.Volatile() {
		if about(v) {
			l := pl.location(o.Locate(v), side)
			l.Field = v
			out.locations = append(out.locations, l)
		}
	}
	if len(out.locations) == 0 {
		l := pl.location(o.Locate(path), side)
		l.Field = path
		out.locations = append(out.locations, l)
	}
	return out
}

// inDiffFirst orders locations as [places.locations] does.
func inDiffFirst(list []Location) []Location {
	var edited, rest []Location
	for _, l := range list {
		if l.InDiff {
			edited = append(edited, l)
		} else {
			rest = append(rest, l)
		}
	}
	return distinct(append(edited, rest...))
}
