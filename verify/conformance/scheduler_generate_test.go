package conformance

import (
	"fmt"
	"math/rand/v2"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubesettle/kubesettle/verify/state"
)

// generator draws scenarios whose parts often meet: few labels, few values.
type generator struct{ *rand.Rand }

func (g generator) chance(percent int) bool { return g.IntN(100) < percent }

func pick[T any](g generator, from ...T) T { return from[g.IntN(len(from))] }

// some gives each element with a chance.
func some[T any](g generator, percent int, from ...T) []T {
	var out []T
	for _, x := range from {
		if g.chance(percent) {
			out = append(out, x)
		}
	}
	return out
}

// scenario draws a cluster without pods; [generator.places] fills it.
func (g generator) scenario() *scenario {
	s := &scenario{Namespaces: map[string]map[string]string{}}
	for _, ns := range []string{"default", "prod", "dev"} {
		s.Namespaces[ns] = map[string]string{corev1.LabelMetadataName: ns}
		if g.chance(60) {
			s.Namespaces[ns]["team"] = pick(g, "x", "y")
		}
	}
	size := 4
	if g.chance(5) {
		size = 12
	}
	for range 1 + g.IntN(5) {
		s.Classes = append(s.Classes, nodeClass{g.node(), 1 + g.IntN(size)})
	}
	for i := range 1 + g.IntN(4) {
		w := workload{Namespace: pick(g, "default", "default", "prod", "dev"), Name: fmt.Sprintf("w%d", i)}
		base := g.deployment()
		head := base.DeepCopy()
		switch g.IntN(5) {
		case 0:
		case 1:
			head = nil
		case 2:
			base, head = nil, base
		case 3:
			head.Spec.Template.Spec.Containers[0].Image = pick(g, "img", "img:2", "reg/img:3")
		default:
			head = g.deployment()
			head.Spec.Selector = base.Spec.Selector
		}
		w.Manifests = [2]*appsv1.Deployment{base, head}
		s.Workloads = append(s.Workloads, w)
	}
	for i := range g.IntN(3) {
		service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: pick(g, "default", "prod"), Name: fmt.Sprintf("s%d", i)}}
		service.Spec.Selector = g.labels(60)
		s.Services = append(s.Services, service)
	}
	return s
}

// places puts pods on nodes.
func (g generator) places(s *scenario) {
	s.Places = nil
	for w := range s.Workloads {
		for _, v := range []state.Version{state.Base, state.Head} {
			if s.Workloads[w].Manifests[v] == nil || g.chance(20) {
				continue
			}
			for range g.IntN(7) {
				class := g.IntN(len(s.Classes))
				s.Places = append(s.Places, place{
					Workload: w, Version: v, Class: class, Node: g.IntN(s.Classes[class].Count),
					Phase: state.Phase(g.IntN(int(state.Terminating) + 1)), Count: 1 + g.IntN(3),
				})
			}
		}
	}
}

func (g generator) node() *corev1.Node {
	n := &corev1.Node{}
	n.Labels = map[string]string{}
	if g.chance(90) {
		n.Labels[corev1.LabelTopologyZone] = pick(g, "a", "b", "c")
	}
	if g.chance(50) {
		n.Labels["disk"] = pick(g, "ssd", "hdd")
	}
	if g.chance(50) {
		n.Labels["rack"] = pick(g, "", "1", "2")
	}
	if g.chance(50) {
		n.Labels["cores"] = pick(g, "4", "16")
	}
	n.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse(pick(g, "1", "2500m", "4", "16")),
		corev1.ResourceMemory:           resource.MustParse(pick(g, "1Gi", "4Gi", "7777777777", "64Gi")),
		corev1.ResourceEphemeralStorage: resource.MustParse(pick(g, "1Gi", "100Gi")),
		corev1.ResourcePods:             resource.MustParse(pick(g, "3", "110", "110", "110")),
	}
	if g.chance(30) {
		n.Status.Allocatable["example.com/gpu"] = resource.MustParse(pick(g, "0", "1", "8"))
	}
	if g.chance(20) {
		n.Status.Allocatable["hugepages-2Mi"] = resource.MustParse("64Mi")
	}
	n.Spec.Taints = g.taints()
	n.Spec.Unschedulable = g.chance(8)
	for _, name := range some(g, 40, "img:latest", "img:2", "reg/img:3", "side:1") {
		n.Status.Images = append(n.Status.Images, corev1.ContainerImage{
			Names: []string{name, "alias/" + name}, SizeBytes: pick[int64](g, 1<<20, 30<<20, 300<<20, 3<<30),
		})
	}
	return n
}

func (g generator) taints() []corev1.Taint {
	all := []corev1.Taint{
		{Key: "dedicated", Value: "x", Effect: corev1.TaintEffectNoSchedule},
		{Key: "dedicated", Value: "y", Effect: corev1.TaintEffectPreferNoSchedule},
		{Key: "spot", Effect: corev1.TaintEffectPreferNoSchedule},
		{Key: "cores", Value: "8", Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoExecute},
		{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule},
	}
	return some(g, 8, all...)
}

func (g generator) tolerations() []corev1.Toleration {
	return some(g, 12,
		corev1.Toleration{Key: "dedicated", Operator: corev1.TolerationOpEqual, Value: "x"},
		corev1.Toleration{Key: "dedicated", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectPreferNoSchedule},
		corev1.Toleration{Key: "spot", Operator: corev1.TolerationOpExists},
		corev1.Toleration{Key: "spot", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
		corev1.Toleration{Key: "cores", Operator: "Lt", Value: "16"},
		corev1.Toleration{Operator: corev1.TolerationOpExists},
		corev1.Toleration{Key: corev1.TaintNodeUnschedulable, Operator: corev1.TolerationOpExists},
		corev1.Toleration{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
	)
}

func (g generator) labels(percent int) map[string]string {
	out := map[string]string{}
	for _, key := range some(g, percent, "app", "tier") {
		out[key] = pick(g, "1", "2")
	}
	return out
}

func (g generator) deployment() *appsv1.Deployment {
	d := &appsv1.Deployment{}
	d.Spec.Template.Labels = g.labels(80)
	d.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{}}
	for _, key := range []string{"app", "tier"} {
		if v, ok := d.Spec.Template.Labels[key]; ok && g.chance(70) {
			d.Spec.Selector.MatchLabels[key] = v
		}
	}
	d.Spec.Template.Spec = g.podSpec()
	return d
}

func (g generator) podSpec() corev1.PodSpec {
	spec := corev1.PodSpec{Tolerations: g.tolerations(), HostNetwork: g.chance(12)}
	spec.SchedulerName = pick(g, "", "", corev1.DefaultSchedulerName, secondScheduler)
	for range 1 + g.IntN(2) {
		spec.Containers = append(spec.Containers, g.container())
	}
	for range g.IntN(2) * g.IntN(3) {
		c := g.container()
		if g.chance(40) {
			always := corev1.ContainerRestartPolicyAlways
			c.RestartPolicy = &always
		}
		spec.InitContainers = append(spec.InitContainers, c)
	}
	if g.chance(5) {
		spec.Overhead = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("50m"), corev1.ResourceMemory: resource.MustParse("10Mi")}
	}
	if g.chance(6) {
		r := g.resources()
		delete(r.Requests, corev1.ResourceEphemeralStorage)
		delete(r.Requests, "example.com/gpu")
		delete(r.Limits, "example.com/gpu")
		spec.Resources = &r
	}
	if g.chance(5) {
		spec.Volumes = append(spec.Volumes, corev1.Volume{Name: "v",
			VolumeSource: corev1.VolumeSource{Image: &corev1.ImageVolumeSource{Reference: pick(g, "img:2", "side:1")}}})
	}
	if g.chance(15) {
		spec.NodeSelector = map[string]string{pick(g, "disk", "rack"): pick(g, "ssd", "1", "")}
	}
	if g.chance(70) {
		spec.Affinity = g.affinity()
	}
	if g.chance(55) {
		for range 1 + g.IntN(3) {
			spec.TopologySpreadConstraints = append(spec.TopologySpreadConstraints, g.spread())
		}
	}
	return spec
}

func (g generator) container() corev1.Container {
	c := corev1.Container{Name: "c", Image: pick(g, "img", "img:2", "reg/img:3", "side:1", "alias/img:2"), Resources: g.resources()}
	if g.chance(20) {
		c.Ports = append(c.Ports, corev1.ContainerPort{
			ContainerPort: pick[int32](g, 80, 443), HostPort: pick[int32](g, 0, 80, 443),
			Protocol: pick(g, corev1.ProtocolTCP, corev1.ProtocolUDP), HostIP: pick(g, "", "0.0.0.0", "10.0.0.1", "10.0.0.2"),
		})
	}
	return c
}

func (g generator) resources() corev1.ResourceRequirements {
	r := corev1.ResourceRequirements{Requests: corev1.ResourceList{}, Limits: corev1.ResourceList{}}
	draw := func(name corev1.ResourceName, percent int, values ...string) {
		if g.chance(percent) {
			r.Requests[name] = resource.MustParse(pick(g, values...))
		}
		if g.chance(percent / 4) {
			r.Limits[name] = resource.MustParse(pick(g, values...))
		}
	}
	draw(corev1.ResourceCPU, 60, "0", "1m", "100m", "333m", "1", "2")
	draw(corev1.ResourceMemory, 60, "0", "64Mi", "500M", "1Gi", "3Gi", "1500m")
	draw(corev1.ResourceEphemeralStorage, 10, "100Mi", "2Gi")
	if g.chance(8) {
		r.Limits["example.com/gpu"] = resource.MustParse(pick(g, "0", "1", "2"))
	}
	if g.chance(4) {
		r.Limits["hugepages-2Mi"] = resource.MustParse("4Mi")
	}
	if len(r.Requests) == 0 {
		r.Requests = nil
	}
	return r
}

// selector draws a label selector over pods or, with its own key and values, namespaces.
func (g generator) selector(key string, values ...string) *metav1.LabelSelector {
	if g.chance(4) {
		return nil
	}
	s := &metav1.LabelSelector{}
	if g.chance(55) {
		s.MatchLabels = map[string]string{key: pick(g, values...)}
	}
	if g.chance(40) {
		op := pick(g, metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn, metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist)
		r := metav1.LabelSelectorRequirement{Key: pick(g, key, "tier"), Operator: op}
		if op == metav1.LabelSelectorOpIn || op == metav1.LabelSelectorOpNotIn {
			r.Values = some(g, 60, values...)
			if len(r.Values) == 0 {
				r.Values = values[:1]
			}
		}
		s.MatchExpressions = append(s.MatchExpressions, r)
	}
	return s
}

func (g generator) topologyKey() string {
	return pick(g, corev1.LabelTopologyZone, corev1.LabelTopologyZone, corev1.LabelHostname, corev1.LabelHostname, "rack", "disk")
}

func (g generator) labelKeys(percent int) []string {
	return some(g, percent, appsv1.DefaultDeploymentUniqueLabelKey, "tier", "absent")
}

func (g generator) spread() corev1.TopologySpreadConstraint {
	c := corev1.TopologySpreadConstraint{
		MaxSkew: 1 + g.Int32N(3), TopologyKey: g.topologyKey(),
		WhenUnsatisfiable: pick(g, corev1.DoNotSchedule, corev1.ScheduleAnyway),
		LabelSelector:     g.selector("app", "1", "2"), MatchLabelKeys: g.labelKeys(15),
	}
	if c.WhenUnsatisfiable == corev1.DoNotSchedule && g.chance(25) {
		least := 1 + g.Int32N(4)
		c.MinDomains = &least
	}
	if g.chance(25) {
		policy := pick(g, corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore)
		c.NodeAffinityPolicy = &policy
	}
	if g.chance(25) {
		policy := pick(g, corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore)
		c.NodeTaintsPolicy = &policy
	}
	return c
}

func (g generator) affinity() *corev1.Affinity {
	a := &corev1.Affinity{}
	if g.chance(30) {
		a.NodeAffinity = g.nodeAffinity()
	}
	if g.chance(35) {
		a.PodAffinity = &corev1.PodAffinity{}
		for range g.IntN(2) * (1 + g.IntN(2)) {
			a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution =
				append(a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution, g.term())
		}
		a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution = g.weighted()
	}
	if g.chance(35) {
		a.PodAntiAffinity = &corev1.PodAntiAffinity{}
		for range g.IntN(2) * (1 + g.IntN(2)) {
			a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution =
				append(a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution, g.term())
		}
		a.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution = g.weighted()
	}
	return a
}

func (g generator) weighted() []corev1.WeightedPodAffinityTerm {
	var out []corev1.WeightedPodAffinityTerm
	for range g.IntN(3) {
		out = append(out, corev1.WeightedPodAffinityTerm{Weight: 1 + g.Int32N(100), PodAffinityTerm: g.term()})
	}
	return out
}

func (g generator) term() corev1.PodAffinityTerm {
	t := corev1.PodAffinityTerm{TopologyKey: g.topologyKey(), LabelSelector: g.selector("app", "1", "2")}
	if g.chance(25) {
		t.Namespaces = some(g, 40, "default", "prod", "dev")
	}
	if g.chance(30) {
		t.NamespaceSelector = g.selector("team", "x", "y")
	}
	if t.LabelSelector != nil {
		t.MatchLabelKeys = g.labelKeys(8)
		if len(t.MatchLabelKeys) == 0 {
			t.MismatchLabelKeys = g.labelKeys(8)
		}
	}
	return t
}

func (g generator) nodeAffinity() *corev1.NodeAffinity {
	a := &corev1.NodeAffinity{}
	if g.chance(50) {
		a.RequiredDuringSchedulingIgnoredDuringExecution = &corev1.NodeSelector{}
		for range 1 + g.IntN(2) {
			a.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms =
				append(a.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms, g.nodeTerm())
		}
	}
	for range g.IntN(3) {
		a.PreferredDuringSchedulingIgnoredDuringExecution = append(a.PreferredDuringSchedulingIgnoredDuringExecution,
			corev1.PreferredSchedulingTerm{Weight: 1 + g.Int32N(100), Preference: g.nodeTerm()})
	}
	return a
}

func (g generator) nodeTerm() corev1.NodeSelectorTerm {
	var t corev1.NodeSelectorTerm
	for range g.IntN(3) {
		r := corev1.NodeSelectorRequirement{Key: pick(g, "disk", "rack", "cores", corev1.LabelTopologyZone, corev1.LabelHostname)}
		r.Operator = pick(g, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn, corev1.NodeSelectorOpExists,
			corev1.NodeSelectorOpDoesNotExist, corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt)
		switch r.Operator {
		case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
			r.Values = append(some(g, 40, "ssd", "1", "a", "n0-1", ""), "b")
		case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
			r.Values = []string{"8"}
		}
		t.MatchExpressions = append(t.MatchExpressions, r)
	}
	if g.chance(5) {
		t.MatchFields = []corev1.NodeSelectorRequirement{{Key: metav1.ObjectNameField,
			Operator: pick(g, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn), Values: []string{"n0-1"}}}
	}
	return t
}
