package conformance

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	"k8s.io/kubernetes/pkg/registry/core/secret"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrolebinding"
	"k8s.io/kubernetes/pkg/registry/rbac/rolebinding"
	"k8s.io/kubernetes/pkg/registry/scheduling/priorityclass"
	"k8s.io/kubernetes/pkg/registry/storage/storageclass"

	"github.com/kubesettle/kubesettle/render/defaults"
	"github.com/kubesettle/kubesettle/verify/conformance/sample"
	"github.com/kubesettle/kubesettle/verify/validation"
)

// TestValidation creates objects, and updates them, with any of the edits of
// the package sample, and compares which fields are refused with the
// strategies of upstream's registries: validation has their glue beside upstream's own functions.
func TestValidation(t *testing.T) {
	kinds := map[string]runtime.Object{
		"Deployment": &appsv1.Deployment{}, "StatefulSet": &appsv1.StatefulSet{}, "DaemonSet": &appsv1.DaemonSet{},
		"Job": &batchv1.Job{}, "CronJob": &batchv1.CronJob{}, "Service": &corev1.Service{},
		"PersistentVolumeClaim": &corev1.PersistentVolumeClaim{}, "ConfigMap": &corev1.ConfigMap{}, "Secret": &corev1.Secret{},
		"HorizontalPodAutoscaler": &autoscalingv2.HorizontalPodAutoscaler{}, "PodDisruptionBudget": &policyv1.PodDisruptionBudget{},
		"PriorityClass": &schedulingv1.PriorityClass{}, "StorageClass": &storagev1.StorageClass{},
		"RoleBinding": &rbacv1.RoleBinding{}, "ClusterRoleBinding": &rbacv1.ClusterRoleBinding{},
	}
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(*loopSeed, 21))
			created, updated, refused := 0, 0, 0
			for i := range loopCases(1500) {
				was := drawObject(t, r, name, kinds[name], nil)
				now := drawObject(t, r, name, kinds[name], was.edits)
				want, got := refusedFields(upstreamCreate(t, name, was.typed)), refusedFields(validation.Create(was.typed))
				if !slices.Equal(want, got) {
					t.Fatalf("case %d: create with %v: refused for %v, upstream for %v", i, was.edits, got, want)
				}
				created++
				refused += min(len(want), 1)
				if len(want) > 0 {
					continue // it is not there to be updated
				}
				rename(t, now.typed, was.typed)
				want, got = refusedFields(upstreamUpdate(t, name, now.typed, was.typed)), refusedFields(validation.Update(now.typed, was.typed))
				if !slices.Equal(want, got) {
					t.Fatalf("case %d: update of %v to %v: refused for %v, upstream for %v", i, was.edits, now.edits, got, want)
				}
				updated++
				refused += min(len(want), 1)
			}
			t.Logf("%d created, %d updated, %d refused", created, updated, refused)
			if refused == 0 || refused == created+updated {
				t.Error("not every answer was drawn: generate others")
			}
		})
	}
}

// rename gives an object another's name: an update keeps it.
func rename(t *testing.T, obj, to runtime.Object) {
	t.Helper()
	o, err := meta.Accessor(obj)
	check(t, err)
	other, err := meta.Accessor(to)
	check(t, err)
	o.SetName(other.GetName())
}

// refusedFields are the fields of errors, each once.
func refusedFields(list field.ErrorList) []string {
	set := map[string]bool{}
	for _, e := range list {
		set[e.Field] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// registry is what the API server asks of a kind before it stores an object.
type registry interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

var registries = map[string]registry{
	"Deployment": deployment.Strategy, "StatefulSet": statefulset.Strategy, "DaemonSet": daemonset.Strategy,
	"Job": job.Strategy, "CronJob": cronjob.Strategy, "Service": service.Strategy,
	"PersistentVolumeClaim": persistentvolumeclaim.Strategy, "ConfigMap": configmap.Strategy, "Secret": secret.Strategy,
	"HorizontalPodAutoscaler": horizontalpodautoscaler.Strategy, "PodDisruptionBudget": poddisruptionbudget.Strategy,
	"PriorityClass": priorityclass.Strategy, "StorageClass": storageclass.Strategy,
	"RoleBinding": rolebinding.Strategy, "ClusterRoleBinding": clusterrolebinding.Strategy,
}

// accepted gives an object as the API server holds it before it validates it, and the context of the request.
func accepted(t *testing.T, name string, obj runtime.Object) (runtime.Object, context.Context) {
	t.Helper()
	gvks, _, err := legacyscheme.Scheme.ObjectKinds(obj)
	check(t, err)
	ctx := request.WithRequestInfo(context.Background(),
		&request.RequestInfo{APIGroup: gvks[0].Group, APIVersion: gvks[0].Version, IsResourceRequest: true})
	obj = obj.DeepCopyObject()
	legacyscheme.Scheme.Default(obj)
	o, err := legacyscheme.Scheme.ConvertToVersion(obj, runtime.InternalGroupVersioner)
	check(t, err)
	m, err := meta.Accessor(o)
	check(t, err)
	m.SetUID("uid")
	if s, ok := o.(*core.Service); ok && s.Spec.ClusterIP != "" && len(s.Spec.ClusterIPs) == 0 { // normalizeClusterIPs
		s.Spec.ClusterIPs = []string{s.Spec.ClusterIP}
	}
	registries[name].PrepareForCreate(ctx, o)
	return o, ctx
}

func upstreamCreate(t *testing.T, name string, obj runtime.Object) field.ErrorList {
	t.Helper()
	o, ctx := accepted(t, name, obj)
	return registries[name].Validate(ctx, o)
}

func upstreamUpdate(t *testing.T, name string, obj, old runtime.Object) field.ErrorList {
	t.Helper()
	o, ctx := accepted(t, name, obj)
	was, _ := accepted(t, name, old)
	for _, x := range []runtime.Object{o, was} {
		m, err := meta.Accessor(x)
		check(t, err)
		m.SetResourceVersion("1")
	}
	if c, ok := was.(*core.PersistentVolumeClaim); ok {
		c.Status = core.PersistentVolumeClaimStatus{Phase: core.ClaimBound, Capacity: c.Spec.Resources.Requests}
	}
	registries[name].PrepareForUpdate(ctx, o, was)
	return registries[name].ValidateUpdate(ctx, o, was)
}

// drawn is a generated object, and the edits that made it of the plain one.
type drawn struct {
	typed runtime.Object
	edits []sample.Edit
}

// drawObject draws an object of a kind: the plain one with a few edits, of which earlier
// ones may be kept.
func drawObject(t *testing.T, r *rand.Rand, name string, kind runtime.Object, earlier []sample.Edit) drawn {
	t.Helper()
	d := drawn{edits: sample.Draw(r, name, earlier, false)}
	content, err := sample.Object(name, d.edits)
	check(t, err)
	d.typed = kind.DeepCopyObject()
	check(t, runtime.DefaultUnstructuredConverter.FromUnstructured(content, d.typed))
	defaults.Set(d.typed)
	return d
}
