package judge

import (
	"cmp"
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/state"
)

// judged is a violation with its judgement.
type judged struct {
	scenario.Violation
	status   finding.Status
	declared bool // it shows at a declared size
	// unsure says that base was not searched far enough to tell whether the change introduces it, and undecided that
	// the declared size was not searched far enough to tell whether it shows there.
	unsure, undecided bool
	severity          rules.Severity // as far as it hangs on the violation alone
}

// compare sets a violation of head beside those of base at the same place. It is worse than before where base breaks
// the rule for the object too, but not there or not as easily. If the baseline was not searched to the end, a violation
// of a run in which the change is not applied is base's own, if base's surroundings are alike: the same controllers'
// configuration, and the same room on the nodes. Random runs do not look for the fewest events, and preferences are
// searched within few states: where nothing tells how easily base breaks the rule, what base breaks too is not worse.
func compare(sr *scenario.SliceResult, v scenario.Violation, alike bool) judged {
	j := judged{Violation: v, status: finding.New}
	closed := sr.Closed(v)
	here := func(covers func(b, v scenario.Violation) bool) bool {
		return slices.ContainsFunc(sr.Base,
			func(b scenario.Violation) bool { return b.Place() == v.Place() && v.Comparable(b) && covers(b, v) })
	}
	onBase := here(scenario.Violation.Covers)
	own := closed < v.Events && alike && slices.ContainsFunc(sr.Own,
		func(o scenario.Violation) bool { return o.Place() == v.Place() && o.Covers(v) })
	switch {
	case onBase, own:
		j.status = finding.Existing
		return j
	case slices.ContainsFunc(sr.Base,
		func(b scenario.Violation) bool { return b.Key() == v.Key() && v.Comparable(b) && b.DeclaredSize() }):
		j.status = finding.Worsened
	}
	j.unsure = sr.Variant.Has(state.Base) && closed < v.Events || here(scenario.Violation.MayCover)
	if (v.Swarmed || v.Bound.Property.Soft) && j.unsure && j.status == finding.Worsened {
		j.status, j.unsure = finding.Existing, false
	}
	return j
}

// choose gives the violation to show for one rule and object: among the gravest, the one at the smallest topology with
// the fewest events.
func choose(list []judged) judged {
	rankOf := func(j judged) int { // new and worsened alike
		return slices.Index([]finding.Status{finding.New, finding.Worsened, finding.Existing}, j.status) / 2
	}
	later := func(j judged) int { return scenario.BoolRank(j.Scenario == scenario.ScenarioNext) }
	best := slices.MinFunc(list, func(x, y judged) int {
		return cmp.Or(
			rankOf(x)-rankOf(y),
			scenario.BoolRank(x.unsure)-scenario.BoolRank(y.unsure),
			scenario.BoolRank(!x.declared)-scenario.BoolRank(!y.declared),
			finding.Rank(string(x.severity))-finding.Rank(string(y.severity)),
			later(x)-later(y),
			y.Sure()-x.Sure(),
			x.Topology().Total()-y.Topology().Total(),
			slices.Compare(y.Topology(), x.Topology()),
			x.Events-y.Events,
			scenario.BoolRank(y.Simpler(x.Violation))-scenario.BoolRank(x.Simpler(y.Violation)),
		)
	})
	for _, j := range list { // being as before elsewhere makes it no less worse
		if best.status == finding.New && j.status != finding.New {
			best.status = finding.Worsened
		}
	}
	return best
}
