package static

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

var poolless = Analyzer{Name: "node-pools", Rule: rules.Unschedulable, Run: noPool, Compares: true,
	Doc: "pods that no NodePool of Karpenter takes any more"}

// poolObject is a NodePool among the objects.
type poolObject struct {
	*policies.KarpenterPool
	object *object.Object
}

// noPool says which workloads no NodePool of their cluster takes any more, by its taints, labels and requirements,
// where one of base's did. Nodes that no NodePool makes may take them.
func noPool(p *Pass) []Remark {
	var pools [2][]poolObject
	for v := range pools {
		pools[v] = p.poolsAround(p.ID, state.Version(v))
	}
	if len(pools[state.Base]) == 0 {
		return nil
	}
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		b := p.before().counterpart(o)
		if b == nil || o.Hook {
			continue
		}
		was, had := state.ManifestOf(b.Typed)
		is, has := state.ManifestOf(o.Typed)
		if !had || !has || is.Kind() == state.DaemonSet || is.Replicas() == 0 && !is.Kind().Ends() {
			continue
		}
		old := slices.IndexFunc(pools[state.Base], func(x poolObject) bool { return takenBy(x, &was) })
		if old < 0 || slices.ContainsFunc(pools[state.Head], func(x poolObject) bool { return takenBy(x, &is) }) {
			continue
		}
		out = append(out, nowhere(o, &is, pools[state.Base][old], pools[state.Head]))
	}
	return out
}

// poolsAround are the NodePools that may be in the cluster of a release.
func (f *facts) poolsAround(release string, v state.Version) []poolObject {
	var out []poolObject
	for _, o := range f.where().objects[v] {
		if o.Hook || o.ID.Group != policies.NodePoolGroup || o.ID.Kind != policies.NodePoolKind ||
			o.Release != release && f.ties != nil && f.ties.Tie(o.Release, release) == slice.Apart {
			continue
		}
		if p, err := policies.ReadNodePool(o.Content); err == nil {
			out = append(out, poolObject{p, o})
		}
	}
	return out
}

func takenBy(p poolObject, m *state.Manifest) bool {
	why, _ := refuses(p.KarpenterPool, m.Pod())
	return why == ""
}

// nowhere is the remark on a workload that a NodePool of base took, and none of head takes.
func nowhere(o *object.Object, m *state.Manifest, was poolObject, now []poolObject) Remark {
	r := Remark{Object: o, Conditional: true,
		paths: []string{"spec.template.spec.nodeSelector", "spec.template.spec.affinity", "spec.template.spec"},
		text:  fmt.Sprintf("no NodePool of the repository takes pods of %s any more", o.ID)}
	i := slices.IndexFunc(now, func(x poolObject) bool { return x.NodePool == was.NodePool })
	if i < 0 {
		r.text += fmt.Sprintf(": %s is gone", was.NodePool)
		r.causes = []cause{{was.object, nil}}
	} else {
		why, fields := refuses(now[i].KarpenterPool, m.Pod())
		r.text += fmt.Sprintf(": %s %s", was.NodePool, why)
		r.first = []cause{{now[i].object, fields}}
	}
	r.text += " (unless the cluster has other nodes)"
	return r
}

// refuses says why the nodes of a NodePool take no pod of a template, and by which fields of the NodePool; "": they
// may. What a node class or a provider decides, as sizes and zones, is not asked.
//
// Upstream: karpenter v1.8, pkg/scheduling: Taints.Tolerates, Requirements.Compatible (AllowUndefinedWellKnownLabels).
func refuses(p *policies.KarpenterPool, pod *corev1.PodSpec) (why string, fields []string) {
	for _, t := range p.Taints {
		if t.Effect != corev1.TaintEffectPreferNoSchedule && !slices.ContainsFunc(pod.Tolerations,
			func(x corev1.Toleration) bool { return x.ToleratesTaint(objects.NoLog(), &t, false) }) {
			return "has the taint " + t.ToString() + ", which they do not tolerate", []string{"spec.template.spec.taints"}
		}
	}
	var asked []corev1.NodeSelectorRequirement
	for key, value := range pod.NodeSelector {
		asked = append(asked, corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn,
			Values: []string{value}})
	}
	slices.SortFunc(asked, func(a, b corev1.NodeSelectorRequirement) int { return strings.Compare(a.Key, b.Key) })
	terms := [][]corev1.NodeSelectorRequirement{nil}
	if a := pod.Affinity; a != nil && a.NodeAffinity != nil &&
		a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil {
		terms = nil
		for _, t := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
			terms = append(terms, t.MatchExpressions)
		}
	}
	key := ""
	for _, term := range terms {
		if key = unmetKey(p, slices.Concat(asked, term)); key == "" {
			return "", nil
		}
	}
	if key == "" {
		return "", nil
	}
	return "has no nodes as they ask for by " + key,
		[]string{"spec.template.spec.requirements", "spec.template.metadata.labels", "spec.template.spec"}
}

// unmetKey is a label by which no node of a NodePool meets requirements; "": one may.
func unmetKey(p *policies.KarpenterPool, asked []corev1.NodeSelectorRequirement) string {
	for _, a := range asked {
		on := func(list []corev1.NodeSelectorRequirement) (out []corev1.NodeSelectorRequirement) {
			for _, r := range list {
				if r.Key == a.Key {
					out = append(out, r)
				}
			}
			return out
		}
		pool, pods := on(p.Requirements), on(asked)
		if len(pool) == 0 && knownLabel(a.Key) {
			continue // the provider gives it a value
		}
		// "" stands for a node without the label, and the last for any value that nobody names.
		values := []string{""}
		if len(pool) > 0 {
			values = []string{"\x00"}
		}
		for _, r := range slices.Concat(pool, pods) {
			if len(pool) > 0 {
				values = append(values, r.Values...)
			}
		}
		fits := func(v string) bool {
			return !slices.ContainsFunc(slices.Concat(pool, pods),
				func(r corev1.NodeSelectorRequirement) bool { return !meets(r, v) })
		}
		if !slices.ContainsFunc(values, fits) {
			return a.Key
		}
	}
	return ""
}

// meets reports whether a value of a label meets a requirement; "" is no value.
func meets(r corev1.NodeSelectorRequirement, value string) bool {
	switch r.Operator {
	case corev1.NodeSelectorOpIn:
		return slices.Contains(r.Values, value) && value != ""
	case corev1.NodeSelectorOpNotIn:
		return !slices.Contains(r.Values, value) || value == ""
	case corev1.NodeSelectorOpExists:
		return value != ""
	case corev1.NodeSelectorOpDoesNotExist:
		return value == ""
	}
	return value != "" // numbers are not compared
}

// otherNodes are the labels by which providers name groups of nodes that Karpenter does not make: pods that ask for one
// are meant for these.
var otherNodes = []string{"eks.amazonaws.com/nodegroup", "alpha.eksctl.io/nodegroup-name",
	"cloud.google.com/gke-nodepool", "kubernetes.azure.com/agentpool", "agentpool"}

// knownLabel reports whether providers and kubelets give nodes a label without a NodePool naming it.
func knownLabel(key string) bool {
	domain, _, _ := strings.Cut(key, "/")
	return domain == "kubernetes.io" || domain == "k8s.io" || strings.HasSuffix(domain, ".kubernetes.io") ||
		strings.HasSuffix(domain, ".k8s.io") || strings.HasPrefix(domain, "karpenter.") || slices.Contains(otherNodes, key)
}
