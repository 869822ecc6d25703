package objects

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/state"
)

// Leave takes node n away, with all pods that are still on it: the pod garbage collector
// deletes them.
func Leave(t state.State, n int, to state.Tenure) {
	for p := range t.C.Pods {
		for ph := range state.Phases {
			t.Add(n, p, ph, -t.On(n, p, ph))
		}
	}
	t.ResetNode(n)
	t.SetTenure(n, to)
}

// Shortage words a pressure: its resource, its condition and its taint.
func Shortage(p state.Pressure) (of, condition, taint string) {
	if p&state.DiskPressure != 0 {
		return "disk", string(corev1.NodeDiskPressure), corev1.TaintNodeDiskPressure
	}
	return "memory", string(corev1.NodeMemoryPressure), corev1.TaintNodeMemoryPressure
}
