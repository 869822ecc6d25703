package autoscaling

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// reach is which pods the HPA of a version gets to see: it lists those that match the
// selector of its target's scale, whoever owns them.
//
// Upstream: kubernetes v1.36.3, pkg/controller/podautoscaler: validateAndParseSelector,
// hpasControllingPodsUnderSelector, GetResourceReplicas.
type reach struct {
	// beside are the classes of other workloads' pods that it counts, by workload; sharers
	// those of them that a Service gives a share of the workload's own load.
	beside, sharers []int
	// contested are the classes it counts that another HPA counts, too: while there are such pods these HPAs compute no
	// metric (AmbiguousSelector).
	contested []int
	rival     string // one of those HPAs
}

// reachOf computes what the HPA of workload w reaches in a version that has it.
func reachOf(c *state.Config, w int, v state.Version) reach {
	m := &c.Spec.Workloads[w].Manifests[v]
	r := reach{beside: countedBeside(c, w, v)}
	for _, p := range r.beside {
		if o := &c.Spec.Workloads[c.Pods[p].Workload].Manifests[v]; share(m.Services, o.Services) {
			r.sharers = append(r.sharers, p)
		}
	}
	counted := append(slices.Clone(c.ClassesOf[w]), r.beside...)
	if len(m.Rivals) > 0 {
		r.rival, r.contested = m.Rivals[0].Name, counted
		return r
	}
	for o := range c.Spec.Workloads {
		theirs := &c.Spec.Workloads[o].Manifests[v]
		if o == w || theirs.HPA == nil {
			continue
		}
		also := append(slices.Clone(c.ClassesOf[o]), countedBeside(c, o, v)...)
		for _, p := range counted {
			if slices.Contains(also, p) {
				r.rival, r.contested = theirs.HPA.Name, append(r.contested, p)
			}
		}
	}
	return r
}

// countedBeside lists the classes of other workloads' pods that match the selector of a
// workload's scale.
func countedBeside(c *state.Config, w int, v state.Version) []int {
	wl := &c.Spec.Workloads[w]
	if wl.Manifests[v].HPA == nil {
		return nil
	}
	selector, err := metav1.LabelSelectorAsSelector(wl.Manifests[v].Selector())
	if err != nil || selector.Empty() {
		return nil
	}
	var out []int
	for p := range c.Pods {
		if class := &c.Pods[p]; class.Workload != w && class.Namespace == wl.Namespace &&
			selector.Matches(labels.Set(objects.Admitted(c, p).Labels)) {
			out = append(out, p)
		}
	}
	return out
}

// share reports whether two sorted lists have a name in common.
func share(a, b []string) bool {
	return slices.ContainsFunc(a, func(name string) bool { return slices.Contains(b, name) })
}

// ambiguous reports whether another HPA counts pods that are there, terminating ones
// included.
func (r *reach) ambiguous(s state.State) bool {
	return slices.ContainsFunc(r.contested, func(p int) bool { return s.Existing(p) > 0 })
}

// held words what keeps the HPA of a version from adding pods, and names the fields that
// say so.
func (h *HPA) held(c *state.Config, v state.Version) (why string, fields []string) {
	a, r := &h.versions[v], &h.reach[v]
	if r.rival != "" {
		return fmt.Sprintf("the HorizontalPodAutoscaler %s also counts its pods: Kubernetes then stops both, except at their bounds", r.rival),
			[]string{"HorizontalPodAutoscaler:spec.scaleTargetRef", "Workload:spec.selector"}
	}
	for i := range a.metrics {
		g := &h.signals[a.metrics[i].signal]
		if a.metrics[i].utilization == 0 {
			continue
		}
		for _, p := range append(slices.Clone(c.ClassesOf[h.Workload]), r.beside...) {
			if name := objects.SilentContainer(&c.Pods[p].Template.Spec, g.resource, g.container); name != "" && why == "" {
				owner := ""
				if c.Pods[p].Workload != h.Workload {
					owner = " of " + objects.ShortName(&c.Spec.Workloads[c.Pods[p].Workload]) + ", whose pods it counts,"
				}
				why = fmt.Sprintf("container %s%s has no %s request, without which no utilization is computed",
					name, owner, g.resource)
			}
		}
	}
	if why != "" || len(r.beside) == 0 {
		return why, []string{"Workload:spec.template.spec.containers", "HorizontalPodAutoscaler:spec.metrics"}
	}
	var others []string
	for _, p := range r.beside {
		if name := objects.ShortName(&c.Spec.Workloads[c.Pods[p].Workload]); !slices.Contains(others, name) {
			others = append(others, name)
		}
	}
	return "it counts the pods of " + strings.Join(others, ", ") + ", which its target's selector matches",
		[]string{"Workload:spec.selector", "HorizontalPodAutoscaler:spec.metrics"}
}
