package policies

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Problem is one thing that is wrong with a policy file.
type Problem struct {
	Line, Column int    // from 1
	Field        string // such as "cluster.nodePools[0].count.min"; "" for the file as a whole
	Text         string // the error and the remedy; one line
}

// FileError holds every problem of one file, in the file's order.
type FileError struct {
	File     string
	Problems []Problem
}

// Error gives one line a problem: "file:line:column: field: text".
func (e *FileError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = fmt.Sprintf("%s:%d:%d: ", e.File, p.Line, p.Column)
		if p.Field != "" {
			lines[i] += p.Field + ": "
		}
		lines[i] += p.Text
	}
	return strings.Join(lines, "\n")
}

// quote shows a string of the file: escaped, and cut where it is long.
func quote(s string) string {
	if r := []rune(s); len(r) > 60 {
		s = string(r[:60]) + "…"
	}
	return strconv.Quote(s)
}

// oneLine puts spaces for control characters: the file may be hostile, and what is said
// of it goes to a terminal.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// hint words what may stand in the place of got: the nearest of the known words or, if
// none is near, all of them.
func hint(got string, known []string) string {
	if near := nearest(got, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	switch len(known) {
	case 0:
		return "nothing is allowed here"
	case 1:
		return "use " + known[0]
	}
	return "use one of " + strings.Join(slices.Sorted(slices.Values(known)), ", ")
}

// nearest is the known word with the least edit distance from got, or "" if even that
// one differs in more than a third of its letters.
func nearest(got string, known []string) string {
	if len(got) > 100 {
		return ""
	}
	best, least := "", 1<<30
	for _, k := range slices.Sorted(slices.Values(known)) {
		d := distance(strings.ToLower(got), strings.ToLower(k))
		if d < least && d <= max(1, len(k)/3) {
			best, least = k, d
		}
	}
	return best
}

// distance is Levenshtein's: insertions, deletions and substitutions of bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next := min(diagonal+cost, row[j]+1, row[j+1]+1)
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
