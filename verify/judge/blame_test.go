package judge

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Each changed field of a pod belongs to one aspect, so that blame names no other.
func TestAspectsShareNoField(t *testing.T) {
	for path, want := range map[string][]string{
		"spec.template.spec.containers[0].resources.requests[cpu]": {containerResources},
		"spec.template.spec.containers[1].image":                   {containers},
		"spec.template.spec.containers[1]":                         {containers},
		"spec.template.spec.containers[0].resourcesPolicy":         {containers},
		"spec.template.spec.affinity.podAffinity":                  {"spec.template.spec.affinity"},
		"spec.replicas": {"spec.replicas"},
	} {
		var got []string
		for _, a := range aspects(&state.Manifest{Deployment: &appsv1.Deployment{}}) {
			if a.kind == workloadObject && a.covers(path) {
				got = append(got, a.path)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s is of %v, want %v", path, got, want)
		}
	}
}

// Requests are put back without the image, and the image without the requests.
func TestMixContainers(t *testing.T) {
	pod := func(image, cpu string) state.Manifest {
		d := &appsv1.Deployment{}
		d.Spec.Template.Spec.Containers = []corev1.Container{
			{Name: image + "-sidecar"},
			{Name: "web", Image: image, Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}}},
		}
		return state.Manifest{Deployment: d}
	}
	for _, tc := range []struct {
		resources        bool
		sidecar, image   string
		cpu              string
		differs, atAgain bool
	}{
		{true, "new-sidecar", "new", "1", true, false},
		{false, "old-sidecar", "old", "2", true, false},
	} {
		head, base := pod("new", "2"), pod("old", "1")
		if got := mixContainers(&head, &base, tc.resources); got != tc.differs {
			t.Errorf("resources %v: differed %v", tc.resources, got)
		}
		list := head.Deployment.Spec.Template.Spec.Containers
		if list[0].Name != tc.sidecar || list[1].Image != tc.image || list[1].Resources.Requests.Cpu().String() != tc.cpu {
			t.Errorf("resources %v: got %+v", tc.resources, list)
		}
		if base.Deployment.Spec.Template.Spec.Containers[1].Image != "old" {
			t.Error("base was changed")
		}
		if got := mixContainers(&head, &base, tc.resources); got != tc.atAgain {
			t.Errorf("resources %v, again: differed %v", tc.resources, got)
		}
	}
}

func TestTakenBackNamesEveryField(t *testing.T) {
	fields := func(n int) []finding.Blame {
		var out []finding.Blame
		for i := range n {
			out = append(out, finding.Blame{Object: "O", Path: string(rune('a' + i))})
		}
		return out
	}
	for n, want := range map[int]string{
		1: "revert the change to a of O", 2: "revert the changes to a and b of O", 3: "revert the changes to a, b and c of O",
		7: "revert the changes to a, b, c, d, e and 2 more of O",
	} {
		if got := takenBack(fields(n)); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	for side, want := range map[string]string{"head": "leave O out, which the change adds", "base": "keep O, which the change removes"} {
		if got := takenBack([]finding.Blame{{Object: "O", Location: &finding.Location{Side: side}}}); got != want {
			t.Errorf("a whole object on %s: %q, want %q", side, got, want)
		}
	}
}
