package pullrequests

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/kubesettle/kubesettle/tools/corpus"
)

// printTables prints the results, and gives the number of runs without a result.
func printTables(w io.Writer, all []record) int {
	corpus.Head(w, header...)
	var rows []row
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].Repository == all[i].Repository {
			j++
		}
		rows = append(rows, newRow(all[i].Repository, all[i:j]))
		i = j
	}
	rows = append(rows, newRow("all", all))
	for _, r := range rows {
		corpus.Row(w, r.cells()...)
	}
	printGroups(w, "Exit codes other than 0, and why", all, exits)
	printGroups(w, "Releases that a commit touches and that were not analysed", all, notAnalysed)
	printGroups(w, "Workloads without a verdict", all, undecided)
	printGroups(w, "Commits that change a workload, by the commands, and that got a verdict on none", all, missed)
	printGroups(w, "Commits that head alone breaks, by the commands", all, func(r record) []string { return r.Commands.HeadBroke })
	printFindings(w, all)
	return rows[len(rows)-1].broken
}

// row is one repository's line.
type row struct {
	name                                    string
	commits                                 int
	verdicts                                map[string]int
	exits                                   map[int]int
	changed, decided                        int // commits that change a workload that the commands render; of them, with a verdict on one
	judged                                  int // commits with a verdict on any workload
	errors, warnings, notes, broken, beyond int
	walls, processors, ratios               []float64
	memory                                  int64
}

var header = []string{"repository", "commits", "pass", "fail", "inconclusive", "error", "exit 1", "exit 3", "verdict on a workload", "change one, by the commands", "of them with a verdict", "new errors", "new warnings", "new notes", "processor, s (median, most)", "of the commands (median, most)", "wall, s (median, most)", "beyond the budget", "memory, MiB"}

func newRow(name string, records []record) row {
	r := row{name: name, commits: len(records), verdicts: map[string]int{}, exits: map[int]int{}}
	for _, one := range records {
		r.add(one)
	}
	return r
}

func (r *row) add(one record) {
	r.exits[one.Exit]++
	r.walls = append(r.walls, one.Wall.Seconds())
	r.processors = append(r.processors, one.Processor.Seconds())
	r.memory = max(r.memory, one.Memory)
	if c := one.Commands; c.Rendered > 0 && c.Processor > 0 {
		r.ratios = append(r.ratios, one.Processor.Seconds()/c.Processor.Seconds())
	}
	if one.beyond() {
		r.beyond++
	}
	if changes(one) {
		r.changed++
		if decided(one) {
			r.decided++
		}
	}
	if one.Result == nil {
		r.broken++
		return
	}
	r.verdicts[one.Result.Verdict]++
	if decided(one) {
		r.judged++
	}
	for _, f := range one.Result.Findings {
		if !f.New() {
			continue
		}
		switch f.Severity {
		case "error":
			r.errors++
		case "warning":
			r.warnings++
		default:
			r.notes++
		}
	}
}

func (r row) cells() []any {
	share := func(n, of int) string {
		if of == 0 {
			return "–"
		}
		return fmt.Sprintf("%d (%d %%)", n, n*100/of)
	}
	return []any{r.name, r.commits, r.verdicts["pass"], r.verdicts["fail"], r.verdicts["inconclusive"], r.verdicts["error"],
		r.exits[1], r.exits[3], share(r.judged, r.commits), r.changed, share(r.decided, r.changed), r.errors, r.warnings, r.notes,
		spread(r.processors), spread(r.ratios), spread(r.walls), r.beyond, r.memory >> 20}
}

// spread words the median and the largest.
func spread(v []float64) string {
	if len(v) == 0 {
		return "–"
	}
	v = slices.Sorted(slices.Values(v))
	return fmt.Sprintf("%.1f, %.1f", v[len(v)/2], v[len(v)-1])
}

// changes reports whether the commands show a workload changed.
func changes(r record) bool { return len(r.Commands.Workloads) > 0 }

// decided reports whether a workload of the change was verified to the end.
func decided(r record) bool {
	return r.Result != nil && r.Result.Searched()
}

// printGroups prints the reasons of the records, alike ones together, the most frequent first, each with one commit
// that shows it.
func printGroups(w io.Writer, title string, all []record, why func(record) []string) {
	type group struct {
		commits, times int
		text, at       string
	}
	groups := map[string]*group{}
	for _, r := range all {
		seen := map[string]bool{}
		for _, text := range why(r) {
			k := alike(text)
			g := groups[k]
			if g == nil {
				g = &group{text: text, at: fmt.Sprintf("%s %.12s", r.Repository, r.Commit)}
				groups[k] = g
			}
			if g.times++; !seen[k] {
				seen[k] = true
				g.commits++
			}
		}
	}
	list := make([]*group, 0, len(groups))
	for _, g := range groups {
		list = append(list, g)
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].commits != list[j].commits {
			return list[i].commits > list[j].commits
		}
		return list[i].at+list[i].text < list[j].at+list[j].text
	})
	fmt.Fprintf(w, "\n## %s\n\n", title)
	for _, g := range list {
		fmt.Fprintf(w, "- %d commits, %d times; %s: %s\n", g.commits, g.times, g.at, g.text)
	}
	if len(list) == 0 {
		fmt.Fprintln(w, "none")
	}
}

var variable = regexp.MustCompile("`[^`]*`|\"[^\"]*\"|'[^']*'|[^ ,;()]*[/@][^ ,;()]*|[^ ,;()]*[0-9][^ ,;()]*|[^ ,;()]*\\.(yaml|yml|tpl|json)\\b[^ ,;()]*|[^ ,;()]*\\.[A-Z][^ ,;()]*")

// alike strips a message of what differs from one repository to the next.
func alike(text string) string {
	text = variable.ReplaceAllString(strings.ReplaceAll(text, "\n", " "), "…")
	return regexp.MustCompile(`…([ ,;()]+(and )?…)+`).ReplaceAllString(text, "…")
}

// exits words why a run did not end with 0.
func exits(r record) []string {
	if r.Exit == 0 {
		return nil
	}
	text := fmt.Sprintf("exit %d: ", r.Exit)
	switch {
	case r.Result == nil:
		return []string{text + "no result: " + strings.ReplaceAll(r.Said, "\n", " ")}
	case r.Result.Verdict == "fail":
		return []string{text + "a finding gates"}
	}
	out := []string{}
	for _, rel := range r.Result.Releases {
		if rel.Stopped() {
			out = append(out, text+rel.Status+": "+rel.Reason)
		}
	}
	if len(out) == 0 {
		out = append(out, text+strings.ReplaceAll(r.Said, "\n", " ")+strings.Join(r.Result.Notices, " "))
	}
	return out
}

func notAnalysed(r record) []string {
	var out []string
	if r.Result != nil && r.Exit == 0 {
		for _, rel := range r.Result.Releases {
			if rel.Stopped() {
				out = append(out, rel.Status+": "+rel.Reason)
			}
		}
	}
	return out
}

func undecided(r record) []string {
	var out []string
	if r.Result != nil {
		for _, w := range r.Result.Workloads {
			if w.Verdict != "pass" && w.Verdict != "fail" {
				out = append(out, w.Verdict+": "+w.Reason)
			}
		}
	}
	return out
}

func missed(r record) []string {
	if !changes(r) || decided(r) {
		return nil
	}
	said := "no result"
	if r.Result != nil {
		said = fmt.Sprintf("%s, %d workloads", r.Result.Verdict, len(r.Result.Workloads))
	}
	return []string{fmt.Sprintf("%s; %s", said, strings.Join(r.Commands.Workloads[:min(3, len(r.Commands.Workloads))], ", "))}
}

// printFindings prints every finding that the change brings, the gravest first.
func printFindings(w io.Writer, all []record) {
	for _, severity := range []string{"error", "warning", "note"} {
		fmt.Fprintf(w, "\n## New, %s\n", severity)
		for _, r := range all {
			if r.Result == nil {
				continue
			}
			for _, f := range r.Result.Findings {
				if f.Severity == severity && f.New() {
					printFinding(w, r, f)
				}
			}
		}
	}
}

func printFinding(w io.Writer, r record, f corpus.Finding) {
	fmt.Fprintf(w, "\n%s %.12s %s\n  %s (%s, %s, %s, events %s) of %s in %s\n  %s\n", r.Repository, r.Commit, r.Subject,
		f.Rule, f.Status, f.Certainty, f.Scenario, strings.Join(f.Events, "+"), f.Workload, f.Release, f.Message)
	if len(f.Locations) > 0 {
		at := f.Locations[0]
		fmt.Fprintf(w, "  at %s:%d, in the diff: %v\n", at.File, at.StartLine, at.InDiff)
	}
	if f.Severity == "note" {
		return
	}
	f.Steps(w)
}
