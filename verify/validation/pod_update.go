package validation

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubesettle/kubesettle/render/defaults"
)

// validatePod is ValidatePodCreate, as far as the package says.
func validatePod(p *corev1.Pod) field.ErrorList {
	out := append(validateObjectMeta(&p.ObjectMeta, true, subdomain), validatePodOnly(p)...)
	if len(p.Spec.EphemeralContainers) > 0 {
		out = append(out, field.Forbidden(specPath.Child("ephemeralContainers"), "cannot be set on create"))
	}
	if p.Spec.NodeName != "" && len(p.Spec.SchedulingGates) > 0 {
		out = append(out, field.Forbidden(specPath.Child("nodeName"),
			"cannot be set until all schedulingGates have been cleared"))
	}
	return out
}

// validatePodOnly is ValidatePodSpec with validateContainersOnlyForPod, which templates are spared.
func validatePodOnly(p *corev1.Pod) field.ErrorList {
	out := validatePodSpec(&p.Spec, specPath)
	for _, l := range []struct {
		field string
		list  []corev1.Container
	}{{"containers", p.Spec.Containers}, {"initContainers", p.Spec.InitContainers}} {
		for i, c := range l.list {
			if c.Image != strings.TrimSpace(c.Image) {
				out = append(out, field.Invalid(specPath.Child(l.field).Index(i).Child("image"), c.Image,
					"must not have leading or trailing whitespace"))
			}
		}
	}
	return out
}

// validatePodUpdate is ValidatePodUpdate. What admission and the scheduler have made of the old Pod is taken to be what
// both manifests leave to them: its node and its service account. Of a Pod with scheduling gates it is not known
// whether they are still there, so its nodeSelector and node affinity may change.
func validatePodUpdate(o, was *corev1.Pod) field.ErrorList {
	out := validatePodOnly(o)
	if len(o.Spec.Containers) != len(was.Spec.Containers) {
		return append(out, field.Forbidden(specPath.Child("containers"), "pod updates may not add or remove containers"))
	}
	if len(o.Spec.InitContainers) != len(was.Spec.InitContainers) {
		return append(out, field.Forbidden(specPath.Child("initContainers"), "pod updates may not add or remove containers"))
	}
	wrong, stop := deadlineUpdate(o.Spec.ActiveDeadlineSeconds, was.Spec.ActiveDeadlineSeconds,
		specPath.Child("activeDeadlineSeconds"))
	if out = append(out, wrong...); stop {
		return out
	}
	out = append(out, onlyAddedTolerations(o.Spec.Tolerations, was.Spec.Tolerations, specPath.Child("tolerations"))...)
	out = append(out, onlyDeletedGates(o.Spec.SchedulingGates, was.Spec.SchedulingGates,
		specPath.Child("schedulingGates"))...)
	if !equality.Semantic.DeepEqual(likeOld(&o.Spec, &was.Spec), was.Spec) {
		out = append(out, field.Forbidden(specPath, "pod updates may not change fields other than the images of containers, "+
			"activeDeadlineSeconds, and tolerations that are added"))
	}
	return out
}

// deadlineUpdate reports also whether upstream looks no further.
func deadlineUpdate(now, was *int64, at *field.Path) (out field.ErrorList, stop bool) {
	switch {
	case now != nil && (*now < 0 || *now > 1<<31-1):
		return nil, true // validatePodSpec has said so
	case now != nil && was != nil && *was < *now:
		return field.ErrorList{field.Invalid(at, *now, "must be less than or equal to previous value")}, true
	case now == nil && was != nil:
		return field.ErrorList{field.Invalid(at, nil, "must not update from a positive integer to nil value")}, false
	}
	return nil, false
}

// onlyAddedTolerations is validateOnlyAddedTolerations.
func onlyAddedTolerations(now, was []corev1.Toleration, at *field.Path) field.ErrorList {
	for _, old := range was {
		found := false
		for _, t := range now {
			old.TolerationSeconds = t.TolerationSeconds
			found = found || reflect.DeepEqual(old, t)
		}
		if !found {
			return field.ErrorList{field.Forbidden(at, "existing toleration can not be modified except its tolerationSeconds")}
		}
	}
	return nil
}

// onlyDeletedGates is validateOnlyDeletedSchedulingGates.
func onlyDeletedGates(now, was []corev1.PodSchedulingGate, at *field.Path) field.ErrorList {
	had := map[string]bool{}
	for _, g := range was {
		had[g.Name] = true
	}
	var out field.ErrorList
	for i, g := range now {
		if !had[g.Name] {
			out = append(out, field.Forbidden(at.Index(i).Child("name"),
				fmt.Sprintf("only deletion is allowed, but found new scheduling gate '%s'", g.Name)))
		}
	}
	return out
}

// likeOld is a spec with all that may change as the old one has it.
func likeOld(now, was *corev1.PodSpec) corev1.PodSpec {
	s := *now.DeepCopy()
	for i := range s.Containers {
		likeOldImage(&s.Containers[i], &was.Containers[i])
	}
	for i := range s.InitContainers {
		likeOldImage(&s.InitContainers[i], &was.InitContainers[i])
	}
	s.ActiveDeadlineSeconds, s.SchedulingGates = was.ActiveDeadlineSeconds, was.SchedulingGates
	s.Tolerations = was.Tolerations
	if g := was.TerminationGracePeriodSeconds; g != nil && *g < 0 && s.TerminationGracePeriodSeconds != nil &&
		*s.TerminationGracePeriodSeconds == 1 {
		s.TerminationGracePeriodSeconds = g
	}
	if was.NodeName == "" {
		s.NodeName = "" // it may be the one that it was bound to
	}
	if cmp.Or(s.ServiceAccountName, "default") == cmp.Or(was.ServiceAccountName, "default") {
		s.ServiceAccountName = was.ServiceAccountName
	}
	if len(was.SchedulingGates) > 0 {
		s.NodeSelector = was.NodeSelector
		affinity := corev1.Affinity{}
		if s.Affinity != nil {
			affinity = *s.Affinity
		}
		affinity.NodeAffinity = nil
		if was.Affinity != nil {
			affinity.NodeAffinity = was.Affinity.NodeAffinity
		}
		if s.Affinity = &affinity; was.Affinity == nil && affinity == (corev1.Affinity{}) {
			s.Affinity = nil
		}
	}
	return s
}

// likeOldImage gives a container the old one's image. The policy to pull it was set by default when the Pod was
// created, and stays; where both manifests have the default of their images it may not have been declared at all.
func likeOldImage(now, was *corev1.Container) {
	if now.ImagePullPolicy == defaults.PullPolicy(now.Image) && was.ImagePullPolicy == defaults.PullPolicy(was.Image) {
		now.ImagePullPolicy = was.ImagePullPolicy
	}
	now.Image = was.Image
}

// podMutable are the fields of a Pod that an update may change, in some way or other.
func podMutable(p *corev1.Pod) []string {
	out := []string{"spec.activeDeadlineSeconds", "spec.tolerations", "spec.schedulingGates"}
	for i := range p.Spec.Containers {
		out = append(out, fmt.Sprintf("spec.containers[%d].image", i))
	}
	for i := range p.Spec.InitContainers {
		out = append(out, fmt.Sprintf("spec.initContainers[%d].image", i))
	}
	return out
}
