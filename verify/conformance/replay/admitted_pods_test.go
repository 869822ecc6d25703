//go:build replay

package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/verify"
	"github.com/kubesettle/kubesettle/verify/control/admission"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/run"
	"github.com/kubesettle/kubesettle/verify/scenario"
)

// mostAdmitted bounds the pods that are created of one template.
const mostAdmitted = 6

// guarded is a Deployment in a namespace of its own, with all that decides whether its pods may be created.
type guarded struct {
	namespace *corev1.Namespace
	web       *appsv1.Deployment
	ranges    []*corev1.LimitRange
	quotas    []*corev1.ResourceQuota
	policies  []*admissionv1.ValidatingAdmissionPolicy
	bindings  []*admissionv1.ValidatingAdmissionPolicyBinding
	mutators  []*admissionv1.MutatingAdmissionPolicy
	bound     []*admissionv1.MutatingAdmissionPolicyBinding
}

// TestPodsAdmitted creates pods of random templates on an API server, and compares how many it lets in with the model.
func TestPodsAdmitted(t *testing.T) {
	ctx := t.Context()
	plane, err := StartAPI(ctx, os.Getenv(BinaryEnv))
	if err != nil {
		t.Fatal(err)
	}
	defer plane.Stop()
	s := &server{t: t, plane: plane}
	for _, o := range every() {
		s.create(ctx, o)
	}
	r := rand.New(rand.NewPCG(*admittedSeed, 32))
	told := map[string]int{}
	const batch = 100
	for at := 0; at < *admittedPods; at += batch {
		var list []*guarded
		for i := range min(batch, *admittedPods-at) {
			list = append(list, drawGuarded(r, at+i))
		}
		s.guard(ctx, list)
		for _, g := range list {
			let, said := s.let(ctx, g)
			model, words, err := g.room(ctx)
			switch {
			case errors.Is(err, errOrder):
				told["it depends on an order that is not defined"]++
				continue
			case err != nil:
				t.Fatal(err)
			}
			switch {
			case said != nil && strings.HasPrefix(said.Error(), "resourcequotas "):
				told["a policy keeps the quota from being counted"]++
			case let != model:
				t.Errorf("%s\nAPI server lets %d in: %v\nmodel %d: %s", g.text(), let, said, model, words)
			case said == nil:
				told["admitted"]++
			default:
				told[kindOfRefusal(said)]++
			}
		}
		for _, g := range list {
			for i := range g.policies {
				_ = plane.Client.AdmissionregistrationV1().ValidatingAdmissionPolicies().Delete(ctx, g.policies[i].Name, metav1.DeleteOptions{})
				_ = plane.Client.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings().Delete(ctx, g.bindings[i].Name, metav1.DeleteOptions{})
			}
			for i := range g.mutators {
				_ = plane.Client.AdmissionregistrationV1().MutatingAdmissionPolicies().Delete(ctx, g.mutators[i].Name, metav1.DeleteOptions{})
				_ = plane.Client.AdmissionregistrationV1().MutatingAdmissionPolicyBindings().Delete(ctx, g.bound[i].Name, metav1.DeleteOptions{})
			}
		}
	}
	t.Logf("%d templates: %v", *admittedPods, told)
}

func kindOfRefusal(err error) string {
	if strings.HasPrefix(err.Error(), "policy '") {
		return "MutatingAdmissionPolicy"
	}
	for _, word := range []string{"PodSecurity", "ValidatingAdmissionPolicy", "must not be provided in pod spec", "strict decoding", "exceeded quota", "must specify", "usage per", "ratio per", "is invalid"} {
		if strings.Contains(err.Error(), word) {
			return word
		}
	}
	return err.Error()
}

func (s *server) create(ctx context.Context, o runtime.Object) {
	s.t.Helper()
	var err error
	c, opt := s.plane.Client, metav1.CreateOptions{}
	switch x := o.(type) {
	case *schedulingv1.PriorityClass:
		_, err = c.SchedulingV1().PriorityClasses().Create(ctx, x, opt)
	case *nodev1.RuntimeClass:
		_, err = c.NodeV1().RuntimeClasses().Create(ctx, x, opt)
	case *corev1.Namespace:
		_, err = c.CoreV1().Namespaces().Create(ctx, x, opt)
	case *corev1.LimitRange:
		_, err = c.CoreV1().LimitRanges(x.Namespace).Create(ctx, x, opt)
	case *corev1.ResourceQuota:
		if x, err = c.CoreV1().ResourceQuotas(x.Namespace).Create(ctx, x, opt); err == nil { // and what the controller writes
			x.Status.Hard, x.Status.Used = x.Spec.Hard, corev1.ResourceList{}
			for name := range x.Spec.Hard {
				x.Status.Used[name] = resource.MustParse("0")
			}
			_, err = c.CoreV1().ResourceQuotas(x.Namespace).UpdateStatus(ctx, x, metav1.UpdateOptions{})
		}
	case *admissionv1.ValidatingAdmissionPolicy:
		_, err = c.AdmissionregistrationV1().ValidatingAdmissionPolicies().Create(ctx, x, opt)
	case *admissionv1.ValidatingAdmissionPolicyBinding:
		_, err = c.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings().Create(ctx, x, opt)
	case *admissionv1.MutatingAdmissionPolicy:
		_, err = c.AdmissionregistrationV1().MutatingAdmissionPolicies().Create(ctx, x, opt)
	case *admissionv1.MutatingAdmissionPolicyBinding:
		_, err = c.AdmissionregistrationV1().MutatingAdmissionPolicyBindings().Create(ctx, x, opt)
	default:
		err = fmt.Errorf("%T", o)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// guard makes what guards some namespaces, and waits until the API server knows it all.
func (s *server) guard(ctx context.Context, list []*guarded) {
	last := fmt.Sprintf("marker-%d", time.Now().UnixNano())
	mark := &guarded{namespace: &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: last}}}
	p, b := drawPolicy(rand.New(rand.NewPCG(1, 1)), last, last)
	p.Spec = admissionv1.ValidatingAdmissionPolicySpec{Validations: []admissionv1.Validation{{Expression: "false"}}, MatchConstraints: &admissionv1.MatchResources{
		ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{Operations: []admissionv1.OperationType{"*"},
			Rule: admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}}}}}}}
	b.Spec.ValidationActions, b.Spec.MatchResources.NamespaceSelector = []admissionv1.ValidationAction{"Deny"}, &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: last}}
	mark.policies, mark.bindings = []*admissionv1.ValidatingAdmissionPolicy{p}, []*admissionv1.ValidatingAdmissionPolicyBinding{b}
	changes, of := marked(last)
	mark.mutators, mark.bound = []*admissionv1.MutatingAdmissionPolicy{changes}, []*admissionv1.MutatingAdmissionPolicyBinding{of}
	p.Spec.Validations[0].Expression = "!has(object.metadata.labels) || !('seen' in object.metadata.labels)" // both are known
	for _, g := range append(slices.Clip(list), mark) {
		for _, o := range g.objects() {
			if _, web := o.(*appsv1.Deployment); !web {
				s.create(ctx, o)
			}
		}
	}
	configs := s.plane.Client.CoreV1().ConfigMaps(last)
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		_, err := configs.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "a-"}}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if apierrors.IsInvalid(err) || apierrors.IsForbidden(err) {
			time.Sleep(time.Second)
			return
		}
		if time.Now().After(end) {
			s.t.Fatalf("the policies do not take effect: %v", err)
		}
	}
}

// objects are all objects of it, in the order in which they are made.
func (g *guarded) objects() []runtime.Object {
	out := []runtime.Object{g.namespace}
	for _, x := range g.ranges {
		out = append(out, x)
	}
	for _, x := range g.quotas {
		out = append(out, x)
	}
	for i := range g.policies {
		out = append(out, g.policies[i], g.bindings[i])
	}
	for i := range g.mutators {
		out = append(out, g.mutators[i], g.bound[i])
	}
	if g.web != nil {
		out = append(out, g.web)
	}
	return out
}

// let creates pods until one is refused, as the ReplicaSet controller would: how many, and why.
func (s *server) let(ctx context.Context, g *guarded) (int, error) {
	for i := range mostAdmitted {
		t := g.web.Spec.Template
		pod := &corev1.Pod{ObjectMeta: *t.ObjectMeta.DeepCopy(), Spec: *t.Spec.DeepCopy()}
		pod.GenerateName = "web-xxxxxxxxxx-"
		pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-xxxxxxxxxx", UID: "1", Controller: ptr.To(true)}}
		if _, err := s.plane.Client.CoreV1().Pods(g.namespace.Name).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
			return i, err
		}
	}
	return mostAdmitted, nil
}

// text is its manifests.
func (g *guarded) text() string {
	var out bytes.Buffer
	for _, o := range append(every(), g.objects()...) {
		gvks, _, err := scheme.Scheme.ObjectKinds(o)
		if err != nil {
			panic(err) // all are Kubernetes' own
		}
		o = o.DeepCopyObject()
		o.GetObjectKind().SetGroupVersionKind(gvks[0])
		b, err := yaml.Marshal(o)
		if err != nil {
			panic(err)
		}
		out.WriteString("---\n")
		out.Write(b)
	}
	return out.String()
}

// errOrder says that what becomes of pods depends on which of several policies changes them first.
var errOrder = errors.New("the order of policies matters")

// room is how many pods the model lets in, and why no more.
func (g *guarded) room(ctx context.Context) (int, string, error) {
	head, err := rendered(ctx, g.text())
	if err != nil {
		return 0, "", err
	}
	was := *g
	was.web = g.web.DeepCopy()
	was.web.Spec.Replicas = ptr.To(int32(1))
	base, err := rendered(ctx, was.text())
	if err != nil {
		return 0, "", err
	}
	ch, err := render.Diff(base, head)
	if err != nil {
		return 0, "", err
	}
	policy, err := policies.Load("policy.yaml", nil)
	if err != nil {
		return 0, "", err
	}
	var asked []scenario.Likely
	opt := verify.Options{Policy: policy, Workers: 1, Compare: run.Compare{Unreduced: true, Calm: true,
		Asked: func(l scenario.Likely) { asked = append(asked, l) }}}
	res, err := verify.Foresee(ctx, ch, scenario.Question{}, opt)
	if err != nil {
		return 0, "", err
	}
	if len(asked) != 1 {
		return 0, "", fmt.Errorf("%d slices: %v\n%s", len(asked), res.Notices, g.text())
	}
	if slices.ContainsFunc(res.Assumptions, func(n finding.Note) bool { return n.Kind == finding.PatchesUnknown }) {
		return 0, "", errOrder
	}
	cfg := asked[0].Problem.Cfg
	s := cfg.New()
	class := 0 // the template is the same on both sides
	words, _ := admission.Forbidden(s, class)
	return admission.NewQuotas(cfg).Room(s, class, mostAdmitted), words, nil
}
