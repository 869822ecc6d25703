package scenario

import "github.com/kubesettle/kubesettle/verify/slice"

// OfBase gives violations of the baseline as those of a change from base to base, so that what is asked of the
// violations of head can be asked of them. Those that a guard which head takes away was searched for are left out:
// nobody but this change is told of them.
func OfBase(vs []Violation) []Violation {
	alike := map[*slice.Slice]*slice.Slice{} // like violations share what is searched for them
	var out []Violation
	for _, v := range vs {
		if v.Unguarded() || v.Idle() > 0 {
			continue
		}
		v.Variant = v.Variant.Reapply()
		sl := alike[v.Variant.Slice]
		if sl == nil {
			of := *v.Variant.Slice
			of.Before, of.BaseNodes, of.BaseNamespaces, of.Dropped = nil, nil, nil, slice.Dropped{}
			sl, alike[v.Variant.Slice] = &of, &of
		}
		v.Variant.Slice, v.Variant.alone = sl, true
		out = append(out, v)
	}
	return out
}
