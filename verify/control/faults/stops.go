package faults

import "github.com/kubesettle/kubesettle/verify/state"

// FailureStops implements [state.WatchesStops]: pods of a node that is down stay on deletion until it is back.
func FailureStops(s *state.Spec, _ int) bool { return s.Events.NodeFailure > 0 }

// PanicStops implements [state.WatchesStops]: a node goes down under load, and loses its pods on deletion.
func PanicStops(s *state.Spec, _ int) bool { return s.Events.NodePanic > 0 }

// SpotStops implements [state.WatchesStops]: the pods of a node that is reclaimed are deleted.
func SpotStops(s *state.Spec, _ int) bool { return s.Events.SpotReclaim > 0 }

// CrashStops implements [state.WatchesStops]: a rule tells crashes from deletions.
func CrashStops(s *state.Spec, _ int) bool { return s.Events.PodCrash > 0 }

// RestartStops implements [state.WatchesStops]: a controller that stops between two writes leaves some of the pods that
// it was to delete.
func RestartStops(s *state.Spec, _ int) bool { return s.Events.ManagerRestart > 0 }

// LagStops implements [state.WatchesStops]: a loop that is behind may delete a pod twice, and recognizes it by being on
// deletion.
func LagStops(s *state.Spec, _ int) bool { return s.Events.StaleWrites > 0 }
