package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// Rank orders severities, worst first.
func Rank(s string) int {
	return slices.Index([]string{string(rules.Error), string(rules.Warning), string(rules.Note)}, s)
}

// Gates reports whether a finding fails the gate.
func Gates(f finding.Finding, g policies.Gate) bool {
	if f.Status == finding.Fixed || f.Baselined || (f.Status == finding.Existing && g.OnlyNew) || g.FailOn == rules.Off {
		return false
	}
	limit := Rank(string(g.FailOn))
	if limit < 0 {
		limit = Rank(string(rules.Error))
	}
	return Rank(f.Severity) <= limit
}

// SortFindings puts the worst first: new before existing before fixed, then by
// severity, certainty, rule, release and workload.
func SortFindings(fs []finding.Finding) {
	slices.SortStableFunc(fs, func(a, b finding.Finding) int {
		return cmp.Or(
			gravest(a, b),
			cmp.Compare(a.Workload, b.Workload),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Release, b.Release),
		)
	})
}

// gravest orders by status, severity and certainty, the gravest first.
func gravest(a, b finding.Finding) int {
	status := []finding.Status{finding.New, finding.Worsened, finding.Existing, finding.Fixed}
	return cmp.Or(
		slices.Index(status, a.Status)-slices.Index(status, b.Status),
		Rank(a.Severity)-Rank(b.Severity),
		cmp.Compare(b.Certainty, a.Certainty), // the surer first
	)
}

// Sizes adds to what a slice shows on one declared cluster what it shows on another of its sizes: for
// each rule and workload of a release the graver of two counts, and of equals the first.
func Sizes(had, more []finding.Finding) []finding.Finding {
	for _, f := range more {
		i := slices.IndexFunc(had, func(h finding.Finding) bool {
			return h.Rule == f.Rule && h.Workload == f.Workload && h.Release == f.Release
		})
		switch {
		case i < 0:
			had = append(had, f)
		case gravest(f, had[i]) < 0:
			had[i] = f
		}
	}
	return had
}

// Across folds findings that stand in several releases alike (the same defect at the
// same line, rendered for several environments) into one that lists them.
func Across(fs []finding.Finding) []finding.Finding {
	type defect struct {
		rule, workload, severity, file string
		status                         finding.Status
		line                           int
	}
	var out []finding.Finding
	first := map[defect][]int{} // those that stand for others, in order
	for _, f := range fs {
		if len(f.Locations) == 0 {
			out = append(out, f)
			continue
		}
		k := defect{f.Rule, f.Workload, f.Severity, f.Locations[0].File, f.Status, f.Locations[0].StartLine}
		if i := slices.IndexFunc(first[k], func(i int) bool { return out[i].Release != f.Release }); i >= 0 {
			out[first[k][i]].AlsoIn = append(out[first[k][i]].AlsoIn, f.Release)
			continue
		}
		first[k] = append(first[k], len(out))
		out = append(out, f)
	}
	return out
}

// Within enters of findings that stand in several releases which of these their edits mend.
func Within(fs []finding.Finding) {
	for i := range fs {
		fs[i].Fix, fs[i].OtherFix = healsHere(fs[i].Fix, &fs[i]), healsHere(fs[i].OtherFix, &fs[i])
	}
}

// mostMends bounds the releases that a fix names as those that it mends.
const mostMends = 5

// healsHere is a fix of a finding that stands in several releases: an edit of what not all of them read says which of
// them it mends. That of a file which another one may read, too, says so beside it.
func healsHere(x *finding.Fix, f *finding.Finding) *finding.Fix {
	if x == nil || !x.Mechanical {
		return x
	}
	reads := func(id string) bool { return slices.Contains(x.AlsoChanges, id) || slices.Contains(x.MayChange, id) }
	mends := []string{f.Release}
	for _, id := range f.AlsoIn {
		if reads(id) {
			mends = append(mends, id)
		}
	}
	if len(mends) > len(f.AlsoIn) {
		return x
	}
	names := strings.Join(mends[:min(len(mends), mostMends)], ", ")
	if n := len(mends) - mostMends; n > 0 {
		names += fmt.Sprintf(" and %d more", n)
	}
	one := *x
	one.Text += fmt.Sprintf(" (mends %s only, %d of %d releases)", names, len(mends), len(f.AlsoIn)+1)
	return &one
}
