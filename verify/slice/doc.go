// Package slice says what belongs together: which workloads of a release have to be
// searched in one cluster, and what stands beside them.
//
// A [Slice] is the cone of influence of one or more changed workloads: they, what targets
// them (autoscalers, budgets, claims, quotas, webhooks, Services), and, as a transitive
// closure, every workload whose placement rules look at their pods or whose pods their
// rules look at. What each kind adds stands in a file of its own: quota.go, storage.go,
// admission.go, priority.go, daemons.go, keda.go, vpa.go; what makes two workloads
// neighbours is in influence.go.
//
// Beside a slice run the controllers: those that the policy names (beside.go), and those
// whose configuration stands in the repository (found.go, karpenter.go, autoscaler.go),
// on each side as that side has it. Where no cluster is declared, invent.go gives every
// pod a node that fits.
//
// What is left out of a slice is an assumption of the result; it is said by foreign.go
// and by the notes of the slice. Nothing here is searched, and nothing is judged.
package slice
