package state

import (
	"cmp"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/render/rollouts"
)

// Kind is the kind of object that a workload is. The zero value is that of a workload
// that is not there.
type Kind string

// The kinds of workload that actors drive: a new one is a field of [Manifest], a case of
// [ManifestOf] and of object, and an implementation of [kind] in a file of its own.
const (
	Deployment  Kind = "Deployment"
	StatefulSet Kind = "StatefulSet"
	Job         Kind = "Job"
	CronJob     Kind = "CronJob"
	DaemonSet   Kind = "DaemonSet"
	ReplicaSet  Kind = "ReplicaSet"
	Rollout     Kind = "Rollout"
	Pod         Kind = "Pod"
)

// kind is what one kind of workload says of its object. Everybody else asks the [Manifest],
// and need not know which kind it is.
type kind interface {
	name() Kind
	template() *corev1.PodTemplateSpec
	selector() *metav1.LabelSelector // nil: the API server makes one
	replicas() **int32               // where the number of pods stands; nil: the kind declares none
	minReady() *int32                // minReadySeconds; nil: the kind has none
	jobs() *batchv1.JobSpec          // of pods that run to completion; nil: they do not
	suspend() *bool                  // nil: not suspended
	pace() Pace
	paced() []string // the fields that declare its pace, most telling first
	aspects() []Aspect
}

// Pace is how new pods of a workload take the place of old ones. The two shares point into
// the object; nil where the kind or its strategy has none.
type Pace struct {
	Surge       *intstr.IntOrString
	Unavailable *intstr.IntOrString
	RoundsUp    bool   // a percentage of Unavailable; one of Surge always does
	AtLeastOne  bool   // where both come out as 0, one pod may be unavailable
	AtOnce      bool   // Recreate: all pods are gone before a new one starts
	Awaits      bool   // OnDelete: somebody else deletes the old pods
	Keeps       bool   // no rollout: pods stay at the template that they were made of
	at          string // the field that holds the shares; "": the kind has none
}

// SurgeField and UnavailableField are where the shares stand in the object.
func (p Pace) SurgeField() string       { return p.at + ".maxSurge" }
func (p Pace) UnavailableField() string { return p.at + ".maxUnavailable" }

// SurgeOf is how many pods may stand beside the replicas in a rollout; 0 also for a value that the API server refuses.
func (p Pace) SurgeOf(replicas int) int {
	if p.Surge == nil {
		return 0
	}
	s, err := ShareOf(p.Surge)
	if err != nil {
		return 0
	}
	return s.Of(replicas, true)
}

// UnavailableOf is how many of its desired pods a workload may lack in a rollout; all of
// them for what the API server refuses: nothing can be promised.
//
// Upstream v1.36.3: deploymentutil.MaxUnavailable and ResolveFenceposts. For Recreate
// upstream gives 0; it takes all pods away before it starts one.
func (p Pace) UnavailableOf(desired int) int {
	if p.AtOnce {
		return desired
	}
	zero := intstr.FromInt32(0)
	up, err := ShareOf(intstr.ValueOrDefault(p.Surge, zero))
	if err != nil {
		return desired
	}
	down, err := ShareOf(intstr.ValueOrDefault(p.Unavailable, zero))
	if err != nil {
		return desired
	}
	n := down.Of(desired, p.RoundsUp)
	if p.AtLeastOne && n == 0 && up.Of(desired, true) == 0 {
		n = 1
	}
	return min(n, desired)
}

// Everybody names a field of a workload as a Deployment or a Job has it: the template of its pods is "spec.template".
// Own gives such a path as the kind has it, and Common is the way back. Paths of other objects stay as they are.
func (k Kind) Own(path string) string {
	if k == CronJob {
		for _, of := range [...]string{podTemplate, "spec.activeDeadlineSeconds"} {
			if rest, ok := strings.CutPrefix(path, of); ok {
				return "spec.jobTemplate." + of + rest
			}
		}
	}
	if rest, ok := strings.CutPrefix(path, podTemplate); ok && k.Bare() {
		return cmp.Or(strings.TrimPrefix(rest, "."), "spec")
	}
	return path
}

// Common gives a path of the kind's own as every kind has it; see [Kind.Own].
func (k Kind) Common(path string) string {
	if rest, ok := strings.CutPrefix(path, "spec.jobTemplate.spec."); ok && k == CronJob {
		return "spec." + rest
	}
	if k.Bare() && (strings.HasPrefix(path, "spec.") || strings.HasPrefix(path, "metadata.labels") ||
		strings.HasPrefix(path, "metadata.annotations")) {
		return podTemplate + "." + path
	}
	return path
}

// podTemplate is where most kinds say what their pods are.
const podTemplate = "spec.template"

// Aspect is a field of an object that a change can be undone in alone.
type Aspect struct {
	Path  string // as in the manifest: "spec.strategy"; of a CronJob's Jobs without jobTemplate
	Field any    // pointer into the object
	Says  string // the name of a change in a counterexample; "": it is not named there
}

// aspectsOf are those of pods that run to completion.
func aspectsOf(s *batchv1.JobSpec) []Aspect {
	return []Aspect{
		{"spec.parallelism", &s.Parallelism, ""},
		{"spec.completions", &s.Completions, ""},
		{"spec.backoffLimit", &s.BackoffLimit, ""},
		{"spec.activeDeadlineSeconds", &s.ActiveDeadlineSeconds, ""},
	}
}

// object is the workload's object as its kind; nil where the version does not have it.
func (m *Manifest) object() kind {
	switch {
	case m.Deployment != nil:
		return (*deployment)(m.Deployment)
	case m.StatefulSet != nil:
		return (*statefulSet)(m.StatefulSet)
	case m.Job != nil:
		return (*job)(m.Job)
	case m.CronJob != nil:
		return (*cronJob)(m.CronJob)
	case m.DaemonSet != nil:
		return (*daemonSet)(m.DaemonSet)
	case m.ReplicaSet != nil:
		return (*replicaSet)(m.ReplicaSet)
	case m.Rollout != nil:
		return (*rollout)(m.Rollout)
	case m.Bare != nil:
		return m.Bare
	}
	return nil
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
	case *appsv1.ReplicaSet:
		return Manifest{ReplicaSet: t}, true
	case *rollouts.Rollout:
		return Manifest{Rollout: t}, true
	case *corev1.Pod:
		b := newBarePod(t)
		return Manifest{Bare: b}, b != nil
	}
	return Manifest{}, false
}

// OwnObject gives the manifest a copy of its object, so that its fields may be changed.
func (m *Manifest) OwnObject() {
	m.Deployment, m.StatefulSet = m.Deployment.DeepCopy(), m.StatefulSet.DeepCopy()
	m.Job, m.CronJob = m.Job.DeepCopy(), m.CronJob.DeepCopy()
	m.DaemonSet, m.ReplicaSet = m.DaemonSet.DeepCopy(), m.ReplicaSet.DeepCopy()
	m.Rollout, m.Bare = m.Rollout.DeepCopy(), m.Bare.deepCopy()
}

// Same reports whether two manifests are of one and the same object in memory.
func (m *Manifest) Same(o *Manifest) bool {
	return m.Deployment == o.Deployment && m.StatefulSet == o.StatefulSet && m.DaemonSet == o.DaemonSet &&
		m.ReplicaSet == o.ReplicaSet && m.Job == o.Job && m.CronJob == o.CronJob && m.Rollout == o.Rollout &&
		m.Bare.of() == o.Bare.of()
}
