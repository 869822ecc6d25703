package verify

import (
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/verify/state"
)

// watched adds to a slice what the user's own rules look at in it: pods on deletion, and
// labels of nodes.
func (sl *slice) watched(rules []rules.Rule) {
	for _, r := range rules {
		if !sl.concerns(r) {
			continue
		}
		sl.spec.CountsTerminating = sl.spec.CountsTerminating || r.Scope.Terminating
		for _, key := range r.Scope.Labels {
			sl.keys[key], sl.values[key] = true, true
		}
	}
}

// concerns says whether a rule of the user's own speaks of the slice: of all workloads
// that it names, or of any.
func (sl *slice) concerns(r rules.Rule) bool {
	if r.Scope == nil {
		return false
	}
	for _, name := range r.Scope.Workloads {
		if !slices.ContainsFunc(sl.workloads, func(w state.Workload) bool { return w.Namespace+"/"+w.Name == name }) {
			return false
		}
	}
	return true
}

// hasAny says whether the slice has one of some workloads, by "namespace/name".
func (sl *slice) hasAny(names []string) bool {
	return slices.ContainsFunc(sl.workloads, func(w state.Workload) bool { return slices.Contains(names, w.Namespace+"/"+w.Name) })
}

// together lists the workloads that a rule of the user's own names in one breath.
func together(rules []rules.Rule) [][]string {
	var out [][]string
	for _, r := range rules {
		if r.Scope != nil && len(r.Scope.Workloads) > 1 {
			out = append(out, r.Scope.Workloads)
		}
	}
	return out
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

// unanswered lists what kept the rules of a problem from being evaluated.
func (p *problem) unanswered() []string {
	var out []string
	for _, b := range p.bounds {
		if b.property.Err == nil {
			continue
		}
		if err := b.property.Err(); err != nil {
			out = append(out, err.Error())
		}
	}
	return out
}

func (c *coverage) unanswer(texts []string) {
	for _, s := range texts {
		if !slices.Contains(c.unanswered, s) {
			c.unanswered = append(c.unanswered, s)
		}
	}
}

// idle says which of the user's own rules check nothing, though they seem to: they name
// a workload that head has not, or workloads that are not searched together.
func idle(rules []rules.Rule, cut []*slice, head *render.Revision) []string {
	known, whole := map[string]bool{}, true
	for _, rel := range head.Releases {
		whole = whole && !rel.Untouched // else a name may be there
		for _, o := range rel.Objects {
			if valueAt(o.Content, "spec", "template", "spec", "containers") != nil || valueAt(o.Content, "spec", "jobTemplate") != nil {
				known[o.ID.Namespace+"/"+o.ID.Name] = true
			}
		}
	}
	var out []string
	for _, r := range rules {
		if r.Scope == nil || slices.ContainsFunc(cut, func(sl *slice) bool { return sl.concerns(r) }) {
			continue
		}
		say := func(what string) {
			out = append(out, fmt.Sprintf("%s:%d: intents.custom %s %s: nothing is checked for it", r.Declared.File, r.Declared.Line, r.ID, what))
		}
		i := slices.IndexFunc(r.Scope.Workloads, func(name string) bool { return !known[name] })
		switch {
		case i >= 0 && whole:
			say("names " + r.Scope.Workloads[i] + ", which head has not")
		case slices.ContainsFunc(cut, func(sl *slice) bool { return sl.hasAny(r.Scope.Workloads) }):
			say("names workloads of more than one release, or of a kind that is not modeled")
		}
	}
	return out
}
