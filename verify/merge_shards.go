package verify

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/scenario"
)

// ErrNotShards says that results are not of one run.
var ErrNotShards = errors.New("not the shards of one run")

// Merge combines the results of the shards of one run into that of the whole and judges
// it by a gate. Findings are united, the one at the smallest scale stands for its
// fingerprint; each compares a topology with itself; coverage adds up.
//
// Errors: [ErrNotShards], also where one is missing or given twice.
func Merge(shards []*Result, gate policies.Gate) (*Result, error) {
	if len(shards) == 0 {
		return nil, fmt.Errorf("%w: there are none", ErrNotShards)
	}
	first := shards[0]
	for _, s := range shards[1:] {
		if !slices.EqualFunc(s.Scopes, first.Scopes, sameScope) {
			return nil, fmt.Errorf("%w: they were checked with several policies of folders", ErrNotShards)
		}
		if s.Base != first.Base || s.Head != first.Head || s.Tool != first.Tool || s.SchemaVersion != first.SchemaVersion {
			return nil, fmt.Errorf("%w: %s, %s..%s and %s, %s..%s", ErrNotShards,
				first.Tool, first.Base.Name, first.Head.Name, s.Tool, s.Base.Name, s.Head.Name)
		}
	}
	if err := allOf(shards); err != nil {
		return nil, err
	}
	whole := *first
	whole.Shard, whole.Gate = "", nil
	whole.Findings, whole.Waived = unite(shards), uniteWaived(shards)
	whole.Workloads, whole.Coverage = nil, Coverage{}
	whole.Assumptions = nil
	for _, s := range shards {
		whole.Workloads = mergeWorkloads(whole.Workloads, s.Workloads)
		whole.Coverage.add(s.Coverage)
		whole.Assumptions = finding.AppendNew(whole.Assumptions, s.Assumptions...)
	}
	judge.Causes(whole.Findings)
	whole.Notices = inAll(shards)
	whole.judge(gate)
	return &whole, nil
}

// allOf demands that results which say which part they are make up the whole.
func allOf(shards []*Result) error {
	n := len(shards)
	seen := map[string]bool{}
	for _, s := range shards {
		if s.Shard == "" && n == 1 {
			return nil // a whole
		}
		seen[s.Shard] = true
	}
	if len(seen) == 1 && seen[""] {
		return nil // results of a version that did not say
	}
	for i := 1; i <= n; i++ {
		if part := fmt.Sprintf("%d/%d", i, n); !seen[part] {
			return fmt.Errorf("%w: %d results were given, and none of them is part %s", ErrNotShards, n, part)
		}
	}
	return nil
}

// unite keeps one finding a rule and workload, as one run does.
func unite(shards []*Result) []finding.Finding {
	best := map[string]finding.Finding{}
	onBase := map[string][]finding.Finding{}
	for _, s := range shards {
		for _, f := range s.Findings {
			id := strings.Join([]string{f.Rule, f.Release, f.Workload}, "\x00")
			// A shard that saw only base break says fixed; one that saw both, existing. Each
			// compares a topology with itself.
			if f.Status != finding.New {
				onBase[id] = append(onBase[id], f)
			}
			if have, ok := best[id]; !ok || preferred(f, have) {
				best[id] = f
			}
		}
	}
	out := []finding.Finding{}
	for _, id := range slices.Sorted(maps.Keys(best)) {
		f := best[id]
		if f.Status == finding.New && len(onBase[id]) > 0 { // base breaks it too, on another topology
			f.Status = finding.Worsened
		}
		out = append(out, f)
	}
	judge.SortFindings(out)
	return out
}

// preferred reports whether f shows a violation better than g: one that base has not, or on head
// at all, the graver, the surer, at a smaller scale, in fewer steps.
func preferred(f, g finding.Finding) bool {
	status := []finding.Status{finding.New, finding.Worsened, finding.Existing, finding.Fixed}
	return cmp.Or(
		slices.Index(status, f.Status)/2*2+scenario.BoolRank(f.Status == finding.Fixed)-slices.Index(status,
			g.Status)/2*2-scenario.BoolRank(g.Status == finding.Fixed),
		scenario.BoolRank(!f.AtDeclaredScale)-scenario.BoolRank(!g.AtDeclaredScale),
		judge.Rank(f.Severity)-judge.Rank(g.Severity),
		cmp.Compare(g.Certainty, f.Certainty),
		cmp.Compare(f.Scale.Nodes, g.Scale.Nodes),
		cmp.Compare(len(f.Events), len(g.Events)),
		cmp.Compare(len(f.Interleaving), len(g.Interleaving)),
		cmp.Compare(f.Scale.Pods, g.Scale.Pods),
	) < 0
}

func uniteWaived(shards []*Result) []Waived {
	out := []Waived{}
	for _, s := range shards {
		for _, w := range s.Waived {
			same := func(o Waived) bool { return o.Finding.Fingerprint == w.Finding.Fingerprint }
			if i := slices.IndexFunc(out, same); i < 0 {
				out = append(out, w)
			} else if preferred(w.Finding, out[i].Finding) {
				out[i] = w
			}
		}
	}
	return out
}

// mergeWorkloads keeps of each workload the least certain verdict; the gate's failures
// are judged anew.
func mergeWorkloads(have, more []Workload) []Workload {
	order := []Verdict{Pass, Inconclusive, Errored}
	for _, w := range more {
		if w.Verdict == Fail {
			w.Verdict = Pass
		}
		i := slices.IndexFunc(have, func(o Workload) bool { return o.ID == w.ID && o.Release == w.Release })
		if i < 0 {
			have = append(have, w)
		} else if slices.Index(order, w.Verdict) > slices.Index(order, have[i].Verdict) {
			have[i].Verdict, have[i].Reason = w.Verdict, w.Reason
		}
	}
	return have
}

// add adds the coverage of another shard. The shards ran side by side, so that the
// longest one's time is the whole's.
func (c *Coverage) add(o Coverage) {
	c.Topologies += o.Topologies
	c.States += o.States
	c.Transitions += o.Transitions
	c.MaxNodes = max(c.MaxNodes, o.MaxNodes)
	c.MaxPods = max(c.MaxPods, o.MaxPods)
	c.MaxEvents = max(c.MaxEvents, o.MaxEvents)
	c.ElapsedMs = max(c.ElapsedMs, o.ElapsedMs)
	for _, n := range o.Reduced {
		if !slices.Contains(c.Reduced, n) {
			c.Reduced = append(c.Reduced, n)
		}
	}
	c.Swarmed = append(c.Swarmed, o.Swarmed...)
	for _, r := range o.Rules {
		c.rule(r)
	}
	c.Bound = weaker(c.Bound, o.Bound)
}

// rule adds what a rule was verified at on another slice, or by another shard.
func (c *Coverage) rule(r RuleCoverage) {
	i := slices.IndexFunc(c.Rules, func(o RuleCoverage) bool { return o.Rule == r.Rule })
	if i < 0 {
		c.Rules = append(c.Rules, r)
		return
	}
	have := &c.Rules[i]
	have.Pods, have.Nodes = max(have.Pods, r.Pods), max(have.Nodes, r.Nodes)
	have.AsDeclared = have.AsDeclared && r.AsDeclared
	have.Bound = weaker(have.Bound, r.Bound)
}

// weaker is the bound of two that says less.
func weaker(a, b string) string {
	bounds := []string{"", "complete", "states", "memory", "time"}
	if slices.Index(bounds, b) > slices.Index(bounds, a) {
		return b
	}
	return a
}

// inAll keeps the notices that every shard has: that a waiver covers nothing holds of
// the whole only if it holds of each. What a changed policy hides is asked by the first alone.
func inAll(shards []*Result) []finding.Note {
	out := []finding.Note{}
	for _, n := range shards[0].Notices {
		missing := func(s *Result) bool { return !finding.Has(s.Notices, n) }
		if !slices.ContainsFunc(shards, missing) || n.Kind == finding.PolicyHides || n.Kind == finding.PolicyNarrows {
			out = append(out, n)
		}
	}
	return out
}
