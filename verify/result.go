// Package verify composes changes, actors, rules and topologies into searches and
// gives the verdict. It knows neither how objects were rendered nor how a verdict is
// shown.
package verify

// SchemaVersion of [Result].
const SchemaVersion = "1"

// Verdict of a result, a workload or a release. The zero value is invalid.
type Verdict string

const (
	Pass         Verdict = "pass"
	Fail         Verdict = "fail"
	Inconclusive Verdict = "inconclusive"
	Errored      Verdict = "error" // could not analyse
)

// Status of a finding against the base revision.
type Status string

const (
	New      Status = "new"      // base does not break the rule for the object
	Worsened Status = "worsened" // base does, but not there, not as easily or not as surely
	Existing Status = "existing"
	Fixed    Status = "fixed"
)

// Result is what a run found and what it covered: the JSON contract. Readers tolerate
// unknown fields; writers never remove one.
type Result struct {
	SchemaVersion string          `json:"schemaVersion"`
	Tool          string          `json:"tool"` // "kubesettle VERSION"
	Verdict       Verdict         `json:"verdict"`
	Base          Side            `json:"base"`
	Head          Side            `json:"head"`
	Workloads     []Workload      `json:"workloads"`
	Findings      []Finding       `json:"findings"`
	Coverage      Coverage        `json:"coverage"`
	Releases      []ReleaseResult `json:"releases"`
	Assumptions   []string        `json:"assumptions"`
	Waived        []Waived        `json:"waived"`
	// Notices are said on every surface: a policy changed in this pull request, an
	// expired waiver, a release that was skipped.
	Notices []string `json:"notices"`
	// Shard is "i/n" where only that part of the searches was run: no verdict of the whole.
	Shard string `json:"shard,omitempty"`
}

// Side names one revision.
type Side struct {
	Name   string `json:"name"`   // as the user gave it; "" for a side that does not exist
	Commit string `json:"commit"` // full hash, or "" for a directory
}

// Workload is one workload of the change set.
type Workload struct {
	ID      string  `json:"id"` // "apps/Deployment default/web"
	Release string  `json:"release"`
	Change  string  `json:"change"` // added, removed, modified, unchanged
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason,omitempty"` // why inconclusive or error, or why it was selected
	// Fields that changed, noise left out; values are redacted where secret.
	Fields []FieldChange `json:"fields,omitempty"`
	Slice  []string      `json:"slice,omitempty"` // IDs of the objects verified with it
}

// FieldChange is one changed field of an object.
type FieldChange struct {
	Path     string    `json:"path"`
	Old      string    `json:"old"` // JSON, redacted where secret; "" where absent
	New      string    `json:"new"`
	Location *Location `json:"location,omitempty"`
}

// Location is a region of a file of the head revision (of base, for what only base
// has), repo-relative with slashes; lines and columns count from 1.
type Location struct {
	File        string `json:"file"`
	StartLine   int    `json:"startLine"`
	StartColumn int    `json:"startColumn"`
	EndLine     int    `json:"endLine"`
	EndColumn   int    `json:"endColumn"`
	InDiff      bool   `json:"inDiff"` // the change added or edited these lines
	Side        string `json:"side"`   // "head" or "base"
	// Attribution is the rung of the ladder the location stands on: "value", "patch",
	// "node" (plain YAML), "template", "release", "file", "policy" (an intent of the user's own).
	Attribution string `json:"attribution,omitempty"`
	Field       string `json:"field,omitempty"`
}

// Finding is a violation as the user sees it.
type Finding struct {
	Rule      string `json:"rule"`
	Class     string `json:"class"`
	Severity  string `json:"severity"` // error, warning, note
	Status    Status `json:"status"`
	Certainty string `json:"certainty"` // inevitable, possible
	Scenario  string `json:"scenario"`  // change, steady, install, revert
	Timing    string `json:"timing"`    // realistic, arbitrary
	Workload  string `json:"workload"`
	Release   string `json:"release"`
	// AlsoIn lists other releases in which the same finding stands.
	AlsoIn          []string `json:"alsoIn,omitempty"`
	Message         string   `json:"message"`
	Scale           Scale    `json:"scale"`
	AtDeclaredScale bool     `json:"atDeclaredScale"`
	// Reduced is set where the replicas are too many to be explored as declared.
	Reduced      *ReducedScale `json:"reducedScale,omitempty"`
	Events       []string      `json:"events"`
	CycleStart   *int          `json:"cycleStart"` // index into Interleaving, or null
	Interleaving []Step        `json:"interleaving"`
	Locations    []Location    `json:"locations"` // the first one is the primary location
	Blame        []Blame       `json:"blame"`
	// Changed is the change of the first edited location; nil where there is none, or where
	// its lines may hold a secret.
	Changed     *Hunk  `json:"changed,omitempty"`
	Fix         *Fix   `json:"fix"`
	Fingerprint string `json:"fingerprint"`
	// Recovers tells what is wrong in the middle of a run from what is wrong at its end:
	// true where every fair run mends it by itself with no further event, false where some
	// does not. It is set for rules on a single step, where the budget lasted to tell.
	Recovers *bool `json:"recovers,omitempty"`
	// ConfirmedBy names the replay on a real control plane that showed a finding of the
	// same [Finding.Shape]; "" where there is none on record.
	ConfirmedBy string `json:"confirmedBy,omitempty"`
}

// Scale is the size at which a finding shows.
type Scale struct {
	Nodes   int            `json:"nodes"`
	Pods    int            `json:"pods"` // most pods at once on the counterexample
	Classes map[string]int `json:"classes"`
}

// Step is one step of an interleaving.
type Step struct {
	Actor   string    `json:"actor"`
	Class   string    `json:"class"` // sync, kubelet, periodic, event
	Action  string    `json:"action"`
	Object  string    `json:"object"`
	Text    string    `json:"text"`
	Because []Because `json:"because"`
	// After is the cluster after the step, for surfaces that draw it.
	After *Snapshot `json:"after,omitempty"`
}

// Because is a declaration that allows or forces a step.
type Because struct {
	File  string `json:"file"`
	Line  int    `json:"line"`
	Field string `json:"field"`
}

// Snapshot is a cluster between two steps.
type Snapshot struct {
	Nodes     []NodeSnapshot     `json:"nodes"`
	Pending   []PodsSnapshot     `json:"pending,omitempty"` // pods without a node
	Workloads []WorkloadSnapshot `json:"workloads"`
}

// NodeSnapshot is one node.
type NodeSnapshot struct {
	Name  string         `json:"name"`
	Class string         `json:"class"`
	Zone  string         `json:"zone,omitempty"`
	Pods  []PodsSnapshot `json:"pods,omitempty"`
}

// PodsSnapshot counts like pods.
type PodsSnapshot struct {
	Workload string `json:"workload"`
	Revision string `json:"revision"` // old, new, or "" where there is only one
	Phase    string `json:"phase"`    // pending, starting, ready, terminating
	Count    int    `json:"count"`
}

// WorkloadSnapshot is one workload.
type WorkloadSnapshot struct {
	Workload string `json:"workload"`
	Replicas int    `json:"replicas"` // live spec.replicas
	Ready    int    `json:"ready"`
	Load     string `json:"load,omitempty"`
}

// Blame is a changed field that the violation rests on.
type Blame struct {
	Object string `json:"object"`
	// Path is "" where the whole object came (Location is on head) or went (on base).
	Path     string    `json:"path"`
	Old      string    `json:"old"`
	New      string    `json:"new"`
	Location *Location `json:"location,omitempty"`
}

// Fix is a change that was verified to mend the finding, or is known to.
type Fix struct {
	Text     string    `json:"text"` // what to do, as an order
	Location *Location `json:"location,omitempty"`
	// Replacement is text to write at Location, in whole lines that end in newlines.
	Replacement string `json:"replacement,omitempty"`
	// Mechanical says that Replacement takes the place of exactly the lines of Location on
	// head; "" takes them out. Head was rendered and searched again with it.
	Mechanical bool `json:"mechanical,omitempty"`
	Verified   bool `json:"verified"`
	// Diff is a mechanical fix as a diff shows it; nil where its lines may hold a secret.
	Diff *Hunk `json:"diff,omitempty"`
}

// Hunk is what a change makes of some lines of a file. Each side is cut after a few lines,
// and before one that may hold a secret.
type Hunk struct {
	File    string   `json:"file"`
	Line    int      `json:"line"` // of the first one: on head, or on base where only lines went
	Removed []string `json:"removed,omitempty"`
	Added   []string `json:"added,omitempty"`
}

// Coverage says what was explored. "Holds" means: within these.
type Coverage struct {
	Topologies  int    `json:"topologies"`
	States      uint64 `json:"states"`
	Transitions uint64 `json:"transitions"`
	MaxNodes    int    `json:"maxNodes"`
	MaxPods     int    `json:"maxPods"`
	MaxEvents   int    `json:"maxEvents"`
	ElapsedMs   int64  `json:"elapsedMs"`
	Bound       string `json:"bound"` // complete, time, memory, states
	// Reduced lists workloads that were verified with fewer pods than declared.
	Reduced []ReducedCount `json:"reducedScale,omitempty"`
}

// ReleaseResult is how one release was rendered.
type ReleaseResult struct {
	ID      string    `json:"id"`
	Kind    string    `json:"kind"`   // helm, kustomize, manifests
	Status  string    `json:"status"` // ok, failed-base, failed-head, skipped, untouched (not rendered: the change does not reach it)
	Reason  string    `json:"reason,omitempty"`
	Remedy  string    `json:"remedy,omitempty"`
	Where   *Location `json:"location,omitempty"`
	Objects int       `json:"objects"`
	Changed bool      `json:"changed"` // a file it reads changed
	// Cut says that the time budget ended before it was rendered.
	Cut bool `json:"cut,omitempty"`
	// Before says that the change is not why it has no result: base has none either.
	Before bool `json:"before,omitempty"`
	// Selected is why it is a release, and Why is why its workloads were searched or left out:
	// the file that changed, or that none did. Why is empty where there is no base.
	Selected string `json:"selected,omitempty"`
	Why      string `json:"why,omitempty"`
	// Fetched are the charts and bases of other hosts that head's side of it took.
	Fetched []Fetched `json:"fetched,omitempty"`
}

// Fetched is one thing that a release took from another host.
type Fetched struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	From    string `json:"from"`             // address, without credentials
	Digest  string `json:"digest,omitempty"` // "sha256:…" of a chart's archive, or "git:" and a commit
}

// Waived is a finding that a waiver of the base policy covers.
type Waived struct {
	Finding Finding `json:"finding"`
	Reason  string  `json:"reason"`
	Owner   string  `json:"owner"`
	Expires string  `json:"expires"`
}
