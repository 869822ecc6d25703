package static

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/state"
)

var taints = Analyzer{Name: "tainted-domains", Rule: rules.Unschedulable, Run: tainted,
	Doc: "a hard spread that counts nodes which its pods do not tolerate"}

// tainted says which workloads come to be spread over nodes by a hard constraint that counts a node which its pods do
// not tolerate, as a control plane's or a cordoned one, as an empty domain: no other node may have more than maxSkew
// pods then.
//
// Upstream: kubernetes v1.36.3, pkg/scheduler/framework/plugins/podtopologyspread: (*topologySpreadConstraint)
// .matchNodeInclusionPolicies (NodeTaintsPolicy Ignore is the default) and (*PodTopologySpread).Filter.
func tainted(p *Pass) []Remark {
	if len(p.pools()[state.Head]) > 0 {
		return nil // a node comes for a pod that no other takes
	}
	base := p.before()
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		i, nodes := countsTainted(o)
		if i < 0 {
			continue
		}
		if was, _ := countsTainted(base.counterpart(o)); was >= 0 {
			continue
		}
		path := fmt.Sprintf("spec.template.spec.topologySpreadConstraints[%d]", i)
		out = append(out, Remark{
			Object: o, Conditional: true,
			paths: []string{path, "spec.replicas"},
			text: fmt.Sprintf("pods of %s can stay pending: nodes with taints they do not tolerate count as empty in their hard spread",
				o.ID),
			premise: fmt.Sprintf("at most %d nodes take them, and another has such a taint, as a control plane or a cordoned node has",
				nodes),
			remedies: []Remedy{{
				Say:  "set nodeTaintsPolicy: Honor, so that nodes which the pods do not tolerate are not counted",
				Cost: "it needs Kubernetes 1.26 or later", Object: o,
				Set: []object.Setting{{Path: path + ".nodeTaintsPolicy", Value: string(corev1.NodeInclusionPolicyHonor)}},
			}},
		})
	}
	return out
}

// countsTainted gives of a workload the first hard constraint over nodes that counts nodes which its pods do not
// tolerate, and the most nodes that take its pods with which such a node leaves one pending, at rest or while a rollout
// has a pod beside the others; -1 where there is none, or one node takes all but one.
func countsTainted(o *object.Object) (index, nodes int) {
	if o == nil || o.Hook {
		return -1, 0
	}
	m, ok := state.ManifestOf(o.Typed)
	if !ok || m.Kind() == state.DaemonSet || m.Kind().Ends() || m.Kind().Bare() {
		return -1, 0
	}
	pod := m.Pod()
	if choosesNodes(pod) || slices.ContainsFunc(pod.Tolerations, toleratesAll) {
		return -1, 0
	}
	for _, c := range kube.Spreads(pod) {
		sel, err := metav1.LabelSelectorAsSelector(c.LabelSelector)
		hard := c.Hard() && c.TopologyKey == corev1.LabelHostname && c.MaxSkew > 0
		if !hard || c.HonorsTaints() || err != nil || !sel.Matches(labels.Set(podLabels(o))) {
			continue
		}
		pods := m.Replicas() - 1
		if m.Pace().SurgeOf(m.Replicas()) > 0 && m.Pace().UnavailableOf(m.Replicas()) == 0 &&
			!c.Apart() {
			pods++ // the new pod is one more than there are
		}
		if n := pods / int(c.MaxSkew); n > 1 {
			return c.Index, n
		}
	}
	return -1, 0
}

// choosesNodes reports whether pods say by labels on which nodes they may be: those with taints are others, as far as
// is known, and do not count.
func choosesNodes(pod *corev1.PodSpec) bool {
	return len(pod.NodeSelector) > 0 || pod.NodeName != "" || pod.Affinity != nil && pod.Affinity.NodeAffinity != nil &&
		pod.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil
}

// toleratesAll reports whether a toleration is of every taint that keeps pods away.
func toleratesAll(t corev1.Toleration) bool {
	return t.Key == "" && t.Operator == corev1.TolerationOpExists &&
		(t.Effect == "" || t.Effect == corev1.TaintEffectNoSchedule)
}
