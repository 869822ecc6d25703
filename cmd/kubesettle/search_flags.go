package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify"
	"github.com/kubesettle/kubesettle/verify/scenario"
)

// searching holds the flags of a search.
type searching struct {
	budget time.Duration
	rules  []string
	shard  string
}

func (s *searching) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.DurationVar(&s.budget, "time-budget", 120*time.Second,
		"wall time of the whole check; running out of it is inconclusive, never a pass")
	f.StringSliceVar(&s.rules, "rule", nil, "check this rule only; repeatable")
	f.StringVar(&s.shard, "shard", "", "run part i/n; 'kubesettle merge' combines the parts")
}

// options are those of [verify.Check].
func (s *searching) options(p *process, policy *policies.Policy, workers int, line *progress) (verify.Options, error) {
	opt := verify.Options{
		Policy: policy, Tool: tool(), Rules: s.rules, TimeBudget: s.budget, Workers: workers,
		Memory:   searchMemory(memoryBudget()),
		Progress: line.searchHook(), Today: p.today,
	}
	if s.budget < 0 {
		return opt, usage("--time-budget is %s: give a positive time, or 0 for none", s.budget)
	}
	var known []string
	for _, r := range rules.All() {
		known = append(known, r.ID)
	}
	for _, c := range policy.Custom {
		known = append(known, c.Name)
	}
	for _, r := range s.rules {
		if !slices.Contains(known, r) {
			return opt, usage("--rule is %q: give one of %s", r, strings.Join(known, ", "))
		}
	}
	var err error
	opt.Shard, err = parseShard(s.shard)
	return opt, err
}

// parseShard reads "i/n", 1 ≤ i ≤ n.
func parseShard(s string) (scenario.Shard, error) {
	if s == "" {
		return scenario.Shard{}, nil
	}
	var sh scenario.Shard
	if _, err := fmt.Sscanf(s, "%d/%d", &sh.Index, &sh.Of); err != nil || s != fmt.Sprintf("%d/%d", sh.Index, sh.Of) ||
		sh.Index < 1 || sh.Index > sh.Of {
		return scenario.Shard{}, usage("--shard is %q: give i/n with 1 ≤ i ≤ n, such as 2/4", s)
	}
	return sh, nil
}
