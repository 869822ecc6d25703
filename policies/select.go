package policies

import (
	"errors"
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
)

// ErrRules says that a selection of rules is not possible.
var ErrRules = errors.New("rules")

// Select gives the rules of [rules.All], in its order, as the policy's intents tune them, and
// only those of the given IDs where there are any. An intent that names workloads tunes
// the rule for these; the others keep the rule's own severity and floor, for which the
// rule then stands a second time. The user's own intents follow.
// Errors: [ErrRules] for an unknown ID, and where no rule is left.
func Select(p *Policy, only []string) ([]rules.Rule, error) {
	all := rules.All()
	var own []rules.Rule
	if p != nil {
		var err error
		if own, err = Own(p); err != nil {
			return nil, err
		}
	}
	for _, id := range only {
		if slices.ContainsFunc(slices.Concat(all, own), func(r rules.Rule) bool { return r.ID == id }) {
			continue
		}
		return nil, fmt.Errorf("%w: no such rule as %s; %s", ErrRules, quote(id), hint(id, ruleIDs()))
	}
	var out []rules.Rule
	for _, r := range all {
		if len(only) > 0 && !slices.Contains(only, r.ID) {
			continue
		}
		var in Intent
		if p != nil {
			in = p.Intents[r.ID]
		}
		out = append(out, tune(r, in)...)
	}
	for _, r := range own {
		if len(only) == 0 || slices.Contains(only, r.ID) {
			out = append(out, r)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: none is left to check; the policy switches every one of them off", ErrRules)
	}
	return out, nil
}

// Edges are rules for edges of which a search has to say whether pods are ready, as the policy tunes service-gap; none
// where only other rules are asked for.
func Edges(p *Policy, only []string, edges []rules.Edge) []rules.Rule {
	var out []rules.Rule
	for _, e := range edges {
		if r := rules.ServiceGapOf(e); len(only) == 0 || slices.Contains(only, r.ID) {
			out = append(out, tune(r, p.Intents[r.ID])...)
		}
	}
	return out
}

// tune applies an intent to a rule: one rule, two where it names workloads, or none.
func tune(r rules.Rule, in Intent) []rules.Rule {
	tuned := r
	if r.ID == rules.BelowFloor && in.MinReady > 0 {
		tuned = rules.BelowFloorAt(in.MinReady)
	}
	if in.Severity != "" {
		tuned.Severity = in.Severity
	}
	var out []rules.Rule
	if tuned.Severity != rules.Off {
		out = append(out, tuned.Limit(func(name string) bool {
			return len(in.Workloads) == 0 || slices.Contains(in.Workloads, name)
		}))
	}
	if len(in.Workloads) > 0 {
		out = append(out, r.Limit(func(name string) bool { return !slices.Contains(in.Workloads, name) }))
	}
	return out
}

// failures are the kinds of events that are no routine, by their key in the policy.
var failures = map[string]string{
	"node-failure": "nodeFailure", "pod-crash": "podCrash", "bad-revision": "badRevision",
	"disk-pressure": "diskPressure", "memory-pressure": "memoryPressure",
}

// IsFailure reports whether a kind of event is a failure: a lost node or one under pressure, a pod that
// crashes, a bad revision.
func IsFailure(kind string) bool { return failures[kind] != "" }

// Expects reports whether the policy file itself names a kind of failure; the default does not.
func (p *Policy) Expects(kind string) bool {
	return IsFailure(kind) && p.lines["events."+failures[kind]] != 0
}
