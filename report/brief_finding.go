package report

import (
	"fmt"
	"strings"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// takes says in one clause what a finding needs: events, size, certainty.
func takes(f *finding.Finding) string {
	var parts []string
	switch {
	case len(f.Events) == 0:
		parts = append(parts, "no event")
	default:
		parts = append(parts, events(f))
	}
	if f.Scale.Nodes > 0 {
		s := count(f.Scale.Nodes, "node")
		if f.Scale.Pods > 0 {
			s += " and " + count(f.Scale.Pods, "pod")
		}
		if !f.AtDeclaredScale {
			s += ", counts scaled down"
		}
		parts = append(parts, "with "+s)
	}
	s := strings.Join(parts, ", ")
	switch f.Scenario {
	case "steady":
		s += ", once head has settled"
	case "install":
		s += ", on an empty cluster"
	case "revert":
		s += ", when base is applied again"
	case "next":
		s += ", at the next new image"
	}
	_, timing := needs(f)
	switch {
	case f.Recovers != nil && *f.Recovers:
		s += "; transient: every fair run recovers"
	case f.Certainty == finding.Inevitable && timing != "":
		s, timing = s+"; possible: "+timing+", and then every "+runs(f)+" like this", ""
	case f.Certainty == finding.Inevitable && len(f.Holds) > 0:
		s += "; inevitable only while its condition holds: then every " + runs(f) + " like this"
	case f.Certainty == finding.Inevitable:
		s += "; inevitable: every " + runs(f) + " like this"
	case f.Certainty == finding.Possible:
		s += "; possible: it takes a tie or a race"
	}
	if f.FoundBy == "runs" {
		s += "; found by random runs: a shorter one may do"
	}
	if timing != "" {
		s += "; " + timing
	}
	if f.ConfirmedBy != "" {
		s += "; reproduced on a real control plane"
	}
	return s
}

// changedLines are the changed lines of a finding as a diff, at most limit; where they may
// not be quoted, the fields to blame.
func changedLines(f *finding.Finding, limit int) []string {
	var out []string
	if h := f.Changed; h != nil {
		out = hunkLines(h)
	}
	if len(out) == 0 {
		for i := range f.Blame {
			b := &f.Blame[i]
			path := line(b.Path)
			if path == "" {
				_, what := blamed(b)
				out = append(out, map[string]string{"removed": "- ", "added": "+ "}[what]+line(b.Object))
				continue
			}
			if b.Old != "" {
				out = append(out, "- "+path+": "+line(b.Old))
			}
			if b.New != "" {
				out = append(out, "+ "+path+": "+line(b.New))
			}
		}
	}
	return cutLines(out, limit)
}

// hunkLines are the lines of a hunk with their marks, without those that both sides have at
// its ends and the indentation of all.
func hunkLines(h *finding.Hunk) []string {
	old, new := h.Removed, h.Added
	for len(old) > 0 && len(new) > 0 && old[0] == new[0] {
		old, new = old[1:], new[1:]
	}
	for len(old) > 0 && len(new) > 0 && old[len(old)-1] == new[len(new)-1] {
		old, new = old[:len(old)-1], new[:len(new)-1]
	}
	indent := -1
	for _, l := range append(append([]string{}, old...), new...) {
		if n := len(l) - len(strings.TrimLeft(l, " ")); indent < 0 || n < indent {
			indent = n
		}
	}
	var out []string
	for _, l := range old {
		out = append(out, "- "+Clean(l[max(indent, 0):]))
	}
	for _, l := range new {
		out = append(out, "+ "+Clean(l[max(indent, 0):]))
	}
	return out
}

// editLine is a line of a fix: Sign is "-" where it goes, "+" where it comes, "" where it stays or that is not known.
type editLine struct{ Sign, Text string }

// editLines are the lines of a fix, and those that they replace.
func editLines(x *finding.Fix) []editLine {
	var out []editLine
	add := func(sign string, lines []string) {
		for _, l := range lines {
			out = append(out, editLine{sign, Clean(l)})
		}
	}
	var new []string
	if x.Replacement != "" {
		new = strings.Split(strings.TrimRight(x.Replacement, "\n"), "\n")
	}
	if x.Diff == nil {
		add("", new)
		return out
	}
	old, end := x.Diff.Removed, 0
	for len(old) > 0 && len(new) > 0 && old[0] == new[0] {
		add("", new[:1])
		old, new = old[1:], new[1:]
	}
	for end < min(len(old), len(new)) && old[len(old)-1-end] == new[len(new)-1-end] {
		end++
	}
	add("-", old[:len(old)-end])
	add("+", new[:len(new)-end])
	add("", new[len(new)-end:])
	return out
}

// cutLines keeps the first lines, each of at most 160 columns, and says how many are left out.
func cutLines(lines []string, limit int) []string {
	if len(lines) > limit {
		rest := len(lines) - limit + 1
		lines = append(lines[:limit-1:limit-1], fmt.Sprintf("  … %s", count(rest, "more line")))
	}
	return narrow(lines, 160)
}

// narrow cuts the lines of a diff to so many columns: at the end, and of a line and the one that replaces
// it also before the first difference, where that would be cut off.
func narrow(lines []string, columns int) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = oneLine.Replace(l)
	}
	for i := range len(out) - 1 {
		a, b := []rune(out[i]), []rune(out[i+1])
		if a[0] != '-' || b[0] != '+' || max(len(a), len(b)) <= columns {
			continue
		}
		same := 1
		for same < min(len(a), len(b)) && a[same] == b[same] {
			same++
		}
		keep := max(columns/3, columns-3-(max(len(a), len(b))-same))
		if from := same - keep; same > columns-beyond {
			out[i], out[i+1] = "- "+ellipsis+string(a[from:]), "+ "+ellipsis+string(b[from:])
		}
	}
	for i, l := range out {
		if r := []rune(l); len(r) > columns {
			out[i] = string(r[:columns-1]) + ellipsis
		}
	}
	return out
}

// beyond is how many columns of a difference have to be seen.
const beyond = 12

var oneLine = strings.NewReplacer("\n", " ", "\r", " ", "\t", " ")

// fixLines are a fix: its words, and its lines as a diff, if it has any. Its place goes behind its words, before
// otherFix.
func fixLines(f *finding.Finding, limit int) (say string, diff []string) {
	x := f.Fix
	if x == nil || line(x.Text) == "" {
		return "", nil
	}
	say = strings.TrimSuffix(Plain(x.Text, 200), ".")
	if x.Cost != "" {
		say += "; cost: " + Plain(x.Cost, 100)
	}
	if also := spreads(x); also != "" {
		say += "; " + also
	}
	switch {
	case x.Verified && x.Mechanical:
		say += " (verified: gone, nothing else breaks)"
	case x.Verified:
		say += " (searched again: gone)"
	default:
		say += " (not verified)"
	}
	if x.Diff != nil {
		diff = hunkLines(x.Diff)
	} else if x.Mechanical && x.Replacement != "" {
		for _, l := range strings.Split(strings.TrimRight(x.Replacement, "\n"), "\n") {
			diff = append(diff, "+ "+Clean(l))
		}
	}
	return say, cutLines(diff, limit)
}

// otherFix is the second fix, to be said after the first; "" where there is none.
func otherFix(f *finding.Finding) string {
	o := f.OtherFix
	if f.Fix == nil || o == nil || line(o.Text) == "" || o.Text == f.Fix.Text {
		return ""
	}
	say := "; or: " + strings.TrimSuffix(Plain(o.Text, 200), ".")
	if o.Cost != "" {
		say += "; cost: " + Plain(o.Cost, 100)
	}
	if also := spreads(o); also != "" {
		say += "; " + also
	}
	return say
}
