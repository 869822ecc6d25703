package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Findings have one root cause where
//   - they blame the same fields of the same object of a release, or the same edit of it in several
//     releases, or stand at the same line;
//   - or their run is the same, step by step, or the one's violation happens in the other's run: a
//     rollout does not come to its end because of a pod that stays pending; or what breaks the one is
//     a step of the other's loop: evictions that take ready pods below their floor, again and again.
//     This holds across new and existing findings: what has been there and what comes of it now are one.
//
// No finding goes for that, and none is less grave: the gravest names the others in [Finding.Hits].

// Causes enters into ordered findings which of them have one root cause: each names the gravest of
// these, which lists the others.
func Causes(fs []finding.Finding) {
	for _, group := range ByCause(fs) {
		lead := &fs[group[0]]
		lead.Hits = nil
		for _, i := range group {
			fs[i].Cause = ""
			if len(group) > 1 {
				fs[i].Cause = lead.Fingerprint
			}
			if f := &fs[i]; i != group[0] {
				f.Hits = nil
				lead.Hits = append(lead.Hits, finding.Hit{Rule: f.Rule, Workload: f.Workload, Release: f.Release,
					Severity: f.Severity, Status: f.Status})
				borrow(lead, f)
			}
		}
	}
}

// borrow takes the edit that takes the change back, of another finding of the same cause and workload, where the own
// fix is the same in words.
func borrow(f, of *finding.Finding) {
	same := of.Workload == f.Workload && of.Release == f.Release && of.Stands() == f.Stands()
	if same && f.Fix != nil && of.Fix != nil && f.Fix.Back && of.Fix.Back && !f.Fix.Mechanical &&
		of.Fix.Mechanical && of.Fix.Verified {
		f.Fix, f.OtherFix = of.Fix, nil
	}
}

// ByCause groups ordered findings by root cause: indices, in order, but for the first of each group, which leads it: of
// the gravest that which the fewest steps lead to, as what takes more comes of it.
func ByCause(fs []finding.Finding) [][]int {
	join := newGroups(len(fs))
	at := map[string]int{}
	for i := range fs {
		for _, k := range causeKeys(&fs[i]) {
			if first, ok := at[k]; ok {
				join.unite(first, i)
			} else {
				at[k] = i
			}
		}
	}
	out := join.list()
	for _, group := range out {
		lead := 0
		for k, i := range group {
			f, best := &fs[i], &fs[group[lead]]
			alike := f.Stands() == best.Stands() && f.Severity == best.Severity && f.Certainty == best.Certainty
			if alike && len(f.Interleaving) < len(best.Interleaving) {
				lead = k
			}
		}
		i := group[lead]
		copy(group[1:lead+1], group[:lead])
		group[0] = i
	}
	return out
}

// groups is a partition of the numbers below some number; the least of each group stands for it.
type groups []int

func newGroups(n int) groups {
	g := make(groups, n)
	for i := range g {
		g[i] = i
	}
	return g
}

func (g groups) of(i int) int {
	for g[i] != i {
		i = g[i]
	}
	return i
}

func (g groups) unite(i, j int) {
	i, j = g.of(i), g.of(j)
	g[max(i, j)] = min(i, j)
}

func (g groups) list() [][]int {
	var out [][]int
	at := map[int]int{}
	for i := range g {
		k, known := at[g.of(i)]
		if !known {
			k = len(out)
			at[g.of(i)] = k
			out = append(out, nil)
		}
		out[k] = append(out[k], i)
	}
	return out
}

// causeKeys are texts of which findings of one cause have one in common.
func causeKeys(f *finding.Finding) []string {
	if f.Status == finding.Fixed {
		return nil // each is gone for itself
	}
	var out []string
	key := func(kind string, parts ...string) {
		out = append(out, kind+"\x00"+string(f.Stands())+"\x00"+strings.Join(parts, "\x00"))
	}
	if f.Cause != "" {
		out = append(out, "cause\x00"+f.Release+"\x00"+f.Cause) // told by the runs
	}
	if len(f.Locations) > 0 && f.Locations[0].File != "" {
		l := &f.Locations[0]
		at := []string{l.File, fmt.Sprint(l.StartLine), l.Side}
		if ownHead(f) { // the line says nothing of what is wrong
			at = append(at, f.Rule, f.Workload)
		}
		key("line", at...)
	}
	if fields := blamedFields(f, false); fields != "" {
		key("fields", f.Release, fields)
	}
	if len(f.Blame) > 0 { // the same edit to the same object, as in several overlays of one base
		key("edit", f.Rule, f.Workload, f.Message, blamedFields(f, true))
	}
	if h := f.Changed; h != nil && f.Scale.Nodes == 0 {
		// the same edit to several objects, which is wrong wherever they run
		kind, _, _ := strings.Cut(f.Workload, " ")
		parts := []string{f.Rule, kind}
		for _, l := range append(append([]string{"-"}, h.Removed...), append([]string{"+"}, h.Added...)...) {
			parts = append(parts, strings.TrimSpace(l))
		}
		key("lines", parts...)
	}
	if len(f.Interleaving) >= 4 {
		parts := []string{f.Release}
		for i := range f.Interleaving {
			parts = append(parts, f.Interleaving[i].Actor, f.Interleaving[i].Text)
		}
		key("run", parts...)
	}
	return out
}

// ownHead reports whether a finding stands at the head of an object that the change adds, where anything that is
// wrong with it stands.
func ownHead(f *finding.Finding) bool {
	return slices.ContainsFunc(f.Blame, func(b finding.Blame) bool { return b.Path == "" && b.Object == f.Workload })
}

// blamedFields names what is to blame, with what comes in its place; "" where a field is not told, but for its value.
func blamedFields(f *finding.Finding, values bool) string {
	var out []string
	for i := range f.Blame {
		b := &f.Blame[i]
		switch {
		case values:
			out = append(out, b.Path+"="+b.New)
		case b.Path == "":
			return ""
		default:
			out = append(out, b.Object+" "+b.Path)
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\x00")
}

// oneRun enters which findings of a slice come of one run.
func oneRun(fs []finding.Finding, of []scenario.Violation) {
	join := newGroups(len(fs))
	for i := range fs {
		for j := range fs[:i] {
			if happens(of[i], of[j]) || happens(of[j], of[i]) || turns(&fs[i], of[i], &fs[j]) || turns(&fs[j], of[j], &fs[i]) {
				join.unite(i, j)
			}
		}
	}
	for _, group := range join.list() {
		for _, i := range group {
			if len(group) > 1 {
				fs[i].Cause = fs[group[0]].Fingerprint
			}
		}
	}
}

// happens reports whether what a violation breaks is broken in the run of another one, too: by one of its steps, or by
// how it ends.
func happens(v, in scenario.Violation) bool {
	c := in.Problem.Cfg
	w := slices.IndexFunc(c.Spec.Workloads, func(x state.Workload) bool { return x.ID == v.Key().Workload })
	if w < 0 {
		return false
	}
	at := func(b []byte) state.State { return state.State{C: c, B: b} }
	last := at(in.Start)
	if n := len(in.Steps); n > 0 {
		last = at(in.Steps[n-1].To)
	}
	own := in.Bound.Property
	rests := in.CycleStart < 0 && (own.Quiescent != nil || own.Persists != nil || own.Settles != nil)
	return slices.ContainsFunc(v.Bound.Rule.Properties(c, w), func(p rules.Property) bool {
		if p.Rest != nil {
			return false // it asks more than the states of the run
		}
		for i, s := range in.Steps {
			from, to := at(s.From), at(s.To)
			switch {
			case p.Bad != nil && p.Bad(to), p.BadStep != nil && p.BadStep(from, to):
				return true
			case p.Recurs != nil && in.CycleStart >= 0 && i >= in.CycleStart && p.Recurs(from, to):
				return true
			}
		}
		return rests && (p.Quiescent != nil && p.Quiescent(last) || p.Persists != nil && p.Persists(last))
	})
}

// turns reports whether the step that breaks a finding, of a rule on steps, is one of another finding's loop.
func turns(f *finding.Finding, v scenario.Violation, other *finding.Finding) bool {
	n := len(v.Steps)
	if v.Bound.Property.BadStep == nil || n == 0 || n > len(f.Interleaving) || other.CycleStart == nil {
		return false
	}
	by := &f.Interleaving[n-1]
	return slices.ContainsFunc(other.Interleaving[*other.CycleStart:], func(s finding.Step) bool {
		return s.Actor == by.Actor && s.Action == by.Action && s.Object == by.Object
	})
}
