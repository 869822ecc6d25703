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
		Real: `A Service's selector takes effect at once, and labels of pods only with new pods. Reported are

- a Service whose new selector matches no pod that base runs, while the pods that it will match are yet to start;
- a Service whose only workload is deleted while the one that takes its place (a renamed Deployment, say) is yet
  to start: a warning, as it takes a tool that deletes what Git no longer has.

No finding: pods of base that the new selector matches and that keep running; Argo CD where the Service stands in a
later sync wave than the new pods, which the old selector matches too, or with ` + "`PruneLast=true`" + `; a strategy of
` + "`Recreate`" + `, which has the gap by design. To check: ` + "`kubectl get endpointslices -w`" + `.`,
		Bad: `Every request fails until the first new pod is ready: seconds where images are small, minutes otherwise, and
for good if the new revision is a bad one. A rolling update promises the opposite.`,
		Now: `Take two changes. First let the pods have the new labels beside the old ones and roll out, or start the new
workload beside the old one; then change the selector, and remove what is left.`,
		Sources: []string{
			"https://github.com/envoyproxy/gateway/issues/7309",
			"https://kubernetes.io/docs/concepts/services-networking/service/#defining-a-service",
			"https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/",
		},
	},
	New: func(*state.Config, int) Property { return Property{} },
}
