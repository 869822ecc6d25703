package admission

import "github.com/kubesettle/kubesettle/verify/state"

// Stops implements [state.WatchesStops]: a server that stops still answers.
func Stops(s *state.Spec, _ int) bool { return len(s.Admission.Webhooks) > 0 }
