package rules

import "github.com/kubesettle/kubesettle/verify/state"

// DanglingTarget is the ID of the rule that what acts on pods still finds those it was
// written for.
const DanglingTarget = "dangling-target"

// danglingTarget says that a Service, a PodDisruptionBudget, an autoscaler and a placement
// rule act on the pods they were written for, and on no others that the change lets in.
//
// Intent: a budget or an autoscaler that is there is in force.
// Class: lifecycle; judged on the objects, without a run.
// Assumes: pods come from the manifests of this repository.
// Does not say: anything of selectors that never had a part in common with a workload, such
// as those of pods that an operator creates.
var danglingTarget = Rule{
	ID:       DanglingTarget,
	Class:    Lifecycle,
	Title:    "a selector or target misses the pods it was written for",
	Severity: Warning,
	Static:   true,
	Help: Help{
		Real: `A Service, budget, autoscaler or spread rule selected pods on base and none on head, or others' too;
a new one misses by one label or a typo; a port's or container's name is gone. Check:
` + "`kubectl get pods -l SELECTOR`" + `. Not real if an operator or another repository makes the pods.`,
		Bad: `Nobody notices: no endpoints, no scaling, no protection in a drain.`,
		Now: `Select by labels that identify the workload, from one helper. Rename an autoscaler's target with its
workload.`,
		Sources: []string{
			"https://kubernetes.io/docs/tasks/run-application/configure-pdb/",
			"https://kubernetes.io/docs/concepts/services-networking/service/",
			"https://docs.kubelinter.io/#/generated/checks",
		},
	},
	New: func(*state.Config, int) Property { return Property{} },
}
