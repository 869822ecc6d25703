package static

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Enter makes a finding of a shortage, or makes sure of the one that is there. largest is the number of nodes that
// there may be: a search's findings on base remain, as the arithmetic leaves out many pods that take room; only the
// claim that head has repaired one does not.
func (s Shortage) Enter(list []finding.Finding, sl *slice.Slice, rule rules.Rule, status finding.Status, largest int,
	pl judge.Places) []finding.Finding {
	w := &sl.Spec.Workloads[s.Workload]
	release := sl.Owner(w.ID)
	text := fmt.Sprintf("at the declared size %s asks for %d pods, and %s at most %d", w.Name, s.Asked, s.what, s.Fit)
	if s.none != "" {
		text = fmt.Sprintf("no pod of %s can be created: %s", w.Name, s.none)
		if s.Queued {
			text = fmt.Sprintf("Kueue never admits %s: %s", w.Name, s.none)
		}
	}
	for i := len(list) - 1; i >= 0; i-- {
		f := &list[i]
		if f.Workload != w.ID || f.Rule != s.Rule || f.Release != release {
			continue
		}
		// Under load it may be repaired for as long as there is none. Sums say more than one run of many.
		if !s.Loaded && f.Status == finding.Fixed || f.FoundBy != "" {
			list = slices.Delete(list, i, i+1)
		}
	}
	for i := range list {
		f := &list[i]
		if f.Workload == w.ID && f.Rule == s.Rule && f.Release == release && f.Status != finding.Fixed {
			if f.Reduced != nil || !f.AtDeclaredScale {
				f.Message += " (" + text + ")"
			}
			if f.Status == finding.Existing && status == finding.New && f.AtDeclaredScale && f.Reduced == nil &&
				f.Scale.Nodes == largest {
				return list
			}
			if f.AtDeclaredScale, f.Reduced = true, nil; s.Cohort == "" && s.uncovered == "" && !f.OnTrust() {
				f.Severity = string(rule.Severity)
			}
			if f.Status == finding.Existing {
				f.Status = status
			}
			return list
		}
	}
	f := finding.Draft{
		Rule: rule.ID, Class: string(rule.Class), Severity: string(rule.Severity), Status: status,
		Certainty: finding.Inevitable, Scenario: scenario.ScenarioChange, Workload: w.ID, Release: release, Message: text,
		AtDeclaredScale: true, Events: []string{"apply"}, Shape: []string{"size"},
	}
	if pl.Changes == nil || !sl.Spec.Workloads[s.Workload].Manifests[state.Base].Exists() {
		f.Scenario = scenario.ScenarioInstall
	}
	switch {
	case s.Loaded:
		f.Events, f.Certainty = append(f.Events, "load-change"), finding.Possible
	case s.waits(w) && status != finding.Existing:
		f.Scenario = scenario.ScenarioNext
		f.Message += "; running pods stay, and the next pod that has to be created is refused"
	}
	step := finding.Step{
		Actor: "scheduler", Class: actor.Sync.String(), Action: "unschedulable", Object: w.ID, Text: text,
		Because: []finding.Because{},
	}
	if s.Queued {
		step.Actor, step.Action = "kueue", "stay-gated"
	} else if s.Rule != rules.Unschedulable {
		step.Actor, step.Action = "replicaset", "refused"
	}
	f.Locations, f.Blame = s.locate(pl, sl, w.ID, status)
	for _, l := range f.Locations {
		step.Because = append(step.Because, finding.Because{File: l.File, Line: l.StartLine, Field: l.Field})
	}
	f.Steps = []finding.Step{step}
	made := f.Finding()
	if s.Cohort != "" {
		made.Unlent(s.Cohort)
	}
	if s.uncovered != "" {
		made.Translated(s.uncovered)
	}
	return append(list, made)
}

// waits reports whether the apply itself creates no pod, so that nothing happens before the next rollout, or the loss
// of a pod: as many as are asked for ran on base, of the same template.
func (s Shortage) waits(w *state.Workload) bool {
	base, head := &w.Manifests[state.Base], &w.Manifests[state.Head]
	if s.quota == nil || !base.Exists() || base.Kind() != head.Kind() {
		return false
	}
	ran, _ := replicasAsked(w, state.Base, false)
	return ran >= s.Asked && equality.Semantic.DeepEqual(base.Template(), head.Template())
}

// locate gives the lines of the excessive requests: changed ones first.
func (s Shortage) locate(pl judge.Places, sl *slice.Slice, workload string,
	status finding.Status) ([]finding.Location, []finding.Blame) {
	var out []finding.Location
	blame := []finding.Blame{}
	refs := append(slices.Clone(s.fields), actor.Ref{Object: workload, Field: "spec.template.spec.containers"})
	if !slices.ContainsFunc(refs, func(r actor.Ref) bool { return r.Object == workload && r.Field == "spec.replicas" }) {
		refs = append(refs, actor.Ref{Object: workload, Field: "spec.replicas"})
	}
	for _, id := range sl.Ids() { // workloads that come to take their room
		if strings.HasPrefix(id, "apps/DaemonSet ") && id != workload {
			refs = append(refs, actor.Ref{Object: id, Field: "spec.template.spec"})
		}
	}
	for _, ref := range refs {
		for _, c := range pl.Changed(sl.Owner(ref.Object), ref.Object) {
			if !judge.Overlap(c.Path, ref.Field) {
				continue
			}
			l := pl.Field(c)
			out = append(out, l)
			if status != finding.Existing {
				blame = append(blame,
					finding.Blame{Object: ref.Object, Path: c.Path, Old: judge.Value(c.Old, c.Secret),
						New: judge.Value(c.New, c.Secret), Location: &l})
			}
		}
		there := sl.Objects[ref.Object]
		if was := sl.Objects[workload]; there != nil && there[state.Base] == nil && there[state.Head] != nil && was != nil &&
			was[state.Base] != nil && pl.Changes != nil {
			l := pl.Location(there[state.Head].Locate(ref.Field), "head") // the change brings it
			l.Field = ref.Field
			out = append(out, l)
			if status != finding.Existing {
				blame = append(blame, finding.Blame{Object: ref.Object, Path: ref.Field, Location: &l})
			}
		}
	}
	for _, ref := range refs {
		if sides := sl.Objects[ref.Object]; sides != nil && sides[state.Head] != nil {
			l := pl.Location(sides[state.Head].Locate(ref.Field), "head")
			l.Field = ref.Field
			out = append(out, l)
			break
		}
	}
	return inDiffFirst(out), blame
}
