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
		What: `It is a finding

- where a Service, a PodDisruptionBudget or an autoscaler that acts on a workload on base acts on none any
  more, and the workload is still there under other labels or another name;
- where such an object is new and acts on nothing, and a workload of its namespace has every label of its
  selector, the one that tells the program (` + "`app`, `app.kubernetes.io/name`" + `, …) with the same value and
  another with another;
- where the change widens the selector of a Service or a PodDisruptionBudget, so that it takes in the pods of a
  workload that was there before;
- where the selector of a spread constraint or of an anti-affinity term matches no pod any more, not even
  those of the workload itself.

A workload that was removed as a whole leaves what aims at it with nothing to act on: that is said in the result, and
is no finding. No cluster is needed for this rule, and no search.`,
		Why: `Every object is valid, and the API server takes them all. A budget that selects nothing protects
nothing: a drain takes all replicas at once. An autoscaler without a target never scales, a Service without pods
has no endpoints, a spread constraint without pods spreads nothing. A budget over the pods of two workloads counts
them together, so that one of them can be down as a whole; a Service over two sends half of its requests to
the wrong one. Nothing says so until the day it is needed.`,
		Mend: `Write the selector with the labels that the pod template has, and only with those that tell the
workload apart: ` + "`app.kubernetes.io/name`, `app.kubernetes.io/instance`" + ` and, where several workloads share
these, ` + "`app.kubernetes.io/component`" + `. In a chart, take both from one helper. An autoscaler names kind and name of
its target: rename both together.`,
		Sources: []string{
			"https://kubernetes.io/docs/tasks/run-application/configure-pdb/",
			"https://kubernetes.io/docs/concepts/services-networking/service/",
			"https://docs.kubelinter.io/#/generated/checks",
		},
	},
	New: func(*state.Config, int) Property { return Property{} },
}
