// Package rules holds the rules that a merge must keep, one per file, and their list ([All]). A rule is data plus pure
// predicates over the abstract cluster; it does not know how states are searched, where manifests come from, or that a
// policy file can tune it. A new rule is one file and one line in All.
package rules

import (
	"slices"

	"github.com/kubesettle/kubesettle/verify/state"
)

// Class groups rules as Kivi does, with convergence beside them.
type Class string

const (
	Oscillation Class = "oscillation"
	Topology    Class = "topology"
	Numbers     Class = "numbers"
	Lifecycle   Class = "lifecycle"
	Convergence Class = "convergence"
)

// Severity of a rule or finding. The zero value is invalid.
type Severity string

const (
	Off     Severity = "off"
	Note    Severity = "note"
	Warning Severity = "warning"
	Error   Severity = "error"
)

// Rule is one property that every workload has to keep. IDs are kebab-case and never
// change.
type Rule struct {
	ID    string
	Class Class
	Title string // a clause without a full stop: "a pod can stay pending forever"
	// Severity is that of an inevitable violation by the apply alone or a routine event.
	Severity Severity
	Help     Help
	// Declared is where the user wrote a custom rule; zero for those of [All].
	Declared Declaration
	Scope    *Scope // of a rule of the user's own; nil for those of [All]
	// Running says that the rule speaks of a cluster that has settled once: what an
	// installation on an empty cluster goes through is not judged by it.
	Running bool
	// New gives the rule for workload w of a problem. Its zero Property means that the
	// rule says nothing about this workload.
	New func(c *state.Config, w int) Property
	// Also gives a second side of the rule, which another kind of predicate tells; nil: it
	// has one only.
	Also func(c *state.Config, w int) Property
	// Facets are the properties of the rule's violations that other code asks for; none if it has none of these.
	Facets Facets
	// Blind are the parts of the state that the predicates ignore; the zero value is that they look at everything.
	Blind Blindness
	// Static says that the rule is judged on the objects alone, without a run: New gives the
	// zero Property.
	Static bool
	// Made is what the predicates hold beside the program's own code, such as numbers or the text of an expression;
	// "" for a rule of [All] as it is. Two rules with one ID and equal content judge alike.
	Made     string
	speaksOf func(name string) bool // nil: everything
}

// Content says what the predicates of a rule are, where it speaks of a workload at all; false where only they know.
func (r Rule) Content() (string, bool) {
	return r.ID + "\n" + r.Made, r.Made != "" || slices.ContainsFunc(All(), func(o Rule) bool { return o.ID == r.ID })
}

// Blindness is what of a state the predicates of a rule do not look at: two states that differ only in it are judged
// alike, and so are two steps that lead from one to another. For whoever wants to search one of them only.
type Blindness uint8

const (
	// BlindToStarts: which of a revision's pods have started, of as many on each node and as many in all, if none is
	// taken away before the others have started. At rest that holds only of a bad revision, in which no pod starts.
	BlindToStarts Blindness = 1 << iota
	// BlindToStops: of which of two revisions, whose pods hold the same, the pods on deletion on a node are.
	BlindToStops
	// BlindToPlace: on which nodes the workload's pods are, and what becomes of other workloads, where nodes stay as they
	// are and no pod preempts another. A step that leaves the workload's own numbers as they are is then no bad one.
	BlindToPlace
)

// Properties gives the sides of the rule for workload w of a problem, those that say
// nothing of it included.
func (r Rule) Properties(c *state.Config, w int) []Property {
	out := []Property{r.New(c, w)}
	if r.Also != nil {
		out = append(out, r.Also(c, w))
	}
	return out
}

// Where limits the rule to a property's statement about a workload.
func (r Rule) Where(is func(Property) bool) Rule {
	only := func(side func(c *state.Config, w int) Property) func(c *state.Config, w int) Property {
		if side == nil {
			return nil
		}
		return func(c *state.Config, w int) Property {
			if p := side(c, w); is(p) {
				return p
			}
			return Property{}
		}
	}
	r.New, r.Also = only(r.New), only(r.Also)
	return r
}

// Declaration is a place in the policy file.
type Declaration struct {
	File string // as given; "" for none
	Line int    // from 1
}

// Concerns reports whether the rule, as it is tuned, speaks of an object, by "namespace/name".
func (r Rule) Concerns(name string) bool { return r.speaksOf == nil || r.speaksOf(name) }

// Help is what `kubesettle explain` and the SARIF rule show, in Markdown.
type Help struct {
	Real string // is it real? Which cases are reported, which are not, and how to see it in one's own cluster
	Bad  string // how bad is it?
	Now  string // what now?
	// Sources are public addresses: documentation, issues, papers.
	Sources []string
}

// Property is a rule applied to one workload. At most one predicate is set; their
// meaning is that of the search's rules.
type Property struct {
	Bad       func(s state.State) bool
	BadStep   func(from, to state.State) bool
	Quiescent func(s state.State) bool
	Persists  func(s state.State) bool
	Settles   func(s state.State) bool
	Recurs    func(from, to state.State) bool
	// Mended reports whether, in a state after a BadStep or a Bad state, the damage of the step is repaired, given the
	// state before that step. It is no predicate of the rule.
	Mended func(before, s state.State) bool
	// Unsure says of the state that a violation ends in that it rests on something that no
	// manifest says, so that it is not inevitable; nil: never.
	Unsure func(s state.State) bool
	// Wish says that the manifests prefer it only: a violation counts where every fair
	// run ends in one, and is one severity lower.
	Wish bool
	// Soft says that the manifests require nothing of it: a violation is a warning at most. It never decides a verdict,
	// and so it is searched once all else is.
	Soft bool
	// Mild says that a violation is a warning at most, and a note where it takes an event beside the apply.
	Mild bool
	// Message words a violation from its last state (for a cycle: the state it starts
	// in). One sentence without a full stop that stands alone.
	Message func(s state.State) string
	// Which names the demand that a state breaks of the several that a manifest may make; nil: there is one.
	Which func(s state.State) string
	// Fields names the manifest fields the property rests on, most telling first, as
	// "Kind:path", e.g. "HorizontalPodAutoscaler:spec.minReplicas"; the kind "Workload" is
	// that of any workload.
	Fields []string
	// Err is the error that kept the property from being evaluated in some state; nil: it cannot fail. After an error
	// the property is unknown.
	Err func() error
	// Rest takes a function that reports whether no control loop and no kubelet has anything
	// left to do in a state; nil: the property does not ask.
	Rest func(func(state.State) bool)
}

// IsZero reports whether the property has no predicate: its rule says nothing of the workload.
func (p Property) IsZero() bool {
	return p.Bad == nil && p.BadStep == nil && p.Quiescent == nil && p.Persists == nil &&
		p.Settles == nil && p.Recurs == nil
}

// All lists the rules in report order.
func All() []Rule {
	return []Rule{
		unschedulable,
		neverReplaced,
		rolloutStuck,
		replicasReset,
		belowFloor,
		drainBlocked,
		runawayScale,
		singleDomain,
		spreadViolated,
		replicaOscillation,
		preemptionCascade,
		evictionLoop,
		nodeChurn,
		crashLoop,
		applyRejected,
		neverSettles,
		cannotRevert,
		danglingTarget,
		missingConfig,
		staleConfig,
		serviceGap,
		unreachable,
		cutOffControl,
		applyStuck,
		deletedOnTheWay,
		noLongerDeployed,
		noEffect,
	}
}
