package static

import (
	"fmt"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
)

var pins = Analyzer{Name: "pinned", Rule: rules.CrashLoop, Run: pinned,
	Doc: "pods that name their node"}

// pinned says which workloads come to name the node of their pods: no scheduler looks at it then, and where the node's
// kubelet refuses a pod, it fails, and the next one is created at once.
//
// Upstream: kubernetes v1.36.3, pkg/kubelet: (*Kubelet).HandlePodAdditions, canAdmitPod; its eviction:
// (*managerImpl).Admit; pkg/controller: FilterActivePods, of which a failed pod is none.
func pinned(p *Pass) []Remark {
	base := p.before()
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		node := nodeNamed(o)
		if node == "" || nodeNamed(base.counterpart(o)) != "" {
			continue
		}
		out = append(out, Remark{
			Object: o, Conditional: true, occasion: diskPressure,
			paths: []string{"spec.template.spec.nodeName"},
			text: fmt.Sprintf("pods of %s name the node %s: while it is short of disk, it refuses one after the other, without end",
				o.ID, node),
			remedies: []Remedy{{
				Say:  "select the node by a label: the scheduler waits until the node takes the pod",
				Cost: "the label kubernetes.io/hostname has to be the node's name, as it is by default", Object: o,
				Set: []object.Setting{{Path: "spec.template.spec.nodeName"},
					{Path: "spec.template.spec.nodeSelector", Value: map[string]any{"kubernetes.io/hostname": node}}},
			}},
		})
	}
	return out
}

// nodeNamed is the node that the pods of a workload whose pods are replaced at once name; "": none.
func nodeNamed(o *object.Object) string {
	if o == nil || o.Hook {
		return ""
	}
	m, ok := state.ManifestOf(o.Typed)
	if !ok || m.Kind() == state.DaemonSet || m.Kind().Ends() || m.Kind().Bare() || m.Replicas() == 0 {
		return ""
	}
	return m.Pod().NodeName
}
