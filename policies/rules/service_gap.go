package rules

import "github.com/kubesettle/kubesettle/verify/state"

// serviceGap says that a Service or a route which has pods on base has some at every moment until head's are ready.
//
// Intent: a change is rolled out without an outage.
// Class: numbers; judged on the objects, without a run, except for the edges of [ServiceGapOf].
// Assumes: that what the tool applies in one go takes effect before the first new pod is ready.
// Does not say: how many of the pods are ready, unless a policy says how many have to be; see below-floor.
var serviceGap = Rule{
	ID:       ServiceGap,
	Class:    Numbers,
	Title:    "a Service or route has no pods from the apply until new ones are ready",
	Severity: Error,
	Static:   true,
	Running:  true,
	Help: Help{
		Real: `A selector or route takes effect at once, and pods come later: the new selector matches no running
pod of base, an Ingress is switched to a Service whose pods have yet to start, or (warnings) its workload is
replaced or becomes ` + "`Recreate`" + `. Or fewer pods are ready than ` + "`traffic.must[].ready`" + `, or none on
the caller's node with ` + "`internalTrafficPolicy: Local`" + `. Check: ` + "`kubectl get endpointslices -w`" + `.`,
		Bad: `Requests fail until a pod is ready.`,
		Now: `Start the new pods first; switch later.`,
		Sources: []string{
			"https://github.com/envoyproxy/gateway/issues/7309",
			"https://kubernetes.io/docs/concepts/services-networking/service/#defining-a-service",
			"https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/",
		},
	},
	New: func(*state.Config, int) Property { return Property{} },
}
