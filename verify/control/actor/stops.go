package actor

import "github.com/kubesettle/kubesettle/verify/state"

// NoStops implements [state.WatchesStops] for an actor that never tells a pod on deletion from one that is gone, and
// puts none on deletion but as a controller that scales down; see [state.WatchesStops].
func NoStops(*state.Spec, int) bool { return false }
