package conformance

import (
	"math/rand/v2"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1defaults "k8s.io/kubernetes/pkg/apis/core/v1"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/plugin/pkg/admission/limitranger"

	"github.com/kubesettle/kubesettle/verify/conformance/sample"
	"github.com/kubesettle/kubesettle/verify/control/admission"
	"github.com/kubesettle/kubesettle/verify/state"
)

// TestLimitRange admits pods beside one or two LimitRanges as the API server does, and
// compares what is filled in, and whether the pod may be created.
func TestLimitRange(t *testing.T) {
	r := rand.New(rand.NewPCG(*loopSeed, 22))
	refused, admitted := 0, 0
	for i := range loopCases(3000) {
		m := state.Manifest{Deployment: webDeployment(r, "v1")}
		template := m.Template()
		template.Spec.Containers, template.Spec.InitContainers = sample.Limited(r, "main"), nil
		if r.IntN(3) == 0 {
			template.Spec.InitContainers = sample.Limited(r, "init")[:1]
		}
		spec := webSpec(m, m, 1)
		ranges := []*corev1.LimitRange{sample.LimitRange(r)}
		if r.IntN(3) == 0 {
			ranges = append(ranges, sample.LimitRange(r))
		}
		spec.Admission.LimitRanges = [2][]*corev1.LimitRange{ranges, ranges}

		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web-1", Namespace: "default"}, Spec: *template.Spec.DeepCopy()}
		want, err := upstreamAdmits(t, pod, ranges)
		got := template.Spec.DeepCopy()
		admission.ApplyLimitRanges(got, ranges)
		for j := range got.Containers {
			if a, b := got.Containers[j].Resources, want.Containers[j].Resources; !sameResources(a, b) {
				t.Fatalf("case %d: %+v is filled in as %+v, upstream %+v, by %+v", i, template.Spec.Containers[j].Resources, a, b, ranges)
			}
		}
		p := newLoopProblem(t, spec, []int{1})
		no := p.cfg.Refusals[state.Head] != nil && p.cfg.Refusals[state.Head][0] != nil
		if no != (err != nil) {
			t.Fatalf("case %d: refused %t, upstream: %v\n%+v\n%+v", i, no, err, got, ranges)
		}
		if no {
			refused++
		} else {
			admitted++
		}
	}
	t.Logf("%d pods admitted, %d refused", admitted, refused)
	if refused == 0 || admitted == 0 {
		t.Error("not every answer was drawn: generate others")
	}
}

func sameResources(a, b corev1.ResourceRequirements) bool {
	return equality.Semantic.DeepEqual(a.Requests, b.Requests) && equality.Semantic.DeepEqual(a.Limits, b.Limits)
}

// upstreamAdmits fills in and validates a pod in the API server's order: defaults, mutating
// admission, validation, validating admission.
func upstreamAdmits(t *testing.T, pod *corev1.Pod, ranges []*corev1.LimitRange) (*corev1.PodSpec, error) {
	t.Helper()
	corev1defaults.SetDefaults_Pod(pod)
	in := &core.Pod{}
	check(t, legacyscheme.Scheme.Convert(pod, in, nil))
	for _, r := range ranges {
		check(t, limitranger.PodMutateLimitFunc(r, in))
	}
	out := &corev1.Pod{}
	check(t, legacyscheme.Scheme.Convert(in, out, nil))
	for _, list := range [][]core.Container{in.Spec.Containers, in.Spec.InitContainers} {
		for i := range list {
			if errs := corevalidation.ValidateContainerResourceRequirements(&list[i].Resources, sets.Set[string]{}, nil, corevalidation.PodValidationOptions{}); len(errs) > 0 {
				return &out.Spec, errs.ToAggregate()
			}
		}
	}
	for _, r := range ranges {
		if err := limitranger.PodValidateLimitFunc(r, in); err != nil {
			return &out.Spec, err
		}
	}
	return &out.Spec, nil
}
