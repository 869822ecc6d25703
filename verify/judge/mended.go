package judge

import (
	"context"
	"slices"

	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/scenario"
)

// repaired words what base broke at a declared size and head does not: neither there nor in what is told of it. It is
// told as a merge of base would be told of it, with the same conditions and as gravely. What head was searched for in
// part, as it is base's own, is not repaired.
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

// wasTold words of the violations of base of one rule and object, at declared sizes, what a merge of base is told.
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
	f.Locations = d.Places.locations(w, nil)
	return f, true
}
