package source

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
	"sync"

	gitdiff "github.com/go-git/go-git/v5/utils/diff"
	"github.com/sergi/go-diff/diffmatchpatch"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
)

// maxDiffLines bounds the line diff of one file: beyond it every line counts as edited.
const maxDiffLines = 20_000

// Edits lists the files that differ and the lines of head that were edited.
func Edits(c *object.Changes, b, h *Source) {
	c.Lines, c.Compare = map[string][]object.Lines{}, (&comparison{base: b, head: h, done: map[string]hunked{}}).hunks
	for _, f := range h.Files {
		switch {
		case !b.Lists(f):
			c.Files = append(c.Files, f)
			c.Lines[f] = wholeFile
		case h.Digest(f) != b.Digest(f) || h.Links[f] != b.Links[f]:
			c.Files = append(c.Files, f)
			c.Lines[f] = editedLines(b, h, f)
		}
	}
	for _, f := range b.Files {
		if !h.Lists(f) {
			c.Files = append(c.Files, f)
		}
	}
	sort.Strings(c.Files)
}

var wholeFile = []object.Lines{{First: 1, Last: 1 << 30}}

func editedLines(b, h *Source, f string) []object.Lines {
	old, err := b.Read(f)
	if err != nil {
		return wholeFile
	}
	text, err := h.Read(f)
	if err != nil || bytes.IndexByte(text, 0) >= 0 {
		return wholeFile
	}
	return lineEdits(string(old), string(text))
}

// lineEdits are the lines of b that a does not have, from 1.
func lineEdits(a, b string) []object.Lines {
	if strings.Count(a, "\n")+strings.Count(b, "\n") > 2*maxDiffLines {
		return wholeFile
	}
	var out []object.Lines
	line := 1
	for _, d := range gitdiff.Do(a, b) {
		n := countLines(d.Text)
		switch d.Type {
		case diffmatchpatch.DiffEqual:
			line += n
		case diffmatchpatch.DiffInsert:
			out = append(out, object.Lines{First: line, Last: line + n - 1})
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

// comparison compares the files of two sides line by line, each once.
type comparison struct {
	base, head *Source
	mu         sync.Mutex
	done       map[string]hunked
}

type hunked struct {
	hunks []object.Hunk
	err   error
}

// hunks is that of [object.Changes.Hunks].
func (c *comparison) hunks(file string) ([]object.Hunk, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h, ok := c.done[file]
	if !ok {
		h.hunks, h.err = c.compare(file)
		c.done[file] = h
	}
	return h.hunks, h.err
}

func (c *comparison) compare(file string) ([]object.Hunk, error) {
	was, err := c.base.Read(file)
	if err != nil {
		return nil, err
	}
	is, err := c.head.Read(file)
	if err != nil {
		return nil, err
	}
	if bytes.Count(was, []byte("\n"))+bytes.Count(is, []byte("\n")) > 2*maxDiffLines {
		return nil, fmt.Errorf("%s: %w", file, tree.ErrTooBig)
	}
	return Hunks(string(was), string(is)), nil
}

// Hunks are the groups of lines that differ between two texts.
func Hunks(a, b string) []object.Hunk {
	var out []object.Hunk
	base, head := 1, 1
	var open *object.Hunk
	for _, d := range gitdiff.Do(a, b) {
		n := countLines(d.Text)
		if d.Type == diffmatchpatch.DiffEqual {
			base, head, open = base+n, head+n, nil
			continue
		}
		if open == nil {
			out = append(out, object.Hunk{HeadFirst: head, HeadLast: head - 1, BaseFirst: base, BaseLast: base - 1})
			open = &out[len(out)-1]
		}
		if d.Type == diffmatchpatch.DiffInsert {
			head += n
			open.HeadLast = head - 1
			continue
		}
		base += n
		open.BaseLast = base - 1
		for _, l := range strings.SplitAfter(d.Text, "\n") {
			if l != "" {
				open.Base = append(open.Base, strings.TrimRight(l, "\r\n"))
			}
		}
	}
	return out
}
