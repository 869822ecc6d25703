package main

import (
	"slices"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/report"
	"github.com/kubesettle/kubesettle/verify/run"
)

// rulesOf are the rules of this build, and the user's own, as surfaces explain them.
func rulesOf(p *policies.Policy, scopes []run.Scope) ([]report.Rule, error) {
	out := report.Rules()
	list := []*policies.Policy{p}
	for _, s := range scopes {
		list = append(list, s.Policy)
	}
	for _, p := range list {
		own, err := policies.Own(p)
		if err != nil {
			return out, err
		}
		for _, r := range own {
			if slices.ContainsFunc(out, func(o report.Rule) bool { return o.ID == r.ID }) {
				continue // of a folder above
			}
			out = append(out, report.Rule{
				ID: r.ID, Class: string(r.Class), Title: r.Title, Severity: string(r.Severity),
				Real: r.Help.Real, Bad: r.Help.Bad, Own: true,
			})
		}
	}
	return out, nil
}
