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
		Real: `The change edits a ConfigMap or Secret in place, and the pod template of its reader stays, so that no pod is replaced.
Reported for keys read by ` + "`env`" + `, ` + "`envFrom`" + ` or ` + "`subPath`" + `; a whole volume is updated in the pod, and reported only where
another workload of the release has a ` + "`checksum/`" + ` annotation. Not real where something restarts the pods; annotations of
Reloader and its like are respected.`,
		Bad: `The merge seems to do nothing. New values come pod by pod, much later.`,
		Now: `Let the template change with the content: a ` + "`checksum/config`" + ` annotation, a ` + "`configMapGenerator`" + ` with its hash, or
Reloader.`,
		Sources: []string{
			"https://kubernetes.io/docs/concepts/configuration/configmap/#mounted-configmaps-are-updated-automatically",
			"https://helm.sh/docs/howto/charts_tips_and_tricks/#automatically-roll-deployments",
		},
	},
	New: func(*state.Config, int) Property { return Property{} },
}
