package verify

import (
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/scenario"
)

// runnable leaves the descheduler out where its policy has something that is not modeled: it is
// said, and what does not hang on it is verified all the same.
func (a *analysis) runnable(v scenario.Variant) scenario.Variant {
	if v.Spec.Descheduler == nil && (v.Before == nil || v.Before.Descheduler == nil) {
		return v
	}
	for _, side := range []scenario.Variant{v, v.Reapply()} {
		if side.Spec.Descheduler == nil {
			continue
		}
		_, err := scenario.NewProblem(&side.Spec, scale.Least(side.Spec.Classes), nil, a.checker.Timing)
		if err == nil || !scenario.NotModeled(err) {
			continue
		}
		without := side
		without.Spec.Descheduler = nil
		if _, other := scenario.NewProblem(&without.Spec, scale.Least(side.Spec.Classes), nil,
			a.checker.Timing); other != nil {
			continue // it is something else
		}
		a.note(finding.Say(finding.DeschedulerLeftOut, err))
		v.Spec.Descheduler = nil
		if v.Before != nil {
			v.Before.Descheduler = nil
		}
		break
	}
	return v
}
