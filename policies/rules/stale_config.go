package rules

import "github.com/kubesettle/kubesettle/verify/state"

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
		Real: `The change edits a ConfigMap or Secret that pods read by ` + "`env`" + `, ` + "`envFrom`" + ` or
` + "`subPath`" + `, but not their template, so no pod is replaced. Whole volumes update in place; they are reported
only if a neighbour has a ` + "`checksum/`" + ` annotation. Not real if something restarts the pods (Reloader's
annotations are known).`,
		Bad: `The merge seems to do nothing. New values come pod by pod, much later.`,
		Now: `Let the template change with the content: a ` + "`checksum/config`" + ` annotation, or ` + "`configMapGenerator`" + `
with its hash.`,
		Sources: []string{
			"https://kubernetes.io/docs/concepts/configuration/configmap/#mounted-configmaps-are-updated-automatically",
			"https://helm.sh/docs/howto/charts_tips_and_tricks/#automatically-roll-deployments",
		},
	},
	New: func(*state.Config, int) Property { return Property{} },
}
