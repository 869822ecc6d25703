package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/component-base/featuregate"
	descheduler "sigs.k8s.io/descheduler/pkg/descheduler"
	"sigs.k8s.io/descheduler/pkg/descheduler/evictions"
	nodeutil "sigs.k8s.io/descheduler/pkg/descheduler/node"
	podutil "sigs.k8s.io/descheduler/pkg/descheduler/pod"
	"sigs.k8s.io/descheduler/pkg/features"
	"sigs.k8s.io/descheduler/pkg/framework/pluginregistry"
	deschedprofile "sigs.k8s.io/descheduler/pkg/framework/profile"
	frameworktypes "sigs.k8s.io/descheduler/pkg/framework/types"

	"github.com/kubesettle/kubesettle/verify/state"
)

// deschedPod is a pod with the group of the abstract state that it is of.
type deschedPod struct {
	*corev1.Pod
	node, class int // node is -1 for a pod without one
	phase       state.Phase
}

// upstreamCluster is one cluster under upstream's descheduler. Its client answers
// evictions as the API server does; a pod that was evicted is on deletion from then on,
// in the informers' caches, too.
type upstreamCluster struct {
	nodes   []*corev1.Node // as in the configuration
	listed  []*corev1.Node // the same as upstream lists them
	pods    []*deschedPod
	budgets []*policyv1.PodDisruptionBudget
	scale   map[string]int // of the owners of pods, by namespace/app
	objects []runtime.Object
	indexer cache.Indexer
	// crashing has the pod classes whose starting pods have restarted often: all of them,
	// or only the first.
	crashing map[int]bool
	alone    bool
}

// restart gives a pod the restarts of its containers: two, or more.
func (c *upstreamCluster) restart(p *deschedPod, r *rand.Rand) {
	s := corev1.ContainerStatus{Name: "c", RestartCount: 2}
	if c.crashing[p.class] && p.phase == state.Starting && p.node >= 0 {
		p.Status.Phase = corev1.PodRunning
		if !c.alone || !slices.ContainsFunc(c.pods, restartsOften) {
			s.RestartCount = 3 + int32(r.IntN(100))
			s.State.Waiting = &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}
		}
	}
	p.Status.ContainerStatuses = []corev1.ContainerStatus{s}
}

func restartsOften(p *deschedPod) bool { return p.Status.ContainerStatuses[0].RestartCount > 2 }

// run runs one cycle of a policy file and gives the state it leaves.
func (c *upstreamCluster) run(t *testing.T, file string, from state.State) state.State {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client := fake.NewClientset(c.objects...)
	client.PrependReactor("create", "pods/eviction", c.evict)
	factory := informers.NewSharedInformerFactory(client, 0)
	c.indexer = factory.Core().V1().Pods().Informer().GetIndexer()
	list, err := podutil.BuildGetPodsAssignedToNodeFunc(factory.Core().V1().Pods().Informer())
	if err != nil {
		t.Fatal(err)
	}
	policy, err := descheduler.LoadPolicyConfig(file, client, pluginregistry.PluginRegistry)
	if err != nil {
		t.Fatal(err)
	}
	gates := featuregate.NewFeatureGate()
	if err := gates.Add(map[featuregate.Feature]featuregate.FeatureSpec{features.EvictionsInBackground: {}}); err != nil {
		t.Fatal(err)
	}
	evictor, err := evictions.NewPodEvictor(ctx, client, &events.FakeRecorder{}, factory.Core().V1().Pods().Informer(), gates,
		evictions.NewOptions().WithPolicyGroupVersion("policy/v1").
			WithMaxPodsToEvictPerNode(policy.MaxNoOfPodsToEvictPerNode).
			WithMaxPodsToEvictPerNamespace(policy.MaxNoOfPodsToEvictPerNamespace).
			WithMaxPodsToEvictTotal(policy.MaxNoOfPodsToEvictTotal))
	if err != nil {
		t.Fatal(err)
	}
	type cycle interface {
		RunDeschedulePlugins(context.Context, []*corev1.Node) *frameworktypes.Status
		RunBalancePlugins(context.Context, []*corev1.Node) *frameworktypes.Status
	}
	var profiles []cycle
	for i, p := range policy.Profiles {
		made, err := deschedprofile.NewProfile(ctx, p, pluginregistry.PluginRegistry,
			deschedprofile.WithClientSet(client), deschedprofile.WithSharedInformerFactory(factory), deschedprofile.WithPodEvictor(evictor),
			deschedprofile.WithGetPodsAssignedToNodeFnc(list), deschedprofile.WithProfileInstanceID(fmt.Sprint(i)))
		if err != nil {
			t.Fatal(err)
		}
		profiles = append(profiles, made)
	}
	c.fill(t, factory)
	if len(c.listed) < 2 { // runDeschedulerLoop
		return c.result(from)
	}
	for _, p := range profiles { // runProfiles
		if s := p.RunDeschedulePlugins(ctx, c.listed); s != nil && s.Err != nil {
			t.Fatal(s.Err)
		}
	}
	for _, p := range profiles {
		if s := p.RunBalancePlugins(ctx, c.listed); s != nil && s.Err != nil {
			t.Fatal(s.Err)
		}
	}
	return c.result(from)
}

func (c *upstreamCluster) fill(t *testing.T, factory informers.SharedInformerFactory) {
	t.Helper()
	add := func(i cache.Indexer, o any) {
		if err := i.Add(o); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range c.nodes {
		add(factory.Core().V1().Nodes().Informer().GetIndexer(), n)
	}
	for _, p := range c.pods {
		add(c.indexer, p.Pod.DeepCopy())
	}
	for _, b := range c.budgets {
		add(factory.Policy().V1().PodDisruptionBudgets().Informer().GetIndexer(), b)
	}
}

// result reads the pods on deletion back into an abstract state.
func (c *upstreamCluster) result(from state.State) state.State {
	to := from.C.New()
	copy(to.B, from.B)
	for _, p := range c.pods {
		o, ok, err := c.indexer.GetByKey(p.Namespace + "/" + p.Name)
		if err != nil || !ok {
			panic(fmt.Sprint("a pod is gone: ", err))
		}
		if p.DeletionTimestamp == nil && o.(*corev1.Pod).DeletionTimestamp != nil {
			to.Add(p.node, p.class, p.phase, -1)
			to.Add(p.node, p.class, state.Terminating, 1)
		}
	}
	return to
}

// evict answers an eviction by a straight reading of the eviction API on plain pods:
// budgets here have whole numbers only, so that there is no arithmetic to share.
func (c *upstreamCluster) evict(action clienttesting.Action) (bool, runtime.Object, error) {
	e := action.(clienttesting.CreateAction).GetObject().(*policyv1.Eviction)
	o, ok, err := c.indexer.GetByKey(e.Namespace + "/" + e.Name)
	if err != nil || !ok {
		return true, nil, apierrors.NewNotFound(corev1.Resource("pods"), e.Name)
	}
	pod := o.(*corev1.Pod).DeepCopy()
	if pod.DeletionTimestamp == nil && pod.Status.Phase != corev1.PodPending && !c.allowed(pod) {
		return true, nil, apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 0)
	}
	now := metav1.Now()
	pod.DeletionTimestamp = &now
	return true, nil, c.indexer.Update(pod)
}

func (c *upstreamCluster) allowed(pod *corev1.Pod) bool {
	var covering []*policyv1.PodDisruptionBudget
	for _, b := range c.budgets {
		s, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
		if err == nil && b.Namespace == pod.Namespace && s.Matches(labels.Set(pod.Labels)) {
			covering = append(covering, b)
		}
	}
	if len(covering) != 1 {
		return len(covering) == 0
	}
	b := covering[0]
	s, _ := metav1.LabelSelectorAsSelector(b.Spec.Selector)
	healthy, owners := 0, map[string]bool{}
	for _, o := range c.indexer.List() {
		p := o.(*corev1.Pod)
		if p.Namespace != pod.Namespace || !s.Matches(labels.Set(p.Labels)) {
			continue
		}
		owners[p.Namespace+"/"+p.Labels["app"]] = true
		if p.DeletionTimestamp == nil && isReady(p) {
			healthy++
		}
	}
	desired := 0
	if b.Spec.MinAvailable != nil {
		desired = b.Spec.MinAvailable.IntValue()
	} else {
		for owner := range owners {
			desired += c.scale[owner]
		}
		desired = max(desired-b.Spec.MaxUnavailable.IntValue(), 0)
	}
	if !isReady(pod) {
		policy := b.Spec.UnhealthyPodEvictionPolicy
		if policy != nil && *policy == policyv1.AlwaysAllow || healthy >= desired && desired > 0 {
			return true
		}
	}
	return healthy > desired
}

func isReady(p *corev1.Pod) bool {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// deploy makes the pods of an abstract state. Starting pods run unready or wait for
// their containers, at random.
func (c *upstreamCluster) deploy(s state.State, templates []*corev1.Pod, r *rand.Rand) {
	c.pods = nil
	add := func(class, node int, ph state.Phase) {
		p := templates[class].DeepCopy()
		p.Name = fmt.Sprintf("%s-%d", p.Labels["app"], len(c.pods))
		p.UID = types.UID(p.Name)
		now := metav1.Now()
		p.Status = corev1.PodStatus{Phase: corev1.PodRunning, StartTime: &now}
		ready := corev1.ConditionFalse
		switch {
		case node < 0, ph == state.Starting && r.IntN(2) == 0:
			p.Status.Phase = corev1.PodPending
		case ph == state.Terminating:
			p.DeletionTimestamp = &now
		case ph.IsReady():
			ready = corev1.ConditionTrue
		}
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: ready}}
		if node >= 0 {
			p.Spec.NodeName = c.nodes[node].Name
		}
		one := &deschedPod{Pod: p, node: node, class: class, phase: ph}
		c.restart(one, r)
		c.pods = append(c.pods, one)
	}
	for class := range s.C.Pods {
		for range s.Pending(class) {
			add(class, -1, state.Starting)
		}
		for n := range s.C.Nodes {
			for ph := range state.Phases {
				for range s.On(n, class, ph) {
					add(class, n, ph)
				}
			}
		}
	}
	c.listed = slices.DeleteFunc(slices.Clone(c.nodes), func(n *corev1.Node) bool { return !nodeutil.IsReady(n) })
	r.Shuffle(len(c.listed), func(i, j int) { c.listed[i], c.listed[j] = c.listed[j], c.listed[i] })
}

// serve makes the nodes of an abstract state: those that are cordoned or lost get what
// the node lifecycle controller writes on them.
func (c *upstreamCluster) serve(s state.State) {
	for n, node := range c.nodes {
		if s.Cordoned(n) {
			node.Spec.Unschedulable = true
			node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
		}
		if s.Down(n) {
			node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}}
			for _, effect := range []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute} {
				node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: effect})
			}
		}
	}
}

// policyFile writes a policy where upstream reads it.
func policyFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "descheduler.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// priorityClasses are those that generated pods and policies name.
func priorityClasses() []runtime.Object {
	return []runtime.Object{
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "low"}, Value: -10},
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 1000},
	}
}
