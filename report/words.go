package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// sentence is s on one line, its first letter large and a full stop at its end.
func sentence(s string) string {
	s = line(s)
	if s == "" {
		return ""
	}
	if c := s[0]; c >= 'a' && c <= 'z' && !looksLikeName(s) {
		s = string(c-'a'+'A') + s[1:]
	}
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}

// looksLikeName reports whether a sentence begins with a name whose case matters, such as
// default/web or spec.replicas.
func looksLikeName(s string) bool {
	first, _, _ := strings.Cut(s, " ")
	return strings.ContainsAny(first, "/._-0123456789")
}

// headline is the finding in one clause.
func headline(f *finding.Finding) string {
	if m := line(f.Message); m != "" {
		return strings.TrimSuffix(m, ".")
	}
	return line(f.Rule) + " is violated"
}

// runs says what of an inevitable finding is like it: no interleaving, where the API server refuses.
func runs(f *finding.Finding) string {
	if f.Rule == rules.ApplyRejected {
		return "apply ends"
	}
	return "fair run ends"
}

// needs words the timing without which a finding does not show, at length and in brief; "": none. However sure it is
// from there on, the whole is only possible.
func needs(f *finding.Finding) (long, short string) {
	switch f.Timing {
	case "arbitrary":
		return "only with arbitrary timing, where any loop may be slower than any other", "only with arbitrary timing"
	case "crash":
		return "only where the controllers restart at that moment", "only where the controllers restart"
	case "stale":
		return "only where a controller has not yet seen the last writes of others", "only where a controller lags behind"
	case "crash and stale":
		return "only where the controllers restart at that moment, and one has not yet seen the last writes of others",
			"only where the controllers restart and one lags behind"
	}
	return "", ""
}

// certainty says in words how sure, in which scenario and under which timing.
func certainty(f *finding.Finding) string {
	s, comes := "", runs(f)+" like this"
	if f.Recovers != nil { // it is a single step that is wrong
		comes = "fair run comes through this"
	}
	switch f.Certainty {
	case finding.Inevitable:
		after, then := "after the last event ", "then, after the last event, "
		if len(f.Events) == 0 { // it takes none
			after, then = "", "then "
		}
		s = "inevitable: " + after + "every " + comes
		if len(f.Holds) > 0 {
			s = "inevitable only while its condition holds: " + then + "every " + comes
		}
		if long, _ := needs(f); long != "" {
			s = "possible: " + long + ", and then every " + comes
		}
	case finding.Possible:
		s = "possible: it takes a tie of the scheduler or a race"
	default:
		s = "not known: the search was cut off before it could tell"
	}
	if f.Recovers != nil {
		if *f.Recovers {
			s += "; transient: every fair run recovers, so the end of the rollout does not show it"
		} else {
			s += "; some fair run does not recover"
		}
	}
	if long, _ := needs(f); long != "" && f.Certainty != finding.Inevitable {
		s += "; " + long
	}
	if f.ConfirmedBy != "" {
		s += "; reproduced on a real control plane: " + line(f.ConfirmedBy)
	}
	return s
}

// scenario says in words where the run begins.
func scenario(f *finding.Finding) string {
	switch f.Scenario {
	case "change":
		if f.Start == "live" {
			return "the cluster is as its snapshot shows it, then the change is applied"
		}
		return "the cluster runs base, then the change is applied"
	case "steady":
		return "the cluster runs head"
	case "install":
		return "head is installed on an empty cluster"
	case "next":
		return "the change is done, then the next new image is rolled out"
	case "revert":
		return "the cluster runs head, then base is applied again"
	}
	return line(f.Scenario)
}

// scale says in words at which size the finding shows.
func scale(f *finding.Finding) string {
	if f.Scale.Nodes == 0 && f.Scale.Pods == 0 {
		return "none: the API server decides before anything runs"
	}
	s := count(f.Scale.Nodes, "node")
	if len(f.Scale.Classes) > 0 {
		var parts []string
		for _, k := range slices.Sorted(maps.Keys(f.Scale.Classes)) {
			parts = append(parts, fmt.Sprintf("%s: %d", line(k), f.Scale.Classes[k]))
		}
		s += " (" + strings.Join(parts, ", ") + ")"
	}
	s += ", at most " + count(f.Scale.Pods, "pod") + " at once beside those on deletion"
	if f.AtDeclaredScale {
		return s + ", with the counts as declared"
	}
	return s + ", with counts scaled down; not shown at the declared size"
}

// events names the required events in words.
func events(f *finding.Finding) string {
	if len(f.Events) == 0 {
		return "none but the control loops' own steps"
	}
	var names []string
	n := map[string]int{}
	for _, e := range f.Events {
		e = line(strings.ReplaceAll(e, "-", " "))
		if n[e]++; n[e] == 1 {
			names = append(names, e)
		}
	}
	for i, e := range names {
		if n[e] > 1 {
			names[i] = fmt.Sprintf("%s (%d times)", e, n[e])
		}
	}
	return strings.Join(names, ", ")
}

// stepText words one step, its actor left out.
func stepText(s *finding.Step) string {
	if t := line(s.Text); t != "" {
		return t
	}
	return strings.TrimSpace(line(s.Action) + " " + line(s.Object))
}

// actor names who moves in a step.
func actor(s *finding.Step) string {
	if a := line(s.Actor); a != "" {
		return a
	}
	return "environment"
}

func fileLine(file string, l int) string {
	if l < 1 {
		return line(file)
	}
	return line(file) + ":" + strconv.Itoa(l)
}

// where is the file and line of a location, or "".
func where(l *finding.Location) string {
	if l == nil || l.File == "" {
		return ""
	}
	s := fileLine(l.File, l.StartLine)
	if l.Side == "base" {
		s += " (base)"
	}
	return s
}

// inFolder names the release of a finding; "" where it has none.
func inFolder(id string) string {
	switch id {
	case "":
		return ""
	case ".":
		return "release in the root folder"
	}
	return "release " + line(id)
}

// change words an old and a new value.
func change(old, new string) string {
	old, new = line(old), line(new)
	switch {
	case old == "" && new == "":
		return "changed"
	case old == "":
		return "added: " + new
	case new == "":
		return "removed: " + old
	}
	return old + " -> " + new
}

// blamed words a field to blame: which one, and what became of it. Where the whole
// object came or went there is no field.
func blamed(b *finding.Blame) (path, what string) {
	if path = line(b.Path); path != "" {
		return path, change(b.Old, b.New)
	}
	if b.Location != nil && b.Location.Side == "base" {
		return "", "removed"
	}
	return "", "added"
}

// cycle gives the first step of the loop, or false where there is none.
func cycle(f *finding.Finding) (int, bool) {
	if f.CycleStart == nil || *f.CycleStart < 0 || *f.CycleStart >= len(f.Interleaving) {
		return 0, false
	}
	return *f.CycleStart, true
}

// loopText says which steps repeat.
func loopText(f *finding.Finding) string {
	start, ok := cycle(f)
	if !ok {
		return ""
	}
	if start == len(f.Interleaving)-1 {
		return fmt.Sprintf("step %d repeats forever", start+1)
	}
	return fmt.Sprintf("steps %d to %d repeat forever", start+1, len(f.Interleaving))
}

// fixText words a fix, and whether it was verified.
func fixText(f *finding.Fix) string {
	s := sentence(f.Text)
	if f.Cost != "" {
		s += " The cost: " + strings.TrimSuffix(line(f.Cost), ".") + "."
	}
	if also := spreads(f); also != "" {
		s += " It " + also + ": not searched with it."
	}
	switch {
	case f.Verified && f.Mechanical:
		return s + " Verified: rendered and searched again with this edit at the same size; the violation is gone, and no other rule breaks."
	case f.Verified:
		return s + " Verified: searched again at the same size; the violation is gone."
	}
	return s + " Not verified."
}

// mostSpread bounds the releases that are named beside a fix.
const mostSpread = 5

// spreads says which other releases a fix changes, or may change; "": none.
func spreads(f *finding.Fix) string {
	var parts []string
	for _, p := range []struct {
		says string
		ids  []string
	}{{"also changes ", f.AlsoChanges}, {"may also change ", f.MayChange}} {
		if len(p.ids) == 0 {
			continue
		}
		var names []string
		for _, id := range p.ids[:min(len(p.ids), mostSpread)] {
			names = append(names, Plain(id, 60))
		}
		if n := len(p.ids) - mostSpread; n > 0 {
			names = append(names, fmt.Sprintf("%d more", n))
		}
		parts = append(parts, p.says+english.WordSeries(names, "and"))
	}
	return strings.Join(parts, " and ")
}

// replaced says which lines a fix replaces, or "" where it is no replacement.
func replaced(f *finding.Fix) string {
	if !f.Mechanical || f.Location == nil {
		return ""
	}
	lines := fmt.Sprintf("line %d", f.Location.StartLine)
	if f.Location.EndLine > f.Location.StartLine {
		lines = fmt.Sprintf("lines %d to %d", f.Location.StartLine, f.Location.EndLine)
	}
	if f.Replacement == "" {
		return "Remove " + lines + " of " + line(f.Location.File)
	}
	return "Replace " + lines + " of " + line(f.Location.File)
}

// count is a number with its noun: "1 node", "2 nodes", "7,581 files".
func count[N int | uint64](n N, noun string) string {
	return thousands(n) + " " + english.PluralWord(int(n), noun, "")
}

func thousands[N int | uint64](n N) string {
	return humanize.Comma(int64(n))
}

// short is a commit in 12 digits, or the name of a side that has none.
func short(s finding.Side) string {
	if c := line(s.Commit); c != "" {
		return c[:min(12, len(c))]
	}
	return line(s.Name)
}

// revisions names both sides: "main (abc…) -> topic (def…)".
func revisions(r *finding.Result) string {
	one := func(s finding.Side) string {
		name, c := line(s.Name), short(s)
		if name == "" || name == c || strings.HasPrefix(line(s.Commit), name) {
			return c
		}
		if c == "" || s.Commit == "" {
			return name
		}
		return name + " (" + c + ")"
	}
	base, head := one(r.Base), one(r.Head)
	switch {
	case base == "":
		return head
	case head == "":
		return base
	}
	return base + " -> " + head
}
