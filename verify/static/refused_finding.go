package static

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/diff"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/scenario"
)

// Finding words the API server's answer for one object. If it covers only a part of a side's errors, its shape has the
// fields: a baseline that knows the others does not know these.
func (x *Applied) Finding(pl judge.Places, o *object.Object, errs field.ErrorList, rule rules.Rule,
	status finding.Status) finding.Finding {
	f := finding.Draft{
		Rule: rule.ID, Class: string(rule.Class), Severity: string(rule.Severity), Status: status,
		Certainty: finding.Inevitable, Scenario: scenario.ScenarioChange, Workload: o.ID.String(), Release: x.release,
		AtDeclaredScale: true, Events: []string{"apply"}, Shape: []string{"apply"},
	}
	if x.partly(errs, status) {
		for _, e := range errs {
			f.Shape = append(f.Shape, e.Field)
		}
	}
	verb := "the change of"
	switch {
	case rule.ID == rules.CannotRevert:
		f.Scenario, verb, f.Events = scenario.ScenarioRevert, "the revert of", []string{"apply", "revert"}
	case x.again:
		f.Scenario, verb = scenario.ScenarioSteady, "every further apply of"
		if x.lookup {
			f.Certainty, f.Severity = finding.Possible, string(judge.Lower(rule.Severity))
		}
	case x.Base == nil:
		verb = "to create"
		if pl.Changes == nil {
			f.Scenario = scenario.ScenarioInstall
		}
	}
	says := func(e *field.Error) string {
		return fmt.Sprintf("the API server refuses %s %s: %s", verb, o.ID, refusalText(e, x.again))
	}
	action := "apply-refused"
	if x.Drops(errs) {
		onlyDropped(&f, rule)
		says, action = func(e *field.Error) string { return dropText(o, e) }, "field-dropped"
	}
	f.Message = says(errs[0])
	if n := len(errs) - 1; n > 0 {
		f.Message += fmt.Sprintf(", and %d more", n)
	}
	var changes []object.FieldChange
	if x.Base != nil && x.Base != x.Head {
		c := diff.Compare(x.Base, x.Head)
		changes = slices.Concat(c.Fields, c.Noise)
	}
	event := f.Events[len(f.Events)-1]
	for _, e := range errs {
		at := refusedAt(pl, o, e, changes, status == finding.Fixed)
		for _, c := range at.changed {
			l := pl.Field(c)
			if status == finding.New {
				f.Blame = append(f.Blame,
					finding.Blame{Object: o.ID.String(), Path: c.Path, Old: judge.Value(c.Old, c.Secret),
						New: judge.Value(c.New, c.Secret), Location: &l})
			}
		}
		f.Locations = append(f.Locations, at.locations...)
		because := []finding.Because{}
		for _, l := range at.locations {
			because = append(because, finding.Because{File: l.File, Line: l.StartLine, Field: l.Field})
		}
		f.Steps = append(f.Steps, finding.Step{
			Actor: event, Class: actor.Event.String(), Action: action, Object: o.ID.String(),
			Text: says(e), Because: because,
		})
	}
	f.Locations = inDiffFirst(f.Locations)
	return f.Finding()
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
