package render

import (
	"fmt"
	"strings"

	gitdiff "github.com/go-git/go-git/v5/utils/diff"
	"github.com/sergi/go-diff/diffmatchpatch"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/mask"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/redact"
)

// contextLines is how many unchanged lines a hunk shows around a change.
const contextLines = 3

// UnifiedDiff is the change of an object as a unified diff of its YAML, secrets masked.
func UnifiedDiff(c object.Change) string {
	var base, head *object.Object = c.Base, c.Head
	b, h := redactPair(base, head)
	from, to := yamlText(b), yamlText(h)
	name := c.ID().String()
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", sideName(base, "base", name), sideName(head, "head", name))
	writeHunks(&out, from, to)
	return out.String()
}

func sideName(o *object.Object, side, name string) string {
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

// redactPair masks both sides of a change, so that a value that changed still shows as
// changed.
func redactPair(b, h *object.Object) (map[string]any, map[string]any) {
	bc, hc := mask.Content(b), mask.Content(h)
	if b == nil || h == nil {
		return bc, hc
	}
	fieldpath.Leaves(h.Content, nil, func(p fieldpath.Path, now any) {
		shown, _ := p.Get(hc)
		text, ok := shown.(string)
		if !ok || !strings.Contains(text, redact.Mask) {
			return
		}
		was, _ := p.Get(b.Content)
		if before, _ := p.Get(bc); !document.SameJSON(was, now) && document.SameJSON(before, shown) {
			p.Set(hc, strings.ReplaceAll(text, redact.Mask, redact.MaskChanged))
		}
	})
	return bc, hc
}
