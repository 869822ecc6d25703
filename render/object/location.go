package object

// Location is a region of a file; lines and columns count from 1, the end is
// exclusive in its column, as SARIF has it.
type Location struct {
	File                                       string
	StartLine, StartColumn, EndLine, EndColumn int
	// Rung of the attribution ladder: "value", "patch", "node", "template", "release", "file".
	Rung string
}

// FileStart is a file as a whole.
func FileStart(file string) Location { return LineOf(file, 1, "file") }

// LineOf is the whole of one line, without its length known: its first column.
func LineOf(file string, line int, rung string) Location {
	line = max(line, 1)
	return Location{File: file, StartLine: line, StartColumn: 1, EndLine: line, EndColumn: 2, Rung: rung}
}

// Failure says why a release did not render, where, and what to do.
type Failure struct {
	Skipped bool // not an error of the manifests: a dependency that is not vendored, a remote base
	// Refused says that it is skipped on purpose: a program, or a refused address.
	Refused bool `json:",omitempty"`
	// Missing says that it is skipped for a file that something else writes before the build: the rest is all here.
	Missing bool `json:",omitempty"`
	// Cut says that the time ended before it was rendered. That depends on how fast the machine is, so neither side is
	// at fault.
	Cut    bool `json:",omitempty"`
	Reason string
	Where  Location
	Remedy string
}

func (f *Failure) Error() string { return f.Reason }
