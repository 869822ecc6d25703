package control

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/kubesettle/kubesettle/verify/state"
)

// admitted is a pod of class p as it reaches the scheduler: its template with what the
// ReplicaSet, the API server's defaults and its default admission plugins add.
//
// Upstream: pkg/controller: ComputeHash; pkg/apis/core/v1: SetDefaults_Pod,
// defaultPodRequests; pkg/registry/core/pod: mutatePodAffinity,
// mutateTopologySpreadConstraints; plugin/pkg/admission: defaulttolerationseconds.
func admitted(c *state.Config, p int) *corev1.Pod {
	class := &c.Pods[p]
	pod := &corev1.Pod{
		ObjectMeta: *class.Template.ObjectMeta.DeepCopy(),
		Spec:       *class.Template.Spec.DeepCopy(),
	}
	pod.Namespace = class.Namespace
	if pod.Labels == nil {
		pod.Labels = map[string]string{}
	}
	switch wl := &c.Spec.Workloads[class.Workload]; wl.Kind() {
	case state.Deployment:
		pod.Labels[podTemplateHash] = templateHash(c.Pods[class.Set].Template)
	case state.DaemonSet:
		pod.Labels["controller-revision-hash"] = templateHash(class.Template)
		tolerateNodeProblems(&pod.Spec)
	case state.StatefulSet:
		identify(pod, wl, class)
	case state.Job:
		pod.Labels[batchv1.JobNameLabel] = wl.Name
	}
	defaultRequests(&pod.Spec)
	tolerateNotReady(&pod.Spec)
	mergeLabelKeys(pod)
	return pod
}

// identify gives a pod of a StatefulSet its name, labels and volumes.
//
// Upstream: pkg/controller/statefulset: updateIdentity, updateStorage, setPodRevision.
func identify(pod *corev1.Pod, wl *state.Workload, class *state.PodClass) {
	v := state.Base
	if !class.InBase {
		v = state.Head
	}
	set := wl.Manifests[v].StatefulSet
	ordinal := strconv.Itoa(class.Ordinal)
	pod.Name = set.Name + "-" + ordinal
	pod.Labels[appsv1.StatefulSetPodNameLabel] = pod.Name
	pod.Labels[appsv1.PodIndexLabel] = ordinal
	pod.Labels[appsv1.StatefulSetRevisionLabel] = templateHash(class.Template)
	for i := range set.Spec.VolumeClaimTemplates {
		claim := set.Spec.VolumeClaimTemplates[i].Name
		pod.Spec.Volumes = slices.DeleteFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == claim })
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: claim, VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim + "-" + pod.Name},
		}})
	}
}

// podTemplateHash is the label a Deployment's controller adds (apps/v1:
// DefaultDeploymentUniqueLabelKey).
const podTemplateHash = "pod-template-hash"

// templateHash tells templates apart as upstream's hash does; its text is another, as
// nothing but equality hangs on it.
func templateHash(t *corev1.PodTemplateSpec) string {
	text, err := t.Marshal()
	if err != nil {
		panic("control: a pod template that cannot be marshaled: " + err.Error())
	}
	h := fnv.New64a()
	h.Write(text)
	return strconv.FormatUint(h.Sum64(), 36)
}

func defaultRequests(spec *corev1.PodSpec) {
	for _, list := range [][]corev1.Container{spec.Containers, spec.InitContainers} {
		for i := range list {
			c := &list[i]
			for name, limit := range c.Resources.Limits {
				if _, set := c.Resources.Requests[name]; set {
					continue
				}
				if c.Resources.Requests == nil {
					c.Resources.Requests = corev1.ResourceList{}
				}
				c.Resources.Requests[name] = limit.DeepCopy()
			}
			for j := range c.Ports {
				if spec.HostNetwork && c.Ports[j].HostPort == 0 {
					c.Ports[j].HostPort = c.Ports[j].ContainerPort
				}
			}
		}
	}
	defaultPodLevelRequests(spec)
}

// defaultPodLevelRequests is upstream's defaultPodRequests. Pod-level huge page limits
// are taken as declared: defaultHugePagePodLimits changes no request of a valid pod
// that its containers do not make already.
func defaultPodLevelRequests(spec *corev1.PodSpec) {
	if spec.Resources == nil || len(spec.Resources.Limits) == 0 {
		return
	}
	requests := spec.Resources.Requests
	if requests == nil {
		requests = corev1.ResourceList{}
	}
	whole := &corev1.Pod{Spec: *spec}
	for name, q := range resourcehelper.AggregateContainerRequests(whole, resourcehelper.PodResourcesOptions{}) {
		if _, set := requests[name]; !set && resourcehelper.IsSupportedPodLevelResource(name) && !isHugePages(name) {
			requests[name] = q.DeepCopy()
		}
	}
	for name, q := range spec.Resources.Limits {
		if _, set := requests[name]; !set && resourcehelper.IsSupportedPodLevelResource(name) {
			requests[name] = q.DeepCopy()
		}
	}
	if len(requests) > 0 {
		spec.Resources.Requests = requests
	}
}

func tolerateNotReady(spec *corev1.PodSpec) {
	seconds := int64(300)
	for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		tolerates := false
		for _, t := range spec.Tolerations {
			if (t.Key == key || t.Key == "") && (t.Effect == corev1.TaintEffectNoExecute || t.Effect == "") {
				tolerates = true
			}
		}
		if !tolerates {
			spec.Tolerations = append(spec.Tolerations, corev1.Toleration{
				Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute,
				TolerationSeconds: &seconds,
			})
		}
	}
}

// mergeLabelKeys merges matchLabelKeys and mismatchLabelKeys into the selectors beside
// them; a nil selector matches nothing and stays so.
func mergeLabelKeys(pod *corev1.Pod) {
	for i := range pod.Spec.TopologySpreadConstraints {
		c := &pod.Spec.TopologySpreadConstraints[i]
		addLabelKeys(c.LabelSelector, c.MatchLabelKeys, metav1.LabelSelectorOpIn, pod.Labels)
	}
	merge := func(t *corev1.PodAffinityTerm) {
		addLabelKeys(t.LabelSelector, t.MatchLabelKeys, metav1.LabelSelectorOpIn, pod.Labels)
		addLabelKeys(t.LabelSelector, t.MismatchLabelKeys, metav1.LabelSelectorOpNotIn, pod.Labels)
	}
	required, preferred := podTerms(pod.Spec.Affinity, false)
	for i := range required {
		merge(&required[i])
	}
	for i := range preferred {
		merge(&preferred[i].PodAffinityTerm)
	}
	required, preferred = podTerms(pod.Spec.Affinity, true)
	for i := range required {
		merge(&required[i])
	}
	for i := range preferred {
		merge(&preferred[i].PodAffinityTerm)
	}
}

func addLabelKeys(s *metav1.LabelSelector, keys []string, op metav1.LabelSelectorOperator, labels map[string]string) {
	if s == nil {
		return
	}
	for _, key := range keys {
		if value, ok := labels[key]; ok {
			s.MatchExpressions = append(s.MatchExpressions,
				metav1.LabelSelectorRequirement{Key: key, Operator: op, Values: []string{value}})
		}
	}
}

// podTerms gives the inter-pod affinity or anti-affinity terms.
func podTerms(a *corev1.Affinity, anti bool) ([]corev1.PodAffinityTerm, []corev1.WeightedPodAffinityTerm) {
	switch {
	case a == nil:
	case anti && a.PodAntiAffinity != nil:
		return a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution,
			a.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution
	case !anti && a.PodAffinity != nil:
		return a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution,
			a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution
	}
	return nil, nil
}

// priorityOf is a pod's priority as it is admitted while version v is applied, and false
// where it names a class that the spec does not have.
//
// Upstream: plugin/pkg/admission/priority: (*Plugin).admitPod, getDefaultPriority; the
// two system classes of pkg/apis/scheduling exist in every cluster.
func priorityOf(spec *state.Spec, pod *corev1.Pod, v state.Version) (int32, bool) {
	if name := cmp.Or(pod.Spec.PriorityClassName, spec.DefaultPriority[v]); name != "" {
		switch name {
		case "system-cluster-critical":
			return 2_000_000_000, true
		case "system-node-critical":
			return 2_000_001_000, true
		}
		v, ok := spec.PriorityClasses[name]
		return v, ok
	}
	if pod.Spec.Priority != nil {
		return *pod.Spec.Priority, true
	}
	return 0, true
}

// firstVersion is the version whose apply created the first pods of class p.
func firstVersion(c *state.Config, p int) state.Version {
	if c.Pods[p].InBase {
		return state.Base
	}
	return state.Head
}

// neverPreempts says that a pod's preemptionPolicy is Never, its own or its class's.
func neverPreempts(spec *state.Spec, pod *corev1.Pod, v state.Version) bool {
	if p := pod.Spec.PreemptionPolicy; p != nil {
		return *p == corev1.PreemptNever
	}
	return spec.NeverPreempt[cmp.Or(pod.Spec.PriorityClassName, spec.DefaultPriority[v])]
}
