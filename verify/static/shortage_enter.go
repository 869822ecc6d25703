package static

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Enter makes a finding of a shortage, or makes sure of the one that is there. largest is the number of nodes
// that there may be: what a search saw of base there stands, as the arithmetic leaves out much of what takes room; only
// that head has mended it does not.
func (s Shortage) Enter(list []judge.Finding, sl *slice.Slice, rule rules.Rule, status judge.Status, largest int,
	pl judge.Places) []judge.Finding {
	w := &sl.Spec.Workloads[s.Workload]
	text := fmt.Sprintf("at the declared size %s asks for %d pods, and %s at most %d", w.Name, s.Asked, s.what, s.Fit)
	if s.none != "" {
		text = fmt.Sprintf("no pod of %s can be created: %s", w.Name, s.none)
		if s.Queued {
			text = fmt.Sprintf("Kueue never admits %s: %s", w.Name, s.none)
		}
	}
	if !s.Loaded { // else it may be mended for as long as there is no load
		list = slices.DeleteFunc(list, func(f judge.Finding) bool {
			return f.Workload == w.ID && f.Rule == s.Rule && f.Release == sl.Release && f.Status == judge.Fixed
		})
	}
	list = slices.DeleteFunc(list, func(f judge.Finding) bool { // sums say more than one run of many
		return f.FoundBy != "" && f.Workload == w.ID && f.Rule == s.Rule && f.Release == sl.Release
	})
	for i := range list {
		f := &list[i]
		if f.Workload == w.ID && f.Rule == s.Rule && f.Release == sl.Release && f.Status != judge.Fixed {
			if f.Reduced != nil || !f.AtDeclaredScale {
				f.Message += " (" + text + ")"
			}
			if f.Status == judge.Existing && status == judge.New && f.AtDeclaredScale && f.Reduced == nil &&
				f.Scale.Nodes == largest {
				return list
			}
			if f.AtDeclaredScale, f.Reduced = true, nil; s.Cohort == "" && s.uncovered == "" {
				f.Severity = string(rule.Severity)
			}
			if f.Status == judge.Existing {
				f.Status = status
			}
			return list
		}
	}
	f := judge.Finding{
		Rule: rule.ID, Class: string(rule.Class), Severity: string(rule.Severity), Status: status,
		Certainty: finding.Inevitable,
		Scenario:  scenario.ScenarioChange, Timing: "realistic", Workload: w.ID, Release: sl.Release, Message: text,
		Scale: judge.Scale{Classes: map[string]int{}}, AtDeclaredScale: true, Events: []string{"apply"},
		Blame: []judge.Blame{},
	}
	if pl.Changes == nil || !sl.Spec.Workloads[s.Workload].Manifests[state.Base].Exists() {
		f.Scenario = scenario.ScenarioInstall
	}
	if s.Loaded {
		f.Events, f.Certainty = append(f.Events, "load-change"), finding.Possible
	}
	step := judge.Step{
		Actor: "scheduler", Class: actor.Sync.String(), Action: "unschedulable", Object: w.ID, Text: text,
		Because: []judge.Because{},
	}
	if s.Queued {
		step.Actor, step.Action = "kueue", "stay-gated"
	} else if s.Rule != rules.Unschedulable {
		step.Actor, step.Action = "replicaset", "refused"
	}
	f.Locations, f.Blame = s.locate(pl, sl, w.ID, status)
	for _, l := range f.Locations {
		step.Because = append(step.Because, judge.Because{File: l.File, Line: l.StartLine, Field: l.Field})
	}
	f.Interleaving = []judge.Step{step}
	if s.Cohort != "" {
		f.Unlent(s.Cohort)
	}
	if s.uncovered != "" {
		f.Translated(s.uncovered)
	}
	h := sha256.Sum256([]byte(strings.Join([]string{"v1", f.Rule, f.Release, f.Workload, "size"}, "\x00")))
	f.Fingerprint = hex.EncodeToString(h[:16])
	f.Standing = f.Fingerprint
	return append(list, f)
}

// locate says where it stands what asks for too much: what changed of it first.
func (s Shortage) locate(pl judge.Places, sl *slice.Slice, workload string,
	status judge.Status) ([]judge.Location, []judge.Blame) {
	var out []judge.Location
	blame := []judge.Blame{}
	refs := append(slices.Clone(s.fields), actor.Ref{Object: workload, Field: "spec.template.spec.containers"},
		actor.Ref{Object: workload, Field: "spec.replicas"})
	for _, ref := range refs {
		for _, c := range pl.Changed(sl.Release, ref.Object) {
			if !judge.Overlap(c.Path, ref.Field) {
				continue
			}
			l := pl.Field(c)
			out = append(out, l)
			if status != judge.Existing {
				blame = append(blame,
					judge.Blame{Object: ref.Object, Path: c.Path, Old: judge.Value(c.Old, c.Secret),
						New: judge.Value(c.New, c.Secret), Location: &l})
			}
		}
		there := sl.Objects[ref.Object]
		if was := sl.Objects[workload]; there != nil && there[state.Base] == nil && there[state.Head] != nil && was != nil &&
			was[state.Base] != nil && pl.Changes != nil {
			l := pl.Location(there[state.Head].Locate(ref.Field), "head") // the change brings it
			l.Field = ref.Field
			out = append(out, l)
			if status != judge.Existing {
				blame = append(blame, judge.Blame{Object: ref.Object, Path: ref.Field, Location: &l})
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
