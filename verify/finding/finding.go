package finding

// Status of a finding against the base revision.
type Status string

const (
	New      Status = "new"      // base does not break the rule for the object
	Worsened Status = "worsened" // base does, but not there, not as easily or not as surely
	Existing Status = "existing"
	Fixed    Status = "fixed"
)

// Stands is the status as far as causes go: new and worsened alike.
func (f *Finding) Stands() Status {
	if f.Status == Worsened {
		return New
	}
	return f.Status
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

// Condition is an undeclared fact that a finding rests on.
type Condition struct {
	While   string `json:"while"`   // such as "at most 3 nodes fit"
	Declare string `json:"declare"` // where it can be declared; "": nowhere
}

// Finding is a violation as the user sees it.
type Finding struct {
	Rule      string    `json:"rule"`
	Class     string    `json:"class"`
	Severity  string    `json:"severity"` // error, warning, note
	Status    Status    `json:"status"`
	Certainty Certainty `json:"certainty"`
	Scenario  string    `json:"scenario"` // change, steady, install, revert
	Timing    string    `json:"timing"`   // realistic, arbitrary, crash, stale, "crash and stale"
	// Start is "live" where the run starts from the cluster as a snapshot shows it; "" from a state
	// that base settles in.
	Start    string `json:"start,omitempty"`
	Workload string `json:"workload"`
	Release  string `json:"release"`
	// AlsoIn lists other releases in which the same finding stands.
	AlsoIn []string `json:"alsoIn,omitempty"`
	// Clusters are those that these releases go to, where the releases of the result go to several.
	Clusters []string `json:"clusters,omitempty"`
	// NoBaseline says that base did not render: whether it has the finding too is not known.
	NoBaseline bool `json:"noBaseline,omitempty"`
	// Unrendered says that it is about a release that head does not render.
	Unrendered bool   `json:"unrendered,omitempty"`
	Message    string `json:"message"`
	// Holds names the clusters that it holds for, if this depends on undeclared facts; the message ends in the same
	// words.
	Holds           []Condition `json:"holds,omitempty"`
	Scale           Scale       `json:"scale"`
	AtDeclaredScale bool        `json:"atDeclaredScale"`
	// Reduced is set where the replicas are too many to be explored as declared.
	Reduced      *ReducedScale `json:"reducedScale,omitempty"`
	Events       []string      `json:"events"`
	CycleStart   *int          `json:"cycleStart"` // index into Interleaving, or null
	Interleaving []Step        `json:"interleaving"`
	// Decisive is the index into Interleaving of the step that decides: from before it some run with the same events ends
	// well, from after it none does. nil: there is none, or it is not known.
	Decisive *int `json:"decisive,omitempty"`
	// Lucky is a run that ends well, from before the decisive step on, with the same events.
	Lucky []Step `json:"lucky,omitempty"`
	// Hopeless says that no order of the steps ends well.
	Hopeless  bool       `json:"noOrderEndsWell,omitempty"`
	Locations []Location `json:"locations"` // the first one is the primary location
	Blame     []Blame    `json:"blame"`
	// Changed is the change of the first edited location; nil where there is none, or where
	// its lines may hold a secret.
	Changed *Hunk `json:"changed,omitempty"`
	Fix     *Fix  `json:"fix"`
	// OtherFix is the next best one; nil where there is none.
	OtherFix *Fix `json:"otherFix,omitempty"`
	// Untried is how many fixes were not searched to an end for want of states: whether they cure it is not known.
	Untried     int    `json:"untriedFixes,omitempty"`
	Fingerprint string `json:"fingerprint"`
	// Cause is the fingerprint of the gravest finding of the same root cause, its own included; "" where it is the
	// only one.
	Cause string `json:"cause,omitempty"`
	// Hits lists, on the gravest finding of a root cause, the others.
	Hits []Hit `json:"hits,omitempty"`
	// Standing is the fingerprint of the same finding where there is no base to change from.
	Standing string `json:"-"`
	// Baselined says that the baseline file has it: it does not gate.
	Baselined bool `json:"baselined,omitempty"`
	// Recovers distinguishes damage in the middle of a run from damage at its end: true if every fair run repairs it
	// without a further event, false if some run does not. It is set for rules on a single step and custom ones on
	// states, if the budget lasted to decide it.
	Recovers *bool `json:"recovers,omitempty"`
	// FoundBy is "runs" where one of many random runs found it, as the search at the declared size did not
	// come to its end: another may be shorter, or show that it is inevitable; "" otherwise.
	FoundBy string `json:"foundBy,omitempty"`
	// ConfirmedBy names the replay on a real control plane that showed a finding of the
	// same shape (judge.Shape); "" where there is none on record.
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
	// After is the cluster after the step, for surfaces that draw it; nil in the middle of long runs, see [Thin].
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
	Budgets   []BudgetSnapshot   `json:"budgets,omitempty"`
	Quotas    []QuotaSnapshot    `json:"quotas,omitempty"`
	Claims    []ClaimSnapshot    `json:"claims,omitempty"`
	Services  []ServiceSnapshot  `json:"services,omitempty"`
}

// BudgetSnapshot is the status of a PodDisruptionBudget, in pods.
type BudgetSnapshot struct {
	Name    string `json:"name"`
	Allowed int    `json:"allowed"` // evictions
	Needed  int    `json:"needed"`
	Healthy int    `json:"healthy"`
}

// QuotaSnapshot is one resource of a ResourceQuota, in thousandths of its unit.
type QuotaSnapshot struct {
	Name     string `json:"name"`
	Resource string `json:"resource"`
	Used     int64  `json:"used"`
	Hard     int64  `json:"hard"`
}

// ClaimSnapshot is a PersistentVolumeClaim whose volume is attached to a node.
type ClaimSnapshot struct {
	Name string `json:"name"`
	Node string `json:"node"`
}

// ServiceSnapshot is a Service and how many ready pods of the workloads shown are behind it.
type ServiceSnapshot struct {
	Name      string `json:"name"`
	Endpoints int    `json:"endpoints"`
}

// NodeSnapshot is one node.
type NodeSnapshot struct {
	Name  string `json:"name"`
	Class string `json:"class"`
	Zone  string `json:"zone,omitempty"`
	// Cordoned says that no pod is placed there, and Condition is its further state: draining, down, to be removed, or a
	// pressure.
	Cordoned  bool           `json:"cordoned,omitempty"`
	Condition string         `json:"condition,omitempty"`
	Taints    []string       `json:"taints,omitempty"` // of its pool, "key=value:effect"
	Pods      []PodsSnapshot `json:"pods,omitempty"`
}

// PodsSnapshot counts like pods.
type PodsSnapshot struct {
	Workload string `json:"workload"`
	Revision string `json:"revision"` // old, new, or "" where there is only one
	Phase    string `json:"phase"`    // pending, starting, ready, terminating
	Count    int    `json:"count"`
	// Failing says that their revision is bad: they never become ready.
	Failing bool `json:"failing,omitempty"`
}

// WorkloadSnapshot is one workload.
type WorkloadSnapshot struct {
	Workload string `json:"workload"`
	Replicas int    `json:"replicas"` // live spec.replicas
	Ready    int    `json:"ready"`
	Load     string `json:"load,omitempty"`
	// Sets are its ReplicaSets, where it has some.
	Sets []SetSnapshot `json:"sets,omitempty"`
	// Autoscaler is what its HorizontalPodAutoscaler holds; nil: it has none.
	Autoscaler *AutoscalerSnapshot `json:"autoscaler,omitempty"`
	// Waiting is how many pods wait for a volume on their node.
	Waiting int `json:"waiting,omitempty"`
}

// SetSnapshot is a ReplicaSet's spec.replicas.
type SetSnapshot struct {
	Revision string `json:"revision"`
	Size     int    `json:"size"`
}

// AutoscalerSnapshot is an autoscaler's bounds and what it recommends.
type AutoscalerSnapshot struct {
	Min     int `json:"min"`
	Max     int `json:"max"`
	Desired int `json:"desired"`
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

// Fix is a change that was verified to cure the finding, or is known to.
type Fix struct {
	Text string `json:"text"` // the instruction
	// Cost is its price: "one replica fewer during a rollout"; "" is none, or not known.
	Cost     string    `json:"cost,omitempty"`
	Location *Location `json:"location,omitempty"`
	// Replacement is text to write at Location, in whole lines that end in newlines.
	Replacement string `json:"replacement,omitempty"`
	// Mechanical says that Replacement takes the place of exactly the lines of Location on
	// head; "" takes them out. Head was rendered and searched again with it.
	Mechanical bool `json:"mechanical,omitempty"`
	Verified   bool `json:"verified"`
	// Back says that it takes the change back, or a part of it: the last resort.
	Back bool `json:"back,omitempty"`
	// AlsoChanges are other releases, by ID, that read the file of a mechanical fix and render otherwise with it;
	// MayChange are those not rendered with it. They were not searched again.
	AlsoChanges []string `json:"alsoChanges,omitempty"`
	MayChange   []string `json:"mayChange,omitempty"`
	// Diff is a mechanical fix as a diff shows it; nil where its lines may hold a secret.
	Diff *Hunk `json:"diff,omitempty"`
}

// Hunk is a change to some lines of a file. Each side is cut after a few lines, and before one that may hold a secret.
type Hunk struct {
	File    string   `json:"file"`
	Line    int      `json:"line"` // of the first one: on head, or on base where only lines went
	Removed []string `json:"removed,omitempty"`
	Added   []string `json:"added,omitempty"`
}

// ReducedCount is a workload that was verified with fewer pods than declared; both
// numbers are the most that its manifests ask for.
type ReducedCount struct {
	Workload string `json:"workload"`
	Declared int    `json:"declared"`
	Verified int    `json:"verified"`
}

// Hit is another finding of the same root cause.
type Hit struct {
	Rule     string `json:"rule"`
	Workload string `json:"workload"`
	Release  string `json:"release"`
	Severity string `json:"severity"`
	Status   Status `json:"status"`
}

// ReducedScale says how a finding was found whose replicas are too many to be explored
// as declared.
type ReducedScale struct {
	Counts []ReducedCount `json:"counts"`
	// Lifted says that it was found again with the declared numbers of pods and nodes,
	// in so many Steps.
	Lifted bool `json:"lifted"`
	Steps  int  `json:"steps"`
	// Shown says that the interleaving is that of the reduced scale.
	Shown bool `json:"shown"`
}
