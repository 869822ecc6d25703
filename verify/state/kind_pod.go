package state

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BarePod is a Pod that no controller owns, in the form of a pod template: it is never replaced, and an update changes
// the existing one.
type BarePod struct {
	Object   *corev1.Pod
	Template corev1.PodTemplateSpec // may be changed where the object may; the object then stays as it was
}

// newBarePod reads a Pod; nil for one that a kubelet makes of a local file, which the API server only mirrors.
//
// Upstream: kubernetes v1.36.3, pkg/kubelet/types: IsMirrorPod, IsStaticPod.
func newBarePod(p *corev1.Pod) *BarePod {
	if source := p.Annotations["kubernetes.io/config.source"]; source != "" && source != "api" {
		return nil
	}
	if _, mirror := p.Annotations[corev1.MirrorPodAnnotationKey]; mirror || len(p.OwnerReferences) > 0 {
		return nil
	}
	meta := metav1.ObjectMeta{Labels: p.Labels, Annotations: p.Annotations}
	return &BarePod{p, corev1.PodTemplateSpec{ObjectMeta: meta, Spec: p.Spec}}
}

func (b *BarePod) deepCopy() *BarePod {
	if b == nil {
		return nil
	}
	return &BarePod{b.Object.DeepCopy(), *b.Template.DeepCopy()}
}

// of is the Pod; nil where there is none.
func (b *BarePod) of() *corev1.Pod {
	if b == nil {
		return nil
	}
	return b.Object
}

func (b *BarePod) name() Kind                        { return Pod }
func (b *BarePod) template() *corev1.PodTemplateSpec { return &b.Template }
func (b *BarePod) selector() *metav1.LabelSelector   { return nil }
func (b *BarePod) replicas() **int32                 { return nil }
func (b *BarePod) minReady() *int32                  { return nil }
func (b *BarePod) jobs() *batchv1.JobSpec            { return nil }
func (b *BarePod) suspend() *bool                    { return nil }

func (b *BarePod) pace() Pace        { return Pace{Keeps: true} }
func (b *BarePod) paced() []string   { return nil }
func (b *BarePod) aspects() []Aspect { return nil }

// Bare reports whether the kind is that of pods themselves: one that is gone is not replaced.
func (k Kind) Bare() bool { return k == Pod }

// Ends reports whether a Pod is made to come to an end, or is a hook's: that it is gone is no loss then.
func (b *BarePod) Ends() bool {
	_, hook := b.Object.Annotations["argocd.argoproj.io/hook"]
	spec := &b.Template.Spec
	restarts := spec.RestartPolicy == corev1.RestartPolicyAlways || spec.RestartPolicy == ""
	return hook || spec.ActiveDeadlineSeconds != nil || !restarts
}

// RestartsInPlace reports whether an update of a Pod from the template of one class to that of another makes the
// kubelet start a container again: its image is the only field of a container that an update may change.
//
// Upstream: kubernetes v1.36.3, pkg/kubelet/kuberuntime: computePodActions, containerChanged.
func (c *Config) RestartsInPlace(from, to int) bool {
	a, b := &c.Pods[from].Template.Spec, &c.Pods[to].Template.Spec
	return imagesDiffer(a.Containers, b.Containers, false) || imagesDiffer(a.InitContainers, b.InitContainers, true)
}

// imagesDiffer reports whether containers of one name have different images; of the initial ones those count that
// run as long as the pod does.
func imagesDiffer(a, b []corev1.Container, initial bool) bool {
	for i := range a {
		if always := a[i].RestartPolicy; initial && (always == nil || *always != corev1.ContainerRestartPolicyAlways) {
			continue
		}
		for j := range b {
			if a[i].Name == b[j].Name && a[i].Image != b[j].Image {
				return true
			}
		}
	}
	return false
}

// A Pod that no controller owns has these states beside those of its one pod: it was applied and is not created
// yet ([PodClassFields.Size] of its template is 1), or it has failed, and stays in the API server so
// ([PodClassFields.Exists]).

// Owed reports whether workload w is a Pod that was applied, and is not created yet.
func (s State) Owed(w int) bool {
	for _, p := range s.C.ClassesOf[w] {
		if s.Get(s.C.Class[p].Size) > 0 {
			return true
		}
	}
	return false
}

// Owe notes that workload w, a Pod, was applied and is yet to be created.
func (s State) Owe(w int) { s.Set(s.C.Class[s.NewClass(w)].Size, 1) }

// FailedPod reports whether workload w is a Pod that has failed.
func (s State) FailedPod(w int) bool {
	for _, p := range s.C.ClassesOf[w] {
		if s.Get(s.C.Class[p].Exists) > 0 {
			return true
		}
	}
	return false
}

// Fail notes that a pod of class p has failed and is not replaced; it does nothing for the pod of a controller.
func (s State) Fail(p int) {
	if s.C.Spec.Workloads[s.C.Pods[p].Workload].Kind().Bare() {
		s.Set(s.C.Class[p].Exists, 1)
	}
}

// Vanished reports whether workload w is a Pod that was applied and is not in the API server any more.
func (s State) Vanished(w int) bool {
	return s.Manifest(w).Kind().Bare() && s.ExistingOf(w) == 0 && !s.Owed(w) && !s.FailedPod(w)
}

// LostPod reports whether workload w is a Pod that runs no more, and never will unless it is applied again.
func (s State) LostPod(w int) bool {
	if !s.Manifest(w).Kind().Bare() || s.Owed(w) {
		return false
	}
	for _, p := range s.C.ClassesOf[w] {
		if s.Active(p) > 0 {
			return false
		}
	}
	return true
}
