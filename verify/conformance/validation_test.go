package conformance

import (
	"context"
	"fmt"
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
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/apps"
	appsvalidation "k8s.io/kubernetes/pkg/apis/apps/validation"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	autoscalingvalidation "k8s.io/kubernetes/pkg/apis/autoscaling/validation"
	"k8s.io/kubernetes/pkg/apis/batch"
	batchvalidation "k8s.io/kubernetes/pkg/apis/batch/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/apis/policy"
	policyvalidation "k8s.io/kubernetes/pkg/apis/policy/validation"
	"k8s.io/kubernetes/pkg/apis/rbac"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	rbacvalidation "k8s.io/kubernetes/pkg/apis/rbac/validation"
	"k8s.io/kubernetes/pkg/apis/scheduling"
	schedulingvalidation "k8s.io/kubernetes/pkg/apis/scheduling/validation"
	"k8s.io/kubernetes/pkg/apis/storage"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	storagevalidation "k8s.io/kubernetes/pkg/apis/storage/validation"
	"k8s.io/kubernetes/pkg/registry/batch/job"

	"github.com/kubesettle/kubesettle/render/defaults"
	"github.com/kubesettle/kubesettle/verify/validation"
)

// TestValidation creates objects, and updates them, with any of the edits of
// validation_objects_test.go, and compares which fields are refused with upstream's own
// validation.
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
				want, got := refusedFields(upstreamCreate(t, was.typed)), refusedFields(validation.Create(was.typed))
				if !slices.Equal(want, got) {
					t.Fatalf("case %d: create with %v: refused for %v, upstream for %v", i, was.edits, got, want)
				}
				created++
				refused += min(len(want), 1)
				if len(want) > 0 {
					continue // it is not there to be updated
				}
				rename(t, now.typed, was.typed)
				want, got = refusedFields(upstreamUpdate(t, now.typed, was.typed)), refusedFields(validation.Update(now.typed, was.typed))
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

// internal gives an object as the API server holds it: defaulted, and in the internal
// version.
func internal[T runtime.Object](t *testing.T, obj runtime.Object, into T) T {
	t.Helper()
	obj = obj.DeepCopyObject()
	legacyscheme.Scheme.Default(obj)
	check(t, legacyscheme.Scheme.Convert(obj, into, nil))
	return into
}

func templateOptions(now, was *core.PodTemplateSpec) corevalidation.PodValidationOptions {
	return podutil.GetValidationOptionsFromPodTemplate(now, was)
}

func upstreamCreate(t *testing.T, obj runtime.Object) field.ErrorList {
	t.Helper()
	switch obj.(type) {
	case *appsv1.Deployment:
		o := internal(t, obj, &apps.Deployment{})
		return appsvalidation.ValidateDeployment(o, templateOptions(&o.Spec.Template, nil))
	case *appsv1.StatefulSet:
		o := internal(t, obj, &apps.StatefulSet{})
		return appsvalidation.ValidateStatefulSet(o, templateOptions(&o.Spec.Template, nil))
	case *appsv1.DaemonSet:
		o := internal(t, obj, &apps.DaemonSet{})
		return appsvalidation.ValidateDaemonSet(o, templateOptions(&o.Spec.Template, nil))
	case *batchv1.Job:
		return job.Strategy.Validate(context.Background(), createdJob(t, obj))
	case *batchv1.CronJob:
		o := internal(t, obj, &batch.CronJob{})
		return batchvalidation.ValidateCronJobCreate(o, templateOptions(&o.Spec.JobTemplate.Spec.Template, nil))
	case *corev1.Service:
		return corevalidation.ValidateServiceCreate(internalService(t, obj))
	case *corev1.PersistentVolumeClaim:
		o := internal(t, obj, &core.PersistentVolumeClaim{})
		return corevalidation.ValidatePersistentVolumeClaim(o, corevalidation.ValidationOptionsForPersistentVolumeClaim(o, nil))
	case *corev1.ConfigMap:
		return corevalidation.ValidateConfigMap(internal(t, obj, &core.ConfigMap{}))
	case *corev1.Secret:
		return corevalidation.ValidateSecret(internal(t, obj, &core.Secret{}))
	case *autoscalingv2.HorizontalPodAutoscaler:
		return autoscalingvalidation.ValidateHorizontalPodAutoscaler(internal(t, obj, &autoscaling.HorizontalPodAutoscaler{}), hpaOptions)
	case *policyv1.PodDisruptionBudget:
		return policyvalidation.ValidatePodDisruptionBudget(internal(t, obj, &policy.PodDisruptionBudget{}), policyvalidation.PodDisruptionBudgetValidationOptions{})
	case *schedulingv1.PriorityClass:
		return schedulingvalidation.ValidatePriorityClass(internal(t, obj, &scheduling.PriorityClass{}))
	case *storagev1.StorageClass:
		return storagevalidation.ValidateStorageClass(internal(t, obj, &storage.StorageClass{}))
	case *rbacv1.RoleBinding:
		return rbacvalidation.ValidateRoleBinding(internal(t, obj, &rbac.RoleBinding{}))
	case *rbacv1.ClusterRoleBinding:
		return rbacvalidation.ValidateClusterRoleBinding(internal(t, obj, &rbac.ClusterRoleBinding{}))
	}
	t.Fatalf("no upstream validation of %T", obj)
	return nil
}

var hpaOptions = autoscalingvalidation.HorizontalPodAutoscalerSpecValidationOptions{
	MinReplicasLowerBound:           1,
	ScaleTargetRefValidationOptions: autoscalingvalidation.CrossVersionObjectReferenceValidationOptions{AllowEmptyAPIGroup: true},
	ObjectMetricsValidationOptions:  autoscalingvalidation.CrossVersionObjectReferenceValidationOptions{AllowEmptyAPIGroup: true},
}

func createdJob(t *testing.T, obj runtime.Object) *batch.Job {
	o := internal(t, obj, &batch.Job{})
	o.UID = "uid"
	job.Strategy.PrepareForCreate(context.Background(), o)
	return o
}

func internalService(t *testing.T, obj runtime.Object) *core.Service {
	o := internal(t, obj, &core.Service{})
	if o.Spec.ClusterIP != "" && len(o.Spec.ClusterIPs) == 0 { // NormalizeClusterIPs
		o.Spec.ClusterIPs = []string{o.Spec.ClusterIP}
	}
	return o
}

func upstreamUpdate(t *testing.T, obj, old runtime.Object) field.ErrorList {
	t.Helper()
	switch obj.(type) {
	case *appsv1.Deployment:
		o, was := stored(internal(t, obj, &apps.Deployment{})), stored(internal(t, old, &apps.Deployment{}))
		return appsvalidation.ValidateDeploymentUpdate(o, was, templateOptions(&o.Spec.Template, &was.Spec.Template))
	case *appsv1.StatefulSet:
		o, was := stored(internal(t, obj, &apps.StatefulSet{})), stored(internal(t, old, &apps.StatefulSet{}))
		return appsvalidation.ValidateStatefulSetUpdate(o, was, templateOptions(&o.Spec.Template, &was.Spec.Template))
	case *appsv1.DaemonSet:
		o, was := stored(internal(t, obj, &apps.DaemonSet{})), stored(internal(t, old, &apps.DaemonSet{}))
		if !same(o.Spec.Template, was.Spec.Template) {
			o.Spec.TemplateGeneration++ // (daemonSetStrategy).PrepareForUpdate
		}
		return appsvalidation.ValidateDaemonSetUpdate(o, was, templateOptions(&o.Spec.Template, &was.Spec.Template))
	case *batchv1.Job:
		return batchvalidation.ValidateJobUpdate(stored(createdJob(t, obj)), stored(createdJob(t, old)), batchvalidation.JobValidationOptions{
			PodValidationOptions: templateOptions(&createdJob(t, obj).Spec.Template, &createdJob(t, old).Spec.Template),
		})
	case *batchv1.CronJob:
		o, was := stored(internal(t, obj, &batch.CronJob{})), stored(internal(t, old, &batch.CronJob{}))
		return batchvalidation.ValidateCronJobUpdate(o, was, templateOptions(&o.Spec.JobTemplate.Spec.Template, &was.Spec.JobTemplate.Spec.Template))
	case *corev1.Service:
		return corevalidation.ValidateServiceUpdate(stored(internalService(t, obj)), stored(internalService(t, old)))
	case *corev1.PersistentVolumeClaim:
		o, was := stored(internal(t, obj, &core.PersistentVolumeClaim{})), stored(internal(t, old, &core.PersistentVolumeClaim{}))
		for _, x := range []*core.PersistentVolumeClaim{o, was} {
			x.Status.Phase, x.Status.Capacity = core.ClaimBound, was.Spec.Resources.Requests
		}
		return corevalidation.ValidatePersistentVolumeClaimUpdate(o, was, corevalidation.ValidationOptionsForPersistentVolumeClaim(o, was))
	}
	return upstreamUpdatePolicy(t, obj, old)
}

func upstreamUpdatePolicy(t *testing.T, obj, old runtime.Object) field.ErrorList {
	t.Helper()
	switch obj.(type) {
	case *corev1.ConfigMap:
		return corevalidation.ValidateConfigMapUpdate(stored(internal(t, obj, &core.ConfigMap{})), stored(internal(t, old, &core.ConfigMap{})))
	case *corev1.Secret:
		return corevalidation.ValidateSecretUpdate(stored(internal(t, obj, &core.Secret{})), stored(internal(t, old, &core.Secret{})))
	case *autoscalingv2.HorizontalPodAutoscaler:
		return autoscalingvalidation.ValidateHorizontalPodAutoscalerUpdate(stored(internal(t, obj, &autoscaling.HorizontalPodAutoscaler{})), stored(internal(t, old, &autoscaling.HorizontalPodAutoscaler{})), hpaOptions)
	case *policyv1.PodDisruptionBudget:
		return policyvalidation.ValidatePodDisruptionBudget(internal(t, obj, &policy.PodDisruptionBudget{}), policyvalidation.PodDisruptionBudgetValidationOptions{})
	case *schedulingv1.PriorityClass:
		return schedulingvalidation.ValidatePriorityClassUpdate(stored(internal(t, obj, &scheduling.PriorityClass{})), stored(internal(t, old, &scheduling.PriorityClass{})))
	case *storagev1.StorageClass:
		return storagevalidation.ValidateStorageClassUpdate(stored(internal(t, obj, &storage.StorageClass{})), stored(internal(t, old, &storage.StorageClass{})))
	case *rbacv1.RoleBinding:
		return rbacvalidation.ValidateRoleBindingUpdate(stored(internal(t, obj, &rbac.RoleBinding{})), stored(internal(t, old, &rbac.RoleBinding{})))
	case *rbacv1.ClusterRoleBinding:
		return rbacvalidation.ValidateClusterRoleBindingUpdate(stored(internal(t, obj, &rbac.ClusterRoleBinding{})), stored(internal(t, old, &rbac.ClusterRoleBinding{})))
	}
	t.Fatalf("no upstream validation of %T", obj)
	return nil
}

// drawn is a generated object, and the edits that made it of the plain one.
type drawn struct {
	typed runtime.Object
	edits []edit
}

// drawObject draws an object of a kind: the plain one with a few edits, of which earlier
// ones may be kept.
func drawObject(t *testing.T, r *rand.Rand, name string, kind runtime.Object, earlier []edit) drawn {
	t.Helper()
	var d drawn
	for _, e := range earlier {
		if r.IntN(3) > 0 {
			d.edits = append(d.edits, e)
		}
	}
	for range r.IntN(3) {
		list := objectEdits[name]
		d.edits = append(d.edits, list[r.IntN(len(list))].draw(r))
	}
	content := plainObject(t, name)
	for _, e := range d.edits {
		check(t, e.apply(content))
	}
	d.typed = kind.DeepCopyObject()
	check(t, runtime.DefaultUnstructuredConverter.FromUnstructured(content, d.typed))
	defaults.Set(d.typed)
	return d
}

// String is the edit as a failure shows it.
func (e edit) String() string { return fmt.Sprintf("%s=%v", e.path, e.value) }
