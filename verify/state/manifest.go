package state

import (
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Kind is the kind of object that a workload is. The zero value is that of a workload
// that is not there.
type Kind string

// The kinds of workload that actors drive. A new one is a field of [Manifest] and a
// case in each of its methods here.
const (
	Deployment  Kind = "Deployment"
	StatefulSet Kind = "StatefulSet"
	Job         Kind = "Job"
	CronJob     Kind = "CronJob"
	DaemonSet   Kind = "DaemonSet"
)

// Manifest is what one version declares of a workload.
type Manifest struct {
	// The workload's object; all are nil where the version does not have the workload.
	Deployment  *appsv1.Deployment
	StatefulSet *appsv1.StatefulSet
	Job         *batchv1.Job
	CronJob     *batchv1.CronJob
	DaemonSet   *appsv1.DaemonSet
	// DeclaresReplicas says that spec.replicas stands in the manifest as written; in
	// the object it is defaulted to 1 in any case.
	DeclaresReplicas bool
	HPA              *autoscalingv2.HorizontalPodAutoscaler
	// Rivals are more autoscalers of the same workload, in order: upstream stops them all.
	Rivals []*autoscalingv2.HorizontalPodAutoscaler
	PDBs   []*policyv1.PodDisruptionBudget
	VPA    *VPA
	KEDA   *KEDA
	// Services names the Services that send requests to the pods, sorted.
	Services []string
}

// ManifestOf is the manifest of a typed object, without what targets it; false for an
// object that is no workload that actors drive.
func ManifestOf(object any) (Manifest, bool) {
	switch t := object.(type) {
	case *appsv1.Deployment:
		return Manifest{Deployment: t}, true
	case *appsv1.StatefulSet:
		return Manifest{StatefulSet: t}, true
	case *batchv1.Job:
		return Manifest{Job: t}, true
	case *batchv1.CronJob:
		return Manifest{CronJob: t}, true
	case *appsv1.DaemonSet:
		return Manifest{DaemonSet: t}, true
	}
	return Manifest{}, false
}

// Kind is the kind of the workload's object.
func (m *Manifest) Kind() Kind {
	switch {
	case m.Deployment != nil:
		return Deployment
	case m.StatefulSet != nil:
		return StatefulSet
	case m.Job != nil:
		return Job
	case m.CronJob != nil:
		return CronJob
	case m.DaemonSet != nil:
		return DaemonSet
	}
	return ""
}

// Exists says whether the version has the workload.
func (m *Manifest) Exists() bool { return m.Kind() != "" }

// Same says whether two manifests are of one and the same object in memory.
func (m *Manifest) Same(o *Manifest) bool {
	return m.Deployment == o.Deployment && m.StatefulSet == o.StatefulSet && m.DaemonSet == o.DaemonSet && m.Job == o.Job && m.CronJob == o.CronJob
}

// Template is the pod template, which may be changed where the object may; nil where
// the version does not have the workload.
func (m *Manifest) Template() *corev1.PodTemplateSpec {
	switch m.Kind() {
	case Deployment:
		return &m.Deployment.Spec.Template
	case StatefulSet:
		return &m.StatefulSet.Spec.Template
	case Job:
		return &m.Job.Spec.Template
	case CronJob:
		return &m.CronJob.Spec.JobTemplate.Spec.Template
	case DaemonSet:
		return &m.DaemonSet.Spec.Template
	}
	return nil
}

// Pod is the pod template's spec; the workload must exist.
func (m *Manifest) Pod() *corev1.PodSpec { return &m.Template().Spec }

// Selector selects the workload's pods.
func (m *Manifest) Selector() *metav1.LabelSelector {
	switch m.Kind() {
	case Deployment:
		return m.Deployment.Spec.Selector
	case StatefulSet:
		return m.StatefulSet.Spec.Selector
	case DaemonSet:
		return m.DaemonSet.Spec.Selector
	}
	return nil
}

// ReplicasField is where the object holds the number of its pods; nil for a kind that
// declares none.
func (m *Manifest) ReplicasField() **int32 {
	switch m.Kind() {
	case Deployment:
		return &m.Deployment.Spec.Replicas
	case StatefulSet:
		return &m.StatefulSet.Spec.Replicas
	}
	return nil
}

// Replicas is the declared number of pods, which the API server defaults to 1; 0 where
// the version does not have the workload.
func (m *Manifest) Replicas() int {
	f := m.ReplicasField()
	switch {
	case f == nil:
		return 0
	case *f == nil:
		return 1
	}
	return max(int(**f), 0) // what the API server refuses is none
}

// MinReadySecondsField is where the object holds for how long a pod is ready before it
// is available; nil for a kind that declares none.
func (m *Manifest) MinReadySecondsField() *int32 {
	switch m.Kind() {
	case Deployment:
		return &m.Deployment.Spec.MinReadySeconds
	case StatefulSet:
		return &m.StatefulSet.Spec.MinReadySeconds
	case DaemonSet:
		return &m.DaemonSet.Spec.MinReadySeconds
	}
	return nil
}

// MinReadySeconds is for how long a pod is ready before it is available.
func (m *Manifest) MinReadySeconds() int32 {
	if f := m.MinReadySecondsField(); f != nil {
		return *f
	}
	return 0
}

// Paused says that rollouts wait until somebody resumes them.
func (m *Manifest) Paused() bool { return m.Deployment != nil && m.Deployment.Spec.Paused }

// OwnObject gives the manifest a copy of its object, so that its fields may be changed.
func (m *Manifest) OwnObject() {
	switch m.Kind() {
	case Deployment:
		m.Deployment = m.Deployment.DeepCopy()
	case StatefulSet:
		m.StatefulSet = m.StatefulSet.DeepCopy()
	case Job:
		m.Job = m.Job.DeepCopy()
	case CronJob:
		m.CronJob = m.CronJob.DeepCopy()
	case DaemonSet:
		m.DaemonSet = m.DaemonSet.DeepCopy()
	}
}

// Kind is the kind of the workload's object, which both versions share.
func (w *Workload) Kind() Kind {
	if k := w.Manifests[Head].Kind(); k != "" {
		return k
	}
	return w.Manifests[Base].Kind()
}

// Autoscaled says whether either version has a HorizontalPodAutoscaler.
func (w *Workload) Autoscaled() bool {
	return w.Manifests[Base].HPA != nil || w.Manifests[Head].HPA != nil
}
