// Package descheduler models the descheduler's balance and deschedule plugins over one cycle, with the DefaultEvictor.
//
// Upstream: sigs.k8s.io/descheduler v0.36.0, pkg/framework/plugins: removeduplicates,
// removepodshavingtoomanyrestarts, removepodsviolatinginterpodantiaffinity, -nodeaffinity, -nodetaints,
// -topologyspreadconstraint, nodeutilization (low and high), podlifetime, defaultevictor; pkg/descheduler/evictions.
//
// A cycle is one step: upstream works through its plugins in seconds and then sleeps for minutes. Evictions ask the API
// server, so budgets hold. It watches running pods and the nodes they are on; pods on deletion are counted as upstream
// counts them, plugin by plugin.
package descheduler
