package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/testdata/clones"
)

// tells gives the gravest finding that tells a row's mistake.
func (r row) tells(result clones.Result) (clones.Finding, bool) {
	var out []clones.Finding
	for _, f := range result.Findings {
		if f.New() && (slices.Contains(r.rules, f.Rule) || slices.Contains(r.rules, "any")) {
			out = append(out, f)
		}
	}
	if len(out) == 0 {
		return clones.Finding{}, false
	}
	slices.SortStableFunc(out, func(a, b clones.Finding) int { return cmp.Compare(rank(a), rank(b)) })
	return out[0], out[0].Gates()
}

func rank(f clones.Finding) int {
	return slices.Index([]string{"error", "warning", "note"}, f.Severity)
}

// cell is what a table says of one mode.
func (r row) cell(result clones.Result) string {
	f, told := r.tells(result)
	switch {
	case told:
		return f.Severity + " " + f.Rule
	case f.Rule != "":
		return "note " + f.Rule
	}
	return "- (" + why(result) + ")"
}

// why says what kept a mistake from being told, as far as the result shows it.
func why(result clones.Result) string {
	failed, _ := result.Failed()
	other := map[string]bool{}
	for _, f := range result.Findings {
		if f.Gates() {
			other[f.Rule] = true
		}
	}
	switch {
	case len(other) > 0:
		return "other: " + strings.Join(slices.Sorted(maps.Keys(other)), " ")
	case len(result.Workloads) == 0 && failed > 0:
		return "not rendered"
	case len(result.Workloads) == 0:
		return "no workload changes"
	case !result.Searched():
		return "not searched"
	case result.Coverage.Bound != "complete":
		return "cut off: " + result.Coverage.Bound
	}
	return "searched, nothing found"
}

func (o outcome) line() string {
	took := o.nothing.Took
	cells := []string{fmt.Sprint(o.row.line), o.repository, fmt.Sprintf("%.10s", o.commit), o.kind, o.cell(o.nothing), "", ""}
	if o.releases != "" {
		cells[5], took = o.cell(o.values), took+o.values.Took
	}
	if o.row.policy != "" {
		cells[6], took = o.cell(o.policy), took+o.policy.Took
	}
	f, told := o.tells(o.policy)
	switch {
	case told && f.HasFix():
		cells = append(cells, "yes")
	case told:
		cells = append(cells, "no")
	default:
		cells = append(cells, "")
	}
	return "| " + strings.Join(append(cells, fmt.Sprintf("%.1f", took.Seconds())), " | ") + " |"
}

// sums prints how many rows of each kind are told in each mode.
func sums(outcomes []outcome) {
	type count struct{ rows, nothing, values, policy, fixes, repos int }
	kinds, repos := map[string]*count{}, map[string]map[string]bool{}
	for _, o := range outcomes {
		for _, kind := range []string{o.kind, "all"} {
			if kinds[kind] == nil {
				kinds[kind], repos[kind] = &count{}, map[string]bool{}
			}
			c := kinds[kind]
			c.rows++
			repos[kind][o.repository] = true
			c.repos = len(repos[kind])
			if _, told := o.tells(o.nothing); told {
				c.nothing++
			}
			if _, told := o.tells(o.values); told {
				c.values++
			}
			if f, told := o.tells(o.policy); told {
				c.policy++
				if f.HasFix() {
					c.fixes++
				}
			}
		}
	}
	fmt.Println("\n| kind | repositories | mistakes | told, nothing declared | and with values | and with a policy | with a fix |")
	fmt.Println("|---|---|---|---|---|---|---|")
	names := slices.Sorted(maps.Keys(kinds))
	names = append(slices.DeleteFunc(names, func(n string) bool { return n == "all" }), "all")
	for _, name := range names {
		if c := kinds[name]; c != nil {
			fmt.Printf("| %s | %d | %d | %d | %d | %d | %d |\n", name, c.repos, c.rows, c.nothing, c.values, c.policy, c.fixes)
		}
	}
}

// details lists what else was found, and why rows are not told.
func (m *measure) details(outcomes []outcome) {
	for _, o := range outcomes {
		_, told := o.tells(o.policy)
		if m.all || !told {
			fmt.Printf("\nrow %d, %s %.10s, %s: %s\n", o.row.line, o.repository, o.commit, o.kind, o.mechanism)
			describe("nothing declared", o.nothing)
			if o.row.policy != "" || o.releases != "" {
				describe("policy", o.policy)
			}
		}
		if o.mended != nil {
			describe(fmt.Sprintf("row %d mended", o.row.line), *o.mended)
		}
	}
}

func describe(mode string, r clones.Result) {
	failed, reason := r.Failed()
	fmt.Printf("  %s: exit %d, %s, %d workloads, %d topologies, %d states, %s", mode, r.ExitCode, r.Verdict, len(r.Workloads), r.Coverage.Topologies, r.Coverage.States, r.Coverage.Bound)
	if failed > 0 {
		fmt.Printf("; %d releases not rendered, first: %s", failed, reason)
	}
	fmt.Println()
	if !r.Searched() {
		for _, w := range r.Workloads {
			fmt.Printf("    %s (%s): %s: %s\n", w.ID, w.Change, w.Verdict, w.Reason)
		}
	}
	for _, f := range r.Findings {
		if f.Status == "existing" {
			continue
		}
		fmt.Printf("    %s %s %s (%s, %s) of %s: %s\n", f.Status, f.Severity, f.Rule, f.Certainty, f.Scenario, f.Workload, f.Message)
		if len(f.Blame) > 0 {
			fmt.Printf("      %s\n", f.Blame[0])
		}
		if f.Fix != nil {
			fmt.Printf("      fix: %s\n", f.Fix.Text)
		}
	}
}
