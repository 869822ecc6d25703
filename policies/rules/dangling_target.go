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
		Real: `Reported is

- a Service, PodDisruptionBudget or autoscaler that acts on a workload on base and on none on head,
  while the workload is still there under other labels or another name;
- a new one that acts on nothing while a workload of its namespace has every label of its selector, the
  one that names the program (` + "`app`" + `, ` + "`app.kubernetes.io/name`" + `, …) with the same value and another with a
  different one;
- a new one that acts on nothing while the one workload that it can mean is a slip of the pen away: a letter or
  two in a label's value or in a target's name, or a part of the name left out. A number that differs is none;
- a selector of a Service or PodDisruptionBudget that now takes in the pods of another workload as well;
- a selector of a spread constraint or anti-affinity term that no longer matches any pod, not even the
  workload's own.

No cluster and no search is needed. It is void where the pods come from somewhere else: an operator, another
repository. What aims at a workload that was removed as a whole is named in the result, and is no finding.
To see it: ` + "`kubectl get pods -l SELECTOR`" + `.`,
		Bad: `Every object is valid, and nothing says so until the day it is needed. A budget that selects nothing lets
a drain take all replicas at once; an autoscaler without a target never scales; a Service without pods
has no endpoints. A budget over two workloads lets one of them be down as a whole; a Service over two
sends half of its requests to the wrong one.`,
		Now: `Write the selector with the labels that the pod template has, and only with those that identify the
workload: ` + "`app.kubernetes.io/name`" + `, ` + "`app.kubernetes.io/instance`" + ` and, where several workloads share these,
` + "`app.kubernetes.io/component`" + `. In a chart, take both from one helper. An autoscaler names kind and name of
its target: rename both together.`,
		Sources: []string{
			"https://kubernetes.io/docs/tasks/run-application/configure-pdb/",
			"https://kubernetes.io/docs/concepts/services-networking/service/",
			"https://docs.kubelinter.io/#/generated/checks",
		},
	},
	New: func(*state.Config, int) Property { return Property{} },
}
