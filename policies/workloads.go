package policies

import (
	"cmp"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// OtherWorkload is a workload of the cluster that is in no repository: it takes room, and its namespace's quotas. Its
// pods stay on their nodes; no rule looks at their labels.
type OtherWorkload struct {
	Namespace, Name string
	Count           int    // of its pods; at least 1
	Priority        *int32 // of its pods; nil: the default
	Requests        corev1.ResourceList
	NodeSelector    map[string]string
	Line            int // in the policy file
}

// ID names it in results.
func (w *OtherWorkload) ID() string { return "cluster.workloads " + w.Namespace + "/" + w.Name }

// Pod is one of its pods.
func (w *OtherWorkload) Pod() *corev1.Pod {
	p := &corev1.Pod{}
	p.Namespace, p.Name = w.Namespace, w.Name
	p.Spec.Priority, p.Spec.NodeSelector = w.Priority, w.NodeSelector
	p.Spec.Containers = []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{Requests: w.Requests}}}
	return p
}

// mostOthers is how many pods of one entry there may be.
const mostOthers = 5000

func (d *decoder) otherWorkload(list *[]OtherWorkload) read {
	return func(n *yaml.Node, at string) {
		w := OtherWorkload{Namespace: "default", Count: 1, Line: n.Line}
		priority, labels := 0, map[string]string{}
		d.object(n, at, fields{
			"namespace":    d.text(&w.Namespace, dnsLabel),
			"name":         d.text(&w.Name, func(s string) string { return refusal(s, validation.IsDNS1123Subdomain(s)) }),
			"count":        d.number(&w.Count, 1, mostOthers),
			"priority":     d.number(&priority, -1<<31, 2_000_001_000),
			"requests":     d.quantities(&w.Requests),
			"nodeSelector": d.labels(&labels),
		}, "name", "requests")
		if d.set[at+".priority"] != nil {
			p := int32(priority)
			w.Priority = &p
		}
		if len(labels) > 0 {
			w.NodeSelector = labels
		}
		for _, other := range *list {
			if other.Name != "" && other.ID() == w.ID() {
				d.fail(n, at+".name", "a second workload %s; give it another name, or a larger count",
					quote(cmp.Or(w.Namespace, "default")+"/"+w.Name))
			}
		}
		*list = append(*list, w)
	}
}
