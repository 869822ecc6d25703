package verify

import (
	"context"
	"time"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/memo"
	"github.com/kubesettle/kubesettle/verify/scenario"
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
	Kept       *memo.Store // what the searches of earlier runs gave; nil: nothing

	// Scopes are the policies of folders, each for releases that no other is for; Policy is for the rest.
	Scopes []Scope
	// PolicyChanges are what the change makes of policies; Policy and those of Scopes are base's, which decide.
	PolicyChanges []PolicyChange

	mine        func(release string) bool // whether Policy is for a release; nil: it is for all
	further     bool                      // another part of the run says what is of no release
	searched    bool                      // objects as they stand are another part's
	states      uint64                    // of one search; 0: searchStates
	calm        bool                      // for comparisons: no runs in drawn orders where a search is cut
	fixing      uint64                    // states for the fixes of one finding; see [judge.Judge.FixStates]
	unlumped    bool                      // for comparisons; see [state.Spec.Unlumped]
	interleaved bool                      // for comparisons; see [state.Spec.Interleaved]
	whole       bool                      // for comparisons; see [scenario.Checker.Whole]
	twice       bool                      // for comparisons; see [scenario.Checker.Twice]
	partStates  uint64                    // for comparisons; see [scenario.Checker.PartStates]
	plain       bool                      // the searches alone, and no fix: a change is tried that may mend a finding
	forgets     bool                      // for comparisons: a search that was made before in this run is made again
	// recall is what the searches of this run gave; nil: nothing yet.
	recall *scenario.Recall
	// watch is shown every counterexample of head and base, told or not; nil: nobody looks.
	watch func(scenario.Violation)
}

// Check verifies what changes between two revisions.
//
// A finding is data; an error means that nothing could be decided.
func Check(ctx context.Context, ch *object.Changes, opt Options) (*Result, error) {
	return check(ctx, ch, opt)
}

// Verify verifies every workload of one revision, in the scenarios install and steady.
func Verify(ctx context.Context, rev *object.Revision, opt Options) (*Result, error) {
	return verifyRevision(ctx, rev, opt)
}

// ExitCode is the gate's: 0 pass, 1 a gating finding, 3 could not analyse, 4
// inconclusive where the policy says fail.
func (r *Result) ExitCode(g policies.Gate) int { return exitCode(r, g) }

// Rules lists the rules in report order, for surfaces that explain them.
func Rules() []rules.Rule { return rules.All() }
