package rules

import "github.com/kubesettle/kubesettle/verify/state"

// danglingTarget says that a Service, a PodDisruptionBudget, an autoscaler, a placement rule, a
// NetworkPolicy and a monitor act on the pods or Services they were written for, and on no others
// that the change lets in, that an Ingress or a route leads to a Service that is there, and that the classes, Gateways,
// issuers and stores that objects name are.
//
// Intent: a budget or an autoscaler that is there is in force.
// Class: lifecycle; judged on the objects, without a run.
// Assumes: pods come from the manifests of this repository.
// Does not say: anything of selectors that never had a part in common with a workload, such
// as those of pods that an operator creates.
var danglingTarget = Rule{
	ID:       DanglingTarget,
	Class:    Lifecycle,
	Title:    "a selector, target or route does not match its intended object",
	Severity: Warning,
	Static:   true,
	Help: Help{
		Real: `A selector (of a Service, budget, autoscaler, spread rule, NetworkPolicy, monitor) no longer matches
its own pods, matches others, or misses them by a typo. Or a port, container, Service, class, Gateway, issuer or
secret store that is named is gone, or a port has two names. A note: an undeclared port number. Check:
` + "`kubectl get pods -l SELECTOR`" + `. Not real if an operator makes the target.`,
		Bad: `No endpoints, scaling, metrics, certificates or protection in a drain; routes answer 503.`,
		Now: `Rename both sides together.`,
		Sources: []string{
			"https://kubernetes.io/docs/tasks/run-application/configure-pdb/",
			"https://kubernetes.io/docs/concepts/services-networking/service/",
			"https://kubernetes.io/docs/concepts/services-networking/ingress/",
			"https://gateway-api.sigs.k8s.io/reference/spec/#backendref",
			"https://docs.kubelinter.io/#/generated/checks",
		},
	},
	New: func(*state.Config, int) Property { return Property{} },
}
