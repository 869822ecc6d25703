package descheduler

import "github.com/kubesettle/kubesettle/verify/state"

// Stops implements [state.WatchesStops]: the descheduler looks at them as it evicts, and counts its own evictions.
func Stops(s *state.Spec, _ int) bool { return s.Descheduler != nil }
