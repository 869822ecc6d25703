package state

import corev1 "k8s.io/api/core/v1"

// Quota is one ResourceQuota of a namespace of the slice, or one ClusterQueue of Kueue, which has no namespace.
type Quota struct {
	Namespace, Name string
	Objects         [2]*corev1.ResourceQuota // by version; nil: not there
	Queues          [2]*Queue                // by version; nil: no ClusterQueue
	Step            int                      // as [Workload.Step]
	Found           bool                     // in the cluster alone: no manifest declares it
	// Others is the use by pods of workloads outside of the slice, by version.
	Others [2]corev1.ResourceList
}

// ID is that of the object.
func (q *Quota) ID() string {
	for _, queue := range q.Queues {
		if queue != nil {
			return queue.Object
		}
	}
	return "ResourceQuota " + q.Namespace + "/" + q.Name
}

// Words is the object for people.
func (q *Quota) Words() string {
	if q.Queues[Base] != nil || q.Queues[Head] != nil {
		return "ClusterQueue " + q.Name
	}
	return q.ID()
}
