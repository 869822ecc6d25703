package scenario

import (
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
)

// unanswered lists what kept the rules of a problem, and the loops that the policy declares, from being evaluated.
func (p *Problem) unanswered() []string {
	var out []string
	for _, b := range p.bounds {
		if b.Property.Err == nil {
			continue
		}
		if err := b.Property.Err(); err != nil {
			out = append(out, err.Error())
		}
	}
	for _, a := range p.Actors {
		if e, ok := a.(interface{ Err() error }); ok && e.Err() != nil {
			out = append(out, e.Err().Error())
		}
	}
	return out
}

func (c *Coverage) unanswer(texts []string) {
	for _, s := range texts {
		if !slices.Contains(c.Unanswered, s) {
			c.Unanswered = append(c.Unanswered, s)
		}
	}
}

// numbersOf are those that the user's own rules compare pods with.
func numbersOf(rules []rules.Rule) []int {
	var out []int
	for _, r := range rules {
		if r.Scope != nil {
			out = append(out, r.Scope.Numbers...)
		}
	}
	return out
}
