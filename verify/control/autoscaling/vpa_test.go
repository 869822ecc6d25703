package autoscaling

import (
	"math"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

func resources(cpu, memory string) corev1.ResourceList {
	out := corev1.ResourceList{}
	if cpu != "" {
		out["cpu"] = resource.MustParse(cpu)
	}
	if memory != "" {
		out["memory"] = resource.MustParse(memory)
	}
	return out
}

// TestResourceDiff has the numbers of upstream's own test of GetUpdatePriority
// (vertical-pod-autoscaler/pkg/updater/priority, TestGetUpdatePriority).
func TestResourceDiff(t *testing.T) {
	for name, x := range map[string]struct {
		requests, targets []corev1.ResourceList
		want              float64
	}{
		"simple scale up":                       {[]corev1.ResourceList{resources("2", "")}, []corev1.ResourceList{resources("10", "")}, 4},
		"simple scale down":                     {[]corev1.ResourceList{resources("4", "")}, []corev1.ResourceList{resources("2", "")}, 0.5},
		"no resource diff":                      {[]corev1.ResourceList{resources("2", "")}, []corev1.ResourceList{resources("2", "")}, 0},
		"scale up on milliquantities":           {[]corev1.ResourceList{resources("10m", "")}, []corev1.ResourceList{resources("900m", "")}, 89},
		"multiple resources, both scale up":     {[]corev1.ResourceList{resources("3", "10M")}, []corev1.ResourceList{resources("6", "20M")}, 2},
		"multiple resources, only one scale up": {[]corev1.ResourceList{resources("4", "10M")}, []corev1.ResourceList{resources("2", "20M")}, 1.5},
		"multiple resources, both scale down":   {[]corev1.ResourceList{resources("4", "20M")}, []corev1.ResourceList{resources("2", "10M")}, 1},
		"multiple containers, both scale up":    {[]corev1.ResourceList{resources("1", ""), resources("2", "")}, []corev1.ResourceList{resources("4", ""), resources("8", "")}, 3},
	} {
		pod, recommended := &corev1.PodSpec{}, map[string]corev1.ResourceList{}
		for i := range x.requests {
			name := string(rune('a' + i))
			pod.Containers = append(pod.Containers, corev1.Container{Name: name, Resources: corev1.ResourceRequirements{Requests: x.requests[i]}})
			recommended[name] = x.targets[i]
		}
		if got := resourceDiff(pod, recommended); math.Abs(got-x.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, got, x.want)
		}
	}
}

// sizedManifest is a Deployment of one container with a VPA.
func sizedManifest(requests, limits corev1.ResourceList, p state.VPAPolicy) *state.Manifest {
	d := &appsv1.Deployment{}
	d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Requests: requests, Limits: limits}}}
	if p.Controlled == nil {
		p.Controlled = objects.VPAResources[:]
	}
	p.Container = "*"
	return &state.Manifest{Deployment: d, VPA: &state.VPA{Name: "web", Policies: []state.VPAPolicy{p}}}
}

func TestRecommend(t *testing.T) {
	const gi = 1 << 30 * 1000 // thousandths of a byte
	for name, x := range map[string]struct {
		limits         corev1.ResourceList
		policy         state.VPAPolicy
		use            usage
		cpu, memory    string
		limit          string // of CPU
		none, onlyOnes bool
	}{
		"15 % more than is used":              {use: usage{1000, gi}, cpu: "1150m", memory: "1234803097"},
		"no less than 25m and 250Mi":          {use: usage{1, 1000}, cpu: "25m", memory: "250Mi"},
		"up to minAllowed":                    {policy: state.VPAPolicy{MinAllowed: resources("2", "4Gi")}, use: usage{1000, gi}, cpu: "2", memory: "4Gi"},
		"down to maxAllowed":                  {policy: state.VPAPolicy{MaxAllowed: resources("900m", "1Gi")}, use: usage{1000, gi}, cpu: "900m", memory: "1Gi"},
		"a zero maxAllowed is none":           {policy: state.VPAPolicy{MaxAllowed: resources("0", "")}, use: usage{1000, gi}, cpu: "1150m", memory: "1234803097"},
		"limits follow in proportion":         {limits: resources("1", ""), use: usage{1000, gi}, cpu: "1150m", memory: "1234803097", limit: "2300m"},
		"or cap where requests only are set":  {limits: resources("1", ""), policy: state.VPAPolicy{RequestsOnly: true}, use: usage{1000, gi}, cpu: "1", memory: "1234803097"},
		"one resource only":                   {policy: state.VPAPolicy{Controlled: []corev1.ResourceName{"cpu"}}, use: usage{1000, gi}, cpu: "1150m"},
		"a container that is off is let be":   {policy: state.VPAPolicy{Off: true}, use: usage{1000, gi}, none: true},
		"a pod that uses what it requests /x": {use: usage{435, 0}, cpu: "500m", memory: "250Mi"},
	} {
		m := sizedManifest(resources("500m", "512Mi"), x.limits, x.policy)
		z := recommend(m, x.use)
		if x.none {
			if len(z) != 0 {
				t.Errorf("%s: %v", name, z)
			}
			continue
		}
		for res, want := range map[corev1.ResourceName]string{"cpu": x.cpu, "memory": x.memory} {
			got, ok := z["c"].Requests[res]
			if ok != (want != "") || ok && got.Cmp(resource.MustParse(want)) != 0 {
				t.Errorf("%s: %s %s, want %q", name, res, got.String(), want)
			}
		}
		got, ok := z["c"].Limits["cpu"]
		if ok != (x.limit != "") || ok && got.Cmp(resource.MustParse(x.limit)) != 0 {
			t.Errorf("%s: a CPU limit of %s, want %q", name, got.String(), x.limit)
		}
	}
}

// TestDisrupts has the numbers of upstream's isPodDisruptable with the updater's tolerance of
// one half.
func TestDisrupts(t *testing.T) {
	spec := &state.Spec{
		Classes: []state.NodeClass{{Name: "n", Node: &corev1.Node{}, Elastic: true}},
		Workloads: []state.Workload{{ID: "w", Manifests: [2]state.Manifest{
			{}, *sizedManifest(resources("500m", ""), nil, state.VPAPolicy{}),
		}, Sizes: []state.Size{{"c": {Requests: resources("1", "")}}}}},
	}
	b, err := state.NewBuilder(spec, []int{1}, 9)
	if err != nil {
		t.Fatal(err)
	}
	c, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	u := &vpaUpdater{}
	for _, x := range []struct {
		configured, asDeclared, resized int
		want                            bool
	}{
		{1, 1, 0, true}, {1, 0, 0, false}, {2, 2, 0, true}, {2, 1, 0, false}, {2, 1, 1, true},
		{3, 2, 1, true}, {3, 1, 1, false}, {4, 4, 0, true}, {4, 2, 1, true}, {4, 1, 1, false}, {5, 2, 2, true}, {5, 3, 0, false},
	} {
		s := c.New()
		s.Set(c.Class[0].Size, x.configured)
		s.Add(0, 0, state.Ready, x.asDeclared)
		s.Add(0, 1, state.Ready, x.resized)
		if got := u.disrupts(s, 0, state.Ready); got != x.want {
			t.Errorf("%d of %d run: %v, want %v", x.asDeclared+x.resized, x.configured, got, x.want)
		}
	}
}

// With an autoscaler from 2 to N, a workload has a size for each number of pods but the one that its requests are near
// to, and for the last few that the least request makes alike. Where they are more than are told apart, the slice is
// said to be thinned; along a run each of them is kept.
func TestSizesAreThinned(t *testing.T) {
	for _, x := range []struct {
		most    int
		thinned bool
	}{{3, false}, {8, false}, {9, false}, {10, true}, {20, true}, {40, true}} {
		m := sizedManifest(resources("500m", "512Mi"), nil, state.VPAPolicy{})
		target, least := int32(70), int32(2)
		m.HPA = &autoscalingv2.HorizontalPodAutoscaler{Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			MinReplicas: &least, MaxReplicas: int32(x.most), Metrics: []autoscalingv2.MetricSpec{{
				Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{Name: "cpu",
					Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &target}}}}}}
		m.VPA.Mode = state.VPARecreate
		spec := &state.Spec{Workloads: []state.Workload{{Name: "web", Manifests: [2]state.Manifest{state.Head: *m}}}}
		all := map[string]bool{}
		eachUse(spec, 0, int(state.Head), func(_ state.Load, _ int, u usage) {
			if z := recommend(m, u); !declares(m, z) {
				cpu := z["c"].Requests[corev1.ResourceCPU]
				all[cpu.String()] = true
			}
		})
		if got := Thinned(spec); got != x.thinned || got != (len(all) > mostSizes) {
			t.Errorf("up to %d pods: thinned %v, want %v: %d sizes", x.most, got, x.thinned, len(all))
		}
		if got := len(Sized(spec).Workloads[0].Sizes); got != min(len(all), mostSizes) {
			t.Errorf("up to %d pods: %d of %d sizes", x.most, got, len(all))
		}
		along := SizedAlong(spec)
		if got := len(along.Workloads[0].Sizes); got != len(all) || len(Sized(along).Workloads[0].Sizes) != got {
			t.Errorf("up to %d pods: %d of %d sizes along a run", x.most, got, len(all))
		}
	}
}
