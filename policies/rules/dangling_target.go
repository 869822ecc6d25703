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
		Real: `Reported are

- a Service, PodDisruptionBudget or autoscaler that acts on a workload on base and on none on head, while
  the workload is still there under other labels or another name;
- a new one that acts on nothing, while a workload of its namespace has every label of its selector, with
  the same value for the one that names the program (` + "`app`" + `, ` + "`app.kubernetes.io/name`" + `, …) and a different
  one for another;
- a new one that acts on nothing, while the only workload it can mean is a typo away: a letter or two in a
  label's value or a target's name, or a part of the name left out. Other numbers are no typos;
- a Service's or PodDisruptionBudget's selector that now also matches another workload's pods;
- a selector of a spread constraint or anti-affinity term that no longer matches any pod, not even the
  workload's own.

No cluster and no search is needed. Not real if the pods come from elsewhere: an operator, another
repository. What aims at a removed workload is named in the result, and is no finding. To check:
` + "`kubectl get pods -l SELECTOR`" + `.`,
		Bad: `Every object is valid, so nobody notices before it matters. A budget without pods lets a drain take all
replicas at once; an autoscaler without a target never scales; a Service without pods has no endpoints. A
budget over two workloads lets one be down entirely; a Service over two sends half its requests to the
wrong one.`,
		Now: `Select by labels that the pod template has and that identify the workload: ` + "`app.kubernetes.io/name`" + `,
` + "`app.kubernetes.io/instance`" + ` and, if several workloads share these, ` + "`app.kubernetes.io/component`" + `. In a
chart, take both from one helper. An autoscaler names its target's kind and name: rename both together.`,
		Sources: []string{
			"https://kubernetes.io/docs/tasks/run-application/configure-pdb/",
			"https://kubernetes.io/docs/concepts/services-networking/service/",
			"https://docs.kubelinter.io/#/generated/checks",
		},
	},
	New: func(*state.Config, int) Property { return Property{} },
}
