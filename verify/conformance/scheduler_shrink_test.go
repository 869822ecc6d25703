package conformance

import (
	"errors"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/control/actor"
)

// shrink makes a scenario on which the two sides disagree smaller as long as they do.
func (x *comparison) shrink(s *scenario) *scenario {
	fails := func(c *scenario) bool {
		err := x.compare(c, nil)
		return err != nil && !errors.Is(err, actor.ErrUnmodeled)
	}
	for again := true; again; {
		again = false
		for i := 0; ; i++ {
			c := s.clone()
			if !reduce(c, i) {
				break
			}
			if fails(c) {
				s, again = c, true
				i--
			}
		}
	}
	return s
}

// reduce does the i-th of the reductions that apply to a scenario, and reports whether
// there is one.
func reduce(s *scenario, i int) bool {
	var all []func()
	for k := range s.Places {
		all = append(all, func() { s.Places = slices.Delete(s.Places, k, k+1) })
		if s.Places[k].Count > 1 {
			all = append(all, func() { s.Places[k].Count-- })
		}
	}
	for k := range s.Services {
		all = append(all, func() { s.Services = slices.Delete(s.Services, k, k+1) })
	}
	if last := len(s.Workloads) - 1; last > 0 {
		all = append(all, func() { s.Workloads = s.Workloads[:last] })
	}
	if last := len(s.Classes) - 1; last > 0 {
		all = append(all, func() { s.Classes = s.Classes[:last] })
	}
	for k := range s.Classes {
		all = append(all, classReductions(&s.Classes[k])...)
	}
	for w := range s.Workloads {
		for v := range s.Workloads[w].Manifests {
			if d := &s.Workloads[w].Manifests[v]; *d != nil {
				all = append(all, func() { *d = nil })
				all = append(all, podReductions(&(*d).Spec.Template.Spec)...)
				all = append(all, labelReductions(*d)...)
			}
		}
	}
	if i >= len(all) {
		return false
	}
	all[i]()
	return true
}

func labelReductions(d *appsv1.Deployment) []func() {
	var all []func()
	for _, labels := range []map[string]string{d.Spec.Template.Labels, d.Spec.Selector.MatchLabels} {
		for _, key := range slices.Sorted(maps.Keys(labels)) {
			all = append(all, func() { delete(labels, key) })
		}
	}
	return all
}

func classReductions(c *nodeClass) []func() {
	var all []func()
	if c.Count > 1 {
		all = append(all, func() { c.Count-- })
	}
	if len(c.Node.Spec.Taints) > 0 {
		all = append(all, func() { c.Node.Spec.Taints = nil })
	}
	if len(c.Node.Status.Images) > 0 {
		all = append(all, func() { c.Node.Status.Images = c.Node.Status.Images[1:] })
	}
	if c.Node.Spec.Unschedulable {
		all = append(all, func() { c.Node.Spec.Unschedulable = false })
	}
	for _, key := range slices.Sorted(maps.Keys(c.Node.Labels)) {
		all = append(all, func() { delete(c.Node.Labels, key) })
	}
	return all
}

// podReductions drops parts of a pod's spec.
func podReductions(spec *corev1.PodSpec) []func() {
	var all []func()
	drop := func(has bool, f func()) {
		if has {
			all = append(all, f)
		}
	}
	drop(len(spec.Tolerations) > 0, func() { spec.Tolerations = spec.Tolerations[1:] })
	drop(len(spec.InitContainers) > 0, func() { spec.InitContainers = spec.InitContainers[1:] })
	drop(len(spec.Containers) > 1, func() { spec.Containers = spec.Containers[1:] })
	drop(len(spec.Volumes) > 0, func() { spec.Volumes = nil })
	drop(len(spec.NodeSelector) > 0, func() { spec.NodeSelector = nil })
	drop(spec.HostNetwork, func() { spec.HostNetwork = false })
	drop(spec.Overhead != nil, func() { spec.Overhead = nil })
	drop(spec.Resources != nil, func() { spec.Resources = nil })
	for i := range spec.Containers {
		c := &spec.Containers[i]
		drop(len(c.Ports) > 0, func() { c.Ports = nil })
		for _, name := range slices.Sorted(maps.Keys(c.Resources.Requests)) {
			all = append(all, func() { delete(c.Resources.Requests, name) })
		}
		for _, name := range slices.Sorted(maps.Keys(c.Resources.Limits)) {
			all = append(all, func() { delete(c.Resources.Limits, name) })
		}
	}
	for i := range spec.TopologySpreadConstraints {
		c := &spec.TopologySpreadConstraints[i]
		all = append(all, func() { spec.TopologySpreadConstraints = slices.Delete(spec.TopologySpreadConstraints, i, i+1) })
		drop(c.MinDomains != nil, func() { c.MinDomains = nil })
		drop(c.NodeAffinityPolicy != nil, func() { c.NodeAffinityPolicy = nil })
		drop(c.NodeTaintsPolicy != nil, func() { c.NodeTaintsPolicy = nil })
		drop(len(c.MatchLabelKeys) > 0, func() { c.MatchLabelKeys = nil })
	}
	if a := spec.Affinity; a != nil {
		all = append(all, func() { spec.Affinity = nil })
		drop(a.NodeAffinity != nil, func() { a.NodeAffinity = nil })
		if p := a.PodAffinity; p != nil {
			all = append(all, func() { a.PodAffinity = nil })
			all = append(all, termReductions(&p.RequiredDuringSchedulingIgnoredDuringExecution, &p.PreferredDuringSchedulingIgnoredDuringExecution)...)
		}
		if p := a.PodAntiAffinity; p != nil {
			all = append(all, func() { a.PodAntiAffinity = nil })
			all = append(all, termReductions(&p.RequiredDuringSchedulingIgnoredDuringExecution, &p.PreferredDuringSchedulingIgnoredDuringExecution)...)
		}
	}
	return all
}

func termReductions(required *[]corev1.PodAffinityTerm, preferred *[]corev1.WeightedPodAffinityTerm) []func() {
	var all []func()
	for i := range *required {
		all = append(all, func() { *required = slices.Delete(*required, i, i+1) })
	}
	for i := range *preferred {
		all = append(all, func() { *preferred = slices.Delete(*preferred, i, i+1) })
	}
	return all
}
