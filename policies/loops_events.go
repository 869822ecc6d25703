package policies

import (
	"fmt"
	"reflect"
)

// budgets are the events with a number that says how often, by their key.
var budgets = []struct {
	key string
	of  func(e *Events) *int
}{
	{"loadChange", func(e *Events) *int { return &e.LoadChange }},
	{"podCrash", func(e *Events) *int { return &e.PodCrash }},
	{"badRevision", func(e *Events) *int { return &e.BadRevision }},
	{"jobOverrun", func(e *Events) *int { return &e.JobOverrun }},
	{"nodeFailure", func(e *Events) *int { return &e.NodeFailure }},
	{"diskPressure", func(e *Events) *int { return &e.DiskPressure }},
	{"memoryPressure", func(e *Events) *int { return &e.MemoryPressure }},
	{"nodeAdded", func(e *Events) *int { return &e.NodeAdded }},
	{"nodeRemoved", func(e *Events) *int { return &e.NodeRemoved }},
}

// further are fields of events beside their number.
var further = map[string][]func(e *Events) any{
	"loadChange":  {func(e *Events) any { return &e.IdleMemory }},
	"badRevision": {func(e *Events) any { return &e.Rollback }},
	"nodeFailure": {func(e *Events) any { return &e.OutOfService }},
}

func eventLoops() []Loop {
	var out []Loop
	for _, b := range budgets {
		path := "events." + b.key
		fields := append([]func(e *Events) any{func(e *Events) any { return b.of(e) }}, further[b.key]...)
		out = append(out, Loop{
			Path: path,
			view: func(p *Policy) any {
				got := []any{p.lines[path] != 0 && isFailure(b.key) && *b.of(&p.Events) > 0} // see [Policy.Expects]
				for _, f := range fields {
					got = append(got, reflect.ValueOf(f(&p.Events)).Elem().Interface())
				}
				return got
			},
			take: func(to, from *Policy) {
				for _, f := range fields {
					reflect.ValueOf(f(&to.Events)).Elem().Set(reflect.ValueOf(f(&from.Events)).Elem())
				}
			},
			less:  func(x, y *Policy) bool { return *b.of(&y.Events) < *b.of(&x.Events) },
			words: func(p *Policy) string { return fmt.Sprintf("budget %d", *b.of(&p.Events)) },
		})
	}
	return append(out, Loop{
		Path: "events.startupSpike",
		view: func(p *Policy) any { return p.Events.StartupSpike },
		take: func(to, from *Policy) { to.Events.StartupSpike = from.Events.StartupSpike },
		less: func(a, b *Policy) bool { return b.Events.StartupSpike < a.Events.StartupSpike },
		words: func(p *Policy) string {
			return fmt.Sprintf("cpu %d%%", p.Events.StartupSpike)
		},
	}, Loop{
		Path: "events.spotReclaim",
		view: func(p *Policy) any { return p.Events.Spot },
		take: func(to, from *Policy) { to.Events.Spot = from.Events.Spot },
		less: func(a, b *Policy) bool {
			return a.Events.Spot != nil && (b.Events.Spot == nil || b.Events.Spot.Budget < a.Events.Spot.Budget)
		},
		words: func(p *Policy) string {
			if p.Events.Spot == nil {
				return "budget 0"
			}
			return fmt.Sprintf("budget %d", p.Events.Spot.Budget)
		},
	}, Loop{
		Path:  "events.drain",
		view:  func(p *Policy) any { return []any{p.Events.Drain, p.Events.NoDrain} },
		take:  func(to, from *Policy) { to.Events.Drain, to.Events.NoDrain = from.Events.Drain, from.Events.NoDrain },
		less:  func(a, b *Policy) bool { return drains(b) < drains(a) },
		words: drainWords,
	}, Loop{
		Path: "events.nodePanic",
		view: func(p *Policy) any { return p.Events.NodePanic },
		take: func(to, from *Policy) { to.Events.NodePanic = from.Events.NodePanic },
		less: func(a, b *Policy) bool { return a.Events.NodePanic > 0 && b.Events.NodePanic == 0 },
		words: func(p *Policy) string {
			if p.Events.NodePanic == 0 {
				return "never"
			}
			return fmt.Sprintf("cpuAbove %d%%", p.Events.NodePanic)
		},
	})
}

func isFailure(key string) bool {
	for _, k := range failures {
		if k == key {
			return true
		}
	}
	return false
}

// drains ranks the declarations of drains: never, one as a routine, so many.
func drains(p *Policy) int {
	switch e := &p.Events; {
	case e.Drain != nil:
		return 1 + e.Drain.Budget
	case e.NoDrain:
		return 0
	}
	return 1
}

func drainWords(p *Policy) string {
	switch e := &p.Events; {
	case e.Drain != nil:
		return fmt.Sprintf("budget %d, concurrent %d, respectPDB %t, force %t", e.Drain.Budget, e.Drain.Concurrent,
			e.Drain.RespectPDB, e.Drain.Force)
	case e.NoDrain:
		return "never"
	}
	return "one, searched apart"
}
