package run

import (
	"context"
	"slices"
	"time"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// parts are the options of each policy of a run, with the releases that it is for: the root's first, which has all that
// no other has. Of one policy they are the options themselves.
func (o Options) parts() []Options {
	if len(o.Scopes) == 0 {
		return []Options{o}
	}
	scoped := map[string]bool{}
	var out []Options
	for _, s := range o.Scopes {
		for _, id := range s.Releases {
			scoped[id] = true
		}
		one := o
		one.Policy, one.Scopes, one.Further = s.Policy, nil, true
		one.Mine = func(release string) bool { return slices.Contains(s.Releases, release) }
		out = append(out, one)
	}
	root := o
	root.Scopes, root.Mine = nil, func(release string) bool { return !scoped[release] }
	return append([]Options{root}, out...)
}

// Has reports whether a release is one that the options' policy is for.
func (o *Options) Has(release string) bool { return o.Mine == nil || o.Mine(release) }

// Searches reports whether the options' policy has anything to search.
func (o *Options) Searches(ch *object.Changes, all bool) bool {
	changed := changedReleases(ch)
	return slices.ContainsFunc(slice.Pairs(ch),
		func(p slice.Pair) bool { return o.Has(p.ID) && (all || len(changed[p.ID]) > 0) })
}

// Parts analyses the releases of each policy; the parts that have to search share the remaining time evenly.
func Parts(ctx context.Context, ch *object.Changes, opt Options, all bool) ([]*Analysis, error) {
	parts := opt.parts()
	left := 0
	for i := range parts {
		if parts[i].Searches(ch, all) {
			left++
		}
	}
	began := time.Now()
	var out []*Analysis
	for i := range parts {
		one := parts[i]
		if opt.TimeBudget > 0 && one.Searches(ch, all) {
			one.TimeBudget = max((opt.TimeBudget-time.Since(began))/time.Duration(left), time.Nanosecond)
			left--
		}
		a, err := Analyse(ctx, ch, one, all)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}
