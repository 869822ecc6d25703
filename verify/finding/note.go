package finding

import (
	"fmt"
	"slices"
	"strings"
)

// Note is a remark of a run beside its findings. Code never interprets its sentence: it asks for the kind, and
// everything else is in fields.
type Note struct {
	Kind Kind `json:"kind"`
	About
	Args  []string `json:"args,omitempty"`  // as the kind has them, by position
	Names []string `json:"names,omitempty"` // the one list that a kind has
}

// About is the subject of a note; the zero value is the run itself.
type About struct {
	Release string `json:"release,omitempty"`
	Object  string `json:"object,omitempty"` // ID
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
}

// Kind is the kind of a note. The zero value is invalid.
type Kind string

// Effect is what a note means for a verdict. The zero value is the careful one.
type Effect int

const (
	Open    Effect = iota // not known, and a verdict may hang on it: report has the one thing to do about it
	Assumed               // not known, and assumed as the note says; or left out of the model
	Told                  // known, and of no effect on a verdict
)

// Say is a note of a kind.
func Say(k Kind, args ...any) Note {
	n := Note{Kind: k}
	for _, a := range args {
		n.Args = append(n.Args, fmt.Sprint(a))
	}
	return n
}

// In has it be of a release.
func (n Note) In(release string) Note { n.Release = release; return n }

// On has it be of an object.
func (n Note) On(object string) Note { n.Object = object; return n }

// At says where it stands.
func (n Note) At(file string, line int) Note { n.File, n.Line = file, line; return n }

// With gives it a list.
func (n Note) With(names ...string) Note { n.Names = names; return n }

// Key is the same for notes that say the same.
func (n Note) Key() string {
	return fmt.Sprintf("%s %q %q %q %d %q %q", n.Kind, n.Release, n.Object, n.File, n.Line, n.Args, n.Names)
}

// Equal reports whether two notes say the same.
func (n Note) Equal(o Note) bool { return n.Key() == o.Key() }

// Arg is an argument, or "".
func (n Note) Arg(i int) string {
	if i < len(n.Args) {
		return n.Args[i]
	}
	return ""
}

// String is for tests and logs; [report] has the words.
func (n Note) String() string {
	s := []string{string(n.Kind)}
	if n.File != "" {
		s = append(s, fmt.Sprintf("%s:%d", n.File, n.Line))
	}
	for _, x := range slices.Concat([]string{n.Release, n.Object}, n.Args, n.Names) {
		if x != "" {
			s = append(s, x)
		}
	}
	return strings.Join(s, " ")
}

// Has reports whether some notes have one that says the same.
func Has(list []Note, n Note) bool { return slices.ContainsFunc(list, n.Equal) }

// AppendNew adds the notes that are not there yet.
func AppendNew(have []Note, more ...Note) []Note {
	for _, n := range more {
		if !Has(have, n) {
			have = append(have, n)
		}
	}
	return have
}
