package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// DocsURI is where the pages of the manual stand.
const DocsURI = InformationURI + "/blob/main/docs/"

// doubtPage is where the manual says what to do with a finding that one does not believe.
const doubtPage = DocsURI + "README.md#a-finding-i-do-not-believe"

// checkedText says what was checked and how far, and never more.
func checkedText(r *finding.Result) string {
	c := &r.Coverage
	decided, releases := 0, map[string]bool{}
	for i := range r.Workloads {
		if w := &r.Workloads[i]; w.Verdict == finding.Pass || w.Verdict == finding.Fail {
			decided++
			releases[w.Release] = true
		}
	}
	s := count(decided, "workload") + " in " + count(len(releases), "release")
	if n := len(r.Releases); n > len(releases) {
		s = count(decided, "workload") + " in " + thousands(len(releases)) + " of " + count(n, "release")
	}
	if decided == 0 {
		s = "no workload is decided"
	}
	if c.Topologies == 0 && c.States == 0 {
		if decided == 0 {
			return ""
		}
		return s
	}
	s += fmt.Sprintf("; up to %s, %s and %s; ", count(c.MaxNodes, "node"), count(c.MaxPods, "pod"),
		count(c.MaxEvents, "event"))
	switch c.Bound {
	case "complete":
		return s + "searched to the end"
	case "time", "memory", "states":
		return s + "cut off by the " + strings.TrimSuffix(c.Bound, "s") + " budget"
	}
	return s + "ended by " + Plain(c.Bound, 60)
}

// provedText says in one line which rollouts are proved, or nothing.
func provedText(r *finding.Result) string {
	var names []string
	for _, c := range r.Coverage.Certified {
		names = append(names, line(c.Workload))
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return "the rollout of " + names[0] + " ends and keeps its floor with any number of nodes and replicas, while every pod finds a node and gets ready"
	}
	return count(len(names), "rollout") + ", such as that of " + names[0] + ", end and keep their floors with any number of nodes and replicas, while every pod finds a node and gets ready"
}

// uncheckedText says in one line what was not checked, or nothing. The releases that the change
// touches and that have no result are listed beside it.
func uncheckedText(r *finding.Result) string {
	var out []string
	open := undecided(r)
	if len(open) > 0 {
		s := line(open[0].ID)
		if len(open) > 1 {
			s = count(len(open), "workload") + ", such as " + s
		}
		if why := line(open[0].Reason); why != "" {
			s += " (" + clip(why, 120) + ")"
		}
		out = append(out, s)
	}
	var left []string
	for _, a := range r.Assumptions {
		if a.Kind == finding.KindsAbsent { // but for those of the workloads above
			a.Names = slices.DeleteFunc(slices.Clone(a.Names), func(kind string) bool {
				return slices.ContainsFunc(open, func(w finding.Workload) bool {
					return strings.Contains(w.ID, "/"+kind+" ")
				})
			})
			if len(a.Names) == 0 {
				continue
			}
		}
		what := clip(line(unchecked(r, a)), 120)
		switch {
		case a.Kind == finding.NoCluster && r.Coverage.States > 0:
			out = append(out, "capacity, as no cluster is declared (give --nodes or --snapshot)")
		case what == "":
		case (a.Kind == finding.NotJoined || a.Kind == finding.RoomLeftOut) && len(out) < 3: // with the whole line of policy
			out = append(out, line(unchecked(r, a)))
		case a.Kind == finding.KindsAbsent, a.Kind == finding.ReleaseNote:
			if !slices.Contains(out, what) { // of several releases
				out = append(out, what)
			}
		default:
			left = append(left, what)
		}
	}
	if n := len(left); n > 1 {
		left = append(left[:1], count(n-1, "more object"))
	}
	out = append(out, left...)
	if s := untouched(r); strings.Contains(s, "render") {
		out = append(out, strings.TrimSuffix(s, "."))
	}
	return strings.Join(out, "; ")
}

// resting are the assumptions that this result rests on, and not every one: what the models leave out, and that
// releases are checked alone, is the manual's to tell.
func resting(r *finding.Result) []finding.Note {
	return slices.DeleteFunc(slices.Clone(r.Assumptions), func(n finding.Note) bool { return wordsOf[n.Kind].standing })
}

// alike are sentences that say the same of several things: "a: it is so" and "b: it is so".
type alikes struct {
	said string   // what is said of all
	of   []string // of which, "" where it is said of nothing
}

func (a alikes) String() string { return a.naming(2) }

// naming names so many of the things before it counts them.
func (a alikes) naming(most int) string {
	switch of := a.of; {
	case len(of) == 1 && of[0] == "":
		return a.said
	case len(of) == 1:
		return of[0] + ": " + a.said
	case len(of) <= most:
		return a.said + " (" + strings.Join(of, ", ") + ")"
	}
	return fmt.Sprintf("%s (%s and %d more)", a.said, a.of[0], len(a.of)-1)
}

// together puts notes that say the same of several things into one, in order of appearance; those that are about the
// run itself come first.
func together(notes []finding.Note) []alikes {
	var first, out []alikes
	at := map[string]int{}
	for _, n := range notes {
		of, said := noteParts(n)
		of, said = line(of), line(said)
		if i, ok := at[said]; ok && of != "" {
			out[i].of = append(out[i].of, of)
			continue
		}
		if of == "" {
			first = append(first, alikes{said, []string{""}})
			continue
		}
		at[said] = len(out)
		out = append(out, alikes{said, []string{of}})
	}
	return append(first, out...)
}

// notedText is the notices in one line, the first two kinds of them in words.
func notedText(notices []finding.Note) string {
	all := together(notices)
	var out []string
	for i, a := range all {
		if i == 2 {
			out = append(out, count(len(all)-2, "more notice"))
			break
		}
		out = append(out, clip(a.String(), 200))
	}
	return strings.Join(out, "; ")
}

// sameReason are releases without a result that need the same remedy.
type sameReason struct {
	first finding.ReleaseResult
	more  int
}

var ownNames = regexp.MustCompile(`\S*[/@:.0-9]\S*`)

// reasons groups releases by their remedy, in order.
func reasons(rels []finding.ReleaseResult) []sameReason {
	var out []sameReason
	at := map[string]int{}
	for i := range rels {
		key := rels[i].Status + " " + ownNames.ReplaceAllString(line(rels[i].Remedy), "")
		if k, ok := at[key]; ok && rels[i].Remedy != "" {
			out[k].more++
			continue
		}
		at[key] = len(out)
		out = append(out, sameReason{first: rels[i]})
	}
	return out
}

// verdictLine is the verdict and what is counted, in one clause.
func verdictLine(r *finding.Result) string {
	t := tallyOf(r)
	var s string
	switch {
	case r.Verdict == finding.Errored && len(r.Releases) == 0:
		s = "nothing to check: no chart, kustomization or Kubernetes manifest; give the path of one"
	case r.Verdict == finding.Errored && len(r.Workloads) == 0 && t.fresh == 0:
		s = subject(r) + " could not be analysed"
	case r.Verdict == finding.Errored:
		s = count(missedReleases(r), "release") + " could not be analysed"
	case r.Verdict == finding.Inconclusive && len(r.Workloads) == 0 && len(brokenBeforeIn(r).names) > 0:
		b := brokenBeforeIn(r)
		if s = b.counted(); b.late {
			s = "the time budget ended before " + count(len(b.names), "release") + " could be rendered"
		}
	case r.Verdict == finding.Inconclusive && openReleases(r) > 0 && len(undecided(r)) == 0:
		s = "the change may reach unknown parts"
	case r.Verdict == finding.Inconclusive:
		s = "not decided"
	case r.Verdict == finding.Fail:
		s = subject(r) + " is blocked"
	case len(r.Workloads) == 0 && isCheck(r):
		s = noneChanged(r)
	case len(r.Workloads) == 0:
		s = "no workload"
	}
	var counts []string
	if t.fresh > 0 || s == "" || r.Verdict != finding.Pass && len(r.Workloads) > 0 {
		counts = append(counts, t.findings())
		if r.Verdict == finding.Pass && t.by[0]+t.by[3] > 0 { // errors, and fail-on is off or lets them pass
			counts[0] += " (not blocking)"
		}
	}
	for _, c := range []struct {
		n    int
		what string
	}{{t.existing, "existing"}, {t.fixed, "fixed"}, {t.waived, "waived"}} {
		if c.n > 0 {
			counts = append(counts, thousands(c.n)+" "+c.what)
		}
	}
	switch {
	case s == "" || len(counts) == 0:
	case r.Verdict == finding.Errored:
		return s + "; " + strings.Join(counts, ", ") + " in the rest"
	default:
		s += ": "
	}
	return s + strings.Join(counts, ", ")
}

// noneChanged says that a change is of no workload, of those that are applied.
func noneChanged(r *finding.Result) string {
	if slices.ContainsFunc(r.Notices, func(n finding.Note) bool { return n.Kind == finding.Parked }) {
		return "no workload of a release changed"
	}
	if slices.ContainsFunc(r.Notices, func(n finding.Note) bool {
		return n.Kind == finding.UsedByNone && slices.Contains(n.Args, object.NoChartTakesThem)
	}) {
		return "no workload of a known release changed"
	}
	if slices.ContainsFunc(r.Notices, func(n finding.Note) bool {
		return n.Kind == finding.KindsUnread || n.Kind == finding.PodsOfOperator
	}) {
		return "no workload with a model changed"
	}
	if slices.ContainsFunc(r.Notices, func(n finding.Note) bool { return n.Kind == finding.PartsHidden }) {
		return "no workload changed with the values known"
	}
	if slices.ContainsFunc(r.Notices, func(n finding.Note) bool { return n.Kind == finding.PodsReplaced }) {
		return "no manifest of a workload changed"
	}
	return "no workload changed"
}

// findings counts the new and worsened ones by severity: "1 new error, 2 new warnings".
func (t tally) findings() string {
	switch by := t.counted(0, 6, "STATUS SEVERITY"); {
	case by == "":
		return "no new finding"
	case t.causes < t.fresh:
		return by + " of " + count(t.causes, "cause")
	default:
		return by
	}
}
