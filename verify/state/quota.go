package state

import corev1 "k8s.io/api/core/v1"

// Quota is one ResourceQuota of a namespace of the slice.
type Quota struct {
	Namespace, Name string
	Objects         [2]*corev1.ResourceQuota // by version; nil: not there
	Step            int                      // as [Workload.Step]
	Found           bool                     // in the cluster alone: no manifest declares it
	// Others is what pods of workloads outside of the slice take, by version.
	Others [2]corev1.ResourceList
}
