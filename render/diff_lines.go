package render

import (
	"bytes"
	"fmt"
	"sort"
	"strings"

	gitdiff "github.com/go-git/go-git/v5/utils/diff"
	"github.com/sergi/go-diff/diffmatchpatch"
	"sigs.k8s.io/yaml"
)

// maxDiffLines bounds the line diff of one file: beyond it every line counts as edited.
const maxDiffLines = 20_000

// diffFiles lists the files that differ and the lines of head that were edited.
func (c *Changes) diffFiles() error {
	b, err := newSource(c.Base.Tree)
	if err != nil {
		return err
	}
	h, err := newSource(c.Head.Tree)
	if err != nil {
		return err
	}
	c.edited = map[string][]lineRange{}
	for _, f := range h.files {
		switch {
		case !b.isF[f]:
			c.Files = append(c.Files, f)
			c.edited[f] = wholeFile
		case h.digest(f) != b.digest(f) || h.links[f] != b.links[f]:
			c.Files = append(c.Files, f)
			c.edited[f] = editedLines(b, h, f)
		}
	}
	for _, f := range b.files {
		if !h.isF[f] {
			c.Files = append(c.Files, f)
		}
	}
	sort.Strings(c.Files)
	return nil
}

var wholeFile = []lineRange{{1, 1 << 30}}

func editedLines(b, h *source, f string) []lineRange {
	old, err := b.read(f)
	if err != nil {
		return wholeFile
	}
	text, err := h.read(f)
	if err != nil || bytes.IndexByte(text, 0) >= 0 {
		return wholeFile
	}
	return lineEdits(string(old), string(text))
}

// lineEdits are the lines of b that a does not have, from 1.
func lineEdits(a, b string) []lineRange {
	if strings.Count(a, "\n")+strings.Count(b, "\n") > 2*maxDiffLines {
		return wholeFile
	}
	var out []lineRange
	line := 1
	for _, d := range gitdiff.Do(a, b) {
		n := countLines(d.Text)
		switch d.Type {
		case diffmatchpatch.DiffEqual:
			line += n
		case diffmatchpatch.DiffInsert:
			out = append(out, lineRange{line, line + n - 1})
			line += n
		}
	}
	return out
}

func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// contextLines is how many unchanged lines a hunk shows around a change.
const contextLines = 3

// UnifiedDiff is the change of an object as a unified diff of its YAML, secrets masked.
func UnifiedDiff(c Change) string {
	var base, head *Object = c.Base, c.Head
	b, h := redactPair(base, head)
	from, to := yamlText(b), yamlText(h)
	name := c.ID().String()
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", sideName(base, "base", name), sideName(head, "head", name))
	writeHunks(&out, from, to)
	return out.String()
}

func sideName(o *Object, side, name string) string {
	if o == nil {
		return "/dev/null"
	}
	return side + "/" + strings.ReplaceAll(o.ID.String(), "\n", " ")
}

func yamlText(content map[string]any) string {
	if content == nil {
		return ""
	}
	b, err := yaml.Marshal(content)
	if err != nil {
		return "# this object cannot be written as YAML\n"
	}
	return string(b)
}

// diffLine is one line of a unified diff: ' ', '-' or '+'.
type diffLine struct {
	mark byte
	text string
}

// writeHunks writes the hunks of a unified diff.
func writeHunks(out *strings.Builder, a, b string) {
	var lines []diffLine
	for _, d := range gitdiff.Do(a, b) {
		mark := byte(' ')
		switch d.Type {
		case diffmatchpatch.DiffInsert:
			mark = '+'
		case diffmatchpatch.DiffDelete:
			mark = '-'
		}
		for _, l := range strings.SplitAfter(d.Text, "\n") {
			if l != "" {
				lines = append(lines, diffLine{mark, strings.TrimSuffix(l, "\n")})
			}
		}
	}
	oldLine, newLine := 1, 1
	for i := 0; i < len(lines); {
		if lines[i].mark == ' ' {
			oldLine, newLine, i = oldLine+1, newLine+1, i+1
			continue
		}
		first := max(i-contextLines, 0)
		for k := first; k < i; k++ { // context before: never part of the hunk before it
			oldLine, newLine = oldLine-1, newLine-1
		}
		last := hunkEnd(lines, i)
		var oldCount, newCount int
		for _, l := range lines[first:last] {
			if l.mark != '+' {
				oldCount++
			}
			if l.mark != '-' {
				newCount++
			}
		}
		fmt.Fprintf(out, "@@ -%s +%s @@\n", hunkRange(oldLine, oldCount), hunkRange(newLine, newCount))
		for _, l := range lines[first:last] {
			fmt.Fprintf(out, "%c%s\n", l.mark, l.text)
		}
		oldLine, newLine, i = oldLine+oldCount, newLine+newCount, last
	}
}

// hunkEnd is one past the last line of the hunk whose first change is at i: changes that
// are close share it.
func hunkEnd(lines []diffLine, i int) int {
	end := i
	for k := i; k < len(lines) && k < end+2*contextLines+1; k++ {
		if lines[k].mark != ' ' {
			end = k + 1
		}
	}
	return min(end+contextLines, len(lines))
}

func hunkRange(start, count int) string {
	if count == 0 {
		start--
	}
	if count == 1 {
		return fmt.Sprint(start)
	}
	return fmt.Sprintf("%d,%d", start, count)
}
