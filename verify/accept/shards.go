package accept

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scenario"
)

// ErrNotShards says that results are not of one run.
var ErrNotShards = errors.New("not the shards of one run")

// Merge combines the results of the shards of one run into that of the whole and judges
// it by a gate. Findings are united, the one at the smallest scale stands for its
// fingerprint; each compares a topology with itself; coverage adds up.
//
// Errors: [ErrNotShards], also where one is missing or given twice.
func Merge(shards []*finding.Result, gate finding.Gate) (*finding.Result, error) {
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
	whole.Workloads, whole.Coverage = nil, finding.Coverage{}
	whole.Assumptions = nil
	for _, s := range shards {
		whole.Workloads = mergeWorkloads(whole.Workloads, s.Workloads)
		whole.Coverage.Add(s.Coverage)
		whole.Assumptions = finding.AppendNew(whole.Assumptions, s.Assumptions...)
	}
	finding.Causes(whole.Findings)
	whole.Notices = inAll(shards)
	whole.Judge(gate)
	return &whole, nil
}

// allOf demands that results which say which part they are make up the whole.
func allOf(shards []*finding.Result) error {
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
			return fmt.Errorf("%w: %d results were given, and none is part %s", ErrNotShards, n, part)
		}
	}
	return nil
}

// unite keeps one finding a rule and workload, as one run does.
func unite(shards []*finding.Result) []finding.Finding {
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
	finding.Sort(out)
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
		finding.Rank(f.Severity)-finding.Rank(g.Severity),
		cmp.Compare(g.Certainty, f.Certainty),
		cmp.Compare(f.Scale.Nodes, g.Scale.Nodes),
		cmp.Compare(len(f.Events), len(g.Events)),
		cmp.Compare(len(f.Interleaving), len(g.Interleaving)),
		cmp.Compare(f.Scale.Pods, g.Scale.Pods),
	) < 0
}

func uniteWaived(shards []*finding.Result) []finding.Waived {
	out := []finding.Waived{}
	for _, s := range shards {
		for _, w := range s.Waived {
			same := func(o finding.Waived) bool { return o.Finding.Fingerprint == w.Finding.Fingerprint }
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
// are judged again.
func mergeWorkloads(have, more []finding.Workload) []finding.Workload {
	order := []finding.Verdict{finding.Pass, finding.Inconclusive, finding.Errored}
	for _, w := range more {
		if w.Verdict == finding.Fail {
			w.Verdict = finding.Pass
		}
		i := slices.IndexFunc(have, func(o finding.Workload) bool { return o.ID == w.ID && o.Release == w.Release })
		if i < 0 {
			have = append(have, w)
		} else if slices.Index(order, w.Verdict) > slices.Index(order, have[i].Verdict) {
			have[i].Verdict, have[i].Reason = w.Verdict, w.Reason
		}
	}
	return have
}

// inAll keeps the notices that every shard has: that a waiver covers nothing holds of
// the whole only if it holds of each. What a changed policy hides is asked by the first alone.
func inAll(shards []*finding.Result) []finding.Note {
	out := []finding.Note{}
	for _, n := range shards[0].Notices {
		missing := func(s *finding.Result) bool { return !finding.Has(s.Notices, n) }
		if !slices.ContainsFunc(shards, missing) || n.Kind == finding.PolicyHides || n.Kind == finding.PolicyNarrows {
			out = append(out, n)
		}
	}
	return out
}

// GateOf gives the gate that the parts of a run were checked with; nil where they do not say.
// Errors: [ErrNotShards] where they say several, or none that there is.
func GateOf(shards []*finding.Result) (*finding.Gate, error) {
	var out *finding.Gate
	for i, s := range shards {
		for k := range s.Scopes {
			if err := known(&s.Scopes[k].Gate); err != nil {
				return nil, err
			}
		}
		if i > 0 && (s.Gate == nil) != (out == nil) || s.Gate != nil && out != nil && *s.Gate != *out {
			return nil, fmt.Errorf("%w: they were checked with several gates", ErrNotShards)
		}
		out = s.Gate
	}
	if out == nil {
		return nil, nil
	}
	return out, known(out)
}

// known refuses a gate that there is none of.
// Errors: [ErrNotShards].
func known(g *finding.Gate) error {
	severities := []rules.Severity{rules.Error, rules.Warning, rules.Note, rules.Off}
	if !slices.Contains(severities, rules.Severity(g.FailOn)) || g.OnInconclusive != "warn" && g.OnInconclusive != "fail" {
		return fmt.Errorf("%w: gate is failOn %q and onInconclusive %q", ErrNotShards, g.FailOn, g.OnInconclusive)
	}
	return nil
}

// sameScope reports whether two parts were checked with one policy of a folder, for the same releases.
func sameScope(a, b finding.ScopeResult) bool {
	return a.Policy == b.Policy && slices.Equal(a.Releases, b.Releases) && a.Gate == b.Gate
}
