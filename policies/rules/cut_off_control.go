package rules

import "github.com/kubesettle/kubesettle/verify/state"

// cutOffControl says that the API server reaches the webhooks, converters and aggregated servers that it asks.
//
// Intent: what admits, converts and measures answers.
// Class: lifecycle; judged on the objects, without a run.
// Assumes: the API server is no pod that selectors know; what a block of addresses or an agent in kube-system lets
// through may be its requests.
// Does not say: anything of servers outside of the repository.
var cutOffControl = Rule{
	ID:       CutOffControl,
	Class:    Lifecycle,
	Title:    "the API server does not reach a webhook or an aggregated server",
	Severity: Error,
	Static:   true,
	Help: Help{
		Real: `A network policy denies the API server, or the Service, its port or all pods behind a webhook, a
CRD's conversion or an APIService are gone. No pod selector matches the API server; a rule without ` + "`from`" + `,
or Cilium's ` + "`kube-apiserver`" + `, does. Check: ` + "`kubectl get apiservices`" + `.`,
		Bad: `With ` + "`failurePolicy: Fail`" + `, requests to the webhook are refused, perhaps for every pod.
Without metrics nothing scales.`,
		Now: `Let the server's port in from anywhere, or from the API server's addresses.`,
		Sources: []string{
			"https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#failure-policy",
			"https://kubernetes.io/docs/tasks/extend-kubernetes/setup-extension-api-server/",
			"https://docs.cilium.io/en/stable/security/policy/language/#access-to-from-kube-apiserver",
		},
	},
	New: func(*state.Config, int) Property { return Property{} },
}
