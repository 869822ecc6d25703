package descheduler

import "github.com/kubesettle/kubesettle/verify/state"

// Stops is the descheduler's declaration: it evicts, and counts what it has evicted itself.
func Stops(s *state.Spec, _ int) bool { return s.Descheduler != nil }
