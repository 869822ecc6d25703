package state

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/render/rollouts"
)

// ServiceSelector is what a Service selects pods by.
type ServiceSelector struct {
	Service string
	Labels  map[string]string
}

// Manifest is what one version declares of a workload.
type Manifest struct {
	// The workload's object; all are nil where the version does not have the workload.
	Deployment  *appsv1.Deployment
	StatefulSet *appsv1.StatefulSet
	Job         *batchv1.Job
	CronJob     *batchv1.CronJob
	DaemonSet   *appsv1.DaemonSet
	ReplicaSet  *appsv1.ReplicaSet
	Rollout     *rollouts.Rollout
	Bare        *BarePod
	// DeclaresReplicas says that spec.replicas stands in the manifest as written; in
	// the object it is defaulted to 1 in any case.
	DeclaresReplicas bool
	HPA              *autoscalingv2.HorizontalPodAutoscaler
	// Rivals are more autoscalers of the same workload, in order: upstream stops them all.
	Rivals []*autoscalingv2.HorizontalPodAutoscaler
	PDBs   []*policyv1.PodDisruptionBudget
	VPA    *VPA
	KEDA   *KEDA
	// MaxUnavailable says that a StatefulSet's updateStrategy.rollingUpdate.maxUnavailable counts; see [Gated].
	MaxUnavailable bool
	// ReplacesUnavailable says that a Parallel one whose MaxUnavailable counts first replaces old pods that are
	// unavailable.
	ReplacesUnavailable bool
	// Bounds are those of declared loops that set replicas, taken together; zero: there is none.
	Bounds Bounds
	// Services names the Services that send requests to the pods, sorted.
	Services []string
	// Selectors are those of the Services that select pods of one version's template and not of the other's.
	Selectors []ServiceSelector
	// Near names those of them that lead callers to pods of their own node alone.
	Near []string
	// Replaced says that an apply puts it in the place of the live object, so that no replicas stay that it does not
	// declare.
	Replaced bool
	// Queue is the ClusterQueue of Kueue that its pods wait in, and QueuePriority what their WorkloadPriorityClass, or
	// PriorityClass, gives them; "" is none, nil is not known.
	Queue         string
	QueuePriority *int32
	// Stranded says that its pods cannot start once the other version is applied, which deletes a ConfigMap or Secret that
	// they need.
	Stranded bool
	// Filled has base's pods with what base's own LimitRanges, RuntimeClasses and mutating policies make of them, where
	// only these changed and the template has what head's make of it; nil: the template has it.
	Filled *corev1.PodTemplateSpec
	// ByBase is what base's mutating policies would make of head's object; nil: the same as head's.
	ByBase *Manifest
}

// Behind names the Services that have pods of this template behind them, or of the other version's, sorted.
func (m *Manifest) Behind() []string {
	out := slices.Clone(m.Services)
	for i := range m.Selectors {
		out = append(out, m.Selectors[i].Service)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Serves reports whether a Service has pods with some labels behind it.
func (m *Manifest) Serves(service string, set labels.Set) bool {
	for i := range m.Selectors {
		if m.Selectors[i].Service == service {
			return labels.SelectorFromSet(m.Selectors[i].Labels).Matches(set)
		}
	}
	return slices.Contains(m.Services, service)
}

// AsFilled is the manifest with what its own version's LimitRanges, RuntimeClasses and mutating policies make of its
// pods. The images stay as they are.
func (m Manifest) AsFilled() Manifest {
	if m.Filled == nil {
		return m
	}
	own := m.Filled.DeepCopy()
	m.OwnObject()
	m.Filled = nil
	t := m.Template()
	for _, lists := range [][2][]corev1.Container{{own.Spec.Containers, t.Spec.Containers},
		{own.Spec.InitContainers, t.Spec.InitContainers}} {
		for i := range lists[0] {
			for _, c := range lists[1] {
				if c.Name == lists[0][i].Name {
					lists[0][i].Image = c.Image
				}
			}
		}
	}
	*t = *own
	return m
}

// MadeByBase is the manifest as base's mutating policies would make it.
func (m Manifest) MadeByBase() Manifest {
	if of := m.ByBase; of != nil {
		m.Deployment, m.StatefulSet, m.Job, m.CronJob = of.Deployment, of.StatefulSet, of.Job, of.CronJob
		m.DaemonSet, m.ReplicaSet, m.Rollout, m.Bare = of.DaemonSet, of.ReplicaSet, of.Rollout, of.Bare
	}
	return m
}

// Kind is the kind of the workload's object.
func (m *Manifest) Kind() Kind {
	if o := m.object(); o != nil {
		return o.name()
	}
	return ""
}

// Exists reports whether the version has the workload.
func (m *Manifest) Exists() bool { return m.object() != nil }

// Template is the pod template, which may be changed where the object may; nil where
// the version does not have the workload.
func (m *Manifest) Template() *corev1.PodTemplateSpec {
	if o := m.object(); o != nil {
		return o.template()
	}
	return nil
}

// Pod is the pod template's spec; the workload must exist.
func (m *Manifest) Pod() *corev1.PodSpec { return &m.Template().Spec }

// Selector selects the workload's pods.
func (m *Manifest) Selector() *metav1.LabelSelector {
	if o := m.object(); o != nil {
		return o.selector()
	}
	return nil
}

// ReplicasField is where the object holds the number of its pods; nil for a kind that
// declares none.
func (m *Manifest) ReplicasField() **int32 {
	if o := m.object(); o != nil {
		return o.replicas()
	}
	return nil
}

// Replicas is the declared number of pods, which the API server defaults to 1; 0 where
// the version does not have the workload.
func (m *Manifest) Replicas() int {
	f := m.ReplicasField()
	switch {
	case m.Bare != nil:
		return 1
	case f == nil:
		return 0
	case *f == nil:
		return 1
	}
	return max(int(**f), 0) // what the API server refuses is none
}

// WithReplicas is the manifest with a declared number of replicas, of a kind that has one.
func (m Manifest) WithReplicas(n int) Manifest {
	count := int32(n)
	m.OwnObject()
	*m.ReplicasField(), m.DeclaresReplicas = &count, true
	return m
}

// MostReplicas is the most that the manifest or one of its autoscalers asks for.
func (m *Manifest) MostReplicas() int {
	n := max(m.Replicas(), m.Bounds.Max)
	for _, count := range m.StepCounts() {
		n = max(n, int(*count))
	}
	if m.HPA != nil {
		n = max(n, int(m.HPA.Spec.MaxReplicas))
	}
	for _, h := range m.Rivals {
		n = max(n, int(h.Spec.MaxReplicas))
	}
	return n
}

// MinReadySeconds is for how long a pod is ready before it is available.
func (m *Manifest) MinReadySeconds() int32 {
	if o := m.object(); o != nil && o.minReady() != nil {
		return *o.minReady()
	}
	return 0
}

// Paused reports whether rollouts wait until somebody resumes them.
func (m *Manifest) Paused() bool {
	return m.Deployment != nil && m.Deployment.Spec.Paused || m.Rollout != nil && m.Rollout.Spec.Paused
}

// Pace is how new pods take the place of old ones; the workload must exist. Rules ask for
// it in every state: it allocates nothing.
func (m *Manifest) Pace() Pace {
	p := m.object().pace()
	if m.MaxUnavailable {
		p.at = "spec.updateStrategy.rollingUpdate"
		if r := m.StatefulSet.Spec.UpdateStrategy.RollingUpdate; r != nil {
			p.Unavailable = r.MaxUnavailable
		}
	}
	return p
}

// PaceFields are the fields that declare the pace, most telling first; none where there is
// no rollout.
func (m *Manifest) PaceFields() []string { return m.object().paced() }

// Aspects are the fields of the object beside its replicas and its template, in the order
// in which a manifest has them; the workload must exist.
func (m *Manifest) Aspects() []Aspect { return m.object().aspects() }

// KindOf is the kind of the object that an ID names, such as "apps/Deployment default/web".
func KindOf(id string) Kind {
	kind, _, _ := strings.Cut(id, " ")
	return Kind(kind[strings.LastIndexByte(kind, '/')+1:])
}

// Kind is the kind of the workload's object, which both versions share.
func (w *Workload) Kind() Kind {
	if k := w.Manifests[Head].Kind(); k != "" {
		return k
	}
	return w.Manifests[Base].Kind()
}

// LeftReplicas is the least that base's autoscaler leaves where head has none any more and no manifest gives the
// number: the live object keeps what was written last, under every apply. 0: another rule gives the number.
func (w *Workload) LeftReplicas() int {
	base, head := &w.Manifests[Base], &w.Manifests[Head]
	if base.HPA == nil || base.DeclaresReplicas || !head.Exists() || head.HPA != nil || head.DeclaresReplicas ||
		head.Replaced || head.ReplicasField() == nil || base.HPA.Spec.MinReplicas == nil {
		return 0
	}
	return int(*base.HPA.Spec.MinReplicas)
}

// Autoscaled reports whether either version has a HorizontalPodAutoscaler.
func (w *Workload) Autoscaled() bool {
	return w.Manifests[Base].HPA != nil || w.Manifests[Head].HPA != nil
}
