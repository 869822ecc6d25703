package rules

import "github.com/kubesettle/kubesettle/verify/state"

// serviceGap says that a Service which has pods on base has some at every moment until head's are ready.
//
// Intent: a change is rolled out without an outage.
// Class: numbers; judged on the objects, without a run.
// Assumes: that what the tool applies in one go takes effect before the first new pod is ready.
// Does not say: how many of the pods are ready, which is what below-floor is for.
var serviceGap = Rule{
	ID:       ServiceGap,
	Class:    Numbers,
	Title:    "a Service has no pods from the apply until new ones are ready",
	Severity: Error,
	Static:   true,
	Running:  true,
	Help: Help{
		Real: `A selector takes effect at once, labels only with new pods: the Service's new selector matches no
running pod of base; or its only workload is replaced by one yet to start, or becomes ` + "`Recreate`" + `
(warnings). Not real if it is applied later. Check: ` + "`kubectl get endpointslices -w`" + `.`,
		Bad: `Every request fails until a new pod is ready; for good with a bad revision.`,
		Now: `First add the new labels, or the new workload; in a second change, the selector.`,
		Sources: []string{
			"https://github.com/envoyproxy/gateway/issues/7309",
			"https://kubernetes.io/docs/concepts/services-networking/service/#defining-a-service",
			"https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/",
		},
	},
	New: func(*state.Config, int) Property { return Property{} },
}
