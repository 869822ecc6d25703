package finding

import "slices"

// Add adds the coverage of another shard. The shards ran side by side, so that the
// longest one's time is the whole's.
func (c *Coverage) Add(o Coverage) {
	c.Topologies += o.Topologies
	c.States += o.States
	c.Transitions += o.Transitions
	c.MaxNodes = max(c.MaxNodes, o.MaxNodes)
	c.MaxPods = max(c.MaxPods, o.MaxPods)
	c.MaxEvents = max(c.MaxEvents, o.MaxEvents)
	c.ElapsedMs = max(c.ElapsedMs, o.ElapsedMs)
	for _, n := range o.Reduced {
		if !slices.Contains(c.Reduced, n) {
			c.Reduced = append(c.Reduced, n)
		}
	}
	c.Swarmed = append(c.Swarmed, o.Swarmed...)
	for _, x := range o.Certified {
		if !slices.Contains(c.Certified, x) {
			c.Certified = append(c.Certified, x)
		}
	}
	for _, r := range o.Rules {
		c.AddRule(r)
	}
	c.Bound = weaker(c.Bound, o.Bound)
}

// AddRule adds the sizes at which a rule was verified on another slice, or by another shard.
func (c *Coverage) AddRule(r RuleCoverage) {
	i := slices.IndexFunc(c.Rules, func(o RuleCoverage) bool { return o.Rule == r.Rule })
	if i < 0 {
		c.Rules = append(c.Rules, r)
		return
	}
	have := &c.Rules[i]
	have.Pods, have.Nodes = max(have.Pods, r.Pods), max(have.Nodes, r.Nodes)
	have.AsDeclared = have.AsDeclared && r.AsDeclared
	have.Bound = weaker(have.Bound, r.Bound)
}

// weaker is the bound of two that says less.
func weaker(a, b string) string {
	bounds := []string{"", "complete", "states", "memory", "time"}
	if slices.Index(bounds, b) > slices.Index(bounds, a) {
		return b
	}
	return a
}
