package slice

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/render/object"
)

// A policy sees a pod as its controller sends it and the API server completes it, and not its template: with a name, an
// owner, the labels by which it is found again, and a request for each limit.
func TestPoliciesSeePods(t *testing.T) {
	template := &corev1.PodTemplateSpec{}
	template.Labels = map[string]string{"app": "web"}
	template.Spec.Containers = []corev1.Container{{Name: "web", Image: "web:1",
		Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{"cpu": resource.MustParse("1")}}}}
	for _, x := range []struct{ group, kind, name, owner, label string }{
		{"apps", "Deployment", "web-xxxxxxxxxx-xxxxx", "ReplicaSet web-xxxxxxxxxx", "pod-template-hash"},
		{"apps", "ReplicaSet", "web-xxxxx", "ReplicaSet web", ""},
		{"apps", "StatefulSet", "web-0", "StatefulSet web", "statefulset.kubernetes.io/pod-name"},
		{"apps", "DaemonSet", "web-xxxxx", "DaemonSet web", "controller-revision-hash"},
		{"batch", "Job", "web-xxxxx", "Job web", "batch.kubernetes.io/job-name"},
		{"batch", "CronJob", "web-00000000-xxxxx", "Job web-00000000", "batch.kubernetes.io/job-name"},
		{"", "Pod", "web", "", ""},
	} {
		of := object.ID{Group: x.group, Kind: x.kind, Namespace: "shop", Name: "web"}
		_, sent := NewSide(nil).sentPod(template, of)
		if sent.Refused != nil {
			t.Fatal(sent.Refused.Text)
		}
		pod := sent.Object.(*corev1.Pod)
		owner := ""
		for _, o := range pod.OwnerReferences {
			owner = o.Kind + " " + o.Name
		}
		if pod.Name != x.name || owner != x.owner || x.label != "" && pod.Labels[x.label] == "" || pod.Labels["app"] != "web" {
			t.Errorf("%s: pod %s of %q, labels %v", x.kind, pod.Name, owner, pod.Labels)
		}
		if pod.GenerateName != "" && !strings.HasPrefix(pod.Name, pod.GenerateName) {
			t.Errorf("%s: %s of %s", x.kind, pod.Name, pod.GenerateName)
		}
		if r := pod.Spec.Containers[0].Resources.Requests["cpu"]; r.Value() != 1 || pod.Spec.EnableServiceLinks == nil {
			t.Errorf("%s: not completed: %+v", x.kind, pod.Spec)
		}
	}
	if len(template.Labels) != 1 || template.Spec.Containers[0].Resources.Requests != nil {
		t.Error("the template was changed")
	}
}
