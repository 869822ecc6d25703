//go:build replay

package replay

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/policies"
)

// retrySoon has the scheduler try again after a second, however often it has tried.
const retrySoon = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" +
	"podInitialBackoffSeconds: 1\npodMaxBackoffSeconds: 1\n"

// run makes what was drawn happen, and gives what was seen of it.
func (l *lab) run(ctx context.Context, d drawn, seed int) (_ observed, err error) {
	t := &trial{lab: l, d: d, last: time.Now(), pods: map[string]*corev1.Pod{},
		slices: map[string]*discoveryv1.EndpointSlice{}}
	l.mu.Lock()
	l.trials[d.name] = t
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		delete(l.trials, d.name)
		l.mu.Unlock()
		if err == nil {
			err = t.clear(ctx)
		}
	}()
	r := rand.New(rand.NewPCG(7, uint64(seed)))
	if err := t.join(ctx); err != nil {
		return observed{}, err
	}
	if err := t.apply(ctx, d.base); err != nil {
		return observed{}, err
	}
	if _, err := t.settle(ctx, r, 0); err != nil {
		return observed{}, fmt.Errorf("base: %w", err)
	}
	t.begin()
	if d.drain > 0 { // and then the change, before any loop has answered it
		err = t.cordon(ctx)
	}
	if err == nil && d.changes() {
		err = t.apply(ctx, d.head)
	}
	if err != nil {
		return observed{}, err
	}
	t.mu.Lock()
	t.last = time.Now() // the watches may not have it yet
	t.mu.Unlock()
	surge, err := t.settle(ctx, r, d.drain)
	if err != nil {
		return observed{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	o := observed{Seed: seed, Digest: d.digest(), What: d.what}
	if strings.HasPrefix(d.name, "e") {
		o.Ready = t.seen
	} else {
		o.Came = &outcome{Surge: surge, Least: t.least, Placed: t.placed()}
	}
	return o, nil
}

// placed counts pods that are not on deletion by node; the last are those without one.
func (t *trial) placed() []int {
	out := make([]int, len(t.d.nodes)+1)
	for _, p := range t.pods {
		if p.DeletionTimestamp == nil {
			out[t.nodeOf(p.Spec.NodeName)]++
		}
	}
	return out
}

// begin begins to look.
func (t *trial) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen, t.least = []counts{t.endpoints()}, 0
	for _, p := range t.pods {
		if phaseOf(p) == "ready" {
			t.least++
		}
	}
}

// join registers the nodes and waits until they are taken for ready.
func (t *trial) join(ctx context.Context) error {
	nodes, err := policies.ParseNodes("nodes.yaml", []byte(t.d.nodesFile()))
	if err != nil {
		return err
	}
	for _, n := range nodes {
		if err := t.kubelets.join(ctx, n); err != nil {
			return err
		}
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		ready := 0
		for i := range t.d.nodes {
			n, err := t.informer.Core().V1().Nodes().Lister().Get(t.d.node(i))
			notReady := func(x corev1.Taint) bool { return x.Key == corev1.TaintNodeNotReady }
			if err == nil && !slices.ContainsFunc(n.Spec.Taints, notReady) {
				ready++
			}
		}
		if ready == len(t.d.nodes) {
			return nil
		}
		if time.Now().After(end) || ctx.Err() != nil {
			return errors.New("the nodes are not taken for ready")
		}
	}
}

// apply applies the objects in their order.
func (t *trial) apply(ctx context.Context, text string) error {
	for _, one := range strings.Split(text, "---\n") {
		if one == "" {
			continue
		}
		var o map[string]any
		if err := yaml.Unmarshal([]byte(one), &o); err != nil {
			return err
		}
		if err := t.applier.apply(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

func (t *trial) cordon(ctx context.Context) error {
	_, err := t.plane.Client.CoreV1().Nodes().Patch(ctx, t.d.node(t.d.drain-1), types.StrategicMergePatchType,
		[]byte(`{"spec":{"unschedulable":true}}`), metav1.PatchOptions{})
	return err
}

// settle lets kubelets, and whoever drains a node, act one at a time in a drawn order, whenever the control loops have
// nothing left to do, until nobody has. It gives the most pods that were there in such a moment.
func (t *trial) settle(ctx context.Context, r *rand.Rand, drain int) (surge int, err error) {
	still := 1200 * time.Millisecond
	if strings.Contains(t.d.base+t.d.head, "minReadySeconds") {
		still = 2500 * time.Millisecond
	}
	refused := map[string]bool{} // evictions, since something else happened
	end := time.Now().Add(4 * time.Minute)
	for ; time.Now().Before(end) && ctx.Err() == nil; time.Sleep(30 * time.Millisecond) {
		calm := t.calm()
		if !calm && !t.d.hasty {
			continue
		}
		pods := t.live()
		if calm {
			t.mu.Lock()
			surge = max(surge, sum(t.placed()))
			t.mu.Unlock()
		}
		var can []*corev1.Pod
		for _, p := range pods {
			phase := phaseOf(p)
			if phase == "terminating" || phase == "starting" ||
				drain > 0 && p.Spec.NodeName == t.d.node(drain-1) && !refused[p.Name] {
				can = append(can, p)
			}
		}
		if len(can) == 0 {
			if calm && t.quiet() > still {
				if len(refused) == 0 || t.quiet() > still+time.Second {
					return surge, nil
				}
				clear(refused)
			}
			continue
		}
		if t.d.hasty && r.IntN(3) > 0 {
			continue
		}
		p := can[r.IntN(len(can))]
		switch phaseOf(p) {
		case "terminating":
			t.kubelets.move(ctx, p)
		case "starting":
			if drain > 0 && p.Spec.NodeName == t.d.node(drain-1) && r.IntN(2) == 0 {
				t.evict(ctx, p, refused)
			} else if strings.Contains(t.d.base+t.d.head, "publishNotReady") && p.Status.PodIP == "" {
				t.address(ctx, p)
			} else {
				t.kubelets.move(ctx, p)
			}
		default:
			t.evict(ctx, p, refused)
		}
		if !refused[p.Name] {
			clear(refused)
			t.await(p)
		}
	}
	return surge, fmt.Errorf("%s (%s) does not come to rest: %s", t.d.name, t.d.what, t.words())
}

// await waits until the watch has what was done to a pod.
func (t *trial) await(p *corev1.Pod) {
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		t.mu.Lock()
		now := t.pods[p.Name]
		t.mu.Unlock()
		if now == nil || now.ResourceVersion != p.ResourceVersion {
			return
		}
	}
}

func (t *trial) evict(ctx context.Context, p *corev1.Pod, refused map[string]bool) {
	err := t.plane.Client.PolicyV1().Evictions(p.Namespace).Evict(ctx,
		&policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: p.Name, Namespace: p.Namespace}})
	if err != nil && !apierrors.IsNotFound(err) {
		refused[p.Name] = true
	}
}

// address gives a pod that runs an address, before it is ready.
func (t *trial) address(ctx context.Context, p *corev1.Pod) {
	p = p.DeepCopy()
	p.Status.Phase, p.Status.PodIP, p.Status.PodIPs = corev1.PodRunning, "10.1.0.1", []corev1.PodIP{{IP: "10.1.0.1"}}
	p.Status.StartTime = ptr.To(metav1.Now())
	// Tried again where it conflicts.
	_, _ = t.plane.Client.CoreV1().Pods(p.Namespace).UpdateStatus(ctx, p, metav1.UpdateOptions{})
}

func (t *trial) words() string {
	var out []string
	for _, p := range t.live() {
		out = append(out, p.Name+" "+phaseOf(p)+" on "+p.Spec.NodeName)
	}
	return strings.Join(out, ", ")
}

// clear removes all that the trial has made.
func (t *trial) clear(ctx context.Context) error {
	apps := t.plane.Client.AppsV1()
	background := metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationBackground)}
	err := errors.Join(
		apps.Deployments(t.d.name).DeleteCollection(ctx, background, metav1.ListOptions{}),
		apps.StatefulSets(t.d.name).DeleteCollection(ctx, background, metav1.ListOptions{}))
	if strings.Contains(t.d.base, "kind: Service\n") {
		err = errors.Join(err, t.plane.Client.CoreV1().Services(t.d.name).Delete(ctx, "shop", metav1.DeleteOptions{}))
	}
	now := metav1.DeleteOptions{GracePeriodSeconds: ptr.To(int64(0))}
	for range 100 {
		list, listErr := t.plane.Client.CoreV1().Pods(t.d.name).List(ctx, metav1.ListOptions{})
		sets, setsErr := apps.ReplicaSets(t.d.name).List(ctx, metav1.ListOptions{})
		if e := errors.Join(listErr, setsErr); e != nil {
			return errors.Join(err, e)
		}
		if len(list.Items)+len(sets.Items) == 0 {
			break
		}
		for _, p := range list.Items {
			_ = t.plane.Client.CoreV1().Pods(t.d.name).Delete(ctx, p.Name, now) // it may be gone
		}
		time.Sleep(100 * time.Millisecond)
	}
	for i := range t.d.nodes {
		err = errors.Join(err, t.plane.Client.CoreV1().Nodes().Delete(ctx, t.d.node(i), metav1.DeleteOptions{}))
	}
	return err
}
