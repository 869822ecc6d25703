package judge

import (
	"io/fs"
	"strings"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/redact"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// Lines of one side of a [Hunk]: of the repository, and of a fix.
const mostQuoted, mostWritten = 6, 40

// Quote adds to a finding the lines of the repository that it is about: the changed
// ones at its first edited location, and those that its fix replaces. Lines that may
// hold a secret are not quoted.
func (pl Places) Quote(f *finding.Finding) {
	if pl.Head == nil {
		return
	}
	for i := range f.Locations {
		if pl.Changes == nil {
			break
		}
		if l := &f.Locations[i]; l.InDiff || l.Side == "base" && i == 0 {
			if ofAnyName(l.Field) {
				break
			}
			f.Changed = pl.changedAt(l)
			break
		}
	}
	if h := f.Changed; h != nil && (pl.surplus(pl.Head, h.File, h.Line, len(h.Added)) ||
		pl.surplus(pl.Changes.Base, h.File, 0, len(h.Removed))) {
		f.Changed = nil
	}
	if x := f.Fix; x != nil && x.Mechanical && x.Location != nil {
		at := x.Location
		if !pl.surplus(pl.Head, at.File, at.StartLine, at.EndLine-at.StartLine+1) {
			x.Diff = pl.mended(x)
		}
	}
}

// surplus reports whether some lines of a file have a field that its type does not have, whose value may be a secret
// under a misspelt name. Line 0 is any line.
func (pl Places) surplus(side *object.Revision, file string, line, n int) bool {
	if side == nil || n == 0 {
		return false
	}
	for _, rel := range side.Releases {
		for _, o := range rel.Objects {
			for _, r := range o.Refused {
				if !r.Surplus {
					continue
				}
				at := o.Locate(r.Path)
				if at.File == file && (line == 0 || at.StartLine < line+n && at.EndLine >= line) {
					return true
				}
			}
		}
	}
	return false
}

// ofAnyName reports whether a field is part of a map whose names are not Kubernetes' own, such as the parameters of a
// StorageClass: they do not say whether a value is a secret.
func ofAnyName(field string) bool {
	for _, step := range strings.FieldsFunc(field, func(r rune) bool { return strings.ContainsRune(".[]", r) }) {
		switch step {
		case "parameters", "data", "stringData", "binaryData", "volumeAttributes", "options", "env":
			return true
		}
	}
	return false
}

// repaired is a fix as a diff, or nil where one of its sides cannot be shown as a whole.
func (pl Places) mended(x *finding.Fix) *finding.Hunk {
	h := finding.Hunk{File: x.Location.File, Line: x.Location.StartLine,
		Removed: pl.read(x.Location.File, x.Location.StartLine, x.Location.EndLine)}
	var in []string
	if x.Replacement != "" {
		in = strings.Split(strings.TrimSuffix(x.Replacement, "\n"), "\n")
	}
	h.Added = pl.quotable(in, mostWritten)
	if len(h.Added) < len(in) || len(h.Removed) != x.Location.EndLine-x.Location.StartLine+1 {
		return nil
	}
	return &h
}

// changedAt is the change of the lines of a location, or nil.
func (pl Places) changedAt(l *finding.Location) *finding.Hunk {
	hunks, err := pl.Changes.Hunks(l.File)
	if err != nil {
		return nil
	}
	for _, h := range hunks {
		switch {
		case l.Side == "base" && h.BaseFirst <= l.StartLine && l.StartLine <= h.BaseLast:
			from := l.StartLine - h.BaseFirst
			to := min(max(l.EndLine-h.BaseFirst+1, from+1), len(h.Base))
			out := finding.Hunk{File: l.File, Line: l.StartLine, Removed: pl.quotable(h.Base[from:to], mostQuoted)}
			return orNil(out)
		case l.Side == "head" && h.HeadFirst <= l.EndLine && l.StartLine <= h.HeadLast:
			first, last := max(l.StartLine, h.HeadFirst), min(l.EndLine, h.HeadLast)
			out := finding.Hunk{File: l.File, Line: first, Added: pl.read(l.File, first, last)}
			if len(h.Base) == h.HeadLast-h.HeadFirst+1 { // line by line
				out.Removed = pl.quotable(h.Base[first-h.HeadFirst:last-h.HeadFirst+1], mostQuoted)
			}
			return orNil(out)
		}
	}
	return nil
}

// linesOf are the lines of a file of head with their ends, none where it cannot be read. Many findings ask for those of
// one file.
func (pl Places) linesOf(file string) []string {
	if lines, ok := pl.split[file]; ok {
		return lines
	}
	var lines []string
	if text, err := fs.ReadFile(pl.Head.Tree, file); err == nil {
		lines = SplitLines(string(text))
	}
	if pl.split != nil {
		pl.split[file] = lines
	}
	return lines
}

func (pl Places) read(file string, first, last int) []string {
	lines := pl.linesOf(file)
	if first < 1 || first > len(lines) {
		return nil
	}
	return pl.quotable(lines[first-1:max(first, min(last, len(lines)))], mostQuoted)
}

// quotable are the first of some lines, without ends, up to one that may hold a secret.
func (pl Places) quotable(lines []string, most int) []string {
	var out []string
	for _, l := range lines {
		l = strings.TrimRight(l, "\r\n")
		if len(out) == most || !redact.Plain([]string{l}) || pl.Head.Known.Holds(l) {
			break
		}
		out = append(out, l)
	}
	return out
}

func orNil(h finding.Hunk) *finding.Hunk {
	if len(h.Removed) == 0 && len(h.Added) == 0 {
		return nil
	}
	return &h
}
