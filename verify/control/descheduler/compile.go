package descheduler

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/state"
)

// deschedNode has the constant facts about one node that the descheduler reads.
type deschedNode struct {
	object   *corev1.Node // with its own name and host name label
	capacity []int64      // by resource: millicores, bytes or counts
	has      []bool       // by resource: the node names it
	beside   []int64      // by resource: requests of pods outside the problem
	elastic  bool         // resource requests always fit
	listed   bool         // the policy's nodeSelector selects it
	ready    bool         // its own status does not say otherwise
}

// deschedClass has the constant facts about one pod class that the descheduler reads.
type deschedClass struct {
	pod       *corev1.Pod
	owner     string // kind of the pods' owner
	namespace int    // index of its namespace
	priority  int32
	rank      int64             // SortPodsBasedOnPriorityLowToHigh: lower goes first
	request   []int64           // by resource
	named     []bool            // by resource: requested, be it 0 of it
	bound     bool              // has a node selector or node affinity
	lands     []bool            // by node: schedulable, selected and tolerated
	stands    scheduler.Service // of a node out of service, what the pods tolerate
	anti      []antiTerm
}

// antiTerm is one required term of inter-pod anti-affinity.
type antiTerm struct {
	match []int // pod classes it names
	key   string
	has   []bool // by node: the label is there
}

// deschedCompiled is everything of a problem that depends on neither state nor step.
type deschedCompiled struct {
	cfg        *state.Config
	policy     *state.Descheduler
	api        *objects.Evictions
	resources  []corev1.ResourceName // cpu, memory, pods, then others by name
	nodes      []deschedNode
	moving     bool // nodes are cordoned or lost in this problem, or come and go
	elastic    bool // some listed node is
	classes    []deschedClass
	namespaces []string
	// plugins in the order of a cycle: Deschedule of every profile, then Balance.
	plugins []deschedPlugin
	expiry  []deschedPlugin // PodLifeTime, which runs as an event
}

// deschedPlugin is one enabled plugin.
type deschedPlugin struct {
	name    string
	field   string // of the policy: its arguments
	evictor *deschedEvictor
	selects []bool // by pod class: namespaces and labelSelector
	run     func(*descheduling, *deschedPlugin)
	because func(k *deschedCompiled, s state.State, p int) []actor.Ref
	// Of the plugins that need them:
	target      [][]bool     // RemoveDuplicates: by class, the nodes that a duplicate could land on; nil: not looked at
	violates    []violation  // node affinity, taints: by reason
	needsFit    bool         // node affinity: the pod must fit some node
	constraints []spreadRule // topology spread
	balanceFit  bool
	use         *utilization
	single      []bool // PodLifeTime, restarts: by class and phase, may have passed the limit
	onlyBad     bool   // restarts: only pods of a bad revision have
}

// Resources every node has.
const (
	deschedCPU = iota
	deschedMemory
	deschedPods
)

// compileDescheduler reads a policy against a problem.
// Errors: [actor.ErrUnmodeled].
func compileDescheduler(c *state.Config) (*deschedCompiled, error) {
	k := &deschedCompiled{cfg: c, policy: c.Spec.Descheduler, api: objects.NewEvictions(c), moving: c.NodesMove()}
	selector, err := labels.Parse(k.policy.NodeSelector)
	if err != nil {
		return nil, deschedUnmodeled("nodeSelector", err.Error())
	}
	k.nameDeschedResources()
	for _, n := range c.Nodes {
		k.addNode(&c.Spec.Classes[n.Class], n.Name, selector)
	}
	k.classes = make([]deschedClass, len(c.Pods))
	for p := range k.classes {
		if err := k.addClass(p); err != nil {
			return nil, err
		}
	}
	if err := k.addTerms(); err != nil {
		return nil, err
	}
	return k, k.addPlugins()
}

// deschedUnmodeled is an [actor.ErrUnmodeled] about a field of the policy.
func deschedUnmodeled(field, what string) error {
	return fmt.Errorf("DeschedulerPolicy: %s: %s: %w", field, what, actor.ErrUnmodeled)
}

// nameDeschedResources lists what pods request and thresholds name.
func (k *deschedCompiled) nameDeschedResources() {
	k.resources = []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourcePods}
	var more []corev1.ResourceName
	add := func(name corev1.ResourceName) {
		if !slices.Contains(k.resources, name) && !slices.Contains(more, name) {
			more = append(more, name)
		}
	}
	for p := range k.cfg.Pods {
		for name := range objects.PodRequests(objects.Admitted(k.cfg, p)) {
			add(name)
		}
	}
	for i := range k.policy.Profiles {
		for _, plugin := range k.policy.Profiles[i].Balance {
			switch a := plugin.Args.(type) {
			case *state.LowNodeUtilizationArgs:
				for name := range a.Thresholds {
					add(name)
				}
			case *state.HighNodeUtilizationArgs:
				for name := range a.Thresholds {
					add(name)
				}
			}
		}
	}
	slices.Sort(more)
	k.resources = append(k.resources, more...)
}

// amounts reads a resource list in the order of k.resources.
func (k *deschedCompiled) amounts(list corev1.ResourceList) (out []int64, has []bool) {
	for i, name := range k.resources {
		q, ok := list[name]
		v := q.Value()
		if i == deschedCPU {
			v = q.MilliValue()
		}
		out, has = append(out, v), append(has, ok)
	}
	return out, has
}

func (k *deschedCompiled) addNode(class *state.NodeClass, name string, selector labels.Selector) {
	n := deschedNode{object: class.Node.DeepCopy(), elastic: class.Elastic}
	n.object.Name = name
	if n.object.Labels == nil {
		n.object.Labels = map[string]string{}
	}
	n.object.Labels[corev1.LabelHostname] = name
	// referencedResourceListForNodeCapacity
	list := n.object.Status.Capacity
	if len(n.object.Status.Allocatable) > 0 {
		list = n.object.Status.Allocatable
	}
	n.capacity, n.has = k.amounts(list)
	n.beside = make([]int64, len(k.resources))
	if class.Beside != nil {
		for _, o := range class.Beside.Pods {
			amounts, _ := k.amounts(o.Requests)
			for d, amount := range amounts {
				n.beside[d] += amount
			}
			n.beside[deschedPods] += int64(o.Count)
		}
	}
	n.listed, n.ready = selector.Matches(labels.Set(n.object.Labels)), isReady(n.object)
	k.elastic = k.elastic || n.listed && n.elastic
	k.nodes = append(k.nodes, n)
}

func (k *deschedCompiled) addClass(p int) error {
	pod := objects.Admitted(k.cfg, p)
	class := &k.classes[p]
	class.pod, class.owner = pod, ownerKind(k.workload(p))
	priority, known := scheduler.PriorityOf(k.cfg.Spec, pod, objects.FirstVersion(k.cfg, p))
	if !known {
		return fmt.Errorf("%s: %s: the PriorityClass %s is not among the objects, and the descheduler goes by priority: %w",
			k.workload(p).ID, k.workload(p).Kind().Own("spec.template.spec.priorityClassName"),
			pod.Spec.PriorityClassName, actor.ErrUnmodeled)
	}
	class.priority = priority
	class.rank = int64(priority)*8 + int64(objects.QualityOfService(pod))*2
	if _, avoid := pod.Annotations[preferNoEviction]; avoid {
		class.rank++
	}
	class.namespace = slices.Index(k.namespaces, pod.Namespace)
	if class.namespace < 0 {
		class.namespace = len(k.namespaces)
		k.namespaces = append(k.namespaces, pod.Namespace)
	}
	class.request, class.named = k.amounts(objects.PodRequests(pod))
	class.request[deschedPods] = 1
	class.stands = scheduler.StandsService(pod)
	class.bound = pod.Spec.NodeSelector != nil || pod.Spec.Affinity != nil && pod.Spec.Affinity.NodeAffinity != nil
	for n := range k.nodes {
		node := k.nodes[n].object
		class.lands = append(class.lands,
			!node.Spec.Unschedulable && matchesNode(pod, node) && toleratesAll(pod, node, keepsOut))
	}
	return nil
}

func (k *deschedCompiled) workload(p int) *state.Workload {
	return &k.cfg.Spec.Workloads[k.cfg.Pods[p].Workload]
}

// ownerKind is the kind of what owns a workload's pods; "" where nothing does.
func ownerKind(w *state.Workload) string {
	if w.Kind().Bare() {
		return ""
	}
	kind, _, _ := strings.Cut(w.ID, " ")
	kind = kind[strings.LastIndex(kind, "/")+1:]
	if kind == "Deployment" {
		return "ReplicaSet"
	}
	return kind
}

// matchesNode is upstream's utils.PodMatchNodeSelector.
func matchesNode(pod *corev1.Pod, node *corev1.Node) bool {
	ok, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node)
	return ok && err == nil
}

// toleratesAll is upstream's utils.TolerationsTolerateTaintsWithFilter.
func toleratesAll(pod *corev1.Pod, node *corev1.Node, counts func(*corev1.Taint) bool) bool {
	return toleratesTaints(pod, node.Spec.Taints, counts)
}

func toleratesTaints(pod *corev1.Pod, taints []corev1.Taint, counts func(*corev1.Taint) bool) bool {
	for i := range taints {
		t := &taints[i]
		if counts(t) && !slices.ContainsFunc(pod.Spec.Tolerations, func(x corev1.Toleration) bool {
			return x.ToleratesTaint(objects.NoLog(), t, true)
		}) {
			return false
		}
	}
	return true
}

// keepsOut reports whether a taint rejects pods.
func keepsOut(t *corev1.Taint) bool {
	return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
}

// addTerms reads required anti-affinity as the descheduler does: namespaceSelector is
// not looked at.
//
// Upstream: utils: GetPodAntiAffinityTerms, GetNamespacesFromPodAffinityTerm,
// PodMatchesTermsNamespaceAndSelector.
func (k *deschedCompiled) addTerms() error {
	for p := range k.classes {
		pod := k.classes[p].pod
		for _, term := range kube.Terms(&pod.Spec) {
			if !term.Anti || !term.Required {
				continue
			}
			t := antiTerm{key: term.TopologyKey}
			selector, err := metav1.LabelSelectorAsSelector(term.LabelSelector)
			if err != nil {
				return fmt.Errorf("%s: %s: %v: %w", k.workload(p).ID, k.workload(p).Kind().Own("spec.template.spec."+term.Field()),
					err, actor.ErrUnmodeled)
			}
			in := term.Namespaces
			if len(in) == 0 {
				in = []string{pod.Namespace}
			}
			for q := range k.classes {
				other := k.classes[q].pod
				if slices.Contains(in, other.Namespace) && selector.Matches(labels.Set(other.Labels)) {
					t.match = append(t.match, q)
				}
			}
			for n := range k.nodes {
				_, ok := k.nodes[n].object.Labels[t.key]
				t.has = append(t.has, ok)
			}
			k.classes[p].anti = append(k.classes[p].anti, t)
		}
	}
	return nil
}

// selection gives the pod classes that a plugin looks at.
func (k *deschedCompiled) selection(sel state.PodSelection, field string) ([]bool, error) {
	var chosen labels.Selector
	if sel.LabelSelector != nil {
		var err error
		if chosen, err = metav1.LabelSelectorAsSelector(sel.LabelSelector); err != nil {
			return nil, deschedUnmodeled(field+".labelSelector", err.Error())
		}
	}
	out := make([]bool, len(k.classes))
	for p := range k.classes {
		pod := k.classes[p].pod
		out[p] = admits(sel.Namespaces, pod.Namespace) && (chosen == nil || chosen.Matches(labels.Set(pod.Labels)))
	}
	return out, nil
}

// admits is upstream's WithNamespaces and WithoutNamespaces.
func admits(n state.Namespaces, name string) bool {
	return (len(n.Include) == 0 || slices.Contains(n.Include, name)) && !slices.Contains(n.Exclude, name)
}
