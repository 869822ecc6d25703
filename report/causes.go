package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// cause is the findings of one root cause, the gravest first.
type cause []finding.Finding

// byCause groups findings that are ordered by status: each group begins with the gravest, and of
// those that have a new finding the existing ones of the same cause are part.
func byCause(fs []finding.Finding) []cause {
	var out []cause
	for _, group := range finding.ByCause(fs) {
		c := make(cause, len(group))
		for i, at := range group {
			c[i] = fs[at]
		}
		out = append(out, c)
	}
	return out
}

// causes are those of new findings, and those without new findings.
func causes(fresh, existing []finding.Finding) (now, before []cause) {
	for _, c := range byCause(slices.Concat(fresh, existing)) {
		if c[0].Status == finding.Existing {
			before = append(before, c)
		} else {
			now = append(now, c)
		}
	}
	return now, before
}

// mostSame bounds the workloads that are named as hit alike.
const mostSame = 6

// others says what else comes of the cause, a line of at most so many bytes each, at most limit.
func (c cause) others(limit, wide int) []string {
	var out []string
	var same []string     // workloads for which the first title holds too
	var releases []string // in which it holds for the same workload
	for i := range c[1:] {
		f := &c[i+1]
		alike := f.Rule == c[0].Rule && (f.Status == finding.Existing) == (c[0].Status == finding.Existing)
		switch name := shortName(f.Workload); {
		case alike && f.Workload != c[0].Workload:
			if !slices.Contains(same, name) {
				same = append(same, name)
			}
			continue
		case alike && f.Release != c[0].Release:
			if name := line(f.Release); !slices.Contains(releases, name) {
				releases = append(releases, name)
			}
			continue
		}
		what, _, _ := strings.Cut(title(f), ": ")
		if alike { // of the same rule and workload the rest tells them apart
			what = title(f)
		}
		rule, before := " ["+line(f.Rule)+"]", ""
		if f.Status == finding.Existing && c[0].Status != finding.Existing {
			before = "existing: "
		}
		s := before + clip(what, max(wide-len(rule)-len(before), 40)) + rule
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if len(releases) > 0 {
		out = append([]string{"the same in release " + some(releases, 1)}, out...)
	}
	if len(same) > 0 {
		out = append([]string{"the same for " + some(same, mostSame)}, out...)
	}
	if n := len(out); n > limit {
		out = append(out[:limit-1:limit-1], count(n-limit+1, "more finding")+" of the same cause")
	}
	return out
}

// some lists the first names, and says how many more there are.
func some(names []string, limit int) string {
	s := strings.Join(names[:min(len(names), limit)], ", ")
	if n := len(names) - limit; n > 0 {
		s += " and " + thousands(n) + " more"
	}
	return s
}

// shortName is a workload without its API group: "Deployment default/web".
func shortName(id string) string {
	id = line(id)
	kind, rest, ok := strings.Cut(id, " ")
	if !ok {
		return id
	}
	return kind[strings.LastIndexByte(kind, '/')+1:] + " " + rest
}

// title is a finding in one clause. A rule's message says what can happen; if that is inevitable, and needs no special
// timing, the title says that it happens.
func title(f *finding.Finding) string {
	s := headline(f)
	if long, _ := needs(f); long != "" || f.Certainty != finding.Inevitable {
		return s
	}
	m := canHappen.FindStringSubmatchIndex(s)
	if m == nil {
		return s
	}
	verb := s[m[2]:m[3]]
	many := severalOf.MatchString(s[:m[0]])
	switch {
	case verb == "be" && many:
		verb = "are"
	case verb == "be":
		verb = "is"
	case many:
	case verb == "go":
		verb = "goes"
	default:
		verb += "s"
	}
	return s[:m[0]] + " " + verb + s[m[3]:]
}

// unhedged is a title without the conditions that stand apart.
func unhedged(f *finding.Finding) string {
	s := title(f)
	for _, c := range slices.Backward(f.Holds) {
		s = strings.TrimSuffix(s, " (while "+line(c.While)+")")
	}
	return s
}

var (
	canHappen = regexp.MustCompile(` can (be|come|drop|end|fall|get|go|grow|hang|keep|leave|lose|pile|stay|wait)\b`)
	severalOf = regexp.MustCompile(`^(?:with .* has it, )?` +
		`(the replicas|replicas|ready replicas|pods|nodes|Jobs|all |[02-9]\d* |1\d+ )`)
)

// affected are the other releases that show the finding, and the clusters where there are several, in a few words; and
// that base could not tell.
func affected(f *finding.Finding) string {
	var parts []string
	switch n := len(f.AlsoIn); {
	case n > 2:
		parts = append(parts, fmt.Sprintf("also in %s and %d more releases", line(f.AlsoIn[0]), n-1))
	case n > 0:
		parts = append(parts, "also in "+line(strings.Join(f.AlsoIn, ", ")))
	}
	switch n := len(f.Clusters); {
	case n > 2:
		parts = append(parts, fmt.Sprintf("on cluster %s and %d more clusters", line(f.Clusters[0]), n-1))
	case n == 1:
		parts = append(parts, "on cluster "+line(f.Clusters[0]))
	case n == 2:
		parts = append(parts, "on clusters "+line(strings.Join(f.Clusters, " and ")))
	}
	if f.NoBaseline {
		parts = append(parts, "without a baseline")
	}
	return strings.Join(parts, "; ")
}
