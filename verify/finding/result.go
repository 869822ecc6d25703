package finding

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

// Result is what a run found and what it covered: the JSON contract, except for notes, which get words there. Readers
// tolerate unknown fields; writers never remove one.
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
	Assumptions   []Note          `json:"-"` // [report] has the words
	Waived        []Waived        `json:"waived"`
	// Forecasts are the effects of the change on workloads, slice by slice, as far as they are known.
	Forecasts []Forecast `json:"forecasts,omitempty"`
	// Notices are said on every surface: a policy changed in this pull request, an
	// expired waiver, a release that was skipped.
	Notices []Note `json:"-"`
	// Baseline is nil where none was given.
	Baseline *Baseline `json:"baseline,omitempty"`
	// Shard is "i/n" where only that part of the searches was run: no verdict of the whole.
	Shard string `json:"shard,omitempty"`
	// Gate is that of the policy that a part was checked with, base's, for who judges the whole; nil elsewhere.
	Gate *Gate `json:"gate,omitempty"`

	// Scopes are the policies of folders that releases of the result have; their gates come before that of the root.
	Scopes []ScopeResult `json:"scopes,omitempty"`

	Unused   bool `json:"-"` // the change touches files that no release is made of, and not values alone
	Narrowed bool `json:"-"` // to paths that somebody named
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
	// Unmodeled says that no model runs its kind: it is inconclusive whatever the budget, and does not affect
	// the verdict of others.
	Unmodeled bool `json:"unmodeled,omitempty"`
	// Fields that changed, noise left out; values are redacted where secret.
	Fields []FieldChange `json:"fields,omitempty"`
	Slice  []string      `json:"slice,omitempty"` // IDs of the objects verified with it
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
	// Swarmed are random runs at the declared size of slices that were not searched to the end there: they may find a
	// violation, and prove nothing by not
	Swarmed []Swarmed `json:"swarm,omitempty"`
	// Rules says at which size each rule that says something was verified, in report order.
	Rules []RuleCoverage `json:"rules,omitempty"`
	// Certified are the workloads whose rollout was proved for any number of nodes and replicas, where that was asked for.
	Certified []Certified `json:"certified,omitempty"`
}

// Certified is a Deployment of which it is proved that its rollout ends, and keeps ready what it promises, on any
// number of nodes and with any number of replicas.
type Certified struct {
	Workload       string `json:"workload"`
	MaxSurge       string `json:"maxSurge"` // as declared or defaulted: "1", "25%"
	MaxUnavailable string `json:"maxUnavailable"`
}

// Swarmed is the outcome of random runs.
type Swarmed struct {
	Nodes int    `json:"nodes"` // of the declared size
	Pods  int    `json:"pods"`
	Steps uint64 `json:"steps"`
	Found int    `json:"found"` // violations of rules that no search had found violated
}

// RuleCoverage is the size at which a rule was verified: of several slices, the most pods and nodes of any one, and
// what holds of all.
type RuleCoverage struct {
	Rule       string `json:"id"`
	Pods       int    `json:"pods"`
	Nodes      int    `json:"nodes"`
	AsDeclared bool   `json:"asDeclared"` // with the declared number of pods
	Bound      string `json:"bound"`      // complete, time, memory, states
}

// ReleaseResult is how one release was rendered.
type ReleaseResult struct {
	ID   string `json:"id"`
	Kind string `json:"kind"` // helm, kustomize, manifests
	// Status is ok, failed-base, failed-head, skipped, untouched: not rendered, as the change does not reach it;
	// partial: the change may reach a part of it that is unknown; or unclaimed: a workload not known to be applied.
	Status string    `json:"status"`
	Reason string    `json:"reason,omitempty"`
	Remedy string    `json:"remedy,omitempty"`
	Where  *Location `json:"location,omitempty"`
	// Cluster is where it goes, as the object that declares it says.
	Cluster string `json:"cluster,omitempty"`
	Objects int    `json:"objects"`
	Changed bool   `json:"changed"` // a file it reads changed
	// Cut says that the time budget ended before it was rendered.
	Cut bool `json:"cut,omitempty"`
	// Before says that the change is not why it has no result.
	Before bool `json:"before,omitempty"`
	// OnBase is the state on base of a release that is missing on head for another reason than the change: absent, as
	// it is new, or renders; empty if base has no result either.
	OnBase string `json:"onBase,omitempty"`
	// Elsewhere says that it can be applied on neither side, and that all that changes of it was analysed with other
	// releases: it hides nothing.
	Elsewhere bool `json:"elsewhere,omitempty"`
	// Selected is why it is a release, and Why is why its workloads were searched or left out:
	// the file that changed, or that none did. Why is empty where there is no base.
	Selected string `json:"selected,omitempty"`
	Why      string `json:"why,omitempty"`
	// Fetched are the charts and bases of other hosts that head's side of it took.
	Fetched []Fetched `json:"fetched,omitempty"`
	// Unknown are the parts that it was rendered without, on either side.
	Unknown []Unread `json:"unknown,omitempty"`
}

// Unread is a part of a release that is unknown.
type Unread struct {
	Kind   string    `json:"kind"` // remote, program, missing, dependent
	What   string    `json:"what"`
	Where  *Location `json:"location,omitempty"`
	Remedy string    `json:"remedy"`
	// Differs says that it is not the same on both sides.
	Differs bool `json:"differs,omitempty"`
}

// Fetched is one thing that a release took from another host.
type Fetched struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	From    string `json:"from"`             // address, without credentials
	Digest  string `json:"digest,omitempty"` // "sha256:…" of a chart's archive, or "git:" and a commit
}

// Waived is a finding that a waiver covers, of base's policy or beside base's object.
type Waived struct {
	Finding Finding `json:"finding"`
	Reason  string  `json:"reason"`
	Owner   string  `json:"owner"`
	Expires string  `json:"expires"`
	// Where is the annotation; nil for a waiver of the policy.
	Where *Location `json:"location,omitempty"`
}

// Baseline is what a run made of a baseline file.
type Baseline struct {
	File    string  `json:"file"`
	Entries int     `json:"entries"`
	Stale   []Stale `json:"stale"` // that no longer occur, as far as this run can tell
}

// Stale is an entry of a baseline file that can go.
type Stale struct {
	Fingerprint string `json:"fingerprint"`
	Rule        string `json:"rule"`
	Workload    string `json:"workload"`
	Line        int    `json:"line"` // in the file
}
