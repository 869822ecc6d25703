package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/plugin/pkg/admission/runtimeclass"

	ours "github.com/kubesettle/kubesettle/verify/control/admission"
)

// TestRuntimeClass admits pods of a RuntimeClass as the API server's plugin does, and compares what is filled in, and
// whether the pod may be created.
func TestRuntimeClass(t *testing.T) {
	r := rand.New(rand.NewPCG(*loopSeed, 38))
	refused, admitted, filled := 0, 0, 0
	for i := range loopCases(2000) {
		class, pod := anyRuntimeClass(r), anySandboxed(r)
		want, err := upstreamRuntime(t, class, pod.DeepCopy())
		got := pod.Spec.DeepCopy()
		var no error
		var of *nodev1.RuntimeClass
		if got.RuntimeClassName != nil {
			of = class
			no = ours.ApplyRuntimeClass(got, of)
		}
		if no == nil {
			no = ours.CheckOverhead(got, of)
		}
		if (no != nil) != (err != nil) {
			t.Fatalf("case %d: refused %v, upstream %v\n%+v\n%+v", i, no, err, class, pod.Spec)
		}
		if no != nil {
			refused++
			continue
		}
		admitted++
		if !equality.Semantic.DeepEqual(got, want) {
			t.Fatalf("case %d: filled in as\n%+v, upstream\n%+v, by %+v", i, got, want, class)
		}
		if !equality.Semantic.DeepEqual(got, &pod.Spec) {
			filled++
		}
	}
	t.Logf("%d pods admitted, %d of them filled in, %d refused", admitted, filled, refused)
	if refused == 0 || admitted == 0 || filled == 0 {
		t.Error("not every answer was drawn: generate others")
	}
}

// upstreamRuntime is what the plugin makes of a pod, mutating first and validating then.
func upstreamRuntime(t *testing.T, class *nodev1.RuntimeClass, pod *corev1.Pod) (*corev1.PodSpec, error) {
	t.Helper()
	plugin := runtimeclass.NewRuntimeClass()
	client := fake.NewClientset(class)
	factory := informers.NewSharedInformerFactory(client, 0)
	plugin.SetExternalKubeClientSet(client)
	plugin.SetExternalKubeInformerFactory(factory)
	check(t, factory.Node().V1().RuntimeClasses().Informer().GetStore().Add(class))
	in := &core.Pod{}
	check(t, legacyscheme.Scheme.Convert(pod, in, nil))
	attrs := admission.NewAttributesRecord(in, nil, core.Kind("Pod").WithVersion("version"), in.Namespace, in.Name,
		core.Resource("pods").WithVersion("version"), "", admission.Create, nil, false, nil)
	err := plugin.Admit(context.Background(), attrs, nil)
	if err == nil {
		err = plugin.Validate(context.Background(), attrs, nil)
	}
	out := &corev1.Pod{}
	check(t, legacyscheme.Scheme.Convert(in, out, nil))
	return &out.Spec, err
}

func anyRuntimeClass(r *rand.Rand) *nodev1.RuntimeClass {
	out := &nodev1.RuntimeClass{ObjectMeta: metav1.ObjectMeta{Name: "sandbox"}, Handler: "runsc"}
	if r.IntN(2) == 0 {
		out.Overhead = &nodev1.Overhead{PodFixed: anyOverhead(r)}
	}
	if r.IntN(3) > 0 {
		out.Scheduling = &nodev1.Scheduling{NodeSelector: anySelector(r), Tolerations: anyTolerations(r)}
	}
	return out
}

func anySandboxed(r *rand.Rand) *corev1.Pod {
	name := "sandbox"
	out := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web-1", Namespace: "default"}}
	if r.IntN(6) > 0 {
		out.Spec.RuntimeClassName = &name
	}
	if r.IntN(4) == 0 {
		out.Spec.Overhead = anyOverhead(r)
	}
	out.Spec.SecurityContext = &corev1.PodSecurityContext{} // as a pod has that was read
	out.Spec.NodeSelector, out.Spec.Tolerations = anySelector(r), anyTolerations(r)
	return out
}

func anyOverhead(r *rand.Rand) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceCPU: *resource.NewMilliQuantity(int64(100*(1+r.IntN(2))), resource.DecimalSI)}
}

func anySelector(r *rand.Rand) map[string]string {
	var out map[string]string
	for _, key := range []string{"disk", "zone"} {
		if r.IntN(3) == 0 {
			if out == nil {
				out = map[string]string{}
			}
			out[key] = fmt.Sprint(r.IntN(2))
		}
	}
	return out
}

func anyTolerations(r *rand.Rand) []corev1.Toleration {
	var out []corev1.Toleration
	for range r.IntN(4) {
		t := corev1.Toleration{
			Key:      []string{"", "a", "b"}[r.IntN(3)],
			Operator: []corev1.TolerationOperator{"", corev1.TolerationOpEqual, corev1.TolerationOpExists}[r.IntN(3)],
			Effect:   []corev1.TaintEffect{"", corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute}[r.IntN(3)],
		}
		if t.Operator != corev1.TolerationOpExists && r.IntN(2) == 0 {
			t.Value = "x"
		}
		if t.Effect == corev1.TaintEffectNoExecute && r.IntN(2) == 0 {
			seconds := int64(r.IntN(2))
			t.TolerationSeconds = &seconds
		}
		out = append(out, t)
	}
	return out
}
