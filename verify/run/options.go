// Package run analyses a change, or a revision, under a policy: it cuts it into slices, has them searched, and
// enters the findings of the searches and of the checks of objects, with fixes. It accepts and gates nothing.
package run

import (
	"time"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/memo"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/static"
)

// Options of a check.
type Options struct {
	Policy     *policies.Policy
	Tool       string        // "kubesettle VERSION", copied to the result
	Rules      []string      // rule IDs to check; empty: all
	TimeBudget time.Duration // wall time of the whole check; 0: none
	Workers    int           // 0: one per processor
	Memory     uint64        // bytes that the program may hold while it searches; 0: [DefaultMemory]
	Shard      scenario.Shard
	Progress   func(scenario.Progress)
	Today      time.Time   // for waivers; the zero time means that none expires
	Kept       *memo.Store // answers of earlier runs; nil: none
	Certify    bool        // list the rollouts that are proved for any number of nodes and replicas

	// Scopes are the policies of folders, each for releases that no other is for; Policy is for the rest.
	Scopes []Scope
	// PolicyChanges are the change's edits of policies; Policy and those of Scopes are base's, which decide.
	PolicyChanges []PolicyChange

	Part
	Compare
}

// Part says which part of a run options are for; the zero value is all of it.
type Part struct {
	Mine      func(release string) bool // whether Policy is for a release; nil: it is for all
	Further   bool                      // another part of the run says what is of no release
	NoRemarks bool                      // objects as they stand are another part's
	Plain     bool                      // the searches alone, and no fix: a change is tried that may cure a finding
	Recall    *scenario.Recall          // answers of this run; nil: none yet
}

// Compare is what tests compare a run with; the zero value changes nothing.
type Compare struct {
	States      uint64                   // of one search; 0: [scenario.SearchStates]
	PartStates  uint64                   // see [scenario.Checker.PartStates]
	FixStates   uint64                   // for the fixes of one finding; see [judge.Judge.FixStates]
	Calm        bool                     // no random runs where a search is cut
	Unlumped    bool                     // see [state.Spec.Unlumped]
	Unreduced   bool                     // see [state.Spec.Unreduced]
	Interleaved bool                     // see [state.Spec.Interleaved]
	Whole       bool                     // see [scenario.Checker.Whole]
	Twice       bool                     // see [scenario.Checker.Twice]
	Unforeseen  bool                     // see [scenario.Checker.Unforeseen]
	Forgets     bool                     // a search that was made before in this run is made again
	Watch       func(scenario.Violation) // is shown every counterexample of head and base, reported or not
	Asked       func(scenario.Likely)    // is shown where the runs begin that a question is about, and the likeliest one
}

// Scope is the policy of a folder, for the releases that stand there. A release has one policy, or, where it moves or
// takes what others had, those of all places, and is judged by each; all that is searched together is of one release.
type Scope struct {
	Policy   *policies.Policy
	Declared finding.Gate // of the file, whatever flags make of it in Policy
	Releases []string     // IDs
}

// PolicyChange is the edit of the policy of some releases.
type PolicyChange struct {
	Base, Head *policies.Policy // with what they name
	Releases   []string         // IDs
	// Added says that base had no policy file, but what stands in for one.
	Added bool
}

// Analysis is one part of a run: the releases under one policy.
type Analysis struct {
	Options Options
	Changes *object.Changes // with what controllers of the policy make
	Result  *finding.Result

	started time.Time
	places  judge.Places
	checker scenario.Checker
	besides *slice.Besides
	around  *slice.Around
	// ties say which releases run in one cluster.
	ties *slice.Neighbours
	// instead is what is there of an object that the API server refuses; nil: nothing.
	instead map[*object.Object]*object.Object
	// anew are the workloads of which no forecast holds, see [static.NotRolled].
	anew   map[string]bool
	models map[string]*actor.Model // of the loops that took part
	// entered are the workloads of the result that byWorkload has the places of.
	entered    [][2]string
	byWorkload map[[2]string][]int
	noted      map[string]bool // assumptions
	mending    []mending       // possible fixes of findings that took no search
	// whole are the slices of which nothing was left out at the declared size: no arithmetic knows better.
	whole map[*slice.Slice]bool
	// broken are the rules that the search of a slice has head break, with the workload of each, told or not.
	broken map[*slice.Slice][]string
	all    bool                                  // everything is checked, and not what changed
	stood  map[string][][3]string                // errors of objects as they stand, by release; filled as it is asked for
	short  map[*slice.Slice][2][]static.Shortage // by slice and version, see [Analysis.addUp]
	tries  bool                                  // a fix is tried: out of time, nothing of it matters
	// deliveries are the releases by ID, and the order in which they are applied; filled as they are asked for.
	deliveries map[string]delivered
}
