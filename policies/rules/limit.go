package rules

import "github.com/kubesettle/kubesettle/verify/state"

// Limit makes the rule speak of some workloads only, by "namespace/name".
func (r Rule) Limit(of func(name string) bool) Rule {
	concerned := r.Concerns
	r.speaksOf = func(name string) bool { return of(name) && concerned(name) }
	only := func(side func(c *state.Config, w int) Property) func(c *state.Config, w int) Property {
		if side == nil {
			return nil
		}
		return func(c *state.Config, w int) Property {
			if !of(FullName(c, w)) {
				return Property{}
			}
			return side(c, w)
		}
	}
	r.New, r.Also = only(r.New), only(r.Also)
	return r
}
