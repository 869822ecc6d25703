package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/verify/judge"
)

// cause is the findings of one root cause, the gravest first.
type cause []judge.Finding

// byCause groups ordered findings: those that stand at the same line, which is the one to
// blame where there is one, and those that come of the very same run.
func byCause(fs []judge.Finding) []cause {
	var out []cause
	at := map[string]int{}
	for i := range fs {
		keys := causeKeys(&fs[i])
		home := -1
		for _, k := range keys {
			if h, ok := at[k]; ok && home < 0 {
				home = h
			}
		}
		if home < 0 {
			home = len(out)
			out = append(out, nil)
		}
		out[home] = append(out[home], fs[i])
		for _, k := range keys {
			if _, ok := at[k]; !ok {
				at[k] = home
			}
		}
	}
	return out
}

// causeKeys are texts of which findings of one cause have one in common: where they
// stand, the edit, and a long interleaving, step by step.
func causeKeys(f *judge.Finding) []string {
	var out []string
	if len(f.Locations) > 0 && f.Locations[0].File != "" {
		out = append(out, string(f.Status)+" at "+where(&f.Locations[0]))
	}
	if len(f.Blame) > 0 { // the same edit to the same object, as in several overlays of one base
		s := string(f.Status) + " by " + line(f.Rule) + " " + line(f.Workload) + " " + line(f.Message)
		for i := range f.Blame {
			s += " " + line(f.Blame[i].Path) + "=" + line(f.Blame[i].New)
		}
		out = append(out, s)
	}
	if h := f.Changed; h != nil && f.Scale.Nodes == 0 { // the same edit to several objects, which is wrong wherever they run
		kind, _, _ := strings.Cut(line(f.Workload), " ")
		edit := []string{string(f.Status) + " edit " + line(f.Rule), kind}
		for _, l := range append(append([]string{"-"}, h.Removed...), append([]string{"+"}, h.Added...)...) {
			edit = append(edit, strings.TrimSpace(l))
		}
		out = append(out, strings.Join(edit, "\n"))
	}
	if len(f.Interleaving) >= 4 {
		var steps strings.Builder
		for i := range f.Interleaving {
			fmt.Fprintln(&steps, actor(&f.Interleaving[i]), stepText(&f.Interleaving[i]))
		}
		out = append(out, string(f.Status)+" in "+line(f.Release)+": "+steps.String())
	}
	return out
}

// others says what else comes of the cause, a line each, at most limit.
func (c cause) others(limit int) []string {
	var out []string
	var same []string     // workloads for which the first title holds too
	var releases []string // in which it holds for the same workload
	for i := range c[1:] {
		f := &c[i+1]
		if f.Rule == c[0].Rule && f.Workload != c[0].Workload {
			if name := shortName(f.Workload); !slices.Contains(same, name) {
				same = append(same, name)
			}
			continue
		}
		if f.Rule == c[0].Rule {
			if name := line(f.Release); name != line(c[0].Release) && !slices.Contains(releases, name) {
				releases = append(releases, name)
			}
			continue
		}
		what, _, _ := strings.Cut(title(f), ": ")
		out = append(out, clip(what, 90)+" ["+line(f.Rule)+"]")
	}
	if len(releases) > 0 {
		out = append([]string{"the same in release " + some(releases, 1)}, out...)
	}
	if len(same) > 0 {
		out = append([]string{"the same for " + some(same, 2)}, out...)
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

// title is a finding in one clause. A rule's message says what can happen; of what is
// inevitable the title says that it does.
func title(f *judge.Finding) string {
	s := headline(f)
	if f.Certainty != "inevitable" {
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

var (
	canHappen = regexp.MustCompile(` can (be|come|drop|end|fall|get|go|grow|hang|keep|leave|lose|pile|stay|wait)\b`)
	severalOf = regexp.MustCompile(`^(the replicas|replicas|ready replicas|pods|nodes|Jobs|all |[02-9]\d* |1\d+ )`)
)

// affected are the other releases that show the finding, in a few words.
func affected(f *judge.Finding) string {
	n := len(f.AlsoIn)
	switch {
	case n == 0:
		return ""
	case n <= 2:
		return "also in " + line(strings.Join(f.AlsoIn, ", "))
	}
	return fmt.Sprintf("also in %s and %d more releases", line(f.AlsoIn[0]), n-1)
}
