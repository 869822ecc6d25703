package finding

import (
	"fmt"
	"slices"
	"strings"
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
func Causes(fs []Finding) {
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
				lead.Hits = append(lead.Hits, Hit{Rule: f.Rule, Workload: f.Workload, Release: f.Release,
					Severity: f.Severity, Status: f.Status})
				borrow(lead, f)
			}
		}
	}
}

// borrow takes the edit that takes the change back, of another finding of the same cause and workload, where the own
// fix is the same in words.
func borrow(f, of *Finding) {
	same := of.Workload == f.Workload && of.Release == f.Release && of.Stands() == f.Stands()
	if same && f.Fix != nil && of.Fix != nil && f.Fix.Back && of.Fix.Back && !f.Fix.Mechanical &&
		of.Fix.Mechanical && of.Fix.Verified {
		f.Fix, f.OtherFix = of.Fix, nil
	}
}

// ByCause groups ordered findings by root cause: lists of indices, in order, except that the leader of each group comes
// first: of its gravest findings the one with the fewest steps, as the others follow from it.
func ByCause(fs []Finding) [][]int {
	join := NewGroups(len(fs))
	at := map[string]int{}
	for i := range fs {
		for _, k := range causeKeys(&fs[i]) {
			if first, ok := at[k]; ok {
				join.Unite(first, i)
			} else {
				at[k] = i
			}
		}
	}
	out := join.List()
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

// Groups is a partition of the numbers below some number; the least of each group stands for it.
type Groups []int

func NewGroups(n int) Groups {
	g := make(Groups, n)
	for i := range g {
		g[i] = i
	}
	return g
}

func (g Groups) of(i int) int {
	for g[i] != i {
		i = g[i]
	}
	return i
}

func (g Groups) Unite(i, j int) {
	i, j = g.of(i), g.of(j)
	g[max(i, j)] = min(i, j)
}

func (g Groups) List() [][]int {
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
func causeKeys(f *Finding) []string {
	if f.Status == Fixed {
		return nil // each is gone for itself
	}
	var out []string
	key := func(kind string, parts ...string) {
		out = append(out, kind+"\x00"+string(f.Stands())+"\x00"+strings.Join(parts, "\x00"))
	}
	if f.Cause != "" {
		out = append(out, "cause\x00"+f.Release+"\x00"+f.Cause) // from the runs
	}
	if len(f.Locations) > 0 && f.Locations[0].File != "" {
		l := &f.Locations[0]
		at := []string{l.File, fmt.Sprint(l.StartLine), l.Side}
		if ownHead(f) { // the line says nothing about the error
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
func ownHead(f *Finding) bool {
	return slices.ContainsFunc(f.Blame, func(b Blame) bool { return b.Path == "" && b.Object == f.Workload })
}

// blamedFields names the fields to blame, with the values in their place; "" if a field differs only in its value.
func blamedFields(f *Finding, values bool) string {
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
