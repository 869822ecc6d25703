package policies

import (
	"fmt"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/kubesettle/kubesettle/policies/rules"
)

// ruleIDs are the names of the rules, which a policy file may hold.
func ruleIDs() []string {
	var out []string
	for _, r := range rules.All() {
		out = append(out, r.ID)
	}
	return out
}

func (d *decoder) intents(p *Policy) read {
	return func(n *yaml.Node, at string) {
		known := ruleIDs()
		d.entries(n, at, func(key *yaml.Node) read {
			if key.Value == "custom" {
				return d.list(d.custom(p))
			}
			if !slices.Contains(known, key.Value) {
				d.fail(key, join(at, key.Value), "no such rule; %s", hint(key.Value, append(known, "custom")))
				return nil
			}
			return func(n *yaml.Node, at string) {
				var in Intent
				fs := fields{
					"severity":  oneOf(d, &in.Severity, rules.Error, rules.Warning, rules.Note, rules.Off),
					"workloads": d.texts(&in.Workloads, workloadName),
				}
				if key.Value == rules.BelowFloor {
					fs["minReady"] = d.number(&in.MinReady, 1, 10_000)
				}
				d.object(n, at, fs)
				p.Intents[key.Value] = in
			}
		})
	}
}

// maxCustom bounds the user's own intents: each is a formula over every state.
const maxCustom = 100

func (d *decoder) custom(p *Policy) read {
	return func(n *yaml.Node, at string) {
		if len(p.Custom) == maxCustom {
			d.fail(n, at, "more than %d custom intents; keep the most telling ones", maxCustom)
			return
		}
		c, self := CustomIntent{File: d.file, Line: n.Line}, false
		d.object(n, at, fields{
			"name":       d.text(&c.Name, dnsLabel),
			"always":     d.expression(&c.Always, &self),
			"eventually": d.expression(&c.Eventually, &self),
			"never":      d.expression(&c.Never, &self),
			"settles":    d.expression(&c.Settles, &self),
			"severity":   oneOf(d, &c.Severity, rules.Error, rules.Warning, rules.Note, rules.Off),
			"workloads":  d.texts(&c.Workloads, workloadName),
			"message":    d.text(&c.Message, short(300)),
			"help":       d.text(&c.Help, short(5000)),
		}, "name")
		d.exactlyOne(n, at, "always", "eventually", "never", "settles")
		if len(c.Workloads) > 0 && !self {
			d.fail(n, at+".workloads", "says whom self stands for, and the expression has no self; remove it")
		}
		if slices.Contains(ruleIDs(), c.Name) {
			d.fail(n, at+".name", "%s is the name of a rule; give it another", quote(c.Name))
		}
		for _, other := range p.Custom {
			if other.Name == c.Name && c.Name != "" {
				d.fail(n, at+".name", "%s is the name of the intent in %s as well; give it another", quote(c.Name),
					d.line(other.File, other.Line))
			}
		}
		p.Custom = append(p.Custom, c)
	}
}

// short bounds a text.
func short(characters int) func(string) string {
	return func(s string) string {
		if len([]rune(s)) > characters {
			return fmt.Sprintf("has more than %d characters; shorten it", characters)
		}
		return ""
	}
}

func (d *decoder) gate(g *Gate) read {
	return func(n *yaml.Node, at string) {
		d.object(n, at, fields{
			"failOn":         oneOf(d, (*rules.Severity)(&g.FailOn), rules.Error, rules.Warning, rules.Note, rules.Off),
			"onlyNew":        d.flag(&g.OnlyNew),
			"onInconclusive": oneOf(d, &g.OnInconclusive, "warn", "fail"),
			"baseline":       d.text(&g.Baseline, relative),
		})
	}
}

func (d *decoder) waivers(p *Policy) read {
	return d.list(func(n *yaml.Node, at string) {
		w := Waiver{File: d.file, Line: n.Line}
		d.object(n, at, fields{
			"rule": func(n *yaml.Node, at string) {
				d.text(&w.Rule)(n, at)
				rule := w.Rule
				d.later = append(d.later, func() {
					if known := waivable(p); rule != "" && !slices.Contains(known, rule) {
						d.fail(n, at, "no such rule; %s", hint(rule, known))
					}
				})
			},
			"workload": d.text(&w.Workload, workloadName),
			"reason":   d.text(&w.Reason),
			"owner":    d.text(&w.Owner),
			"expires":  d.date(&w.Expires),
		}, "rule", "reason", "owner", "expires")
		p.Waivers = append(p.Waivers, w)
	})
}

// waivable are the IDs a waiver may name: rules, and the file's own intents.
func waivable(p *Policy) []string {
	out := ruleIDs()
	for _, c := range p.Custom {
		out = append(out, c.Name)
	}
	return out
}

// date reads a day as YYYY-MM-DD, in quotes or not.
func (d *decoder) date(dst *string) read {
	return func(n *yaml.Node, at string) {
		s, ok := d.scalar(n, at, "a date such as 2027-06-30", "!!str", "!!timestamp")
		if !ok {
			return
		}
		if _, err := time.Parse(time.DateOnly, s); err != nil {
			d.fail(n, at, "%s is not a date; write it as 2027-06-30", quote(s))
			return
		}
		*dst = s
	}
}
