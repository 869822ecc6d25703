package mends

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// columns are those of the list, in order.
var columns = []string{"repository", "commit", "kind", "files", "paths", "releases", "policy", "rules", "mechanism"}

// A row is a commit that fixed a mistake.
type row struct {
	line       int
	repository string // owner/name
	commit     string
	kind       string   // one word for the mistake
	files      []undo   // files that are undone; none: every file of the commit
	paths      []string // paths to check; none: everything
	releases   string   // the policy's releases, as a YAML flow list; empty: the discovered ones
	policy     string   // further keys of the policy, as YAML; empty: none
	rules      []string // one of these must be found
	mechanism  string   // one line
}

// An undo is a file, and the hunks of it that make the mistake; none: all.
type undo struct {
	file  string
	hunks []int // counting from 1, in the reversed diff with three lines of context
}

// read gives the rows of a list: columns between tabs, "-" for an empty one, # for a comment.
func read(name string) ([]row, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []row
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		if text := lines.Text(); strings.TrimSpace(text) == "" || strings.HasPrefix(text, "#") {
			continue
		}
		r, err := parse(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		r.line = n
		same := func(o row) bool {
			return o.repository == r.repository && o.commit == r.commit && slices.EqualFunc(o.files, r.files, sameUndo)
		}
		if i := slices.IndexFunc(out, same); i >= 0 {
			return nil, fmt.Errorf("%s:%d: line %d has the same commit and files", name, n, out[i].line)
		}
		out = append(out, r)
	}
	return out, lines.Err()
}

func sameUndo(a, b undo) bool { return a.file == b.file && slices.Equal(a.hunks, b.hunks) }

func parse(text string) (row, error) {
	cells := strings.Split(text, "\t")
	if len(cells) != len(columns) {
		return row{}, fmt.Errorf("%d columns, not %d (%s)", len(cells), len(columns), strings.Join(columns, ", "))
	}
	for i := range cells {
		if cells[i] = strings.TrimSpace(cells[i]); cells[i] == "-" {
			cells[i] = ""
		}
	}
	r := row{repository: cells[0], commit: cells[1], kind: cells[2], releases: cells[5], policy: cells[6], mechanism: cells[8]}
	for i, need := range map[int]string{0: r.repository, 1: r.commit, 2: r.kind, 7: cells[7], 8: r.mechanism} {
		if need == "" {
			return row{}, fmt.Errorf("column %s is empty", columns[i])
		}
	}
	r.paths, r.rules = fields(cells[4]), fields(cells[7])
	for _, f := range fields(cells[3]) {
		file, hunks, some := strings.Cut(f, "#")
		u := undo{file: file}
		for _, h := range strings.Split(hunks, "+") {
			n, err := strconv.Atoi(h)
			if some && (err != nil || n < 1) {
				return row{}, fmt.Errorf("%s: hunks are numbers from 1, such as values.yaml#1+3", f)
			}
			if some {
				u.hunks = append(u.hunks, n)
			}
		}
		r.files = append(r.files, u)
	}
	return r, nil
}

// fields are the texts between commas.
func fields(cell string) []string {
	return strings.FieldsFunc(cell, func(r rune) bool { return r == ',' || r == ' ' })
}
