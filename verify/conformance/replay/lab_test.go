//go:build replay

package replay

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
)

// lab is a control plane on which drawn events happen side by side, each in a namespace and on nodes of its own, which
// its pods select: the scheduler scores a pod's feasible nodes alone.
type lab struct {
	plane    *Plane
	applier  *applier
	kubelets *kubelets
	informer informers.SharedInformerFactory

	mu     sync.Mutex
	trials map[string]*trial // by namespace
}

// patientNodes has no node be lost: nobody sends heartbeats.
var patientNodes = []string{"--node-monitor-grace-period=2h", "--node-startup-grace-period=2h"}

func newLab(ctx context.Context, plane *Plane) (*lab, error) {
	dyn, err := dynamic.NewForConfig(plane.Config)
	if err != nil {
		return nil, err
	}
	l := &lab{plane: plane, applier: newApplier(dyn, plane.Client.Discovery(), false),
		kubelets: &kubelets{client: plane.Client, down: map[string]bool{}},
		informer: informers.NewSharedInformerFactory(plane.Client, 0), trials: map[string]*trial{}}
	core, apps := l.informer.Core().V1(), l.informer.Apps().V1()
	for _, i := range []cache.SharedIndexInformer{core.Nodes().Informer(), core.Pods().Informer(),
		apps.Deployments().Informer(), apps.ReplicaSets().Informer(), apps.StatefulSets().Informer(),
		l.informer.Policy().V1().PodDisruptionBudgets().Informer(),
		l.informer.Discovery().V1().EndpointSlices().Informer()} {
		if _, err := i.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: func(o any) { l.happened(o, false) }, UpdateFunc: func(_, o any) { l.happened(o, false) },
			DeleteFunc: func(o any) { l.happened(o, true) },
		}); err != nil {
			return nil, err
		}
	}
	l.informer.Start(ctx.Done())
	for kind, ok := range l.informer.WaitForCacheSync(ctx.Done()) {
		if !ok {
			return nil, fmt.Errorf("watch %s: %w", kind, context.Cause(ctx))
		}
	}
	return l, nil
}

// happened tells the trial whose namespace something happened in.
func (l *lab) happened(o any, gone bool) {
	if last, ok := o.(cache.DeletedFinalStateUnknown); ok {
		o = last.Obj
	}
	m, ok := o.(metav1.Object)
	if !ok || m.GetNamespace() == "" {
		return
	}
	l.mu.Lock()
	t := l.trials[m.GetNamespace()]
	l.mu.Unlock()
	if t == nil {
		return
	}
	switch o := o.(type) {
	case *discoveryv1.EndpointSlice:
		t.slice(o, gone)
	case *corev1.Pod:
		t.pod(o, gone)
	}
	t.mu.Lock()
	t.last = time.Now()
	t.mu.Unlock()
}

// trial is one drawn event on the lab.
type trial struct {
	*lab
	d drawn

	mu     sync.Mutex
	last   time.Time
	slices map[string]*discoveryv1.EndpointSlice
	pods   map[string]*corev1.Pod // as the watch of pods has them, so that each state was one of the cluster's
	seen   []counts               // what is counted of slices, in the order of their changes
	least  int                    // ready pods, the fewest since base had settled
}

func (t *trial) slice(s *discoveryv1.EndpointSlice, gone bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.slices[s.Name] = s; gone {
		delete(t.slices, s.Name)
	}
	now := t.endpoints()
	if n := len(t.seen); n == 0 || fmt.Sprint(t.seen[n-1]) != fmt.Sprint(now) {
		t.seen = append(t.seen, now)
	}
}

// endpoints counts the ready ones by port, workload and node.
func (t *trial) endpoints() counts {
	out := counts{}
	had := map[string]bool{} // one that moves from slice to slice is in two for a moment
	for _, s := range t.slices {
		for _, port := range s.Ports {
			for _, e := range s.Endpoints {
				of, _, _ := strings.Cut(e.TargetRef.Name, "-")
				at := ptr.Deref(port.Name, "") + "/" + of
				if !ptr.Deref(e.Conditions.Ready, true) || had[at+e.TargetRef.Name] {
					continue
				}
				had[at+e.TargetRef.Name] = true
				out.add(at, t.nodeOf(ptr.Deref(e.NodeName, "")), len(t.d.nodes), 1)
			}
		}
	}
	return out
}

func (t *trial) nodeOf(name string) int {
	for i := range t.d.nodes {
		if t.d.node(i) == name {
			return i
		}
	}
	return len(t.d.nodes)
}

func (t *trial) pod(p *corev1.Pod, gone bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pods[p.Name] = p; gone {
		delete(t.pods, p.Name)
	}
	ready := 0
	for _, p := range t.pods {
		if phaseOf(p) == "ready" {
			ready++
		}
	}
	t.least = min(t.least, ready)
}

// live are the pods that are there, in order; those on deletion included.
func (t *trial) live() []*corev1.Pod {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []*corev1.Pod
	for _, p := range t.pods {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func (t *trial) quiet() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return time.Since(t.last)
}

// calm reports whether the loops that react in milliseconds have nothing left to do: what they report of pods is what
// pods are, and nothing has happened for a while.
func (t *trial) calm() bool {
	quiet := t.quiet()
	if quiet < 150*time.Millisecond {
		return false
	}
	pods := t.live()
	for _, p := range pods {
		refused := func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse
		}
		if phaseOf(p) == "pending" && (quiet < 1500*time.Millisecond || // the scheduler tries again after a second
			!slices.ContainsFunc(p.Status.Conditions, refused)) {
			return false
		}
	}
	apps := t.informer.Apps().V1()
	total, ready := map[string]int32{}, map[string]int32{}
	sets, _ := apps.ReplicaSets().Lister().ReplicaSets(t.d.name).List(labels.Everything()) // a cache: it does not fail
	for _, s := range sets {
		n, k := owned(pods, s.UID)
		if s.Status.ObservedGeneration != s.Generation || *s.Spec.Replicas != n || s.Status.Replicas != n ||
			s.Status.ReadyReplicas != k {
			return false
		}
		of := string(metav1.GetControllerOf(s).UID)
		total[of], ready[of] = total[of]+n, ready[of]+k
	}
	deployments, _ := apps.Deployments().Lister().Deployments(t.d.name).List(labels.Everything())
	for _, d := range deployments {
		of := string(d.UID)
		if d.Status.ObservedGeneration != d.Generation || d.Status.Replicas != total[of] ||
			d.Status.ReadyReplicas != ready[of] {
			return false
		}
	}
	stateful, _ := apps.StatefulSets().Lister().StatefulSets(t.d.name).List(labels.Everything())
	for _, s := range stateful {
		if !settledSet(s, pods) {
			return false
		}
	}
	of := t.informer.Policy().V1().PodDisruptionBudgets().Lister().PodDisruptionBudgets(t.d.name)
	budgets, _ := of.List(labels.Everything())
	for _, b := range budgets {
		healthy := int32(0)
		for _, p := range pods {
			if p.Labels["color"] == "blue" && phaseOf(p) == "ready" {
				healthy++
			}
		}
		if b.Status.ObservedGeneration != b.Generation || b.Status.CurrentHealthy != healthy {
			return false
		}
	}
	return true
}

// settledSet reports whether a StatefulSet reports what its pods are; it counts those on deletion, too.
func settledSet(s *appsv1.StatefulSet, pods []*corev1.Pod) bool {
	all, ready := int32(0), int32(0)
	for _, p := range pods {
		if o := metav1.GetControllerOf(p); o == nil || o.UID != s.UID {
			continue
		}
		if p.Status.Phase != "" {
			all++
		}
		if readySince(p) != nil {
			ready++
		}
	}
	return s.Status.ObservedGeneration == s.Generation && s.Status.ReadyReplicas == ready && s.Status.Replicas == all
}

// owned counts the pods of an owner that are not on deletion, and those that are ready.
func owned(pods []*corev1.Pod, uid any) (all, ready int32) {
	for _, p := range pods {
		o := metav1.GetControllerOf(p)
		if o == nil || any(o.UID) != uid || p.DeletionTimestamp != nil {
			continue
		}
		all++
		if phaseOf(p) == "ready" {
			ready++
		}
	}
	return all, ready
}
