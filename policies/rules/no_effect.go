package rules

import "github.com/kubesettle/kubesettle/verify/state"

// noEffect says that what a change sets is read by something.
//
// Intent: what is merged is what runs.
// Class: lifecycle; judged on the files, without a run.
// Assumes: that a chart names the values that it reads.
// Does not say: that a value which is read does what its author wants.
var noEffect = Rule{
	ID:       NoEffect,
	Class:    Lifecycle,
	Title:    "an edit has no effect",
	Severity: Warning,
	Static:   true,
	Help: Help{
		Real: `No template names a value that the change gives, and one of nearly that name is there, or one of
that name elsewhere: Helm takes any value, unless the chart has a schema. Or a kustomization gets an image that no
container has, or a patch or replacement without its target. Not real if a template makes up the name of the value.`,
		Bad: `The merge does nothing: the image stays, or the default stands again.`,
		Now: `Move the value to where the chart reads it, or correct the name.`,
		Sources: []string{
			"https://helm.sh/docs/chart_template_guide/values_files/",
			"https://helm.sh/docs/topics/charts/#schema-files",
			"https://github.com/helm/helm/issues/6422",
		},
	},
	New: func(*state.Config, int) Property { return Property{} },
}
