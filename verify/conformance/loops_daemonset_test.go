package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/daemon"
	daemonutil "k8s.io/kubernetes/pkg/controller/daemon/util"

	"github.com/kubesettle/kubesettle/verify/control"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/workloads"
	"github.com/kubesettle/kubesettle/verify/state"
)

// TestDaemonRunsAgrees: on which nodes a DaemonSet puts pods, and may keep them.
func TestDaemonRunsAgrees(t *testing.T) {
	t.Parallel()
	tally := map[[2]bool]int{}
	for i := range uint64(loopCases(3000)) {
		g := generator{rand.New(rand.NewPCG(*loopSeed, i))}
		d := &appsv1.DaemonSet{Spec: appsv1.DaemonSetSpec{Template: g.deployment().Spec.Template}}
		node := g.node()
		node.Name = "n"
		puts, keeps := workloads.DaemonRuns(d, node)
		wantPuts, wantKeeps := daemon.NodeShouldRunDaemonPod(noLogger(), node, d)
		if puts != wantPuts || keeps != wantKeeps {
			t.Fatalf("case %d: ours %t %t, upstream %t %t\n%+v\n%+v", i, puts, keeps, wantPuts, wantKeeps, d.Spec.Template.Spec, node)
		}
		tally[[2]bool{puts, keeps}]++
	}
	if len(tally) < 3 {
		t.Errorf("only %v", tally)
	}
}

// TestDaemonSetSync: one sync of upstream's controller does what one of the actor's steps
// does: it makes pods for the same nodes, and deletes the same pods.
func TestDaemonSetSync(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(*loopSeed, 19))
	verbs := map[string]int{}
	for i := range loopCases(150) {
		cfg, s := anyDaemonSet(t, r, 0)
		want := upstreamDaemonSync(t, s)
		var ours []string
		for _, x := range actor.Successors(daemonActor(t, cfg), s) {
			ours = append(ours, daemonDiff(s, x.To))
		}
		if want == "" && len(ours) > 0 || want != "" && !slices.Contains(ours, want) {
			t.Fatalf("case %d: upstream %q, ours %q\nversion %d of %+v\n%s", i, want, ours, s.Version(),
				s.Manifest(0).DaemonSet.Spec.UpdateStrategy, daemonState(s))
		}
		for _, word := range strings.Fields(want) {
			verbs[word[:1]]++
		}
		if len(ours) > 1 {
			verbs["choices"]++
		}
	}
	if verbs["+"] == 0 || verbs["-"] == 0 || verbs["choices"] == 0 {
		t.Errorf("the cases say little: %v", verbs)
	}
	t.Logf("%d cases: %v", loopCases(150), verbs)
}

// anyDaemonSet draws a DaemonSet with two templates, and nodes with some of its pods; views may lack so many writes.
func anyDaemonSet(t *testing.T, r *rand.Rand, lag int) (*state.Config, state.State) {
	t.Helper()
	spec := &state.Spec{Events: state.Events{Drain: 1, NodeFailure: 1, StaleWrites: lag}}
	for i := range 1 + r.IntN(4) {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{}}}
		if r.IntN(4) == 0 {
			node.Spec.Taints = []corev1.Taint{{Key: "k", Effect: []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute}[r.IntN(2)]}}
		}
		node.Labels["kind"] = []string{"a", "b"}[r.IntN(2)]
		spec.Classes = append(spec.Classes, state.NodeClass{Name: fmt.Sprintf("n%d", i), Node: node, Max: 1})
	}
	w := state.Workload{ID: "apps/DaemonSet default/web", Namespace: "default", Name: "web"}
	for v := range w.Manifests {
		w.Manifests[v].DaemonSet = daemonOf(r, v)
	}
	spec.Workloads = []state.Workload{w}
	topology := slices.Repeat([]int{1}, len(spec.Classes))
	b, err := state.NewBuilder(spec, topology, 9)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := control.All(b); err != nil {
		t.Fatal(err)
	}
	cfg, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	s := cfg.New()
	s.Set(cfg.Applied, r.IntN(2))
	s.RefillPods()
	for n := range cfg.Nodes {
		switch r.IntN(6) {
		case 0:
			s.SetMaintenance(n, state.Draining)
		case 1:
			s.SetDown(n, true)
		}
		for p := range cfg.Pods {
			switch r.IntN(6) {
			case 0:
				s.Await(n, p, 1)
			case 1:
				s.Add(n, p, state.Starting, 1)
			case 2:
				s.Add(n, p, state.Ready, 1)
			case 3:
				s.Add(n, p, state.Terminating, 1)
			}
		}
	}
	return cfg, s
}

func daemonOf(r *rand.Rand, v int) *appsv1.DaemonSet {
	surge, unavailable := intstr.FromInt32(0), intstr.FromInt32(int32(1+r.IntN(2)))
	switch r.IntN(4) {
	case 0:
		surge, unavailable = intstr.FromInt32(int32(1+r.IntN(2))), intstr.FromInt32(0)
	case 1:
		unavailable = intstr.FromString([]string{"10%", "50%", "100%"}[r.IntN(3)])
	}
	d := &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web", UID: types.UID("web"), Generation: 1},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
			UpdateStrategy: appsv1.DaemonSetUpdateStrategy{
				Type: appsv1.RollingUpdateDaemonSetStrategyType, RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxSurge: &surge, MaxUnavailable: &unavailable},
			},
		},
	}
	limit := int32(10)
	d.Spec.RevisionHistoryLimit = &limit
	if r.IntN(8) == 0 {
		d.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{Type: appsv1.OnDeleteDaemonSetStrategyType}
	}
	d.Spec.Template.Labels = map[string]string{"app": "web"}
	d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "web", Image: fmt.Sprintf("web:%d", v)}}
	if r.IntN(3) == 0 {
		d.Spec.Template.Spec.NodeSelector = map[string]string{"kind": "a"}
	}
	if r.IntN(4) == 0 {
		d.Spec.Template.Spec.Tolerations = []corev1.Toleration{{Key: "k", Operator: corev1.TolerationOpExists}}
	}
	return d
}

func daemonActor(t *testing.T, cfg *state.Config) actor.Actor {
	t.Helper()
	actors := actorsOf(t, cfg)
	i := slices.IndexFunc(actors, func(a actor.Actor) bool { return a.Name() == "daemonset/default/web" })
	return actors[i]
}

// actorsOf are all actors of a problem once more.
func actorsOf(t *testing.T, cfg *state.Config) []actor.Actor {
	t.Helper()
	b, err := state.NewBuilder(cfg.Spec, cfg.Topology, cfg.MaxPods)
	if err != nil {
		t.Fatal(err)
	}
	actors, err := control.All(b)
	if err != nil {
		t.Fatal(err)
	}
	return actors
}

// daemonDiff words a step: the nodes that a pod was made for, and the pods that were
// deleted, by node and class.
func daemonDiff(from, to state.State) string {
	var out []string
	for n := range from.C.Nodes {
		for p := range from.C.Pods {
			if to.Awaited(n, p) > from.Awaited(n, p) {
				out = append(out, "+"+from.C.Nodes[n].Name)
			}
			if to.Awaited(n, p)+to.LiveOn(n, p) < from.Awaited(n, p)+from.LiveOn(n, p) {
				out = append(out, daemonDeleted(from.C, n, p))
			}
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func daemonDeleted(c *state.Config, n, p int) string {
	return fmt.Sprintf("-%s-%d", c.Nodes[n].Name, p)
}

func daemonState(s state.State) string {
	var b strings.Builder
	for n := range s.C.Nodes {
		fmt.Fprintf(&b, "%s cordoned %t down %t", s.C.Nodes[n].Name, s.Cordoned(n), s.Down(n))
		for p := range s.C.Pods {
			fmt.Fprintf(&b, "; class %d (base %t): awaited %d starting %d ready %d terminating %d", p, s.C.Pods[p].InBase,
				s.Awaited(n, p), s.On(n, p, state.Starting), s.On(n, p, state.Ready), s.On(n, p, state.Terminating))
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

// upstreamDaemonSync runs upstream's controller on the state until it has written
// something, or has only a status left to write, and words what it did as [daemonDiff].
// Its writes of pods go nowhere, so that it waits for them and does no second sync.
func upstreamDaemonSync(t *testing.T, s state.State) string {
	t.Helper()
	d := s.Manifest(0).DaemonSet.DeepCopy()
	revision, hash := daemonRevision(t, d)
	objects := []runtime.Object{d, revision}
	for n := range s.C.Nodes {
		objects = append(objects, daemonNode(s, n))
		for p := range s.C.Pods {
			h := "other"
			if p == s.NewClass(0) {
				h = hash
			}
			for k := range s.Awaited(n, p) + s.LiveOn(n, p) {
				objects = append(objects, daemonPod(s, n, p, k, h, false))
			}
			for k := range s.On(n, p, state.Terminating) {
				objects = append(objects, daemonPod(s, n, p, 10+k, h, true))
			}
		}
	}
	client := fake.NewClientset(objects...)
	var mu sync.Mutex
	var out []string
	status := false
	write := func(what string) {
		mu.Lock()
		defer mu.Unlock()
		if !status { // a sync ends with it; what comes then is of the next one
			out = append(out, what)
		}
	}
	client.PrependReactor("create", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
		pod := a.(clienttesting.CreateAction).GetObject().(*corev1.Pod)
		node, err := daemonutil.GetTargetNodeName(pod)
		if err != nil {
			node = err.Error()
		}
		write("+" + node)
		return true, pod, nil
	})
	client.PrependReactor("delete", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
		name := a.(clienttesting.DeleteAction).GetName()
		write("-" + name[:strings.LastIndex(name, "-")])
		return true, nil, nil
	})
	client.PrependReactor("update", "daemonsets", func(a clienttesting.Action) (bool, runtime.Object, error) {
		mu.Lock()
		defer mu.Unlock()
		status = true
		return true, a.(clienttesting.UpdateAction).GetObject(), nil
	})
	runDaemonController(t, client, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return status
	})
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(out)
	return strings.Join(slices.Compact(out), " ")
}

// daemonRevision is the ControllerRevision that upstream makes of a DaemonSet, with its hash.
func daemonRevision(t *testing.T, d *appsv1.DaemonSet) (*appsv1.ControllerRevision, string) {
	t.Helper()
	client := fake.NewClientset(d.DeepCopy())
	var found *appsv1.ControllerRevision
	runDaemonController(t, client, func() bool {
		list, err := client.AppsV1().ControllerRevisions("default").List(context.Background(), metav1.ListOptions{})
		if err != nil || len(list.Items) == 0 {
			return false
		}
		found = &list.Items[0]
		return true
	})
	return found, found.Labels[appsv1.DefaultDaemonSetUniqueLabelKey]
}

// runDaemonController runs upstream's controller until it is done.
func runDaemonController(t *testing.T, client *fake.Clientset, isDone func() bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), noLogger()))
	defer cancel()
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := &heardPods{PodInformer: factory.Core().V1().Pods()}
	c, err := daemon.NewDaemonSetsController(ctx, factory.Apps().V1().DaemonSets(), factory.Apps().V1().ControllerRevisions(),
		pods, factory.Core().V1().Nodes(), client, flowcontrol.NewBackOff(time.Second, time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	cache.WaitForCacheSync(ctx.Done(), pods.handled...)
	go c.Run(ctx, 1)
	for range 2000 {
		if isDone() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("upstream's controller has not synced within 10 s")
}

// heardPods is an informer of pods that says when its handlers have heard of all that there was at the start. A
// controller's handler that hears of a terminating pod only in the first sync takes it for one that the sync has deleted,
// and the sync does not wait for its own deletions.
type heardPods struct {
	coreinformers.PodInformer
	handled []cache.InformerSynced
}

func (p *heardPods) Informer() cache.SharedIndexInformer {
	return heardInformer{p.PodInformer.Informer(), p}
}

type heardInformer struct {
	cache.SharedIndexInformer
	pods *heardPods
}

func (i heardInformer) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	r, err := i.SharedIndexInformer.AddEventHandler(h)
	if err == nil {
		i.pods.handled = append(i.pods.handled, r.HasSynced)
	}
	return r, err
}

func daemonNode(s state.State, n int) *corev1.Node {
	node := s.C.Spec.Classes[s.C.Nodes[n].Class].Node.DeepCopy()
	node.Name = s.C.Nodes[n].Name
	if s.Cordoned(n) {
		node.Spec.Unschedulable = true
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
	}
	if s.Down(n) {
		node.Spec.Taints = append(node.Spec.Taints,
			corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoSchedule},
			corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute})
	}
	return node
}

// daemonPod is the k-th pod of class p on node n; one that is awaited has no node yet.
func daemonPod(s state.State, n, p, k int, hash string, deleted bool) *corev1.Pod {
	yes := true
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: fmt.Sprintf("%s-%d-%d", s.C.Nodes[n].Name, p, k), UID: types.UID(fmt.Sprint(n, p, k)),
		Labels:            map[string]string{"app": "web", appsv1.DefaultDaemonSetUniqueLabelKey: hash},
		OwnerReferences:   []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "web", UID: "web", Controller: &yes}},
		CreationTimestamp: metav1.NewTime(time.Unix(1000, 0)),
	}}
	if p == s.NewClass(0) { // the pods of the other template are the older ones
		pod.CreationTimestamp = metav1.NewTime(time.Unix(1001, 0))
	}
	node := s.C.Nodes[n].Name
	pod.Spec.Affinity = daemonutil.ReplaceDaemonSetPodNodeNameNodeAffinity(nil, node)
	pod.Status.Phase = corev1.PodRunning
	switch {
	case deleted:
		now := metav1.Now()
		pod.Spec.NodeName, pod.DeletionTimestamp, pod.Finalizers = node, &now, []string{"example.com/held"}
	case k < s.Awaited(n, p):
		pod.Status.Phase = corev1.PodPending
		return pod
	default:
		pod.Spec.NodeName = node
	}
	if s.On(n, p, state.Ready) > 0 && !deleted {
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(time.Unix(2000, 0))}}
	}
	return pod
}
