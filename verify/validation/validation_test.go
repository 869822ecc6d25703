package validation

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/randfill"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/defaults"
)

// What surrounds upstream's validation is compared with its registries in verify/conformance; here is what upstream does
// not say.

// TestSecretsAreNotNamed: no error of a Secret holds a value of it.
func TestSecretsAreNotNamed(t *testing.T) {
	meta := metav1.ObjectMeta{Name: "web", Namespace: "shop"}
	was := &corev1.Secret{ObjectMeta: meta, Immutable: ptr.To(true), Type: corev1.SecretTypeDockerConfigJson, Data: map[string][]byte{corev1.DockerConfigJsonKey: []byte("hunter2")}}
	now := &corev1.Secret{ObjectMeta: meta, StringData: map[string]string{"b": "hunter2"}}
	errs := append(Create(was), Update(now, was)...)
	if len(errs) < 4 {
		t.Fatalf("%d errors: %v", len(errs), errs)
	}
	for _, e := range errs {
		if strings.Contains(e.Error(), "hunter2") {
			t.Error(e)
		}
	}
}

// TestEnvironmentsAreNotNamed: upstream shows two specs side by side where one is immutable; no error here does.
func TestEnvironmentsAreNotNamed(t *testing.T) {
	pod := func(value string) *corev1.Pod {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: corev1.PodSpec{Containers: []corev1.Container{
			{Name: "web", Image: "web", Env: []corev1.EnvVar{{Name: "PASSWORD", Value: value}}}}}}
		defaults.Set(p)
		return p
	}
	errs := Update(pod("hunter2"), pod("hunter1"))
	if len(errs) != 1 || errs[0].Field != "spec" {
		t.Fatal(errs)
	}
	for _, e := range errs {
		if strings.Contains(e.Error(), "hunter") || strings.Contains(e.Error(), "\n") {
			t.Error(e)
		}
	}
}

// TestAnythingIsJudged: no content of an object, however odd, ends the run.
func TestAnythingIsJudged(t *testing.T) {
	if len(append(Create(nil), Update(nil, nil)...)) > 0 {
		t.Error("nothing is refused")
	}
	fill := randfill.NewWithSeed(3).NilChance(0.4).NumElements(0, 2).MaxDepth(14).Funcs(
		func(*runtime.RawExtension, randfill.Continue) {},
		func(q *resource.Quantity, c randfill.Continue) {
			*q = *resource.NewMilliQuantity(c.Int63n(5000)-1000, resource.DecimalSI)
		})
	seen := map[*strategy]bool{}
	for gvk := range defaults.Scheme().AllKnownTypes() {
		if gvk.Version == runtime.APIVersionInternal {
			continue
		}
		for range 6 {
			var pair [2]runtime.Object
			for i := range pair {
				pair[i], _ = defaults.Scheme().New(gvk)
				fill.Fill(pair[i])
				defaults.Set(pair[i])
			}
			if _, s := internal(pair[0]); s != nil {
				seen[s] = true
			}
			Create(pair[0])
			Update(pair[0], pair[1])
			Update(pair[0], pair[0])
		}
	}
	if len(seen) != len(strategies()) {
		t.Errorf("%d kinds of %d were judged", len(seen), len(strategies()))
	}
}

// TestLive: a Service that is applied without an address keeps the one it has.
func TestLive(t *testing.T) {
	headless := &corev1.Service{Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeClusterIP, ClusterIP: corev1.ClusterIPNone}}
	plain := &corev1.Service{Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeClusterIP}}
	if got := Live(plain, headless).(*corev1.Service); len(got.Spec.ClusterIPs) != 1 || got.Spec.ClusterIPs[0] != corev1.ClusterIPNone {
		t.Errorf("live: %+v", got.Spec)
	}
	if Live(headless, plain) == nil || len(plain.Spec.ClusterIPs) > 0 {
		t.Error("an object was changed")
	}
}

// TestWhatCannotBeKeptCannotBeCreated: what an object is refused for when it is applied over
// itself it was refused for when it was created, whatever its kind. Else what is wrong on both
// sides of a change would be the change's.
func TestWhatCannotBeKeptCannotBeCreated(t *testing.T) {
	bad := []metav1.ObjectMeta{
		{Name: "web", Namespace: "shop", Labels: map[string]string{"app": "web-"}},
		{Name: "web", Namespace: "shop", Labels: map[string]string{"a b": "web"}},
		{Name: "web", Namespace: "shop", Annotations: map[string]string{"a/b/c": "web"}},
	}
	tried := 0
	for gvk := range scheme.Scheme.AllKnownTypes() {
		for i := range bad {
			obj, err := scheme.Scheme.New(gvk)
			if err != nil {
				t.Fatal(err)
			}
			of, ok := obj.(metav1.ObjectMetaAccessor)
			if !ok {
				continue
			}
			bad[i].DeepCopyInto(of.GetObjectMeta().(*metav1.ObjectMeta))
			created := Create(obj)
			for _, e := range Update(obj, obj) {
				tried++
				if !slices.ContainsFunc(created, func(c *field.Error) bool { return c.Field == e.Field && c.Type == e.Type }) {
					t.Errorf("%s: refused for %s in an update and not when it is created", gvk.Kind, e.Field)
				}
			}
		}
	}
	if tried < 100 {
		t.Errorf("%d refusals: nothing is shown", tried)
	}
}

// TestGeneratedNames: a Job whose name the API server makes is refused where one with such a name is, for nothing else.
func TestGeneratedNames(t *testing.T) {
	for _, prefix := range []string{"train-", "train", "-", "Train-", strings.Repeat("a", 100)} {
		job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: prefix, Namespace: "lab"}, Spec: batchv1.JobSpec{
			Parallelism: ptr.To[int32](1), Completions: ptr.To[int32](40), BackoffLimit: ptr.To[int32](6),
			CompletionMode: ptr.To(batchv1.IndexedCompletion),
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever,
				Containers: []corev1.Container{{Name: "a", Image: "a"}}}},
		}}
		named := job.DeepCopy()
		named.GenerateName, named.Name = "", prefix[:min(len(prefix), 58)]+"7xk2p"
		refused := func(list field.ErrorList) (out []string) {
			for _, e := range list {
				if e.Field != "metadata.generateName" { // beside the name
					out = append(out, e.Field)
				}
			}
			return out
		}
		if got, want := refused(Create(job)), refused(Create(named)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, and with a name %v", prefix, got, want)
		}
	}
}

// TestScaledObjects: what KEDA refuses of a ScaledObject itself, of which conformance has no code to compare with.
func TestScaledObjects(t *testing.T) {
	for text, want := range map[string]string{
		"{minReplicaCount: 50, maxReplicaCount: 10}":                              "spec.minReplicaCount",
		"{minReplicaCount: 101}":                                                  "spec.minReplicaCount", // the maximum is 100
		"{minReplicaCount: 0, maxReplicaCount: 0}":                                "spec.minReplicaCount", // counts as 1
		"{maxReplicaCount: 0}":                                                    "",                     // 0 is not above it
		"{minReplicaCount: 10, maxReplicaCount: 10}":                              "",
		"{minReplicaCount: 2, idleReplicaCount: 2}":                               "spec.idleReplicaCount",
		"{minReplicaCount: 2, idleReplicaCount: 0}":                               "",
		"{idleReplicaCount: 0}":                                                   "spec.idleReplicaCount",
		"{minReplicaCount: \"${MIN}\", maxReplicaCount: 0}":                       "",
		"{fallback: {replicas: 3}, triggers: [{type: cpu}]}":                      "spec.fallback",
		"{fallback: {replicas: 3}, triggers: [{type: cpu}, {type: kafka}]}":       "",
		"{fallback: {replicas: 3}, triggers: [{type: kafka, metricType: Value}]}": "spec.fallback",
		"{fallback: {replicas: 3}, advanced: {scalingModifiers: {formula: a}}}":   "",
	} {
		var spec map[string]any
		if err := yaml.Unmarshal([]byte(text), &spec); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, e := range CreateCustom(map[string]any{"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "spec": spec}) {
			got += e.Field
		}
		if got != want {
			t.Errorf("%s: refused %q, want %q", text, got, want)
		}
	}
}

// TestPrivilegedPodsAreTaken: the API server runs with --allow-privileged, so that a node's own agents may be applied.
func TestPrivilegedPodsAreTaken(t *testing.T) {
	yes := true
	agent := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "agent", Namespace: "kube-system"}}
	agent.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "agent"}}
	agent.Spec.Template.Labels = agent.Spec.Selector.MatchLabels
	agent.Spec.Template.Spec = corev1.PodSpec{HostNetwork: true, HostPID: true, HostIPC: true, Containers: []corev1.Container{{
		Name: "c", Image: "agent:1", SecurityContext: &corev1.SecurityContext{Privileged: &yes},
	}}}
	defaults.Set(agent)
	if errs := Create(agent); len(errs) > 0 {
		t.Errorf("refused: %v", errs)
	}
	if errs := Update(agent, agent.DeepCopy()); len(errs) > 0 {
		t.Errorf("the same once more is refused: %v", errs)
	}
}

// TestWhatIsAllocatedIsNotAskedFor: a Service of any type becomes one of any other, whatever its traffic policies, and
// the addresses and ports that the API server allocates are asked of nobody.
func TestWhatIsAllocatedIsNotAskedFor(t *testing.T) {
	var all []*corev1.Service
	for _, typ := range []corev1.ServiceType{corev1.ServiceTypeClusterIP, corev1.ServiceTypeNodePort, corev1.ServiceTypeLoadBalancer} {
		for _, policy := range []corev1.ServiceExternalTrafficPolicy{"", corev1.ServiceExternalTrafficPolicyCluster, corev1.ServiceExternalTrafficPolicyLocal} {
			if typ == corev1.ServiceTypeClusterIP && policy != "" {
				continue
			}
			s := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}}
			s.Spec = corev1.ServiceSpec{Type: typ, ExternalTrafficPolicy: policy, Ports: []corev1.ServicePort{{Port: 80}}}
			defaults.Set(s)
			all = append(all, s)
		}
	}
	for _, was := range all {
		if errs := Create(was.DeepCopy()); len(errs) > 0 {
			t.Errorf("%s, %q: refused: %v", was.Spec.Type, was.Spec.ExternalTrafficPolicy, errs)
		}
		for _, now := range all {
			if errs := Update(now.DeepCopy(), was.DeepCopy()); len(errs) > 0 {
				t.Errorf("%s, %q over %s, %q: refused: %v", now.Spec.Type, now.Spec.ExternalTrafficPolicy, was.Spec.Type,
					was.Spec.ExternalTrafficPolicy, errs)
			}
		}
	}
}
