// Package recheck holds a run of the control loops against what Kubernetes' documentation
// promises: where a pod may be placed, how far a rollout may go, what an eviction may take.
//
// It is a second opinion. It was written from the documentation on plain API objects, knows
// neither the models nor the search, and shares no code with them: what it finds wrong with a
// counterexample is wrong in the one or the other. Tests hold every counterexample against it.
//
// Sources: kubernetes.io/docs: "Assigning Pods to Nodes", "Pod Topology Spread Constraints",
// "Taints and Tolerations", "Resource Management for Pods and Containers", "Deployments",
// "StatefulSets", "DaemonSet", "Specifying a Disruption Budget for your Application",
// "API-initiated Eviction", "Pod Priority and Preemption", "Resource Quotas".
//
// It refuses to know volumes, scores (where a pod goes among the nodes that it may), what
// autoscalers compute, and time.
package recheck
