package snapshot

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
	resourcehelper "k8s.io/component-helpers/resource"
)

// ErrNoNodes says that there is nothing to make a snapshot of.
var ErrNoNodes = errors.New("no Node was read: a snapshot needs a cluster's nodes and the pods on them")

// Collector makes a snapshot of objects as an API server gives them, in any order. It keeps of each only the fields
// that a snapshot has.
type Collector struct {
	snap        Snapshot
	pods        []pod
	sets        map[string]replicaSet // by "namespace/name"
	live        map[string]*Workload  // by ID
	attached    map[string][]string   // nodes by PersistentVolume
	volumes     map[string]*Volume    // by PersistentVolume
	limits      map[string]map[string]int
	drivers     map[string]map[string]int // attached volumes by node and driver
	controllers map[string]map[string]string
	namespaces  []Namespace     // with all their labels
	seen        map[string]bool // kinds, as resource and group
}

// pod has the kept fields of one.
type pod struct {
	kind, namespace, owner string
	hash                   string // the label pod-template-hash
	node                   string
	phase                  string // "ready", "starting", "terminating", or "" without a node
	ordinal                int    // -1: none
	pods                   Pods
}

type replicaSet struct {
	deployment, hash string
	revision         int
}

// NewCollector starts a snapshot that is taken at a moment.
func NewCollector(taken time.Time) *Collector {
	return &Collector{
		snap: Snapshot{Taken: taken.UTC().Format(time.RFC3339)},
		sets: map[string]replicaSet{}, live: map[string]*Workload{}, attached: map[string][]string{},
		volumes: map[string]*Volume{},
		limits:  map[string]map[string]int{}, drivers: map[string]map[string]int{},
		controllers: map[string]map[string]string{}, seen: map[string]bool{},
	}
}

// SetServer keeps the version of the API server.
func (c *Collector) SetServer(version string) { c.snap.Server.Version = version }

// Gap notes that a kind could not be read, or not wholly.
func (c *Collector) Gap(kind, reason string) {
	if c.snap.Missing(kind) == "" {
		c.snap.Gaps = append(c.snap.Gaps, Gap{Kind: kind, Reason: reason})
	}
}

// Add takes one object. Kinds that a snapshot has nothing of are left out; false says so.
func (c *Collector) Add(object any) bool {
	switch o := object.(type) {
	case *corev1.Node:
		c.node(o)
	case *corev1.Pod:
		c.pod(o)
	case *corev1.ResourceQuota:
		c.quota(o)
	case *corev1.PersistentVolume:
		c.volume(o)
	case *appsv1.ReplicaSet:
		c.replicaSet(o)
	case *appsv1.Deployment:
		c.workload("apps/Deployment", o.ObjectMeta, o.Spec.Replicas, "").Paused = o.Spec.Paused
	case *appsv1.StatefulSet:
		c.workload("apps/StatefulSet", o.ObjectMeta, o.Spec.Replicas, o.Status.UpdateRevision)
	case *appsv1.DaemonSet:
		c.workload("apps/DaemonSet", o.ObjectMeta, nil, "")
	case *batchv1.Job:
		if o.Status.CompletionTime == nil {
			c.workload("batch/Job", o.ObjectMeta, o.Spec.Parallelism, "")
		}
	case *autoscalingv2.HorizontalPodAutoscaler:
		c.autoscaler(o)
	case *policyv1.PodDisruptionBudget:
		c.budget(o)
	case *schedulingv1.PriorityClass:
		c.snap.PriorityClasses = append(c.snap.PriorityClasses, PriorityClass{
			Name: o.Name, Value: o.Value, Default: o.GlobalDefault,
			Never: o.PreemptionPolicy != nil && *o.PreemptionPolicy == corev1.PreemptNever,
		})
	case *storagev1.CSINode:
		c.csiNode(o)
	case *storagev1.VolumeAttachment:
		c.attachment(o)
	case *admissionv1.MutatingWebhookConfiguration:
		for _, w := range o.Webhooks {
			c.webhook(Webhook{Type: "mutating", Configuration: o.Name, Name: w.Name, Conditional: len(w.MatchConditions) > 0},
				w.Rules, w.FailurePolicy, w.ClientConfig, w.NamespaceSelector, w.ObjectSelector)
		}
	case *admissionv1.ValidatingWebhookConfiguration:
		for _, w := range o.Webhooks {
			c.webhook(Webhook{Type: "validating", Configuration: o.Name, Name: w.Name, Conditional: len(w.MatchConditions) > 0},
				w.Rules, w.FailurePolicy, w.ClientConfig, w.NamespaceSelector, w.ObjectSelector)
		}
	case *corev1.LimitRange:
		c.limitRange(o)
	case *corev1.Namespace:
		c.namespaces = append(c.namespaces, Namespace{Name: o.Name, Labels: o.Labels})
	case *unstructured.Unstructured:
		return c.nodePool(o)
	default:
		return false
	}
	return true
}

func resources(list corev1.ResourceList) Resources {
	if len(list) == 0 {
		return nil
	}
	out := Resources{}
	for name, q := range list {
		out[string(name)] = q.String()
	}
	return out
}

func (c *Collector) node(o *corev1.Node) {
	n := Node{
		Name: o.Name, Labels: o.Labels, Unschedulable: o.Spec.Unschedulable,
		Allocatable: resources(o.Status.Allocatable), CapacityType: capacityType(o.Labels),
	}
	if n.Allocatable == nil { // upstream v1.36.3: SetDefaults_NodeStatus
		n.Allocatable = resources(o.Status.Capacity)
	}
	for _, t := range o.Spec.Taints {
		n.Taints = append(n.Taints, Taint{t.Key, t.Value, string(t.Effect)})
	}
	for _, cond := range o.Status.Conditions {
		good := corev1.ConditionFalse
		if cond.Type == corev1.NodeReady {
			good = corev1.ConditionTrue
		}
		switch cond.Type {
		case corev1.NodeReady, corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure,
			corev1.NodeNetworkUnavailable:
			if cond.Status != good {
				n.Conditions = append(n.Conditions, string(cond.Type)+"="+string(cond.Status))
			}
		}
	}
	c.snap.Nodes = append(c.snap.Nodes, n)
}

// capacityType is what the providers' labels say of a node.
func capacityType(labels map[string]string) string {
	for _, l := range []struct{ key, spot, demand string }{
		{"karpenter.sh/capacity-type", "spot", "on-demand"},
		{"eks.amazonaws.com/capacityType", "SPOT", "ON_DEMAND"},
		{"kubernetes.azure.com/scalesetpriority", "spot", "regular"},
		{"cloud.google.com/gke-spot", "true", "false"},
		{"cloud.google.com/gke-preemptible", "true", "false"},
	} {
		switch labels[l.key] {
		case "":
		case l.spot:
			return "spot"
		case l.demand:
			return "on-demand"
		}
	}
	return ""
}

// ended reports whether a pod holds nothing any more.
func ended(o *corev1.Pod) bool {
	return o.Status.Phase == corev1.PodSucceeded || o.Status.Phase == corev1.PodFailed
}

func (c *Collector) pod(o *corev1.Pod) {
	c.flags(o)
	if ended(o) {
		return
	}
	p := pod{kind: "Pod", namespace: o.Namespace, owner: o.Name, node: o.Spec.NodeName, ordinal: -1,
		hash: o.Labels[appsv1.DefaultDeploymentUniqueLabelKey]}
	if ref := metav1.GetControllerOf(o); ref != nil && ref.Kind != "Node" { // a static pod is its own
		p.kind, p.owner = ref.Kind, ref.Name
		if group, _, ok := strings.Cut(ref.APIVersion, "/"); ok {
			p.kind = group + "/" + ref.Kind
		}
	}
	p.pods.Revision = cmp.Or(o.Labels[appsv1.ControllerRevisionHashLabelKey], p.hash)
	if p.kind == "apps/StatefulSet" {
		if n, err := strconv.Atoi(strings.TrimPrefix(o.Name, p.owner+"-")); err == nil {
			p.ordinal = n
		}
	}
	p.pods.Requests = resources(resourcehelper.PodRequests(o, resourcehelper.PodResourcesOptions{}))
	p.pods.Scored = scored(o)
	p.pods.PriorityClass = o.Spec.PriorityClassName
	if o.Spec.Priority != nil {
		p.pods.Priority = *o.Spec.Priority
	}
	p.pods.HostPorts = hostPorts(o)
	switch {
	case p.node == "":
		if o.DeletionTimestamp != nil {
			return
		}
	case o.DeletionTimestamp != nil:
		p.phase = "terminating"
	case ready(o):
		p.phase = "ready"
	default:
		p.phase = "starting"
	}
	c.pods = append(c.pods, p)
}

func ready(o *corev1.Pod) bool {
	return slices.ContainsFunc(o.Status.Conditions, func(x corev1.PodCondition) bool {
		return x.Type == corev1.PodReady && x.Status == corev1.ConditionTrue
	})
}

// scored is what scoring counts of a pod, where containers without a request make it more than
// what they request (upstream v1.36.3: pkg/scheduler/util, DefaultMilliCPURequest and
// DefaultMemoryRequest).
func scored(o *corev1.Pod) Resources {
	defaults := corev1.ResourceList{
		corev1.ResourceCPU:    *resource.NewMilliQuantity(100, resource.DecimalSI),
		corev1.ResourceMemory: *resource.NewQuantity(200*1024*1024, resource.DecimalSI),
	}
	plain := resourcehelper.PodRequests(o, resourcehelper.PodResourcesOptions{})
	if resourcehelper.IsPodLevelRequestsSet(o) {
		for name := range plain {
			delete(defaults, name)
		}
	}
	full := resourcehelper.PodRequests(o, resourcehelper.PodResourcesOptions{NonMissingContainerRequests: defaults})
	out := corev1.ResourceList{}
	for name := range defaults {
		if q, have := full[name], plain[name]; q.Cmp(have) != 0 {
			out[name] = q
		}
	}
	return resources(out)
}

// hostPorts are the ports that a pod takes of its node.
func hostPorts(o *corev1.Pod) []string {
	seen := map[string]bool{}
	for _, list := range [][]corev1.Container{o.Spec.Containers, o.Spec.InitContainers} {
		for i := range list {
			for _, p := range list[i].Ports {
				port := p.HostPort
				if o.Spec.HostNetwork && port == 0 {
					port = p.ContainerPort
				}
				if port == 0 {
					continue
				}
				text := fmt.Sprintf("%d/%s", port, cmp.Or(p.Protocol, corev1.ProtocolTCP))
				if p.HostIP != "" && p.HostIP != "0.0.0.0" {
					text = p.HostIP + ":" + text
				}
				seen[text] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// entry is the workload of an ID, made where it is new.
func (c *Collector) entry(kind, namespace, name string) *Workload {
	w := &Workload{Kind: kind, Namespace: namespace, Name: name}
	if c.live[w.ID()] == nil {
		c.live[w.ID()] = w
	}
	return c.live[w.ID()]
}

func (c *Collector) workload(kind string, meta metav1.ObjectMeta, replicas *int32, revision string) *Workload {
	w := c.entry(kind, meta.Namespace, meta.Name)
	c.seen[kind] = true
	if replicas != nil {
		n := int(*replicas)
		w.Replicas = &n
	}
	w.Revision = revision
	return w
}

func (c *Collector) replicaSet(o *appsv1.ReplicaSet) {
	c.seen["apps/ReplicaSet"] = true
	ref := metav1.GetControllerOf(o)
	if ref == nil || ref.Kind != "Deployment" {
		c.workload("apps/ReplicaSet", o.ObjectMeta, o.Spec.Replicas, "")
		return
	}
	n, _ := strconv.Atoi(o.Annotations["deployment.kubernetes.io/revision"])
	c.sets[o.Namespace+"/"+o.Name] = replicaSet{ref.Name, o.Labels[appsv1.DefaultDeploymentUniqueLabelKey], n}
}

func (c *Collector) autoscaler(o *autoscalingv2.HorizontalPodAutoscaler) {
	ref := o.Spec.ScaleTargetRef
	target := ref.Kind
	if group, _, ok := strings.Cut(ref.APIVersion, "/"); ok {
		target = group + "/" + target
	}
	h := Autoscaler{
		Namespace: o.Namespace, Name: o.Name, Target: target + " " + ref.Name, Min: 1, Max: int(o.Spec.MaxReplicas),
		Current: int(o.Status.CurrentReplicas), Desired: int(o.Status.DesiredReplicas),
	}
	if o.Spec.MinReplicas != nil {
		h.Min = int(*o.Spec.MinReplicas)
	}
	c.snap.Autoscalers = append(c.snap.Autoscalers, h)
}

func (c *Collector) budget(o *policyv1.PodDisruptionBudget) {
	text := func(v *intstr.IntOrString) string {
		if v == nil {
			return ""
		}
		return v.String()
	}
	c.snap.Budgets = append(c.snap.Budgets, Budget{
		Namespace: o.Namespace, Name: o.Name, MinAvailable: text(o.Spec.MinAvailable),
		MaxUnavailable: text(o.Spec.MaxUnavailable),
		Expected:       int(o.Status.ExpectedPods), Healthy: int(o.Status.CurrentHealthy),
		Allowed: int(o.Status.DisruptionsAllowed),
	})
}

func (c *Collector) quota(o *corev1.ResourceQuota) {
	q := Quota{Namespace: o.Namespace, Name: o.Name, Hard: resources(o.Spec.Hard), Used: resources(o.Status.Used)}
	for _, s := range o.Spec.Scopes {
		q.Scopes = append(q.Scopes, string(s))
	}
	if o.Spec.ScopeSelector != nil {
		for _, e := range o.Spec.ScopeSelector.MatchExpressions {
			q.Scopes = append(q.Scopes,
				strings.TrimSpace(fmt.Sprintf("%s %s %s", e.ScopeName, e.Operator, strings.Join(e.Values, ","))))
		}
	}
	c.snap.Quotas = append(c.snap.Quotas, q)
}
