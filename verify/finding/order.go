package finding

import (
	"cmp"
	"slices"
)

// Rank orders severities, worst first.
func Rank(s string) int {
	return slices.Index([]string{"error", "warning", "note"}, s)
}

// Sort puts the worst first: new before existing before fixed, then by
// severity, certainty, clusters, workload, rule and release.
func Sort(fs []Finding) {
	slices.SortStableFunc(fs, func(a, b Finding) int {
		return cmp.Or(
			gravest(a, b),
			slices.Compare(a.Clusters, b.Clusters),
			cmp.Compare(a.Workload, b.Workload),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Release, b.Release),
		)
	})
}

// Place says of the findings of a result on which clusters they stand, where its releases go to several, and of which
// releases base did not render; and orders them by that too.
func (r *Result) Place() {
	clusters, unread, some := map[string]string{}, map[string]bool{}, map[string]bool{}
	for i := range r.Releases {
		rel := &r.Releases[i]
		if unread[rel.ID] = rel.Outcome() == NoBaseline; rel.Cluster != "" {
			clusters[rel.ID], some[rel.Cluster] = rel.Cluster, true
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		f.NoBaseline = f.Status == New && unread[f.Release]
		for _, id := range append([]string{f.Release}, f.AlsoIn...) {
			if c := clusters[id]; c != "" && len(some) > 1 && !slices.Contains(f.Clusters, c) {
				f.Clusters = append(f.Clusters, c)
			}
		}
	}
	Sort(r.Findings)
}

// gravest orders by status, severity and certainty, the gravest first.
func gravest(a, b Finding) int {
	status := []Status{New, Worsened, Existing, Fixed}
	return cmp.Or(
		slices.Index(status, a.Status)-slices.Index(status, b.Status),
		Rank(a.Severity)-Rank(b.Severity),
		cmp.Compare(b.Certainty, a.Certainty), // the surer first
	)
}

// Sizes adds to what a slice shows on one declared cluster what it shows on another of its sizes: for
// each rule and workload of a release the graver of two counts, and of equals the first.
func Sizes(had, more []Finding) []Finding {
	for _, f := range more {
		i := slices.IndexFunc(had, func(h Finding) bool {
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
func Across(fs []Finding) []Finding {
	type defect struct {
		rule, workload, severity, file string
		status                         Status
		line                           int
	}
	var out []Finding
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
