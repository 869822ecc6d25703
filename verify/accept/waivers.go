// Package accept decides which findings of a run count: waivers, baselines, policies of folders and changes of
// policies, and the shards of one run.
package accept

import (
	"slices"
	"time"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/run"
	"github.com/kubesettle/kubesettle/verify/scenario"
)

// Findings takes waived findings out of parts of a run, and marks those that baselines have.
func Findings(parts []*run.Analysis, today time.Time) {
	var used []policies.Waiver
	var list []*policies.Policy
	for _, a := range parts {
		list, used = append(list, a.Options.Policy), append(used, waive(a.Result, a.Options.Policy, today)...)
	}
	idle := idleWaivers(list, used, today)
	for i, a := range parts {
		if i == 0 {
			a.Result.Notices = append(a.Result.Notices, idle...)
		}
		waiveBeside(a.Result, a.Changes, &a.Options, today)
		acceptBaseline(a.Result, a.Options.Policy.Baseline)
	}
}

// waive moves findings that a waiver covers out of the findings, and gives the waivers that did.
func waive(r *finding.Result, p *policies.Policy, today time.Time) (used []policies.Waiver) {
	kept := []finding.Finding{}
	for _, f := range r.Findings {
		w, ok := p.Waive(f.Rule, scenario.WorkloadName(f.Workload), today)
		if !ok || f.Status == finding.Fixed {
			kept = append(kept, f)
			continue
		}
		used = append(used, w)
		r.Waived = append(r.Waived, finding.Waived{Finding: f, Reason: w.Reason, Owner: w.Owner, Expires: w.Expires})
	}
	r.Findings = kept
	return used
}

// idleWaivers says which waivers of some policies have expired or cover nothing; one that a folder below inherits is
// one.
func idleWaivers(list []*policies.Policy, used []policies.Waiver, today time.Time) []finding.Note {
	var expired, idle []finding.Note
	said := slices.Clone(used)
	for _, p := range list {
		for _, w := range p.Expired(today) {
			if slices.Contains(said, w) {
				continue
			}
			said = append(said, w)
			expired = append(expired, finding.Say(finding.WaiverExpired, w.Rule, w.Owner, w.Expires).On(w.Workload))
		}
	}
	for _, p := range list {
		for _, w := range p.Waivers {
			if slices.Contains(said, w) {
				continue
			}
			said = append(said, w)
			idle = append(idle, finding.Say(finding.WaiverIdle, w.Rule, w.Owner).On(w.Workload))
		}
	}
	return append(expired, idle...)
}
