package object

// Hole is a part of a release that is unknown, and that the rest is rendered without.
type Hole struct {
	Kind   HoleKind
	What   string // as the release names it, without credentials
	Where  Location
	Reason string // in a sentence's words, with the place before them
	Remedy string // the one thing to do about it
	// Refused says that it is not had on purpose: a program, or a refused address.
	Refused bool `json:",omitempty"`
	// Own is a digest of everything that the repository says of it beside its name: a part with equal ones on both
	// sides is the same.
	Own string `json:",omitempty"`
	// May says that it is unknown whether the part is about one that is unknown. It matters where it differs.
	May bool `json:",omitempty"`
}

// Failure is that of a release that has nothing else.
func (h *Hole) Failure() *Failure {
	return &Failure{Skipped: true, Refused: h.Refused, Reason: h.Reason, Where: h.Where, Remedy: h.Remedy}
}

// HoleKind is why a part is unknown.
type HoleKind string

const (
	Remote  HoleKind = "remote"  // it is on another host, and was not fetched
	Program HoleKind = "program" // a program makes it
	// Missing is a file that neither side has, as something else makes it, or one of which a side has no content:
	// git-crypt encrypts it, or it is in Git LFS.
	Missing   HoleKind = "missing"
	Cluster   HoleKind = "cluster"   // an object in the cluster, or that it is an upgrade, decides it
	Dependent HoleKind = "dependent" // it says something about a part that is unknown
	// Values are values of a chart that only the cluster has, or that are encrypted: they matter where they are not the
	// same on both sides.
	Values HoleKind = "values"
	Random HoleKind = "random" // a draw or the time decides what it is
	// Elsewhere is all of a release that comes from another repository or revision than on base.
	Elsewhere HoleKind = "elsewhere"
)

// Part reports whether it is a part missing from the rendered output.
func (h Hole) Part() bool { return h.Kind != Cluster && h.Kind != Values }

// Same reports whether a part is the same on both sides.
func (h Hole) Same(o Hole) bool { return h.Kind == o.Kind && h.What == o.What && h.Own == o.Own }
