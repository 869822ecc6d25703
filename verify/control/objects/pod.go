package objects

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/klog/v2"

	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/state"
)

// LiveReplicas is the value that the API server stores for a manifest's replicas.
func LiveReplicas(m *state.Manifest) int {
	if m.DeclaresReplicas || m.ReplicasField() == nil {
		return m.Replicas()
	}
	if m.Kind() == state.DaemonSet {
		return 0 // it has none
	}
	return 1 // SetDefaults_Deployment
}

// TolerateNodeProblems adds what the pods of a DaemonSet tolerate.
//
// Upstream: pkg/controller/daemon/util: AddOrUpdateDaemonPodTolerations; pkg/apis/core/v1/helper:
// AddOrUpdateTolerationInPodSpec.
func TolerateNodeProblems(spec *corev1.PodSpec) {
	add := func(key string, effect corev1.TaintEffect) {
		want := corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: effect}
		for i := range spec.Tolerations {
			if have := &spec.Tolerations[i]; have.Key == key && have.Effect == effect &&
				have.Operator == want.Operator && have.Value == "" {
				*have = want
				return
			}
		}
		spec.Tolerations = append(spec.Tolerations, want)
	}
	add(corev1.TaintNodeNotReady, corev1.TaintEffectNoExecute)
	add(corev1.TaintNodeUnreachable, corev1.TaintEffectNoExecute)
	add(corev1.TaintNodeDiskPressure, corev1.TaintEffectNoSchedule)
	add(corev1.TaintNodeMemoryPressure, corev1.TaintEffectNoSchedule)
	add(corev1.TaintNodePIDPressure, corev1.TaintEffectNoSchedule)
	add(corev1.TaintNodeUnschedulable, corev1.TaintEffectNoSchedule)
	if spec.HostNetwork {
		add(corev1.TaintNodeNetworkUnavailable, corev1.TaintEffectNoSchedule)
	}
}

// Quality of service, in the order in which pods go.
const (
	BestEffort = iota
	burstable
	guaranteed
)

// QualityOfService is a pod's QoS class.
//
// Upstream: kubernetes, pkg/apis/core/v1/helper/qos: ComputePodQOS, which the API
// server writes into the status that the descheduler's GetPodQOS reads.
func QualityOfService(pod *corev1.Pod) int {
	var list []corev1.ResourceRequirements
	if pod.Spec.Resources != nil {
		list = append(list, *pod.Spec.Resources)
	} else {
		for _, of := range [][]corev1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
			for i := range of {
				list = append(list, of[i].Resources)
			}
		}
	}
	requests, limits := corev1.ResourceList{}, corev1.ResourceList{}
	full := true
	for _, r := range list {
		addCompute(requests, r.Requests)
		if pod.Spec.Resources != nil && len(r.Limits) == 0 {
			continue
		}
		full = addCompute(limits, r.Limits) == 2 && full
	}
	if len(requests) == 0 && len(limits) == 0 {
		return BestEffort
	}
	for name, q := range requests {
		limit, ok := limits[name]
		full = full && ok && limit.Cmp(q) == 0
	}
	if full && len(requests) == len(limits) {
		return guaranteed
	}
	return burstable
}

// HPAID is the object ID of a workload's HPA in a version.
func HPAID(wl *state.Workload, v state.Version) string {
	return "autoscaling/HorizontalPodAutoscaler " + wl.Namespace + "/" + wl.Manifests[v].HPA.Name
}

// MetricRequestField is where the request stands that a utilization refers to.
func MetricRequestField(spec *corev1.PodSpec, container string, name corev1.ResourceName) string {
	at := 0
	for i := range spec.Containers {
		if spec.Containers[i].Name == container {
			at = i
		}
	}
	return fmt.Sprintf("spec.template.spec.containers[%d].resources.requests[%s]", at, name)
}

// Admitted is a pod of class p as it reaches the scheduler: its template with what the
// ReplicaSet, the API server's defaults and its default admission plugins add.
//
// Upstream: pkg/controller: ComputeHash; pkg/apis/core/v1: SetDefaults_Pod,
// defaultPodRequests; pkg/registry/core/pod: mutatePodAffinity,
// mutateTopologySpreadConstraints; plugin/pkg/admission: defaulttolerationseconds.
func Admitted(c *state.Config, p int) *corev1.Pod {
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
		pod.Labels[PodTemplateHash] = templateHash(c.Pods[class.Set].Template)
	case state.Rollout:
		pod.Labels[state.RolloutsHash] = templateHash(class.Template)
	case state.DaemonSet:
		pod.Labels["controller-revision-hash"] = templateHash(class.Template)
		TolerateNodeProblems(&pod.Spec)
	case state.StatefulSet:
		identify(pod, wl, class)
	case state.Job:
		pod.Labels[batchv1.JobNameLabel] = wl.Name
	}
	DefaultRequests(&pod.Spec)
	tolerateNotReady(&pod.Spec)
	mergeLabelKeys(pod)
	return pod
}

func DefaultRequests(spec *corev1.PodSpec) {
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

// FirstVersion is the version whose apply created the first pods of class p.
func FirstVersion(c *state.Config, p int) state.Version {
	if c.Pods[p].InBase {
		return state.Base
	}
	return state.Head
}

// PodRequests are the requests of a pod: containers, sidecars and init containers,
// pod-level requests and overhead.
func PodRequests(pod *corev1.Pod) corev1.ResourceList {
	return resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
}

// NoLog drops what upstream's helpers would log.
func NoLog() klog.Logger { return klog.Logger{} }

// RequestWords words the requests of a pod that a VPA may set: "81m CPU and 256Mi memory a pod".
func RequestWords(pod *corev1.PodSpec) string {
	var out []string
	for _, name := range VPAResources {
		if n, _ := PodRequest(pod, name, ""); n > 0 {
			out = append(out, AmountOf(name, n)+" "+ResourceWord(name))
		}
	}
	return strings.Join(out, " and ") + " a pod"
}

// SizeWords words the size of class p's pods, where it is not the template's: " of 81m CPU a pod".
func SizeWords(c *state.Config, p int) string {
	if c.Pods[p].Size == 0 {
		return ""
	}
	return " (" + RequestWords(&c.Pods[p].Template.Spec) + ")"
}

// ResourceWord is a resource as texts have it: "CPU", "memory".
func ResourceWord(name corev1.ResourceName) string {
	switch name {
	case corev1.ResourceCPU:
		return "CPU"
	case corev1.ResourceMemory:
		return "memory"
	}
	return string(name)
}

// addCompute adds the positive amounts of cpu and memory and says how many there were.
func addCompute(sum, list corev1.ResourceList) int {
	found := 0
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		if q, ok := list[name]; ok && q.Sign() == 1 {
			found++
			total := sum[name]
			total.Add(q)
			sum[name] = total
		}
	}
	return found
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

// PodTemplateHash is the label a Deployment's controller adds (apps/v1:
// DefaultDeploymentUniqueLabelKey).
const PodTemplateHash = "pod-template-hash"

// templateHash tells templates apart as upstream's hash does; its text is another, as
// only equality hangs on it.
func templateHash(t *corev1.PodTemplateSpec) string {
	text, err := t.Marshal()
	if err != nil {
		panic("control: a pod template that cannot be marshaled: " + err.Error())
	}
	h := fnv.New64a()
	h.Write(text)
	return strconv.FormatUint(h.Sum64(), 36)
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
		if _, set := requests[name]; !set && resourcehelper.IsSupportedPodLevelResource(name) && !IsHugePages(name) {
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
	for _, c := range kube.Spreads(&pod.Spec) {
		addLabelKeys(c.LabelSelector, c.MatchLabelKeys, metav1.LabelSelectorOpIn, pod.Labels)
	}
	for _, t := range kube.Terms(&pod.Spec) {
		addLabelKeys(t.LabelSelector, t.MatchLabelKeys, metav1.LabelSelectorOpIn, pod.Labels)
		addLabelKeys(t.LabelSelector, t.MismatchLabelKeys, metav1.LabelSelectorOpNotIn, pod.Labels)
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

// VPAResources are the resources that a VPA may control.
var VPAResources = [...]corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory}

func IsHugePages(name corev1.ResourceName) bool {
	return strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}
