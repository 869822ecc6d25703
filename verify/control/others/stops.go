package others

import (
	"slices"

	"github.com/kubesettle/kubesettle/verify/state"
)

// Stops is the declaration of a controller that deletes pods.
func Stops(s *state.Spec, _ int) bool {
	return slices.ContainsFunc(s.Declared, func(d state.Declared) bool { return d.Does == state.DeletePods })
}
