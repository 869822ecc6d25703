package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// Limits of a picture: larger ones are left to the HTML report.
const (
	pictureSteps = 4  // fewer are said more briefly than drawn
	pictureNodes = 10 // rows
	picturePods  = 12 // of one workload on one node, as glyphs
	pictureWide  = 40 // columns of one side
)

// picture draws the nodes and their pods before and after what matters: for a loop its
// two ends, else the beginning and the end of the run. It is "" where there is nothing
// that a list would not say.
func picture(f *finding.Finding) string {
	n := len(f.Interleaving)
	if n < pictureSteps {
		return ""
	}
	from, to := 0, n-1
	if start, ok := cycle(f); ok {
		if from = start; start > 0 {
			from = start - 1
		}
		to = farthest(f.Interleaving, from, start)
	}
	a, b := f.Interleaving[from].After, f.Interleaving[to].After
	if a == nil || b == nil {
		return ""
	}
	rows := nodeNames(a, b)
	if len(rows) == 0 || len(rows) > pictureNodes {
		return ""
	}
	rows = append(rows, "")
	names, left, right := make([]string, len(rows)), make([]string, len(rows)), make([]string, len(rows))
	for i, node := range rows {
		if names[i] = node; node == "" {
			names[i] = "no node"
		}
		left[i], right[i] = podsOn(a, node, nil), podsOn(b, node, nil)
	}
	if slices.Equal(left, right) {
		return ""
	}
	if left[len(rows)-1] == "" && right[len(rows)-1] == "" {
		names, left, right = names[:len(rows)-1], left[:len(rows)-1], right[:len(rows)-1]
	}
	short := shorter(podNames(a, b), func(short map[string]string) bool {
		return !slices.ContainsFunc(rows, func(node string) bool {
			return tooWide(podsOn(a, node, short)) || tooWide(podsOn(b, node, short))
		})
	})
	for i := range names {
		left[i], right[i] = within(podsOn(a, rows[i], short)), within(podsOn(b, rows[i], short))
	}
	names, left, right = append([]string{""}, names...), append([]string{fmt.Sprintf("after step %d", from+1)},
		left...), append([]string{fmt.Sprintf("after step %d", to+1)}, right...)
	var out strings.Builder
	for i := range names {
		fmt.Fprintln(&out, strings.TrimRight(padded(names[i], names)+"  "+padded(left[i], left)+"  "+right[i], " "))
	}
	out.WriteString("● ready  ○ starting  × stopping  ? pending")
	if strings.Contains(out.String(), "'") {
		out.WriteString("  ' new revision")
	}
	return out.String() + "\n"
}

// farthest is the step of a loop whose picture is least like that of step from: the one
// with the most nodes that look otherwise.
func farthest(steps []finding.Step, from, start int) int {
	best, most := len(steps)-1, -1
	for i := start; i < len(steps); i++ {
		if steps[from].After == nil || steps[i].After == nil {
			continue
		}
		n := 0
		for _, node := range append(nodeNames(steps[from].After, steps[i].After), "") {
			if podsOn(steps[from].After, node, nil) != podsOn(steps[i].After, node, nil) {
				n++
			}
		}
		if n > most {
			best, most = i, n
		}
	}
	return best
}

// nodeNames lists the nodes of two pictures, those of the first one first.
func nodeNames(a, b *finding.Snapshot) []string {
	var out []string
	for _, s := range []*finding.Snapshot{a, b} {
		for i := range s.Nodes {
			if name := line(s.Nodes[i].Name); !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// podsOn draws the pods of a node, or with no name those without one. "–" is an empty
// node, "" one that is not there. The names are those in short, where there is one.
func podsOn(s *finding.Snapshot, node string, short map[string]string) string {
	if node == "" {
		return podGlyphs(s.Pending, short)
	}
	for i := range s.Nodes {
		if line(s.Nodes[i].Name) == node {
			if g := podGlyphs(s.Nodes[i].Pods, short); g != "" {
				return g
			}
			return "–"
		}
	}
	return ""
}

func podGlyphs(ps []finding.PodsSnapshot, short map[string]string) string {
	var names []string
	glyphs := map[string]string{}
	for _, p := range ps {
		name := podName(&p)
		if p.Count < 1 {
			continue
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		one := map[string]string{"ready": "●", "starting": "○", "terminating": "×"}[p.Phase]
		if one == "" {
			one = "?"
		}
		if p.Revision == "new" {
			one += "'"
		}
		if p.Count > picturePods {
			glyphs[name] += fmt.Sprintf("%d×%s", p.Count, one)
			continue
		}
		glyphs[name] += strings.Repeat(one, p.Count)
	}
	var out []string
	for _, n := range names {
		out = append(out, cmp.Or(short[n], n)+" "+glyphs[n])
	}
	return strings.Join(out, ", ")
}

// padded is s as wide as the widest of its column.
func padded(s string, column []string) string {
	wide := 0
	for _, c := range column {
		wide = max(wide, utf8.RuneCountInString(c))
	}
	return s + strings.Repeat(" ", wide-utf8.RuneCountInString(s))
}
