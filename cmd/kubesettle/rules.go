package main

import (
	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/report"
)

// rulesOf are the rules of this build, and the user's own, as surfaces explain them.
func rulesOf(p *policies.Policy) ([]report.Rule, error) {
	out := report.Rules()
	own, err := policies.Own(p)
	for _, r := range own {
		out = append(out, report.Rule{
			ID: r.ID, Class: string(r.Class), Title: r.Title, Severity: string(r.Severity),
			Real: r.Help.Real, Bad: r.Help.Bad, Own: true,
		})
	}
	return out, err
}
