package rules

import "github.com/kubesettle/kubesettle/verify/state"

// StaleConfig is the ID of the rule that a changed ConfigMap or Secret reaches the pods that read it.
const StaleConfig = "stale-config"

// staleConfig says that the pods which read a ConfigMap or Secret once, when they start, are replaced when it changes.
//
// Intent: what is merged is what runs.
// Class: lifecycle; judged on the objects, without a run.
// Assumes: that no controller which the repository does not mention restarts pods.
// Does not say: that a program reads a mounted file again.
var staleConfig = Rule{
	ID:       StaleConfig,
	Class:    Lifecycle,
	Title:    "a changed ConfigMap or Secret does not reach the pods that read it",
	Severity: Note,
	Static:   true,
	Help: Help{
		Real: `The change edits a ConfigMap or Secret in place, and the workload that reads it keeps its pod template, so that
no pod is replaced. Reported for keys read by ` + "`env`, `envFrom` or `subPath`" + `, which are read once. A whole volume is
updated in a running pod; it is reported where another workload of the release has a ` + "`checksum/`" + ` annotation.

Not real where something restarts the pods: annotations of Reloader and its like are respected, a person is
not known.`,
		Bad: `The merge seems to do nothing. The new values come much later, pod by pod, as pods happen to be replaced:
half of the replicas then run with the old ones, and what fails seems unrelated.`,
		Now: `Let the pod template change with the content: a ` + "`checksum/config`" + ` annotation in a chart, a
` + "`configMapGenerator`" + ` with its hash in Kustomize, or a controller such as Reloader.`,
		Sources: []string{
			"https://kubernetes.io/docs/concepts/configuration/configmap/#mounted-configmaps-are-updated-automatically",
			"https://helm.sh/docs/howto/charts_tips_and_tricks/#automatically-roll-deployments",
		},
	},
	New: func(*state.Config, int) Property { return Property{} },
}
