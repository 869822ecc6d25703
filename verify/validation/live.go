package validation

import (
	"cmp"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
	claimutil "k8s.io/kubernetes/pkg/api/persistentvolumeclaim"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	serviceutil "k8s.io/kubernetes/pkg/api/service"
	"k8s.io/kubernetes/pkg/apis/batch"
	batchvalidation "k8s.io/kubernetes/pkg/apis/batch/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/utils/ptr"

	"github.com/kubesettle/kubesettle/render/defaults"
)

// generated are the labels of a Job's pods: with its name, and with its UID.
var generated = []string{batch.LegacyJobNameLabel, batch.JobNameLabel, batch.LegacyControllerUidLabel,
	batch.ControllerUidLabel}

// generateSelector adds to a Job its selector and the labels of its pods, as (jobStrategy).PrepareForCreate does.
func generateSelector(job *batch.Job) {
	podutil.DropDisabledTemplateFields(&job.Spec.Template, nil)
	if ptr.Deref(job.Spec.ManualSelector, false) {
		return
	}
	job.UID = "uid" // stands for the one that the API server gives it
	t := &job.Spec.Template
	if t.Labels == nil {
		t.Labels = map[string]string{}
	}
	if job.Spec.Selector == nil {
		job.Spec.Selector = &metav1.LabelSelector{}
	}
	if job.Spec.Selector.MatchLabels == nil {
		job.Spec.Selector.MatchLabels = map[string]string{}
	}
	add := func(to map[string]string, key, value string) {
		if _, found := to[key]; !found {
			to[key] = value
		}
	}
	for i, key := range generated {
		add(t.Labels, key, []string{job.Name, string(job.UID)}[i/2])
	}
	add(job.Spec.Selector.MatchLabels, batch.ControllerUidLabel, string(job.UID))
}

func createJob(job *batch.Job) field.ErrorList {
	generateSelector(job)
	return batchvalidation.ValidateJob(job, batchvalidation.JobValidationOptions{RequirePrefixedLabels: true,
		PodValidationOptions: podutil.GetValidationOptionsFromPodTemplate(&job.Spec.Template, nil)})
}

func updateJob(now, was *batch.Job) field.ErrorList {
	generateSelector(now)
	return replaceJob(now, was)
}

// stored is an object as the API server stores it: a Job with what is generated for it, which no apply takes away.
func stored(obj runtime.Object) runtime.Object {
	job, ok := obj.(*batchv1.Job)
	in, out := &batch.Job{}, &batchv1.Job{}
	if !ok || defaults.Scheme().Convert(job.DeepCopy(), in, nil) != nil {
		return obj
	}
	if generateSelector(in); defaults.Scheme().Convert(in, out, nil) != nil {
		return obj
	}
	out.TypeMeta = job.TypeMeta
	return out
}

// replaceJob lets the template of a suspended Job change: whether it ever ran is not known. The new Job has no
// generated selector: an update makes none.
func replaceJob(now, was *batch.Job) field.ErrorList {
	generateSelector(was)
	now.UID = was.UID
	o := batchvalidation.JobValidationOptions{RequirePrefixedLabels: true,
		PodValidationOptions: podutil.GetValidationOptionsFromPodTemplate(&now.Spec.Template, &was.Spec.Template)}
	o.AllowInvalidLabelValueInSelector = o.AllowInvalidLabelValueInSelector ||
		metav1validation.LabelSelectorHasInvalidLabelValue(was.Spec.Selector)
	out := batchvalidation.ValidateJob(now, o)
	if ptr.Deref(was.Spec.Suspend, false) {
		was.Spec.Template = now.Spec.Template
	}
	return append(out, batchvalidation.ValidateJobUpdate(now, was, o)...)
}

func createPod(p *core.Pod) field.ErrorList {
	podutil.DropDisabledPodFields(p, nil)
	o := podutil.GetValidationOptionsFromPodSpecAndMeta(&p.Spec, nil, &p.ObjectMeta, nil)
	o.ResourceIsPod = true
	return corevalidation.ValidatePodCreate(p, o)
}

// updatePod takes what admission and the scheduler have made of the old Pod to be what both manifests leave
// to them: its node and its service account. A Pod with scheduling gates is taken to have them still, so that
// requirements may be added to its nodeSelector and node affinity.
func updatePod(now, was *core.Pod) field.ErrorList {
	podutil.DropDisabledPodFields(now, was)
	likeOldPolicy(now.Spec.Containers, was.Spec.Containers)
	likeOldPolicy(now.Spec.InitContainers, was.Spec.InitContainers)
	if was.Spec.NodeName == "" {
		was.Spec.NodeName = now.Spec.NodeName // it may be the one that it was bound to
	}
	if cmp.Or(now.Spec.ServiceAccountName, "default") == cmp.Or(was.Spec.ServiceAccountName, "default") {
		was.Spec.ServiceAccountName = now.Spec.ServiceAccountName
	}
	o := podutil.GetValidationOptionsFromPodSpecAndMeta(&now.Spec, &was.Spec, &now.ObjectMeta, &was.ObjectMeta)
	o.ResourceIsPod = true
	return corevalidation.ValidatePodUpdate(now, was, o)
}

// likeOldPolicy gives containers the old ones' policy to pull their images, where both have the default of theirs: it
// was set when the Pod was created, and may not have been declared at all.
func likeOldPolicy(now, was []core.Container) {
	byDefault := func(c core.Container) bool { return string(c.ImagePullPolicy) == string(defaults.PullPolicy(c.Image)) }
	for i := range min(len(now), len(was)) {
		if byDefault(now[i]) && byDefault(was[i]) {
			now[i].ImagePullPolicy = was[i].ImagePullPolicy
		}
	}
}

// synced has the two fields of a Service's address agree, as normalizeClusterIPs of
// pkg/registry/core/service/storage does.
func synced(s *core.Service) {
	if s.Spec.ClusterIP != "" && len(s.Spec.ClusterIPs) == 0 {
		s.Spec.ClusterIPs = []string{s.Spec.ClusterIP}
	}
}

// checkedAt gives a Service that needs one a port for health checks, as the API server allocates one before it
// validates: it keeps that of was, which is nil for a new Service.
//
// Upstream: pkg/registry/core/service/storage: allocHealthCheckNodePort, patchAllocatedValues.
func checkedAt(s, was *core.Service) {
	const some = 32767 // the last one that may be allocated
	if !serviceutil.NeedsHealthCheck(s) || s.Spec.HealthCheckNodePort != 0 {
		return
	}
	if s.Spec.HealthCheckNodePort = some; was != nil && serviceutil.NeedsHealthCheck(was) {
		s.Spec.HealthCheckNodePort = cmp.Or(was.Spec.HealthCheckNodePort, some)
	}
}

func createService(s *core.Service) field.ErrorList {
	synced(s)
	checkedAt(s, nil)
	return corevalidation.ValidateServiceCreate(s)
}

// updateService fills in the allocated values: they are not known, and assumed to be the requested ones.
//
// Upstream: pkg/registry/core/service/storage: patchAllocatedValues.
func updateService(now, was *core.Service) field.ErrorList {
	synced(now)
	synced(was)
	checkedAt(was, now)
	checkedAt(now, was)
	if now.Spec.Type != core.ServiceTypeExternalName && was.Spec.Type != core.ServiceTypeExternalName {
		headless := slices.Equal(now.Spec.ClusterIPs, []string{core.ClusterIPNone})
		switch {
		case len(was.Spec.ClusterIPs) == 0 && headless:
			was.Spec.ClusterIP, was.Spec.ClusterIPs = "allocated", []string{"allocated"}
		case len(was.Spec.ClusterIPs) == 0:
			was.Spec.ClusterIP, was.Spec.ClusterIPs = now.Spec.ClusterIP, now.Spec.ClusterIPs
		case len(now.Spec.ClusterIPs) == 0:
			now.Spec.ClusterIP, now.Spec.ClusterIPs = was.Spec.ClusterIP, was.Spec.ClusterIPs
		}
		now.Spec.IPFamilies, was.Spec.IPFamilies = either(now.Spec.IPFamilies, was.Spec.IPFamilies)
		now.Spec.IPFamilyPolicy = cmp.Or(now.Spec.IPFamilyPolicy, was.Spec.IPFamilyPolicy)
		was.Spec.IPFamilyPolicy = cmp.Or(was.Spec.IPFamilyPolicy, now.Spec.IPFamilyPolicy)
	}
	dropTypeDependentFields(now, was)
	return corevalidation.ValidateServiceUpdate(now, was)
}

// either are two lists, of which an empty one counts as equal to the other.
func either[T any](a, b []T) (x, y []T) {
	switch {
	case len(a) == 0:
		return b, b
	case len(b) == 0:
		return a, a
	}
	return a, b
}

// dropTypeDependentFields is its namesake of pkg/registry/core/service: a field that a type does not use and that was
// there before is not refused, but removed.
func dropTypeDependentFields(now, was *core.Service) {
	n, w := &now.Spec, &was.Spec
	nodePorts := func(s *core.ServiceSpec) sets.Set[int32] {
		out := sets.Set[int32]{}
		for _, p := range s.Ports {
			if p.NodePort != 0 {
				out.Insert(p.NodePort)
			}
		}
		return out
	}
	balanced := func(s *core.ServiceSpec) bool { return s.Type == core.ServiceTypeLoadBalancer }
	onNodes := func(s *core.ServiceSpec) bool { return balanced(s) || s.Type == core.ServiceTypeNodePort }
	checked := func(s *core.ServiceSpec) bool {
		return balanced(s) && s.ExternalTrafficPolicy == core.ServiceExternalTrafficPolicyLocal
	}
	if w.Type != core.ServiceTypeExternalName && n.Type == core.ServiceTypeExternalName {
		if n.ClusterIP == w.ClusterIP && slices.Equal(n.ClusterIPs, w.ClusterIPs) {
			n.ClusterIP, n.ClusterIPs = "", nil
		}
		if slices.Equal(n.IPFamilies, w.IPFamilies) {
			n.IPFamilies = nil
		}
		if ptr.Equal(n.IPFamilyPolicy, w.IPFamilyPolicy) {
			n.IPFamilyPolicy = nil
		}
	}
	if onNodes(w) && !onNodes(n) && nodePorts(w).IsSuperset(nodePorts(n)) {
		for i := range n.Ports {
			n.Ports[i].NodePort = 0
		}
	}
	if checked(w) && !checked(n) && n.HealthCheckNodePort == w.HealthCheckNodePort {
		n.HealthCheckNodePort = 0
	}
	if balanced(w) && !balanced(n) {
		if ptr.Equal(n.AllocateLoadBalancerNodePorts, w.AllocateLoadBalancerNodePorts) {
			n.AllocateLoadBalancerNodePorts = nil
		}
		if ptr.Equal(n.LoadBalancerClass, w.LoadBalancerClass) {
			n.LoadBalancerClass = nil
		}
	}
	if serviceutil.ExternallyAccessible(was) && !serviceutil.ExternallyAccessible(now) &&
		n.ExternalTrafficPolicy == w.ExternalTrafficPolicy {
		n.ExternalTrafficPolicy = ""
	}
}

// Live is the object in the cluster after it was applied over another: a Service without an address keeps the one that
// it had.
func Live(obj, old runtime.Object) runtime.Object {
	now, ok := obj.(*corev1.Service)
	was, also := old.(*corev1.Service)
	const external = corev1.ServiceTypeExternalName
	if !ok || !also || now.Spec.Type == external || was.Spec.Type == external ||
		now.Spec.ClusterIP != "" || len(now.Spec.ClusterIPs) > 0 {
		return obj
	}
	now = now.DeepCopy()
	now.Spec.ClusterIP, now.Spec.ClusterIPs = was.Spec.ClusterIP, was.Spec.ClusterIPs // patchAllocatedValues
	if len(now.Spec.ClusterIPs) == 0 && now.Spec.ClusterIP != "" {
		now.Spec.ClusterIPs = []string{now.Spec.ClusterIP}
	}
	return now
}

// prepareClaim is what (persistentvolumeclaimStrategy) does before it validates.
func prepareClaim(c, was *core.PersistentVolumeClaim) {
	var old *core.PersistentVolumeClaimSpec
	if was != nil {
		old = &was.Spec
	}
	claimutil.DropDisabledFields(&c.Spec, old)
	claimutil.EnforceDataSourceBackwardsCompatibility(&c.Spec, old)
	claimutil.NormalizeDataSources(&c.Spec)
}

func createClaim(c *core.PersistentVolumeClaim) field.ErrorList {
	prepareClaim(c, nil)
	o := corevalidation.ValidationOptionsForPersistentVolumeClaim(c, nil)
	return corevalidation.ValidatePersistentVolumeClaim(c, o)
}

// updateClaim takes the old claim to be bound, to have the size it asked for, and the class that is asked for
// now where it named none.
func updateClaim(now, was *core.PersistentVolumeClaim) field.ErrorList {
	prepareClaim(was, nil)
	prepareClaim(now, was)
	for _, c := range []*core.PersistentVolumeClaim{now, was} {
		c.Status = core.PersistentVolumeClaimStatus{Phase: core.ClaimBound, Capacity: was.Spec.Resources.Requests.DeepCopy()}
	}
	if was.Spec.VolumeName == "" || now.Spec.VolumeName == "" { // of a bound claim the cluster has filled it in
		was.Spec.VolumeName, now.Spec.VolumeName = "", ""
	}
	if was.Spec.StorageClassName == nil && was.Annotations[core.BetaStorageClassAnnotation] == "" {
		was.Spec.StorageClassName = now.Spec.StorageClassName
	}
	o := corevalidation.ValidationOptionsForPersistentVolumeClaim(now, was)
	return corevalidation.ValidatePersistentVolumeClaimUpdate(now, was, o)
}
