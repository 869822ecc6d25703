package replay

import (
	"context"
	"fmt"
	"slices"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// movePod lets a pod start or stop, on the node that the step names if there is one, and reports whether that was seen.
func (p *player) movePod(ctx context.Context, s *finding.Step, w string) bool {
	phase := "starting"
	if s.Action == "stop-pod" {
		phase = "terminating"
	}
	node := p.nodeIn(s)
	for end := time.Now().Add(p.patience(s)); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		pods := p.view.pods()
		pods = slices.DeleteFunc(pods, unlike(phase, w))
		if i := slices.IndexFunc(pods, onNode(node)); i >= 0 {
			p.kubelets.move(ctx, pods[i])
			return p.await(ctx, s, 3*time.Second)
		}
		if len(pods) > 0 && time.Until(end) < time.Second { // the scheduler tossed otherwise
			p.kubelets.move(ctx, pods[0])
			return p.await(ctx, s, 3*time.Second)
		}
	}
	return false
}

// warmPod ends the start-up of a pod on a node; false where there is none.
func (p *player) warmPod(w, node string) bool {
	for _, pod := range p.view.pods() {
		if name, _ := workloadOf(pod); name == w && pod.Spec.NodeName == node && phaseOf(pod) == "ready" && p.kubelets.warming(pod) {
			p.kubelets.warmUp(pod)
			return true
		}
	}
	return false
}

// applyHead applies head and prunes what only base has.
func (p *player) applyHead(ctx context.Context) error {
	head, err := objects(p.c.Head)
	if err != nil {
		return err
	}
	keep := map[string]bool{}
	for _, o := range head {
		keep[nameOf(o)] = true
		if err := p.applier.apply(ctx, o); err != nil {
			return err
		}
	}
	if p.c.Base == nil {
		return nil
	}
	base, err := objects(p.c.Base)
	if err != nil {
		return err
	}
	for _, o := range base {
		if !keep[nameOf(o)] {
			if err := p.applier.prune(ctx, o); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *player) cordon(ctx context.Context, node string, on bool) error {
	patch := fmt.Sprintf(`{"spec":{"unschedulable":%t}}`, on)
	_, err := p.plane.Client.CoreV1().Nodes().Patch(ctx, node, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		return fmt.Errorf("cordon node %s: %w", node, err)
	}
	return nil
}

// evict asks for the eviction of one pod of a workload on a node, as kubectl drain does,
// of one in a phase if that is not ""; it reports whether that was granted.
func (p *player) evict(ctx context.Context, w, node, phase string) bool {
	for range 3 {
		for _, pod := range p.view.pods() {
			name, _ := workloadOf(pod)
			if (w != "" && name != w) || pod.Spec.NodeName != node || pod.DeletionTimestamp != nil || (phase != "" && phaseOf(pod) != phase) {
				continue
			}
			err := p.plane.Client.PolicyV1().Evictions(pod.Namespace).Evict(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace}})
			if err == nil {
				return true
			}
			if apierrors.IsTooManyRequests(err) {
				p.view.say("refused", name, node, fmt.Sprintf("the eviction of %s is refused: %v", pod.Name, err))
			}
		}
		time.Sleep(300 * time.Millisecond) // the disruption controller counts again
	}
	return false
}

// nodeIn is the real node for the node that a step names; "" is none.
func (p *player) nodeIn(s *finding.Step) string {
	found := ""
	for name := range p.plays {
		if len(name) > len(found) && containsWord(s.Text+" "+s.Object, name) {
			found = name
		}
	}
	return p.plays[found]
}
