// Package validation refuses objects as the API server does: one that is created, and
// one that an apply makes of another. It knows neither files nor clusters.
//
// Upstream's own code decides (kubernetes v1.36.3, pkg/apis/*/validation, feature gates at their defaults).
// This package prepares objects as a registry's strategy does (strategies.go), and adds the fields of live objects that
// the cluster has set (live.go). Of kinds of other groups only the form of labels and annotations is checked, of custom
// resources also the checks in custom.go.
package validation

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	_ "time/tzdata" // the API server has the same zones, wherever it runs

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/validate/content"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/batch"
	"k8s.io/kubernetes/pkg/capabilities"

	"github.com/kubesettle/kubesettle/render/defaults"
)

var specPath = field.NewPath("spec")

// Create gives why the API server refuses to create an object; for a kind that is not checked, the errors of its labels
// and annotations.
//
// Upstream: apiserver, pkg/registry/rest: BeforeCreate.
func Create(obj runtime.Object) field.ErrorList {
	o, s := internal(obj)
	if s == nil {
		return sorted(validateLabels(obj))
	}
	m := complete(o, s.namespaced)
	out := s.create(o)
	if len(out) == 0 {
		out = apivalidation.ValidateObjectMeta(m, s.namespaced, segment, field.NewPath("metadata"))
	}
	return sorted(out)
}

// Update gives why the API server refuses to make an object of another of the same kind and
// name. old is as it was applied; what the cluster adds to it (a Service's address, that a
// claim is bound) is filled in.
//
// Upstream: apiserver, pkg/registry/rest: BeforeUpdate.
func Update(obj, old runtime.Object) field.ErrorList { return update(obj, old, false) }

// Replace is [Update] where the object is put in the place of the old one, as `kubectl replace` does: what only the
// cluster has written of the old one is not in it.
func Replace(obj, old runtime.Object) field.ErrorList { return update(obj, old, true) }

func update(obj, old runtime.Object, bare bool) field.ErrorList {
	now, s := internal(obj)
	was, t := internal(old)
	if s == nil || s != t {
		return sorted(validateLabels(obj))
	}
	is, before := complete(now, s.namespaced), complete(was, s.namespaced)
	system(is, before)
	at := field.NewPath("metadata")
	out := append(apivalidation.ValidateObjectMeta(is, s.namespaced, segment, at),
		apivalidation.ValidateObjectMetaUpdate(is, before, at)...)
	if job, ok := now.(*batch.Job); ok && bare {
		return sorted(append(out, replaceJob(job, was.(*batch.Job))...))
	}
	return sorted(append(out, s.update(now, was)...))
}

// internal gives a copy of an object in the version that upstream validates, and how its kind is validated;
// nil: it is of a group that is not looked at, or of no type at all.
func internal(obj runtime.Object) (runtime.Object, *strategy) {
	if obj == nil {
		return nil, nil
	}
	// As --allow-privileged=true does, which every installer sets: without it no CNI and no CSI driver runs. Upstream
	// takes the first call alone.
	capabilities.Setup(true, 0)
	o, err := defaults.Scheme().ConvertToVersion(obj.DeepCopyObject(), runtime.InternalGroupVersioner)
	if err != nil {
		return nil, nil
	}
	return o, strategies()[reflect.TypeOf(o)]
}

// complete gives an object the namespace and the name that it has once it is applied: an object without a namespace
// gets that of the apply, and a cluster-scoped one loses its.
//
// Upstream: apiserver, pkg/storage/names: (simpleNameGenerator).GenerateName.
func complete(obj runtime.Object, namespaced bool) *metav1.ObjectMeta {
	m := obj.(metav1.ObjectMetaAccessor).GetObjectMeta().(*metav1.ObjectMeta)
	switch {
	case !namespaced:
		m.Namespace = ""
	case m.Namespace == "":
		m.Namespace = metav1.NamespaceDefault
	}
	if m.Name == "" && m.GenerateName != "" {
		m.Name = m.GenerateName[:min(len(m.GenerateName), 58)] + "xxxxx"
	}
	return m
}

// system gives both sides of an update what only the API server writes.
func system(now, was *metav1.ObjectMeta) {
	was.Name, was.Namespace, was.ResourceVersion = now.Name, now.Namespace, "1"
	now.ResourceVersion, now.UID, now.Generation = was.ResourceVersion, was.UID, was.Generation
	now.CreationTimestamp, now.DeletionTimestamp = was.CreationTimestamp, was.DeletionTimestamp
	now.DeletionGracePeriodSeconds, now.ManagedFields = was.DeletionGracePeriodSeconds, was.ManagedFields
}

func segment(name string, _ bool) []string { return content.IsPathSegmentName(name) }

// validateLabels is the part of ValidateObjectMetaUpdate that looks at what manifests hold.
func validateLabels(obj runtime.Object) field.ErrorList {
	o, err := meta.Accessor(obj)
	if err != nil {
		return nil
	}
	at := field.NewPath("metadata")
	return append(metav1validation.ValidateLabels(o.GetLabels(), at.Child("labels")),
		apivalidation.ValidateAnnotations(o.GetAnnotations(), at.Child("annotations"))...)
}

// sorted orders errors that come from maps, and drops repeated ones. Further lines of an error are left out: two specs
// side by side, with the values of their environment.
func sorted(list field.ErrorList) field.ErrorList {
	for _, e := range list {
		e.Detail, _, _ = strings.Cut(e.Detail, "\n")
	}
	slices.SortStableFunc(list, func(a, b *field.Error) int {
		return cmp.Or(strings.Compare(a.Field, b.Field), strings.Compare(a.ErrorBody(), b.ErrorBody()))
	})
	return slices.CompactFunc(list, func(a, b *field.Error) bool { return a.Error() == b.Error() })
}

// Mutable lists the fields that an update may change below one that it is refused for as a
// whole, such as those of a StatefulSet's spec.
func Mutable(obj runtime.Object, refused string) []string {
	if refused != "spec" {
		return nil
	}
	switch o := obj.(type) {
	case *appsv1.StatefulSet:
		return []string{"spec.replicas", "spec.ordinals", "spec.template", "spec.updateStrategy",
			"spec.revisionHistoryLimit", "spec.persistentVolumeClaimRetentionPolicy", "spec.minReadySeconds"}
	case *corev1.Pod:
		out := []string{"spec.activeDeadlineSeconds", "spec.tolerations", "spec.schedulingGates"}
		for i := range o.Spec.Containers {
			out = append(out, fmt.Sprintf("spec.containers[%d].image", i))
		}
		for i := range o.Spec.InitContainers {
			out = append(out, fmt.Sprintf("spec.initContainers[%d].image", i))
		}
		return out
	case *corev1.PersistentVolumeClaim:
		return []string{"spec.resources.requests", "spec.volumeAttributesClassName"}
	}
	return nil
}
