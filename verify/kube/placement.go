// Package kube is the one reader of what pods ask of the nodes and pods around them: spread constraints and affinity
// terms, whether they are required, where they stand in the spec, and which nodes they count. It knows no cluster; the
// scheduler's model compiles them for one.
package kube

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
)

// Names of the two kinds of terms in an affinity.
const (
	Required  = "requiredDuringSchedulingIgnoredDuringExecution"
	Preferred = "preferredDuringSchedulingIgnoredDuringExecution"
)

// Spread is a topology spread constraint in its pod spec, where a change of it is one of the spec.
type Spread struct {
	*corev1.TopologySpreadConstraint
	Index int
}

// Spreads are the constraints of a pod, in order.
func Spreads(spec *corev1.PodSpec) []Spread {
	var out []Spread
	for i := range spec.TopologySpreadConstraints {
		out = append(out, Spread{&spec.TopologySpreadConstraints[i], i})
	}
	return out
}

// DropSpread takes one constraint out, and puts the last in its place.
func DropSpread(spec *corev1.PodSpec, i int) {
	last := len(spec.TopologySpreadConstraints) - 1
	spec.TopologySpreadConstraints[i] = spec.TopologySpreadConstraints[last]
	spec.TopologySpreadConstraints = spec.TopologySpreadConstraints[:last]
}

// DropSpreads takes all constraints out.
func DropSpreads(spec *corev1.PodSpec) { spec.TopologySpreadConstraints = nil }

// Field is where the constraint stands below the pod spec.
func (s Spread) Field() string { return fmt.Sprintf("topologySpreadConstraints[%d]", s.Index) }

// Hard reports whether a pod waits rather than break the constraint.
func (s Spread) Hard() bool { return s.WhenUnsatisfiable == corev1.DoNotSchedule }

// Apart reports whether each revision of a Deployment is counted by itself.
func (s Spread) Apart() bool {
	return slices.Contains(s.MatchLabelKeys, appsv1.DefaultDeploymentUniqueLabelKey)
}

// HonorsAffinity reports whether only nodes count that the pod's node affinity and selector take.
func (s Spread) HonorsAffinity() bool {
	return s.NodeAffinityPolicy == nil || *s.NodeAffinityPolicy == corev1.NodeInclusionPolicyHonor
}

// HonorsTaints reports whether only nodes count whose taints the pod tolerates.
func (s Spread) HonorsTaints() bool {
	return s.NodeTaintsPolicy != nil && *s.NodeTaintsPolicy == corev1.NodeInclusionPolicyHonor
}

// Counts reports whether the constraint of a pod counts a node.
//
// Upstream: kubernetes v1.36.3, podtopologyspread: matchNodeInclusionPolicies.
func (s Spread) Counts(pod *corev1.Pod, node *corev1.Node) bool {
	if s.HonorsAffinity() {
		if match, _ := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node); !match {
			return false
		}
	}
	if !s.HonorsTaints() {
		return true
	}
	_, tainted := corev1helpers.FindMatchingUntoleratedTaint(klog.Logger{}, node.Spec.Taints, pod.Spec.Tolerations,
		func(x *corev1.Taint) bool { return x.Effect != corev1.TaintEffectPreferNoSchedule }, false)
	return !tainted
}

// Term is an inter-pod affinity or anti-affinity term in its pod spec, where a change of it is one of the spec.
type Term struct {
	*corev1.PodAffinityTerm
	Anti     bool
	Required bool
	Weight   int32 // of a preferred one
	Index    int
}

// Terms are the terms of a pod: of affinity, then of anti-affinity, the required ones of each first.
func Terms(spec *corev1.PodSpec) []Term {
	if spec.Affinity == nil {
		return nil
	}
	var out []Term
	add := func(anti bool, required []corev1.PodAffinityTerm, preferred []corev1.WeightedPodAffinityTerm) {
		for i := range required {
			out = append(out, Term{&required[i], anti, true, 0, i})
		}
		for i := range preferred {
			out = append(out, Term{&preferred[i].PodAffinityTerm, anti, false, preferred[i].Weight, i})
		}
	}
	if a := spec.Affinity.PodAffinity; a != nil {
		add(false, a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if a := spec.Affinity.PodAntiAffinity; a != nil {
		add(true, a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	return out
}

// Place is where the term stands below the pod spec, with its weight.
func (t Term) Place() string {
	of, how := "podAffinity", Preferred
	if t.Anti {
		of = "podAntiAffinity"
	}
	if t.Required {
		how = Required
	}
	return fmt.Sprintf("affinity.%s.%s[%d]", of, how, t.Index)
}

// Field is where the term itself stands below the pod spec.
func (t Term) Field() string {
	if t.Required {
		return t.Place()
	}
	return t.Place() + ".podAffinityTerm"
}

// RepelsHard reports whether a term keeps pods off each other's domains.
func RepelsHard(spec *corev1.PodSpec) bool {
	return slices.ContainsFunc(Terms(spec), func(t Term) bool { return t.Anti && t.Required })
}
