package corpus

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// Head prints the head of a table.
func Head(w io.Writer, names ...string) {
	fmt.Fprintln(w, "| "+strings.Join(names, " | ")+" |\n"+strings.Repeat("|---", len(names))+"|")
}

// Row prints a row of a table.
func Row(w io.Writer, cells ...any) {
	var text strings.Builder
	for _, c := range cells {
		fmt.Fprintf(&text, "| %v ", c)
	}
	fmt.Fprintln(w, text.String()+"|")
}

// Sums counts by kind and column.
type Sums struct {
	columns []string
	kinds   []string // in the order in which they came
	counts  map[string]map[string]int
}

// NewSums has columns; the first is how many there are of a kind.
func NewSums(columns ...string) *Sums {
	return &Sums{columns: columns, counts: map[string]map[string]int{}}
}

// Add counts one of a kind: in the first column, and in those that are true.
func (s *Sums) Add(kind string, is ...bool) {
	for _, k := range []string{kind, "all"} {
		if s.counts[k] == nil {
			s.counts[k] = map[string]int{}
		}
		s.counts[k][s.columns[0]]++
		for i, yes := range is {
			if yes {
				s.counts[k][s.columns[i+1]]++
			}
		}
	}
	if !slices.Contains(s.kinds, kind) {
		s.kinds = append(s.kinds, kind)
	}
}

// Print prints the table, the sum of all last.
func (s *Sums) Print(w io.Writer) {
	Head(w, append([]string{"kind"}, s.columns...)...)
	for _, k := range append(slices.Clone(s.kinds), "all") {
		cells := []any{k}
		for _, c := range s.columns {
			cells = append(cells, s.counts[k][c])
		}
		Row(w, cells...)
	}
}

// Between puts text between two lines of a page; with rewrite false it demands that it is there.
func Between(page, from, to, text string, rewrite bool) error {
	raw, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(raw), from)
	has, after, closed := strings.Cut(rest, to)
	switch {
	case !ok || !closed:
		return fmt.Errorf("%s: no lines %q and %q", page, strings.TrimSpace(from), strings.TrimSpace(to))
	case has == text:
		return nil
	case rewrite:
		return os.WriteFile(page, []byte(before+from+text+to+after), 0o644)
	}
	return fmt.Errorf("%s shows something else between %q and %q", page, strings.TrimSpace(from), strings.TrimSpace(to))
}
