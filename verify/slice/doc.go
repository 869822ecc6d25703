// Package slice says which workloads of a release have to be searched in one cluster, and which other pods run beside
// them.
//
// A [Slice] is the cone of influence of one or more changed workloads: they, what targets
// them (autoscalers, budgets, claims, quotas, webhooks, Services), and, as a transitive
// closure, every workload whose placement rules look at their pods or whose pods their
// rules look at. Each kind is added in a separate file: quota.go, storage.go,
// admission.go, priority.go, daemons.go, keda.go, vpa.go; influence.go says which workloads
// are neighbours, kin.go which of these are in other releases of the cluster.
//
// Beside a slice run the controllers: those that the policy names (beside.go), and those
// whose configuration stands in the repository (found.go, karpenter.go, autoscaler.go),
// on each side as that side has it. Where no cluster is declared, invent.go gives every
// pod a node that fits.
//
// Everything left out of a slice is an assumption of the result, said by foreign.go and the
// notes of the slice. Nothing here is searched, and nothing is judged.
package slice
