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
	Title:    "a change sets what nothing reads",
	Severity: Warning,
	Static:   true,
	Help: Help{
		Real: `The change gives a chart a value that none of its templates names, and the chart has one of nearly the same
name there, or one of the same name elsewhere; Helm takes any value without a word, unless the chart has a schema. Or it
gives a kustomization an image that no container has, or a patch or replacement whose target is not there, of which
kustomize says nothing. Not real if a template makes the name of the value up.`,
		Bad: `The merge does nothing: the image stays, the limit is not set, or the default stands again.`,
		Now: `Move the value to where the chart reads it, or correct the name.`,
		Sources: []string{
			"https://helm.sh/docs/chart_template_guide/values_files/",
			"https://helm.sh/docs/topics/charts/#schema-files",
			"https://github.com/helm/helm/issues/6422",
		},
	},
	New: func(*state.Config, int) Property { return Property{} },
}
