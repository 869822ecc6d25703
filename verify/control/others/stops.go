package others

import (
	"slices"

	"github.com/kubesettle/kubesettle/verify/state"
)

// Stops implements [state.WatchesStops] for a controller that deletes pods.
func Stops(s *state.Spec, _ int) bool {
	return slices.ContainsFunc(s.Declared, func(d state.Declared) bool { return d.Does == state.DeletePods })
}
