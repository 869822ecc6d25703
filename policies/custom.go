package policies

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Forms of a custom intent.
const (
	always     = "always"
	never      = "never"
	eventually = "eventually"
	settles    = "settles"
)

// Form is which of the four expressions is set, and the expression.
func (c *CustomIntent) Form() (form, text string) {
	switch {
	case c.Always != "":
		return always, c.Always
	case c.Never != "":
		return never, c.Never
	case c.Eventually != "":
		return eventually, c.Eventually
	}
	return settles, c.Settles
}

// Own gives the user's own intents as rules, in the file's order; those that are off are left
// out.
// Errors: [ErrRules] for an expression that does not compile, which [Load] refuses.
func Own(p *Policy) ([]rules.Rule, error) {
	var env *cel.Env
	var out []rules.Rule
	for i := range p.Custom {
		in := &p.Custom[i]
		if in.Severity == rules.Off {
			continue
		}
		if env == nil {
			var err error
			if env, err = intentEnv(); err != nil {
				return nil, fmt.Errorf("%w: %w", ErrRules, err)
			}
		}
		form, text := in.Form()
		e, problems := compile(env, text)
		if len(problems) > 0 {
			return nil, fmt.Errorf("%w: intents.custom %s: %s", ErrRules, in.Name, problems[0].Message)
		}
		line := p.lines[fmt.Sprintf("intents.custom[%d].%s", i, form)]
		out = append(out, customRule(in, e, rules.Declaration{File: in.File, Line: max(line, in.Line)}))
	}
	return out, nil
}

// customRule is one of the user's own intents as a rule.
//
//	always E      □E           Bad: a state without E
//	never E       □¬E          Bad: a state with E
//	eventually E  □◇E          Persists: some fair run is in states without E forever
//	settles E     ◇□E          Settles: some fair run is without E again and again
//
// With no event left, for the two on runs. An always or never that says nothing while
// something is left to do is a rule on quiescent states.
func customRule(in *CustomIntent, e *expression, at rules.Declaration) rules.Rule {
	form, text := in.Form()
	r := rules.Rule{
		Made: fmt.Sprintf("%s %q for %q", form, text, in.Workloads),
		ID:   in.Name, Class: customClass(form, e), Severity: rules.Error, Declared: at, Scope: e.scope(),
		Title: customTitle(form, e), Help: customHelp(in, at),
	}
	if in.Severity != "" {
		r.Severity = in.Severity
	}
	if !r.Scope.Terminating {
		r.Blind = rules.BlindToStops
	}
	moving := whileMoving(e.tree)
	rests := form == always && moving == yes || form == never && moving == no
	r.Running = (form == always || form == never) && !rests
	r.New = func(c *state.Config, w int) rules.Property {
		x := newWatcher(c, w, in, e)
		if x == nil || r.Running && x.comes() {
			return rules.Property{}
		}
		x.place = fmt.Sprintf("%s:%d: intents.custom %s", at.File, at.Line, in.Name)
		p := rules.Property{Err: x.err, Rest: x.restsBy, Fields: x.fields(w)}
		p.Message = func(s state.State) string { return in.words(form) + ": " + x.values(s, rests) }
		switch {
		case rests:
			p.Quiescent = x.is(form == never, atRest)
		case form == always, form == never:
			bad := x.is(form == never, asIs)
			p.Bad, p.Mended = bad, func(_, s state.State) bool { return !bad(s) }
		case form == eventually:
			p.Persists = x.is(false, asIs)
		default:
			fails := x.is(false, asIs)
			p.Settles = func(s state.State) bool { return !fails(s) }
		}
		return p
	}
	return r
}

// words are the beginning of a violation's message, before the numbers.
func (c *CustomIntent) words(form string) string {
	if c.Message != "" {
		return oneLine(c.Message)
	}
	_, text := c.Form()
	text = oneLine(strings.Join(strings.Fields(text), " "))
	if r := []rune(text); len(r) > 120 {
		text = string(r[:120])
		if i := strings.LastIndexByte(text, ' '); i > 60 {
			text = text[:i+1]
		}
		text += "…"
	}
	return c.Name + " can be broken, " + map[string]string{
		always: "as this is not always true: ", never: "as this can be true: ",
		eventually: "as this can be false forever: ", settles: "as this need not stay true: ",
	}[form] + text
}

func customTitle(form string, e *expression) string {
	text := oneLine(strings.Join(strings.Fields(e.text), " "))
	return map[string]string{
		always: "is not always true: ", never: "can be true: ", eventually: "can be false forever: ",
		settles: "need not stay true: ",
	}[form] + text
}

func customHelp(in *CustomIntent, at rules.Declaration) rules.Help {
	form, text := in.Form()
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	h := rules.Help{
		Real: fmt.Sprintf("This repository's policy declares it in %s:%d.\n\n%s\n%s: %s\n%s\n\n%s",
			at.File, at.Line, fence, form, strings.TrimSpace(text), fence, map[string]string{
				always:     "It must always be true once the cluster has settled.",
				never:      "It must never be true once the cluster has settled.",
				eventually: "With no event left to happen, it must become true again and again on every fair run.",
				settles:    "With no event left to happen, it must become true and stay true on every fair run.",
			}[form]),
	}
	if in.Help != "" {
		h.Bad = in.Help
	}
	return h
}

// customClass is the class of findings: convergence if it is about runs, topology if it looks at places, numbers
// otherwise.
func customClass(form string, e *expression) rules.Class {
	if form == eventually || form == settles {
		return rules.Convergence
	}
	if slices.ContainsFunc(e.reads, func(o observation) bool { return o.isPlace() }) {
		return rules.Topology
	}
	return rules.Numbers
}

// isPlace reports whether an observation is about where pods are.
func (o observation) isPlace() bool {
	switch o.field {
	case "zones", "nodes", "maxPerNode", "maxPerZone", readyOn:
		return o.of != varEvents
	}
	return false
}
