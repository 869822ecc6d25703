package object

import (
	"fmt"
	"sort"
)

// ChangeKind says what happened to an object.
type ChangeKind string

const (
	Added    ChangeKind = "added"
	Removed  ChangeKind = "removed"
	Modified ChangeKind = "modified"
	Renamed  ChangeKind = "renamed"
)

// FieldChange is one changed field; Old or New is nil where the field is absent.
type FieldChange struct {
	Path     string
	Old, New any
	Secret   bool // print neither value
	OnBase   bool // it stands there: head has no such field
	Of       *Object
}

// Where is where the field was set, on head; on base where head has no such field. It is found when it is asked for,
// with renders of the chart: most changed fields are those of labels, and are never asked for.
func (f FieldChange) Where() Location {
	if f.Of == nil {
		return Location{}
	}
	return f.Of.Locate(f.Path)
}

// Change is one object that differs between base and head, noise left out.
type Change struct {
	Kind       ChangeKind
	Release    string
	Base, Head *Object       // nil where absent
	Fields     []FieldChange // sorted by path; empty for Added and Removed
	// Noise are changed fields left out of Fields: checksums, chart labels. Sorted.
	Noise []FieldChange
	// TemplateChanged says that the defaulted pod templates differ, be it in a noisy field
	// alone: the workload's pods are replaced.
	TemplateChanged bool
}

// ID is head's, or base's for a removal.
func (c *Change) ID() ID {
	if c.Head != nil {
		return c.Head.ID
	}
	return c.Base.ID
}

// Changes is the difference between two revisions.
type Changes struct {
	Base, Head *Revision
	Changes    []Change // sorted by release and ID
	// Files that differ, sorted.
	Files []string
	// Lines are those of head that were added or edited, by file: in order, and apart.
	Lines map[string][]Lines
	// Compare compares a file line by line; nil: no two sides were compared.
	Compare func(file string) ([]Hunk, error)
}

// Lines are a run of lines, from 1.
type Lines struct{ First, Last int }

// Hunk is a run of lines that a change replaced, without context. A side that has none of
// the lines has a last line before its first one.
type Hunk struct {
	HeadFirst, HeadLast int // lines of head, from 1
	BaseFirst, BaseLast int // lines of base, from 1
	Base                []string
}

// Edited reports whether the change added or edited a line of a file of head.
func (c *Changes) Edited(file string, line int) bool { return c.EditedWithin(file, line, line) }

// EditedWithin reports the same of any of some lines.
func (c *Changes) EditedWithin(file string, first, last int) bool {
	ranges := c.Lines[file]
	i := sort.Search(len(ranges), func(i int) bool { return ranges[i].Last >= first })
	return i < len(ranges) && ranges[i].First <= last
}

// Hunks lists what a change replaced in a file that both sides have, in the file's order. Lines come without their
// ends. A file is compared once, however many ask: many findings are about one file. The caller must not change the
// result. Errors: those of reading the file.
func (c *Changes) Hunks(file string) ([]Hunk, error) {
	if c.Compare == nil {
		return nil, fmt.Errorf("%s: there is no base", file)
	}
	return c.Compare(file)
}
