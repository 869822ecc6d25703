package scenario

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/verify/state"
)

// TestSameButImage: another image, annotation or label of the object makes a rollout like any other; what a loop may look
// at does not.
func TestSameButImage(t *testing.T) {
	read := func(label string) bool { return label == "tier" }
	for _, tt := range []struct {
		name   string
		change func(*appsv1.Deployment)
		same   bool
	}{
		{"nothing", func(*appsv1.Deployment) {}, true},
		{"an image", func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "web:2" }, true},
		{"an init container's image", func(d *appsv1.Deployment) { d.Spec.Template.Spec.InitContainers[0].Image = "init:2" }, true},
		{"a checksum", func(d *appsv1.Deployment) { d.Spec.Template.Annotations = map[string]string{"checksum/config": "2"} }, true},
		{"a label of the object", func(d *appsv1.Deployment) { d.Labels = map[string]string{"helm.sh/chart": "web-2"} }, true},
		{"a label of pods that is read", func(d *appsv1.Deployment) { d.Spec.Template.Labels["tier"] = "web" }, false},
		{"one that is not", func(d *appsv1.Deployment) { d.Spec.Template.Labels["helm.sh/chart"] = "web-2" }, true},
		{"an environment", func(d *appsv1.Deployment) {
			d.Spec.Template.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "MODE", Value: "fast"}}
		}, true},
		{"a probe", func(d *appsv1.Deployment) {
			d.Spec.Template.Spec.Containers[0].ReadinessProbe = &corev1.Probe{PeriodSeconds: 5}
		}, true},
		{"a host port", func(d *appsv1.Deployment) {
			d.Spec.Template.Spec.Containers[0].Ports = []corev1.ContainerPort{{HostPort: 80}}
		}, false},
		{"what the autoscaler of nodes reads", func(d *appsv1.Deployment) {
			d.Spec.Template.Annotations = map[string]string{"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}
		}, false},
		{"a request", func(d *appsv1.Deployment) {
			d.Spec.Template.Spec.Containers[0].Resources.Requests = corev1.ResourceList{"cpu": resource.MustParse("1")}
		}, false},
		{"a sidecar", func(d *appsv1.Deployment) {
			s := &d.Spec.Template.Spec
			s.Containers = append(s.Containers, corev1.Container{Name: "s", Image: "web:1"})
		}, false},
		{"replicas", func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32) }, false},
		{"a priority", func(d *appsv1.Deployment) { d.Spec.Template.Spec.PriorityClassName = "high" }, false},
	} {
		d := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			Containers:     []corev1.Container{{Name: "web", Image: "web:1"}},
			InitContainers: []corev1.Container{{Name: "init", Image: "init:1"}},
		}}}}
		d.Spec.Template.Labels = map[string]string{"app": "web"}
		head := d.DeepCopy()
		tt.change(head)
		kept := head.DeepCopy()
		was, is := state.Manifest{Deployment: d}, state.Manifest{Deployment: head}
		if got := sameButImage(was, is, read); got != tt.same {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.same)
		}
		if head.Spec.Template.Spec.Containers[0].Image != kept.Spec.Template.Spec.Containers[0].Image {
			t.Errorf("%s: head was written to", tt.name)
		}
	}
	if d := sized("100m", "1Gi"); !sameButImage(unsized(d), unsized(sized("200m", "2Gi")), read) {
		t.Error("what is asked for counts where it fits everywhere")
	} else if d.Deployment.Spec.Template.Spec.Containers[0].Resources.Requests.Cpu().MilliValue() != 100 {
		t.Error("the manifest was written to")
	}
	scaled := func(m state.Manifest) state.Manifest {
		m.HPA = &autoscalingv2.HorizontalPodAutoscaler{Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			Metrics: []autoscalingv2.MetricSpec{{Resource: &autoscalingv2.ResourceMetricSource{Name: "cpu"}}}}}
		return unsized(m)
	}
	if !sameButImage(scaled(sized("100m", "1Gi")), scaled(sized("100m", "2Gi")), read) {
		t.Error("memory counts for an autoscaler by CPU")
	}
	if sameButImage(scaled(sized("100m", "1Gi")), scaled(sized("200m", "1Gi")), read) {
		t.Error("CPU does not count for an autoscaler by CPU")
	}
	if sameButImage(state.Manifest{Deployment: &appsv1.Deployment{}}, state.Manifest{}, read) {
		t.Error("a workload that goes is the same")
	}
}

// sized is a workload of one container that asks for so much.
func sized(cpu, memory string) state.Manifest {
	d := &appsv1.Deployment{}
	d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "web", Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{"cpu": resource.MustParse(cpu), "memory": resource.MustParse(memory)},
	}}}
	return state.Manifest{Deployment: d}
}
