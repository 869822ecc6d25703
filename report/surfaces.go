package report

import (
	"io"
	"slices"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// Options of every surface; each reads only those that it uses.
type Options struct {
	Rules []Rule // nil: [Rules]
	// Level is the lowest severity of the findings that are shown: error, warning or note;
	// "" is note. What is under it is counted, and nothing more.
	Level string
	// Changes, where given, replaces the result's workloads in the list of changes: it
	// has the objects of other kinds too.
	Changes *object.Changes
	// Repository is its address, such as https://github.com/o/r, for links to lines;
	// "": no links.
	Repository string
	Run        string // address of the workflow run, which has the whole report; "": not said
	Marker     Marker // of a comment
	Category   string // of SARIF: tells the uploads of one workflow run apart; "": kubesettle
	Color      bool   // of text: ANSI colours
	Verbose    bool   // of text: all that the result says
	Columns    int    // of text: of the terminal, 40 to 100 are used; 0: 100
	Inputs     bool   // of text: of a workflow, which has inputs in place of flags
	Elapsed    bool   // of text: say how long it took; the output is then not the same at each run
	Bytes      int    // of the document, SARIF's compressed by gzip; 0: the surface's own budget
	Results    int    // of SARIF: at most; 0: 5,000, what code scanning keeps
	// Gates says, for JUnit, whether a finding fails its test; nil: a new error does.
	Gates func(finding.Finding) bool
}

// Surface is one way to write a result.
type Surface struct {
	Name     string // as --output has it
	Compares bool   // it has nothing to say without a base
	Write    func(io.Writer, *finding.Result, Options) error
}

// Surfaces lists them, the default first. A new one is a file and an entry here.
func Surfaces() []Surface {
	return []Surface{
		{Name: "text", Write: Text},
		{Name: "json", Write: func(w io.Writer, r *finding.Result, _ Options) error { return JSON(w, r) }},
		{Name: "sarif", Write: SARIF},
		{Name: "markdown", Write: Summary},
		{Name: "html", Write: HTML},
		{Name: "comment", Write: writeComment},
		{Name: "summary", Write: Summary},
		{Name: "codequality", Write: CodeQuality},
		{Name: "junit", Write: JUnit},
		{Name: "diff", Compares: true, Write: func(w io.Writer, _ *finding.Result, opt Options) error {
			return DiffMarkdown(w, opt.Changes, DiffOptions{Bytes: opt.Bytes})
		}},
	}
}

// SurfaceNames lists the names of those that can be written, with or without a base.
func SurfaceNames(compares bool) []string {
	var out []string
	for _, s := range Surfaces() {
		if compares || !s.Compares {
			out = append(out, s.Name)
		}
	}
	return out
}

// SurfaceOf is the surface of a name; false where there is none.
func SurfaceOf(name string) (Surface, bool) {
	all := Surfaces()
	i := slices.IndexFunc(all, func(s Surface) bool { return s.Name == name })
	if i < 0 {
		return Surface{}, false
	}
	return all[i], true
}

func writeComment(w io.Writer, r *finding.Result, opt Options) error {
	_, err := io.WriteString(w, Comment(r, opt))
	return err
}
