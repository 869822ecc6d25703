package replay

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// reboot is how long a node is away that went down under its pods, where nobody holds the
// kubelets: longer than the control plane takes to notice.
const reboot = 8 * time.Second

// overload plays nodes that go down when their pods use more CPU than they have.
type overload struct {
	above int64                // percent of the allocatable CPU; 0: never
	spike int64                // use of a pod that warms up, in percent of its request
	since map[string]time.Time // nodes that are away, of the goroutine that checks
	back  chan string          // nodes that are to come back though the kubelets are held
}

// check takes nodes down, and brings those back that are away for long enough.
func (k *kubelets) check(ctx context.Context) {
	if k.overload.above == 0 {
		return
	}
	select {
	case node := <-k.overload.back:
		k.restart(ctx, node)
	default:
	}
	for _, n := range k.view.nodes() {
		if at, away := k.overload.since[n.Name]; away {
			if !k.hold() && time.Since(at) > reboot {
				k.restart(ctx, n.Name)
			}
			continue
		}
		use := int64(0)
		for _, p := range k.view.pods() {
			if p.Spec.NodeName == n.Name && phaseOf(p) == "ready" {
				use += cpuUse(p, requested(p), k.overload.spike, k.warming(p))
			}
		}
		if most := n.Status.Allocatable.Cpu().MilliValue(); use*100 > most*k.overload.above {
			k.overload.since[n.Name] = time.Now()
			k.setDown(n.Name, true)
			k.view.say("node-panic", "", n.Name, fmt.Sprintf("node %s goes down: %dm of %dm CPU are used", n.Name, use, most))
		}
	}
}

// restart brings a node back: its pods start anew.
func (k *kubelets) restart(ctx context.Context, node string) {
	if _, away := k.overload.since[node]; !away {
		return
	}
	for _, p := range k.view.pods() {
		if p.Spec.NodeName != node || p.DeletionTimestamp != nil {
			continue
		}
		p = p.DeepCopy()
		for i := range p.Status.Conditions {
			if c := &p.Status.Conditions[i]; (c.Type == corev1.PodReady || c.Type == corev1.ContainersReady) && c.Status == corev1.ConditionTrue {
				c.Status, c.LastTransitionTime = corev1.ConditionFalse, metav1.Now()
			}
		}
		if _, err := k.client.CoreV1().Pods(p.Namespace).UpdateStatus(ctx, p, metav1.UpdateOptions{}); err != nil {
			return // still away: tried again
		}
		k.mu.Lock()
		delete(k.warm, p.UID)
		k.mu.Unlock()
	}
	for end := time.Now().Add(3 * time.Second); k.anyReady(node) && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond) // until the cache has it
	}
	delete(k.overload.since, node)
	k.setDown(node, false)
	k.view.say("node-restart", "", node, "node "+node+" has restarted")
}

func (k *kubelets) anyReady(node string) bool {
	for _, p := range k.view.pods() {
		if p.Spec.NodeName == node && phaseOf(p) == "ready" {
			return true
		}
	}
	return false
}
