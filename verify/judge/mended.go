package judge

import (
	"context"
	"slices"

	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/scenario"
)

// repaired words the violations of base at a declared size that head does not have, neither there nor among its
// findings. Each has the severity and conditions that merging base would report. Rules for which head was searched only
// in part, as their violations are base's own, do not count as repaired.
func (d *Judge) mended(ctx context.Context, sr scenario.SliceResult, told []finding.Finding) (out []finding.Finding) {
	undeclared := func(v scenario.Violation) bool { return !v.DeclaredSize() }
	was := slices.DeleteFunc(specific(sr.Base), undeclared)
	is := scenario.KeysOf(slices.DeleteFunc(slices.Clone(sr.Head), undeclared))
	var base []scenario.Violation
	for _, k := range scenario.KeysOf(was) {
		if slices.Contains(is, k) || sr.Cov.InPart(k.Rule) ||
			slices.ContainsFunc(told, func(f finding.Finding) bool { return f.Rule == k.Rule && f.Workload == k.Workload }) {
			continue
		}
		if base == nil {
			base = scenario.OfBase(was)
		}
		mine := slices.DeleteFunc(slices.Clone(base), func(o scenario.Violation) bool { return o.Key() != k })
		if len(mine) == 0 {
			continue
		}
		if f, ok := d.wasTold(ctx, mine); ok {
			out = append(out, f)
		}
	}
	return out
}

// wasTold words the finding that merging base would report for its violations of one rule and object, at declared
// sizes.
func (d *Judge) wasTold(ctx context.Context, mine []scenario.Violation) (finding.Finding, bool) {
	full := func(v scenario.Violation) bool {
		return slices.Equal(v.Topology(), scale.Largest(v.Variant.Spec.Classes))
	}
	if i := slices.IndexFunc(mine, full); i > 0 { // it shows there: no search has to tell
		mine[0], mine[i] = mine[i], mine[0]
	}
	_, within, declared := d.counting(ctx, mine, true)
	var list []judged
	for _, v := range within {
		list = append(list, d.at(judged{Violation: v, status: finding.Fixed}, declared == scenario.Yes))
	}
	j := choose(list)
	f, w := d.worded(ctx, j.Violation, true)
	if j.Passing && f.Reduced != nil && !f.Reduced.Lifted {
		return f, false
	}
	f.Status, f.AtDeclaredScale = finding.Fixed, declared == scenario.Yes && (f.Reduced == nil || f.Reduced.Lifted)
	d.condition(ctx, j, &f, false)
	f.Locations = d.Places.locations(w, f.Status, nil)
	return f, true
}
