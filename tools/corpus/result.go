package corpus

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Result is the part of the published JSON that tables are made of.
type Result struct {
	Verdict   string
	Workloads []struct {
		ID, Change, Verdict, Reason string
		Unmodeled                   bool
	}
	Findings []Finding
	Releases []Release
	Coverage struct {
		Topologies, States int
		Bound              string
		Reduced            []struct {
			Declared, Verified int
		} `json:"reducedScale"`
	}
	Notices []string
	Run     `json:"-"`
}

// A Release is one of the change, or beside it.
type Release struct {
	ID, Status, Reason string
	Changed            bool
}

// Stopped reports whether the change reaches a release that was not analysed.
func (r Release) Stopped() bool { return r.Changed && r.Status != "ok" && r.Status != "untouched" }

// A Finding is one of a result.
type Finding struct {
	Rule, Severity, Status, Certainty, Scenario, Workload, Release, Message string
	Events                                                                  []string
	Locations                                                               []Location
	Blame                                                                   []Blame
	Fix                                                                     *Fix
	Interleaving                                                            []struct{ Actor, Text string }
}

// A Location is a region of a file.
type Location struct {
	File               string
	StartLine, EndLine int
	InDiff             bool
	Side               string
}

// Blame is a field that a finding hangs on; its Location is nil where its line is not known.
type Blame struct {
	Object, Path string // Path is "" for the whole object
	Location     *Location
}

// String is where it stands and what it is, such as "app/values.yaml:12 spec.replicas".
func (b Blame) String() string {
	what := cmp.Or(b.Path, b.Object)
	if b.Location == nil {
		return what
	}
	return fmt.Sprintf("%s:%d %s", b.Location.File, b.Location.StartLine, what)
}

// A Fix is a fix offered for a finding.
type Fix struct {
	Text, Replacement          string
	Location                   *Location
	Mechanical, Verified, Back bool
}

// Edit makes a mechanical fix in the text of its file; false where it does not fit there.
func (f Fix) Edit(text string) (string, bool) {
	lines := strings.SplitAfter(text, "\n")
	if !f.Mechanical || f.Location == nil || f.Location.StartLine < 1 || f.Location.EndLine > len(lines) {
		return "", false
	}
	before, after := lines[:f.Location.StartLine-1], lines[f.Location.EndLine:]
	return strings.Join(before, "") + f.Replacement + strings.Join(after, ""), true
}

// New reports whether base does not have a finding, or not so badly.
func (f Finding) New() bool { return f.Status == "new" || f.Status == "worsened" }

// Gates reports whether a finding is the change's and at least a warning.
func (f Finding) Gates() bool { return f.New() && f.Severity != "note" }

// HasFix reports whether something is offered that holds, and does not take the change back.
func (f Finding) HasFix() bool { return f.Fix != nil && f.Fix.Verified && !f.Fix.Back }

// At reports whether one of its places, or of the changes that it is blamed on, is on one of the given lines of file;
// of all lines, if none is given.
func (f Finding) At(file string, lines []int) bool {
	places := slices.Clone(f.Locations)
	for _, b := range f.Blame {
		if b.Location != nil {
			places = append(places, *b.Location)
		}
	}
	return slices.ContainsFunc(places, func(l Location) bool {
		on := func(line int) bool { return l.StartLine <= line && line <= l.EndLine }
		return l.File == file && l.Side != "base" && (len(lines) == 0 || slices.ContainsFunc(lines, on))
	})
}

// Severities are those of findings, the gravest first.
var Severities = []string{"error", "warning", "note"}

// Gravest gives the gravest new finding of some rules; "any" is every rule.
func (r Result) Gravest(rules []string) (Finding, bool) {
	for _, severity := range Severities {
		for _, f := range r.Findings {
			if f.New() && f.Severity == severity && (slices.Contains(rules, f.Rule) || slices.Contains(rules, "any")) {
				return f, f.Gates()
			}
		}
	}
	return Finding{}, false
}

// Searched reports whether a workload of the change got a verdict from a search.
func (r Result) Searched() bool {
	for _, w := range r.Workloads {
		if w.Verdict == "pass" || w.Verdict == "fail" {
			return true
		}
	}
	return false
}

// Failed gives the releases that head or base does not render, with the first reason.
func (r Result) Failed() (n int, reason string) {
	for _, rel := range r.Releases {
		if rel.Status == "ok" {
			continue
		}
		if n++; reason == "" {
			reason, _, _ = strings.Cut(rel.Reason, "\n")
		}
	}
	return n, reason
}

// Cell words the findings of some rules, or the reason why there are none, as far as the result shows it.
func (r Result) Cell(rules []string) string {
	if f, _ := r.Gravest(rules); f.Rule != "" {
		return f.Severity + " " + f.Rule
	}
	other := map[string]bool{}
	for _, f := range r.Findings {
		if f.Gates() {
			other[f.Rule] = true
		}
	}
	failed, _ := r.Failed()
	why := "searched, nothing found"
	switch {
	case len(other) > 0:
		why = "other: " + strings.Join(slices.Sorted(maps.Keys(other)), " ")
	case len(r.Workloads) == 0 && failed > 0:
		why = "not rendered"
	case len(r.Workloads) == 0:
		why = "no workload changes"
	case !r.Searched():
		why = "not searched"
	case r.Coverage.Bound != "complete":
		why = "cut off: " + r.Coverage.Bound
	}
	return "- (" + why + ")"
}

// Describe lists a result below a title: the searches, and every finding that is not base's.
func (r Result) Describe(w io.Writer, title string) {
	failed, reason := r.Failed()
	fmt.Fprintf(w, "  %s: exit %d, %s, %d workloads, %d topologies, %d states, %s", title, r.Exit, r.Verdict, len(r.Workloads), r.Coverage.Topologies, r.Coverage.States, r.Coverage.Bound)
	if failed > 0 {
		fmt.Fprintf(w, "; %d releases not rendered, first: %s", failed, reason)
	}
	fmt.Fprintln(w)
	if !r.Searched() {
		for _, l := range r.Workloads {
			fmt.Fprintf(w, "    %s (%s): %s: %s\n", l.ID, l.Change, l.Verdict, l.Reason)
		}
	}
	for _, f := range r.Findings {
		if f.Status == "existing" {
			continue
		}
		fmt.Fprintf(w, "    %s %s %s (%s, %s) of %s: %s\n", f.Status, f.Severity, f.Rule, f.Certainty, f.Scenario, f.Workload, f.Message)
		if len(f.Blame) > 0 {
			fmt.Fprintf(w, "      %s\n", f.Blame[0])
		}
		if f.Fix != nil {
			fmt.Fprintf(w, "      fix: %s\n", f.Fix.Text)
		}
	}
}

// Steps lists a finding's interleaving.
func (f Finding) Steps(w io.Writer) {
	for i, s := range f.Interleaving {
		fmt.Fprintf(w, "  %2d. %s\n", i+1, s.Text)
	}
}
