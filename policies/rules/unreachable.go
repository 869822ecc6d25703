package rules

import "github.com/kubesettle/kubesettle/verify/state"

// unreachable says that a request that arrives at a pod wherever base settles still arrives somewhere once head has
// settled.
//
// Intent: a change cuts nobody off.
// Class: lifecycle; judged on the objects, without a run.
// Assumes: network policies are enforced, and no other policy than those of this repository lets more pass.
// Does not say: anything of a policy that may let a request pass, or not: it is unknown then, and no finding.
var unreachable = Rule{
	ID:       Unreachable,
	Class:    Lifecycle,
	Title:    "requests that arrive on base reach no pod any more",
	Severity: Error,
	Static:   true,
	Help: Help{
		Real: `A route, a setting that names a Service (a warning), or a pod's DNS requests reached pods
on base. Now a network policy denies them, no Gateway takes the route, or all pods behind it are scaled to zero (a
warning); or a Service lost its last way in from outside (a note). Check: ` + "`kubectl exec POD -- nc -vz HOST PORT`" + `.
Not real if the cluster does not enforce policies.`,
		Bad: `Requests fail; without DNS, nearly all.`,
		Now: `Let the request through. A default deny of egress needs a rule for DNS.`,
		Sources: []string{
			"https://kubernetes.io/docs/concepts/services-networking/network-policies/",
			"https://network-policy-api.sigs.k8s.io/api-overview/",
			"https://docs.cilium.io/en/stable/security/policy/",
			"https://gateway-api.sigs.k8s.io/reference/spec/#parentreference",
		},
	},
	New: func(*state.Config, int) Property { return Property{} },
}
