package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/state"
)

// plenty is what a node has of all that is not scarce, small enough for the scheduler's scores.
const plenty = 1 << 45

// scarce gives a variant of an assumed cluster on one node that has of each device, such as a GPU, as many as
// the pods of head ask for when nothing is rolled out, and of all else whatever is asked for. Devices are bought
// one by one and are not overcommitted, so that a rollout which needs one more is worth a warning that names the
// number. It is false where no pod asks for one.
func (v Variant) scarce() (Variant, bool) {
	devices, other := asked(v.Spec.Workloads)
	if len(devices) == 0 || len(v.Spec.Classes) == 0 {
		return v, false
	}
	c := v.Spec.Classes[0]
	c.Elastic, c.Min, c.Max, c.Pool, c.PoolMin, c.PoolMax = false, 1, 1, "", 0, 0
	c.Node = c.Node.DeepCopy()
	if c.Node.Status.Allocatable == nil {
		c.Node.Status.Allocatable = corev1.ResourceList{}
	}
	for name := range other {
		c.Node.Status.Allocatable[name] = *resource.NewQuantity(plenty, resource.DecimalSI)
	}
	maps.Copy(c.Node.Status.Allocatable, devices)
	v.Spec.Classes = []state.NodeClass{c}
	var words []string
	for _, name := range slices.Sorted(maps.Keys(devices)) {
		q := devices[name]
		words = append(words, fmt.Sprintf("%d %s", q.Value(), name))
	}
	v.devices = strings.Join(words, " and ")
	return v, true
}

// asked sums the devices that the pods of head ask for when nothing is rolled out, and names all else that
// those of any version do.
func asked(workloads []state.Workload) (devices corev1.ResourceList, other map[corev1.ResourceName]bool) {
	devices, other = corev1.ResourceList{}, map[corev1.ResourceName]bool{}
	for _, w := range workloads {
		for version := range w.Manifests {
			m := &w.Manifests[version]
			if !m.Exists() {
				continue
			}
			pod := corev1.Pod{Spec: *m.Pod().DeepCopy()}
			objects.DefaultRequests(&pod.Spec)
			for name, each := range objects.PodRequests(&pod) {
				if !scheduler.IsExtended(name) {
					other[name] = true
				} else if state.Version(version) == state.Head && !m.Kind().Ends() {
					sum := devices[name]
					sum.Add(*resource.NewQuantity(each.Value()*int64(standing(m)), resource.DecimalSI))
					devices[name] = sum
				}
			}
		}
	}
	maps.DeleteFunc(devices, func(_ corev1.ResourceName, q resource.Quantity) bool { return q.IsZero() })
	return devices, other
}

// standing is the number of pods that a manifest has on one node when nothing is rolled out.
func standing(m *state.Manifest) int {
	if m.Kind() == state.DaemonSet {
		return 1
	}
	return m.Replicas()
}
