package rules

import "github.com/kubesettle/kubesettle/verify/state"

// ServiceGap is the ID of the rule that a Service keeps pods while a change is applied.
const ServiceGap = "service-gap"

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
		Real: `A selector takes effect at once, labels only with new pods:

- a Service's new selector matches no pod that base runs;
- or its only workload is deleted, and the one in its place has yet to start: a warning, as it takes a tool that prunes.

No finding: pods of base that match and keep running; a Service in a later sync wave than pods that match both
selectors, or ` + "`PruneLast=true`" + `; ` + "`Recreate`" + `. Check: ` + "`kubectl get endpointslices -w`" + `.`,
		Bad: `Every request fails until the first new pod is ready, and for good with a bad revision.`,
		Now: `Two changes: first give the pods the new labels beside the old ones (or start the new workload beside the old), roll
out, then change the selector.`,
		Sources: []string{
			"https://github.com/envoyproxy/gateway/issues/7309",
			"https://kubernetes.io/docs/concepts/services-networking/service/#defining-a-service",
			"https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/",
		},
	},
	New: func(*state.Config, int) Property { return Property{} },
}
