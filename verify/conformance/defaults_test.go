package conformance

import (
	"math/rand"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	"sigs.k8s.io/randfill"

	"github.com/kubesettle/kubesettle/render/defaults"
)

// Rendered objects are defaulted as the API server does.
func TestDefaultsAgree(t *testing.T) {
	kinds := []runtime.Object{
		&appsv1.Deployment{}, &appsv1.StatefulSet{}, &appsv1.DaemonSet{}, &appsv1.ReplicaSet{},
		&autoscalingv2.HorizontalPodAutoscaler{}, &batchv1.Job{}, &batchv1.CronJob{}, &corev1.Pod{},
		&corev1.Service{}, &corev1.Namespace{}, &corev1.Node{}, &corev1.LimitRange{}, &corev1.PersistentVolumeClaim{},
		&corev1.ReplicationController{}, &policyv1.PodDisruptionBudget{}, &schedulingv1.PriorityClass{},
	}
	for _, kind := range kinds {
		t.Run(kindName(kind), func(t *testing.T) {
			fill := filler(1)
			for i := range 1000 {
				ours := kind.DeepCopyObject()
				if i > 0 { // the first one has no field set
					fill.Fill(ours)
				}
				theirs := ours.DeepCopyObject()
				before := ours.DeepCopyObject()
				defaults.Set(ours)
				legacyscheme.Scheme.Default(theirs)
				if !equality.Semantic.DeepEqual(ours, theirs) {
					t.Fatalf("object %d: ours (-) and upstream's (+) differ:\n%s\nof %#v", i, cmp.Diff(ours, theirs), before)
				}
			}
		})
	}
}

func kindName(obj runtime.Object) string {
	gvks, _, err := legacyscheme.Scheme.ObjectKinds(obj)
	if err != nil {
		return "unknown"
	}
	return gvks[0].Kind
}

// filler fills objects with few distinct values, so that conditions on them are met.
// Volume sources are those that have defaults in our package.
func filler(seed int64) *randfill.Filler {
	words := []string{"", "", "a", "img", "img:latest", "img:1", "reg:5000/img", "img@sha256:0"}
	return randfill.New().RandSource(rand.NewSource(seed)).NilChance(0.4).NumElements(0, 2).MaxDepth(14).
		Funcs(enumerations()...).
		Funcs(
			func(s *string, c randfill.Continue) { *s = words[c.Intn(len(words))] },
			func(q *resource.Quantity, c randfill.Continue) {
				*q = resource.MustParse([]string{"0", "1", "100m", "1500m", "1Gi", "1u"}[c.Intn(6)])
			},
			func(v *intstr.IntOrString, c randfill.Continue) {
				*v = []intstr.IntOrString{intstr.FromInt32(0), intstr.FromInt32(1), intstr.FromString("50%"), intstr.FromString("")}[c.Intn(4)]
			},
			func(n *int32, c randfill.Continue) { *n = c.Int31n(4) },
			func(*metav1.Time, randfill.Continue) {},
			func(*metav1.MicroTime, randfill.Continue) {},
			func(*metav1.TypeMeta, randfill.Continue) {},
			func(*metav1.FieldsV1, randfill.Continue) {},
			func(*runtime.RawExtension, randfill.Continue) {},
			func(*corev1.PodStatus, randfill.Continue) {}, // nobody renders a status, but of nodes
			func(*corev1.ServiceStatus, randfill.Continue) {},
			func(*corev1.PersistentVolumeClaimStatus, randfill.Continue) {},
			func(l *corev1.ResourceList, c randfill.Continue) {
				if c.Bool() {
					return
				}
				*l = corev1.ResourceList{}
				for _, name := range []corev1.ResourceName{"cpu", "memory", "example.com/gpu", "hugepages-2Mi"} {
					if c.Bool() {
						(*l)[name] = resource.MustParse([]string{"0", "1", "100m", "1500m", "1u"}[c.Intn(5)])
					}
				}
			},
			func(v *corev1.VolumeSource, c randfill.Continue) {
				*v = corev1.VolumeSource{}
				for _, source := range []any{
					&v.EmptyDir, &v.HostPath, &v.Secret, &v.ConfigMap, &v.DownwardAPI, &v.Projected,
					&v.PersistentVolumeClaim, &v.Ephemeral, &v.Image,
				} {
					if c.Intn(4) == 0 {
						c.Fill(source)
					}
				}
			},
		)
}

// oneOf draws a value of an enumeration, or none.
func oneOf[T ~string](values ...T) any {
	return func(v *T, c randfill.Continue) {
		if i := c.Intn(len(values) + 1); i < len(values) {
			*v = values[i]
		}
	}
}

// enumerations are the types with few values that defaults depend on.
func enumerations() []any {
	return []any{
		oneOf(appsv1.RollingUpdateDeploymentStrategyType, appsv1.RecreateDeploymentStrategyType),
		oneOf(appsv1.RollingUpdateStatefulSetStrategyType, appsv1.OnDeleteStatefulSetStrategyType),
		oneOf(appsv1.RollingUpdateDaemonSetStrategyType, appsv1.OnDeleteDaemonSetStrategyType),
		oneOf(appsv1.OrderedReadyPodManagement, appsv1.ParallelPodManagement),
		oneOf(appsv1.RetainPersistentVolumeClaimRetentionPolicyType, appsv1.DeletePersistentVolumeClaimRetentionPolicyType),
		oneOf(autoscalingv2.ObjectMetricSourceType, autoscalingv2.PodsMetricSourceType, autoscalingv2.ResourceMetricSourceType,
			autoscalingv2.ContainerResourceMetricSourceType, autoscalingv2.ExternalMetricSourceType),
		oneOf(autoscalingv2.UtilizationMetricType, autoscalingv2.ValueMetricType, autoscalingv2.AverageValueMetricType),
		oneOf(autoscalingv2.MaxChangePolicySelect, autoscalingv2.MinChangePolicySelect, autoscalingv2.DisabledPolicySelect),
		oneOf(batchv1.NonIndexedCompletion, batchv1.IndexedCompletion),
		oneOf(batchv1.ForbidConcurrent, batchv1.AllowConcurrent),
		oneOf(batchv1.Failed, batchv1.TerminatingOrFailed),
		oneOf(corev1.RestartPolicyAlways, corev1.RestartPolicyNever),
		oneOf(corev1.ContainerRestartPolicyAlways),
		oneOf(corev1.DNSClusterFirst, corev1.DNSDefault),
		oneOf(corev1.PullAlways, corev1.PullNever),
		oneOf(corev1.ProtocolTCP, corev1.ProtocolUDP),
		oneOf(corev1.URISchemeHTTP, corev1.URISchemeHTTPS),
		oneOf(corev1.ServiceTypeClusterIP, corev1.ServiceTypeNodePort, corev1.ServiceTypeLoadBalancer, corev1.ServiceTypeExternalName),
		oneOf(corev1.ServiceExternalTrafficPolicyLocal, corev1.ServiceExternalTrafficPolicyCluster),
		oneOf(corev1.ServiceInternalTrafficPolicyLocal, corev1.ServiceInternalTrafficPolicyCluster),
		oneOf(corev1.ServiceAffinityClientIP, corev1.ServiceAffinityNone),
		oneOf(corev1.LimitTypeContainer, corev1.LimitTypePod),
		oneOf(corev1.PersistentVolumeBlock, corev1.PersistentVolumeFilesystem),
	}
}
