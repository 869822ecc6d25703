package rules

import (
	"fmt"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/verify/state"
)

// cannotRevert says that base, applied again where head has settled or is stuck, is reached
// again: ◇□(all pods are base's, and as many run as are wanted).
//
// Intent: whatever a merge breaks, the revert repairs.
// Class: liveness; the counterexample ends quiescent, or in a loop, short of base.
// Assumes: nothing happens but the apply and the revert; base reaches its replicas by itself, and
// completes a rollout that changes only its pods.
// Does not say: that an autoscaler comes back to the count it had.
var cannotRevert = Rule{
	ID:       CannotRevert,
	Class:    Convergence,
	Title:    "reverting the change does not bring base back",
	Severity: Warning,
	Facets:   Stuck | Unreverted,
	Blind:    BlindToStarts | BlindToStops | BlindToPlace,
	Help: Help{
		Real: `After the change has settled or is stuck, base is applied again, and the API server refuses it (a
claim's size only grows), or a fair run does not end with base's pods. Check:
` + "`kubectl apply --dry-run=server`" + ` with base.`,
		Bad: `The change may be fine. If not, ` + "`git revert`" + ` and ` + "`helm rollback`" + ` do not help.`,
		Now: `Split off the irreversible part, and write down the steps of a revert. If the change's pods keep
base's out, change the strategy first.`,
		Sources: []string{
			"https://kubernetes.io/docs/concepts/storage/persistent-volumes/#expanding-persistent-volumes-claims",
			"https://kubernetes.io/docs/concepts/configuration/configmap/#configmap-immutable",
			"https://github.com/kubernetes/kubernetes/issues/67250",
		},
	},
	New: func(c *state.Config, w int) Property {
		m := &c.Spec.Workloads[w].Manifests[state.Base]
		if !c.Spec.Events.Revert || !m.Exists() || m.Kind().Ends() || m.Paused() {
			return Property{}
		}
		return Property{
			Persists: func(s state.State) bool {
				return s.Version() == state.Base && s.Get(c.Reverts) == 0 && !Restored(s, w)
			},
			Message: func(s state.State) string {
				return fmt.Sprintf("reverting the change does not bring %s back: %d of %s %s of the reverted revision and available",
					FullName(c, w), restoredPods(s, w), outOf(s, w), english.PluralWord(restoredPods(s, w), "is", "are"))
			},
			Fields: append(append(strategyFields(m), PlacementFields(m)...), sizeFields(c, w)...),
		}
	},
}

// Restored reports whether all pods of workload w are of the applied revision, and as many of
// them available as are wanted.
func Restored(s state.State, w int) bool {
	if !s.Manifest(w).Exists() {
		return true
	}
	return !rolling(s, w) && pendingOf(s, w) == 0 && waiting(s, w) == 0 && s.AvailableOf(w) >= s.Replicas(w)
}

func restoredPods(s state.State, w int) int { return newestPods(s, w, s.AvailablePods) }
