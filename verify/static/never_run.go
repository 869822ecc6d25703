package static

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
)

var neverRun = Analyzer{Name: "never-run", Rule: rules.RolloutStuck, Run: neverRuns, Compares: true,
	Doc: "a schedule without a date, and pods of a system that their nodes need not have"}

// neverRuns says which CronJobs come to have a schedule that no date matches, which may be meant, and which pods come
// to be of Windows without asking for its nodes: a kubelet of another system rejects them, and others take their place.
//
// Upstream: kubernetes v1.36.3, pkg/controller/cronjob: mostRecentScheduleTime; pkg/kubelet/lifecycle:
// rejectPodAdmissionBasedOnOSField. The scheduler does not look at the field.
func neverRuns(p *Pass) []Remark {
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		b := p.before().counterpart(o)
		if neverDue(o) && !neverDue(b) {
			out = append(out, Remark{Object: o, paths: []string{"spec.schedule"}, Note: true,
				text: fmt.Sprintf("no Job of %s is ever due: no date matches its schedule %s", o.ID, textAt(o.Content, "spec.schedule"))})
		}
		spec, prefix := podSpec(o)
		if spec == nil || o.Typed == nil || !anywhere(spec) {
			continue
		}
		if b != nil {
			if was, _ := podSpec(b); was != nil && anywhere(was) {
				continue
			}
		}
		out = append(out, Remark{Object: o, paths: []string{prefix + "os", prefix + "nodeSelector"}, Conditional: true,
			text: fmt.Sprintf("the pods of %s are of Windows and may come to any node: a kubelet of another system rejects them",
				o.ID),
			remedies: byHand("ask for nodes of Windows by the label " + corev1.LabelOSStable)})
	}
	return out
}

func neverDue(o *object.Object) bool {
	if o == nil {
		return false
	}
	job, is := o.Typed.(*batchv1.CronJob)
	return is && state.NeverDue(job.Spec.Schedule)
}

// anywhere reports whether pods of Windows may come to nodes of any system.
func anywhere(spec *corev1.PodSpec) bool {
	if spec.OS == nil || spec.OS.Name != corev1.Windows || spec.NodeName != "" || spec.RuntimeClassName != nil {
		return false
	}
	for _, label := range []string{corev1.LabelOSStable, "beta.kubernetes.io/os"} {
		if spec.NodeSelector[label] != "" {
			return false
		}
	}
	return len(spec.NodeSelector) == 0 && (spec.Affinity == nil || spec.Affinity.NodeAffinity == nil)
}
