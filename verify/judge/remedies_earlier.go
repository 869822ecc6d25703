package judge

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
)

// forgetReplicas hands the number of replicas over to its autoscaler: before it is taken out of the manifest, it must
// be taken out of the last applied configuration, or the apply would delete it.
//
// Upstream: kubectl's three-way merge; the step is that of the documentation of HorizontalPodAutoscalers ("Migrating
// Deployments and StatefulSets to horizontal autoscaling"). Helm keeps its last manifest elsewhere.
func forgetReplicas(p patient) []remedy {
	if !p.remembers() || declares(p.workload, "spec", "replicas") {
		return nil
	}
	return []remedy{{
		say:  "before this is applied, " + p.forgetting(),
		cost: "one step by hand", object: p.workload, before: []object.Setting{{Path: "spec.replicas"}},
	}}
}

// remembers reports whether an apply sets the replicas of a workload to one where an autoscaler owns them, as base
// declared them and the change does not.
func (p patient) remembers() bool {
	return p.before != nil && p.applied != state.ServerSide && !p.helm && p.scaled() &&
		declares(p.before, "spec", "replicas")
}

// forgetting is the step that keeps the number.
func (p patient) forgetting() string { return Forgetting(p.workload) }

// Forgetting is the step by which a workload keeps the number of its replicas when a manifest says it no more.
func Forgetting(o *object.Object) string {
	out := fmt.Sprintf("take spec.replicas out of the last applied configuration (kubectl apply edit-last-applied %s/%s",
		kindArgument(o.ID.Kind), o.ID.Name)
	if o.ID.Namespace != "" {
		out += " -n " + o.ID.Namespace
	}
	return out + "), so that the number that runs stays"
}

// kindArgument is a kind as kubectl takes it.
func kindArgument(kind string) string {
	if kind == "StatefulSet" {
		return "statefulset"
	}
	return "deployment"
}

// labelApart gives two workloads whose selectors match each other's pods labels that differ. A selector cannot change,
// so that it is the new one of them that gets other labels.
func labelApart(p patient) []remedy {
	var out []remedy
	for _, o := range p.beside {
		if o.ID.Namespace == p.workload.ID.Namespace && o.ID.Kind == p.workload.ID.Kind {
			out = append(out, relabel(o, p.workload)...)
			out = append(out, relabel(p.workload, o)...)
		}
	}
	return out
}

// relabel gives a workload labels that another one's selector does not match, where it matches those that it has.
func relabel(o, other *object.Object) []remedy {
	pods, sel := labelsOf(o), selectorOf(other)
	own := selectorOf(o)
	if sel == nil || own == nil || o.Maker != nil {
		return nil
	}
	if is, err := metav1.LabelSelectorAsSelector(sel); err != nil || is.Empty() || !is.Matches(labels.Set(pods)) {
		return nil
	}
	var keys []string
	for k, v := range sel.MatchLabels {
		if v != o.ID.Name {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	var out []remedy
	for _, k := range keys {
		set := []object.Setting{{Path: "spec.template.metadata.labels[" + k + "]", Value: o.ID.Name}}
		if _, selected := own.MatchLabels[k]; selected {
			set = append([]object.Setting{{Path: "spec.selector.matchLabels[" + k + "]", Value: o.ID.Name}}, set...)
		}
		out = append(out, remedy{say: fmt.Sprintf("give %s its own label (%s: %s), also in its selector, so that the selector of %s does not match its pods", o.ID, k, o.ID.Name, other.ID),
			cost: "whatever is to select its pods must use the new label", object: o, set: set})
	}
	return out
}

// selectorOf is that of a Deployment or a StatefulSet; nil: it is neither.
func selectorOf(o *object.Object) *metav1.LabelSelector {
	switch t := o.Typed.(type) {
	case *appsv1.Deployment:
		return t.Spec.Selector
	case *appsv1.StatefulSet:
		return t.Spec.Selector
	}
	return nil
}

// labelsOf are those of a workload's pods.
func labelsOf(o *object.Object) map[string]string {
	if m, ok := state.ManifestOf(o.Typed); ok {
		return m.Template().Labels
	}
	return nil
}

// consolidateEmpty keeps Karpenter from moving pods to save a node, and endGrace from waiting forever for one that may
// not be evicted. The NodePool may stand elsewhere, so that the order is in words.
func consolidateEmpty(p patient) []remedy {
	return p.pool(func(k *state.Karpenter) bool { return !k.Never && !k.WhenEmpty },
		func(k *state.Karpenter) { k.WhenEmpty = true },
		"set spec.disruption.consolidationPolicy: WhenEmpty on NodePool %s, so that Karpenter moves no pod to save a node", "underused nodes stay")
}

func endGrace(p patient) []remedy {
	return p.pool(func(k *state.Karpenter) bool { return k.Patient }, func(k *state.Karpenter) { k.Patient = false },
		"set spec.template.spec.terminationGracePeriod: 24h on NodePool %s, so that its nodes go although a pod may not be evicted", "such pods are terminated after a day")
}

// pool changes the NodePools of Karpenter of which something holds.
func (p patient) pool(is func(*state.Karpenter) bool, change func(*state.Karpenter), say, cost string) []remedy {
	var out []remedy
	var known []string
	for _, c := range p.classes {
		if c.Karpenter == nil || !is(c.Karpenter) || slices.Contains(known, c.Karpenter.NodePool) {
			continue
		}
		name := c.Karpenter.NodePool
		known = append(known, name)
		out = append(out, remedy{say: fmt.Sprintf(say, name), cost: cost, object: p.workload, tune: func(s *state.Spec) {
			s.Classes = slices.Clone(s.Classes)
			for i := range s.Classes {
				if k := s.Classes[i].Karpenter; k != nil && k.NodePool == name {
					other := *k
					change(&other)
					s.Classes[i].Karpenter = &other
				}
			}
		}})
	}
	return out
}
