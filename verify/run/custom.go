package run

import (
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
)

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

// asked are the workloads of edges to Services that change, though the workloads may stay as they are.
func asked(edges []rules.Edge, ch *object.Changes) map[string]bool {
	out := map[string]bool{}
	for _, e := range edges {
		if slices.ContainsFunc(ch.Changes, func(c object.Change) bool {
			id := c.ID()
			return id.Kind == "Service" && id.Namespace == e.Namespace && id.Name == e.Service
		}) {
			for _, name := range append(slices.Clone(e.Workloads), e.Caller) {
				out[name] = true
			}
		}
	}
	return out
}

// idle says which of the user's own rules check nothing, though they seem to: they name
// a workload that head has not, or workloads that are not searched together.
func idle(rules []rules.Rule, picked []*slice.Slice, head *object.Revision) []finding.Note {
	known, whole := map[string]bool{}, true
	for _, rel := range head.Releases {
		whole = whole && !rel.Untouched // else a name may be there
		for _, o := range rel.Objects {
			if slice.ValueAt(o.Content, "spec", "template", "spec", "containers") != nil ||
				slice.ValueAt(o.Content, "spec", "jobTemplate") != nil {
				known[o.ID.Namespace+"/"+o.ID.Name] = true
			}
		}
	}
	var out []finding.Note
	for _, r := range rules {
		if r.Scope == nil || slices.ContainsFunc(picked, func(sl *slice.Slice) bool { return sl.Concerns(r) }) {
			continue
		}
		say := func(n finding.Note) { out = append(out, n.At(r.Declared.File, r.Declared.Line)) }
		i := slices.IndexFunc(r.Scope.Workloads, func(name string) bool { return !known[name] })
		switch {
		case i >= 0 && whole:
			say(finding.Say(finding.RuleNamesUnknown, r.ID, r.Scope.Workloads[i]))
		case slices.ContainsFunc(picked, func(sl *slice.Slice) bool { return sl.HasAny(r.Scope.Workloads) }):
			say(finding.Say(finding.RuleSpansReleases, r.ID))
		}
	}
	return out
}

// recipes are what controllers of the policy, and operators that it knows, make of custom resources.
func recipes(p *policies.Policy) []render.Recipe {
	var out []render.Recipe
	for _, o := range p.Makers() {
		out = append(out, recipe(&o, o.Makes))
		for i := range o.Makes.Also {
			out = append(out, recipe(&o, &o.Makes.Also[i]))
		}
	}
	return out
}

func recipe(by *policies.OwnController, m *policies.OwnMade) render.Recipe {
	r := render.Recipe{Group: m.Group, Kind: m.Kind, By: "controllers.own " + by.Name, Object: m.Object, Fields: m.Fields,
		Name: m.Name}
	if by.Known {
		r.By, r.Presumed = by.Name, by.Name
	}
	if m.When != nil {
		r.When = func(resource map[string]any) (bool, error) {
			v, err := m.When.Of(resource)
			yes, _ := v.(bool)
			return yes, err
		}
	}
	if len(m.Values) > 0 {
		r.Values = map[string]func(map[string]any) (any, error){}
	}
	for to, x := range m.Values {
		r.Values[to] = x.Of
	}
	return r
}

// isMade reports whether a controller of the policy, or an operator that it knows, makes a workload of an object. Not
// everything that an operator does is known: a change of the spec that leaves the workload unchanged does not count.
func isMade(p *policies.Policy, o *object.Object, changes []object.Change) bool {
	return p != nil && slices.ContainsFunc(p.Makers(), func(by policies.OwnController) bool {
		r := recipe(&by, by.Makes)
		if !r.Of(o.ID) {
			return false
		}
		if r.When != nil {
			if yes, err := r.When(o.Content); err != nil || !yes {
				return false
			}
		}
		return !by.Known || showsMade(o, changes)
	})
}

// showsMade reports whether the spec of a custom resource stays, or the workload made of it changes as well.
func showsMade(o *object.Object, changes []object.Change) bool {
	stays := true
	for i := range changes {
		c := &changes[i]
		for _, x := range []*object.Object{c.Base, c.Head} {
			switch {
			case x == nil || x.Release != o.Release:
			case x.Maker != nil && x.Maker.ID == o.ID:
				return true
			case x.ID == o.ID && slices.ContainsFunc(c.Fields, func(f object.FieldChange) bool {
				return strings.HasPrefix(f.Path, "spec")
			}):
				stays = false
			}
		}
	}
	return stays
}
