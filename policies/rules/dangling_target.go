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
		Real: `- A Service, budget or autoscaler acts on a workload on base and on none on head, though the workload is still there.
- A new one acts on nothing, and a workload of its namespace matches but for one label, or a typo in a value or name.
- A selector now also matches another workload's pods.
- A spread constraint or anti-affinity term matches no pod any more, not even its own.
- A Service leads to a port by a name, or an autoscaler measures a container, that its pods had on base and have no more.
- A probe asks a port by a name that its own container does not have: the pod never becomes ready.

Not real if the pods come from an operator or another repository. Check: ` + "`kubectl get pods -l SELECTOR`" + `.`,
		Bad: `All objects are valid, so nobody notices. A budget without pods lets a drain take all replicas, an autoscaler without a
target never scales, a Service has no endpoints, or sends half its requests to the wrong pods.`,
		Now: `Select by labels that the template has and that identify the workload (` + "`app.kubernetes.io/name`" + `, ` + "`instance`" + `,
` + "`component`" + `), from one helper. Rename an autoscaler's target with its workload.`,
		Sources: []string{
			"https://kubernetes.io/docs/tasks/run-application/configure-pdb/",
			"https://kubernetes.io/docs/concepts/services-networking/service/",
			"https://docs.kubelinter.io/#/generated/checks",
		},
	},
	New: func(*state.Config, int) Property { return Property{} },
}
