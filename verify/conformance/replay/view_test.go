package replay

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	appslisters "k8s.io/client-go/listers/apps/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// view watches a cluster: what it is now, and what has happened.
type view struct {
	podList  corelisters.PodLister
	nodeList corelisters.NodeLister
	sets     appslisters.ReplicaSetLister
	deploys  appslisters.DeploymentLister

	mu       sync.Mutex
	log      []event
	least    map[string]int // ready pods, the fewest since the last call of watchLeast
	lowest   map[string]int // spec.replicas, the least since then
	most     map[string]int // and the most
	deletion map[string]int // pods that began to terminate since then, by "namespace/name" of the workload
}

// event is one thing that was seen to happen.
type event struct {
	at       time.Time
	action   string // as interleavings word it
	workload string // "namespace/name"
	node     string // for what pods do on one
	text     string
}

// watchCluster starts to watch.
func watchCluster(ctx context.Context, c kubernetes.Interface) (*view, error) {
	f := informers.NewSharedInformerFactory(c, 0)
	v := &view{
		podList: f.Core().V1().Pods().Lister(), nodeList: f.Core().V1().Nodes().Lister(),
		sets: f.Apps().V1().ReplicaSets().Lister(), deploys: f.Apps().V1().Deployments().Lister(),
	}
	v.watchLeast()
	for _, reg := range []struct {
		informer cache.SharedIndexInformer
		handler  cache.ResourceEventHandlerFuncs
	}{
		{f.Core().V1().Pods().Informer(), cache.ResourceEventHandlerFuncs{
			AddFunc:    func(o any) { v.pod(nil, o.(*corev1.Pod)) },
			UpdateFunc: func(a, b any) { v.pod(a.(*corev1.Pod), b.(*corev1.Pod)) },
			DeleteFunc: func(o any) { v.gone(o) },
		}},
		{f.Core().V1().Nodes().Informer(), cache.ResourceEventHandlerFuncs{}},
		{f.Apps().V1().ReplicaSets().Informer(), cache.ResourceEventHandlerFuncs{
			AddFunc:    func(o any) { v.set(nil, o.(*appsv1.ReplicaSet)) },
			UpdateFunc: func(a, b any) { v.set(a.(*appsv1.ReplicaSet), b.(*appsv1.ReplicaSet)) },
		}},
		{f.Apps().V1().Deployments().Informer(), cache.ResourceEventHandlerFuncs{
			UpdateFunc: func(a, b any) { v.deployment(a.(*appsv1.Deployment), b.(*appsv1.Deployment)) },
		}},
	} {
		if _, err := reg.informer.AddEventHandler(reg.handler); err != nil {
			return nil, err
		}
	}
	f.Start(ctx.Done())
	for kind, ok := range f.WaitForCacheSync(ctx.Done()) {
		if !ok {
			return nil, fmt.Errorf("watch %s: %w", kind, context.Cause(ctx))
		}
	}
	return v, nil
}

func (v *view) say(action, workload, node, text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.log = append(v.log, event{time.Now(), action, workload, node, text})
}

// pod logs what a change of a pod means.
func (v *view) pod(old, p *corev1.Pod) {
	w, _ := workloadOf(p)
	was := "none"
	if old != nil {
		was = phaseOf(old)
	} else {
		v.say("create-pod", w, "", p.Name+" is created")
		was = "pending"
	}
	now := phaseOf(p)
	if was == "pending" && p.Spec.NodeName != "" {
		v.say("bind", w, p.Spec.NodeName, p.Name+" is bound to "+p.Spec.NodeName)
		was = "starting"
	}
	if was == "starting" && now == "ready" {
		v.say("start-pod", w, p.Spec.NodeName, p.Name+" on "+p.Spec.NodeName+" is ready")
	}
	if was != "terminating" && now == "terminating" {
		v.deleted(p)
	}
	v.count(w)
}

// deleted logs that a pod is to go, and who said so.
func (v *view) deleted(p *corev1.Pod) {
	w, _ := workloadOf(p)
	action, by := "delete-pod", "its controller"
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue {
			action, by = "evict-pod", c.Reason
		}
	}
	v.say(action, w, p.Spec.NodeName, fmt.Sprintf("%s on %q is deleted by %s", p.Name, p.Spec.NodeName, by))
	v.mu.Lock()
	v.deletion[w]++
	v.mu.Unlock()
}

// gone logs that a pod is no more.
func (v *view) gone(o any) {
	p, ok := o.(*corev1.Pod)
	if !ok {
		unknown, ok := o.(cache.DeletedFinalStateUnknown)
		if p, ok = unknown.Obj.(*corev1.Pod); !ok {
			return
		}
	}
	w, _ := workloadOf(p)
	if p.DeletionTimestamp == nil { // it went at once: it had no node
		v.deleted(p)
	} else {
		v.say("stop-pod", w, p.Spec.NodeName, p.Name+" has stopped")
	}
	v.count(w)
}

// count keeps the fewest ready pods of a workload.
func (v *view) count(w string) {
	n := 0
	for _, p := range v.pods() {
		if name, _ := workloadOf(p); name == w && phaseOf(p) == "ready" {
			n++
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if least, ok := v.least[w]; !ok || n < least {
		v.least[w] = n
	}
}

func (v *view) set(old, rs *appsv1.ReplicaSet) {
	hash := rs.Labels[appsv1.DefaultDeploymentUniqueLabelKey]
	w := rs.Namespace + "/" + strings.TrimSuffix(rs.Name, "-"+hash)
	switch {
	case old == nil:
		v.say("create-replicaset", w, "", fmt.Sprintf("%s is created with %d replicas", rs.Name, *rs.Spec.Replicas))
	case *old.Spec.Replicas != *rs.Spec.Replicas:
		v.say("scale-replicaset", w, "", fmt.Sprintf("%s goes from %d to %d replicas", rs.Name, *old.Spec.Replicas, *rs.Spec.Replicas))
	case !maps.Equal(old.Annotations, rs.Annotations):
		v.say("annotate-replicaset", w, "", rs.Name+" is annotated")
	}
}

func (v *view) deployment(old, d *appsv1.Deployment) {
	w := d.Namespace + "/" + d.Name
	a, b := int(*old.Spec.Replicas), int(*d.Spec.Replicas)
	if a != b && d.Annotations[appliedAnnotation] == old.Annotations[appliedAnnotation] {
		v.say("scale", w, "", fmt.Sprintf("%s goes from %d to %d replicas", w, a, b))
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if least, ok := v.lowest[w]; !ok || b < least {
		v.lowest[w] = b
	}
	v.most[w] = max(v.most[w], b)
}

// revisions are the template hashes of all ReplicaSets.
func (v *view) revisions() map[string]bool {
	out := map[string]bool{}
	all, _ := v.sets.List(labels.Everything()) // a cache: it does not fail
	for _, rs := range all {
		out[rs.Labels[appsv1.DefaultDeploymentUniqueLabelKey]] = true
	}
	return out
}

// refused reports whether the API server refuses pods to a ReplicaSet of a workload.
func (v *view) refused(w string) bool {
	all, _ := v.sets.List(labels.Everything())
	return slices.ContainsFunc(all, func(rs *appsv1.ReplicaSet) bool {
		name := rs.Namespace + "/" + strings.TrimSuffix(rs.Name, "-"+rs.Labels[appsv1.DefaultDeploymentUniqueLabelKey])
		return name == w && slices.ContainsFunc(rs.Status.Conditions, func(c appsv1.ReplicaSetCondition) bool {
			return c.Type == appsv1.ReplicaSetReplicaFailure && c.Status == corev1.ConditionTrue
		})
	})
}

// watchLeast begins to count anew.
func (v *view) watchLeast() {
	v.mu.Lock()
	v.least, v.lowest, v.most, v.deletion = map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	v.mu.Unlock()
	if v.podList == nil || v.deploys == nil {
		return
	}
	if ds, err := v.deploys.List(labels.Everything()); err == nil {
		for _, d := range ds {
			v.count(d.Namespace + "/" + d.Name)
			v.deployment(d, d)
		}
	}
}

// events gives the log from an index on.
func (v *view) events(from int) []event {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.log[from:])
}

func (v *view) pods() []*corev1.Pod {
	out, _ := v.podList.List(labels.Everything()) // a cache: it does not fail
	slices.SortFunc(out, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func (v *view) nodes() []*corev1.Node {
	out, _ := v.nodeList.List(labels.Everything())
	slices.SortFunc(out, func(a, b *corev1.Node) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// idle is how long nothing has happened.
func (v *view) idle() time.Duration {
	v.mu.Lock()
	defer v.mu.Unlock()
	if n := len(v.log); n > 0 {
		return time.Since(v.log[n-1].at)
	}
	return time.Hour
}

// quiet waits until nothing has happened for so long, counted from now, at most for the
// limit; it reports whether it came to that.
func (v *view) quiet(ctx context.Context, still, limit time.Duration) bool {
	for begin := time.Now(); time.Since(begin) < limit; {
		if min(v.idle(), time.Since(begin)) >= still {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(50 * time.Millisecond):
		}
	}
	return false
}

// now puts the cluster in words: pods by node and phase.
func (v *view) now() string {
	count := map[string]int{}
	for _, p := range v.pods() {
		w, _ := workloadOf(p)
		where := p.Spec.NodeName
		if where == "" {
			where = "no node"
		}
		count[fmt.Sprintf("%s %s on %s", w, phaseOf(p), where)]++
	}
	var out []string
	for _, k := range slices.Sorted(maps.Keys(count)) {
		out = append(out, fmt.Sprintf("%d %s", count[k], k))
	}
	return strings.Join(out, ", ")
}
