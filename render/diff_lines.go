package render

import (
	"bytes"
	"sort"
	"strings"

	gitdiff "github.com/go-git/go-git/v5/utils/diff"
	"github.com/sergi/go-diff/diffmatchpatch"

	"github.com/kubesettle/kubesettle/render/source"
)

// maxDiffLines bounds the line diff of one file: beyond it every line counts as edited.
const maxDiffLines = 20_000

// diffFiles lists the files that differ and the lines of head that were edited.
func (c *Changes) diffFiles() error {
	b, err := c.Base.source()
	if err != nil {
		return err
	}
	h, err := c.Head.source()
	if err != nil {
		return err
	}
	c.edited = map[string][]lineRange{}
	for _, f := range h.Files {
		switch {
		case !b.Lists(f):
			c.Files = append(c.Files, f)
			c.edited[f] = wholeFile
		case h.Digest(f) != b.Digest(f) || h.Links[f] != b.Links[f]:
			c.Files = append(c.Files, f)
			c.edited[f] = editedLines(b, h, f)
		}
	}
	for _, f := range b.Files {
		if !h.Lists(f) {
			c.Files = append(c.Files, f)
		}
	}
	sort.Strings(c.Files)
	return nil
}

// source is the tree of a revision, listed.
func (r *Revision) source() (*source.Source, error) {
	if r.src != nil {
		return r.src, nil
	}
	return source.New(r.Tree)
}

var wholeFile = []lineRange{{1, 1 << 30}}

func editedLines(b, h *source.Source, f string) []lineRange {
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
