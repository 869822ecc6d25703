package replay

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"
)

// kubelets stand in for the kubelets of all nodes: they report nodes as ready, pods as
// running and ready, and remove pods that terminate. Held, they move a pod only where
// told to, so that a counterexample's order can be kept.
type kubelets struct {
	client   kubernetes.Interface
	view     *view
	overload overload

	mu   sync.Mutex
	held bool
	down map[string]bool    // nodes that are lost
	warm map[types.UID]bool // pods that are done with their start-up CPU
	good map[string]bool    // hashes of revisions whose pods get ready; nil: all do
	slow time.Duration      // for how long a pod warms up where nobody holds the kubelets
}

// run works until ctx ends.
func (k *kubelets) run(ctx context.Context) {
	beat := time.NewTicker(time.Second)
	defer beat.Stop()
	work := time.NewTicker(50 * time.Millisecond)
	defer work.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			for _, n := range k.view.nodes() {
				if !k.isDown(n.Name) {
					k.heartbeat(ctx, n.Name)
				}
			}
		case <-work.C:
			k.check(ctx)
			held := k.hold()
			for _, p := range k.view.pods() {
				if held && !(phaseOf(p) == "starting" && k.fails(p)) { // a bad revision's pods run at once
					continue
				}
				k.move(ctx, p)
				if t := readySince(p); t != nil && time.Since(t.Time) > k.slow {
					k.warmUp(p)
				}
			}
		}
	}
}

func (k *kubelets) hold() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.held
}

// warming reports whether a ready pod still uses its start-up CPU.
func (k *kubelets) warming(p *corev1.Pod) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return !k.warm[p.UID]
}

// warmUp ends a pod's start-up.
func (k *kubelets) warmUp(p *corev1.Pod) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.warm[p.UID] = true
}

// readySince is when a pod became ready; nil: it is not.
func readySince(p *corev1.Pod) *metav1.Time {
	for i := range p.Status.Conditions {
		if c := &p.Status.Conditions[i]; c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
			return &c.LastTransitionTime
		}
	}
	return nil
}

func (k *kubelets) setHeld(held bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.held = held
}

func (k *kubelets) isDown(node string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.down[node]
}

func (k *kubelets) setDown(node string, down bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.down[node] = down
}

// move gives a pod its next phase, if it has one and its node is up.
func (k *kubelets) move(ctx context.Context, p *corev1.Pod) {
	if p.Spec.NodeName == "" || k.isDown(p.Spec.NodeName) {
		return
	}
	switch phaseOf(p) {
	case "starting":
		k.start(ctx, p)
	case "terminating":
		if o := metav1.GetControllerOf(p); o != nil && o.Kind == "Job" { // the Job controller asks how it ended
			patch := []byte(`{"status":{"phase":"Failed"}}`)
			_, _ = k.client.CoreV1().Pods(p.Namespace).Patch(ctx, p.Name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
		}
		opt := metav1.DeleteOptions{GracePeriodSeconds: ptr.To(int64(0)), Preconditions: &metav1.Preconditions{UID: &p.UID}}
		_ = k.client.CoreV1().Pods(p.Namespace).Delete(ctx, p.Name, opt) // gone already, or tried again
	}
}

// fails reports whether a pod is of a bad revision: it runs, and never becomes ready.
func (k *kubelets) fails(p *corev1.Pod) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, hash := workloadOf(p)
	return k.good != nil && !k.good[hash]
}

// spoil makes all revisions bad but those that have a ReplicaSet by now.
func (k *kubelets) spoil(good map[string]bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.good = good
}

// start reports a pod as running and ready, or as running only.
func (k *kubelets) start(ctx context.Context, p *corev1.Pod) {
	ready := corev1.ConditionTrue
	if k.fails(p) {
		if p.Status.Phase == corev1.PodRunning {
			return
		}
		ready = corev1.ConditionFalse
	}
	p = p.DeepCopy()
	now := metav1.Now()
	p.Status.Phase, p.Status.StartTime, p.Status.PodIP = corev1.PodRunning, &now, "10.1.0.1"
	p.Status.PodIPs = []corev1.PodIP{{IP: "10.1.0.1"}}
	p.Status.ContainerStatuses = nil
	for _, c := range p.Spec.Containers {
		p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, ImageID: c.Image, Ready: ready == corev1.ConditionTrue, Started: ptr.To(true),
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}},
		})
	}
	for _, t := range []corev1.PodConditionType{corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady} {
		set := corev1.PodCondition{Type: t, Status: corev1.ConditionTrue, LastTransitionTime: now}
		if t != corev1.PodInitialized {
			set.Status = ready
		}
		found := false
		for i := range p.Status.Conditions {
			if p.Status.Conditions[i].Type == t {
				p.Status.Conditions[i], found = set, true
			}
		}
		if !found {
			p.Status.Conditions = append(p.Status.Conditions, set)
		}
	}
	_, _ = k.client.CoreV1().Pods(p.Namespace).UpdateStatus(ctx, p, metav1.UpdateOptions{}) // tried again where it conflicts
}

// join registers a node and reports it ready.
func (k *kubelets) join(ctx context.Context, n *corev1.Node) error {
	status := n.Status
	n, err := k.client.CoreV1().Nodes().Create(ctx, n, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("create node: %w", err)
	}
	now := metav1.Now()
	status.Capacity, status.Conditions = status.Allocatable, nil
	for t, s := range map[corev1.NodeConditionType]corev1.ConditionStatus{
		corev1.NodeReady: corev1.ConditionTrue, corev1.NodeMemoryPressure: corev1.ConditionFalse,
		corev1.NodeDiskPressure: corev1.ConditionFalse, corev1.NodePIDPressure: corev1.ConditionFalse,
	} {
		status.Conditions = append(status.Conditions, corev1.NodeCondition{Type: t, Status: s, LastHeartbeatTime: now, LastTransitionTime: now})
	}
	if err := retry.RetryOnConflict(retry.DefaultRetry, func() error { // the control plane taints it meanwhile
		now, err := k.client.CoreV1().Nodes().Get(ctx, n.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		now.Status = status
		_, err = k.client.CoreV1().Nodes().UpdateStatus(ctx, now, metav1.UpdateOptions{})
		return err
	}); err != nil {
		return fmt.Errorf("report node %s: %w", n.Name, err)
	}
	k.heartbeat(ctx, n.Name)
	return nil
}

// heartbeat renews a node's lease, and says that the node is ready again after it was lost.
func (k *kubelets) heartbeat(ctx context.Context, node string) {
	leases := k.client.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	lease := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: node, Namespace: corev1.NamespaceNodeLease},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: &node, LeaseDurationSeconds: ptr.To(int32(40)), RenewTime: &metav1.MicroTime{Time: time.Now()},
		},
	}
	if old, err := leases.Get(ctx, node, metav1.GetOptions{}); err == nil {
		old.Spec = lease.Spec
		_, _ = leases.Update(ctx, old, metav1.UpdateOptions{})
	} else if apierrors.IsNotFound(err) {
		_, _ = leases.Create(ctx, lease, metav1.CreateOptions{})
	}
	n, err := k.client.CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{})
	if err != nil {
		return
	}
	for i := range n.Status.Conditions {
		if c := &n.Status.Conditions[i]; c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue {
			c.Status, c.LastTransitionTime, c.LastHeartbeatTime = corev1.ConditionTrue, metav1.Now(), metav1.Now()
			_, _ = k.client.CoreV1().Nodes().UpdateStatus(ctx, n, metav1.UpdateOptions{})
		}
	}
}

// phaseOf is where a pod is in its life, as snapshots word it.
func phaseOf(p *corev1.Pod) string {
	switch {
	case p.DeletionTimestamp != nil:
		return "terminating"
	case p.Spec.NodeName == "":
		return "pending"
	case p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed:
		return "ended"
	}
	if readySince(p) != nil {
		return "ready"
	}
	return "starting"
}

// workloadOf is the "namespace/name" of the Deployment that a pod belongs to, and the
// hash of its revision.
func workloadOf(p *corev1.Pod) (name, hash string) {
	o := metav1.GetControllerOf(p)
	if o != nil && o.Kind == "Job" {
		return p.Namespace + "/" + o.Name, ""
	}
	if o == nil || o.Kind != "ReplicaSet" {
		return p.Namespace + "/" + p.Name, ""
	}
	hash = p.Labels["pod-template-hash"]
	return p.Namespace + "/" + strings.TrimSuffix(o.Name, "-"+hash), hash
}
