package scheduler

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// schedNode has the constant facts about one node that the scheduler reads.
type schedNode struct {
	object      *corev1.Node // with its own name and host name label
	Allocatable []int64      // by resource: millicores, bytes or counts
	MaxPods     int
	Elastic     bool // resource requests always fit
}

// schedClass has the constant facts about one pod class that the scheduler reads. Slices over nodes and pod classes are
// indexed as in the configuration.
type schedClass struct {
	Pod      *corev1.Pod
	profile  *profile // that the pod's spec.schedulerName names
	priority int32
	ranked   bool // the priority is known

	// victims are the pod classes that this one's pods may preempt, by falling priority;
	// rivals those whose nominated pods these pods make way for.
	victims, rivals []int

	Request  []int64 // by resource, as NodeInfo.Requested and NodeResourcesFit count it
	nonZero  [2]int64
	fitReq   []int64 // of the profile's Resources, with scoring defaults
	balReq   []int64 // of the profile's Balanced
	noBal    bool    // best effort: NodeResourcesBalancedAllocation is skipped
	conflict []int   // pod classes whose host ports clash with this one's
	static   []reasonCode
	stands   Service // of a node out of service, what the pods tolerate
	taints   []int64 // PreferNoSchedule taints not tolerated
	affinity []int64 // preferred node affinity, raw
	images   []int64 // ImageLocality, final
	prefers  bool    // has preferred node affinity: the score is not skipped

	// spare are the resources that its pods may take from pods outside the problem by preempting them, by node and
	// resource, and spareSlots the number of these pods by node; nil: none.
	spare      []int64
	spareSlots []int

	once   []int     // claims that one pod at a time may use
	pinned []bool    // by node: PersistentVolumes let pods run there; nil: anywhere
	claims []claimOn // whose volumes only some nodes reach

	hard, soft []spreadTerm
	requireAll bool // soft constraints ignore nodes that lack a key

	near    []podTerm // required affinity
	nearAll []int     // pod classes that match all of near
	nearOwn bool      // the pod itself does
	apart   []podTerm // required anti-affinity
	repel   []podTerm // required anti-affinity of other pods that names this one
	pull    []podPull // preferred terms, both directions, by topology key
}

// topologyKey is a node label as a topology: its value on each node as a small number.
type topologyKey struct {
	name   string
	domain []int32 // by node; nodes without the label share one with nodes whose value is ""
	has    []bool  // by node: the label is there
	size   int     // number of domains
}

// Compiled is everything of a problem that depends on neither state nor step.
type Compiled struct {
	Cfg       *state.Config
	profiles  []profile
	Resources []corev1.ResourceName // cpu, memory, ephemeral-storage, then scalars by name
	Nodes     []schedNode
	elastic   bool // some node is: resource plugins do not score
	beside    beside
	moving    bool // nodes are cordoned or lost in this problem
	places    bool // volumes that only some nodes reach are made in this problem
	// imageNodes counts the nodes that have an image, by its name.
	imageNodes map[string]int
	keys       []topologyKey
	Classes    []schedClass
	declared   []parsedTerms      // inter-pod affinity of each class
	Groups     [][]int            // pod classes of one priority, highest first
	Unranked   []int              // pod classes of unknown priority
	Preempts   bool               // pods of some class may preempt others
	budgets    *objects.Evictions // where preempts; else nil
	log        []float64          // topologyNormalizingWeight by size
	space      int                // largest number of domain counters one pod needs
}

const (
	DimCPU = iota
	DimMemory
	dimEphemeral
	fixedDims
)

func Compile(c *state.Config) (*Compiled, error) {
	if s := c.Spec.Scheduler; s != nil && s.Refused != "" {
		return nil, fmt.Errorf("%s: %s: %w", Object, s.Refused, actor.ErrUnmodeled)
	}
	k := &Compiled{Cfg: c, moving: c.NodesMove()}
	for _, p := range c.Spec.SchedulerProfiles() {
		k.profiles = append(k.profiles, compileProfile(p))
	}
	for n := 0; n <= len(c.Nodes)+1; n++ {
		k.log = append(k.log, math.Log(float64(n+2))) // podtopologyspread: topologyNormalizingWeight
	}
	k.Classes = make([]schedClass, len(c.Pods))
	for i := range k.Classes {
		pod := objects.Admitted(c, i)
		if err := k.refuse(i, pod); err != nil {
			return nil, err
		}
		k.Classes[i].Pod, k.Classes[i].profile = pod, k.profileOf(pod)
		k.Classes[i].priority, k.Classes[i].ranked = PriorityOf(c.Spec, pod, objects.FirstVersion(c, i))
		terms, err := k.parseTerms(i)
		if err != nil {
			return nil, err
		}
		k.declared = append(k.declared, terms)
	}
	k.nameResources()
	k.addNodes()
	k.compileBeside()
	k.countImages()
	for i := range k.Classes {
		k.compileResources(i)
		for _, step := range []func(int) error{k.compileSpare, k.compileStatic, k.compileVolumes,
			k.compileSpread, k.checkAlike} {
			if err := step(i); err != nil {
				return nil, err
			}
		}
		k.compilePodAffinity(i)
	}
	for i := range c.Spec.Claims {
		k.places = k.places || c.Places(i)
	}
	k.rank()
	k.rankVictims()
	k.measure()
	return k, nil
}

// refuse says what of a pod has no model.
func (k *Compiled) refuse(p int, pod *corev1.Pod) error {
	spec := &pod.Spec
	switch {
	case k.profileOf(pod) == nil:
		return k.unmodeled(p, "spec.schedulerName",
			fmt.Sprintf("%q, which is not a profile of the scheduler's configuration", spec.SchedulerName))
	case len(spec.SchedulingGates) > 0:
		return k.unmodeled(p, "spec.schedulingGates", "what opens a gate")
	case len(spec.ResourceClaims) > 0:
		return k.unmodeled(p, "spec.resourceClaims", "dynamic resource allocation")
	}
	return nil
}

// profileOf is the profile that a pod names, or nil.
func (k *Compiled) profileOf(pod *corev1.Pod) *profile {
	name := pod.Spec.SchedulerName
	if name == "" {
		name = corev1.DefaultSchedulerName
	}
	for i := range k.profiles {
		if k.profiles[i].Name == name {
			return &k.profiles[i]
		}
	}
	return nil
}

// unmodeled is an [actor.ErrUnmodeled] about a field of a pod template.
func (k *Compiled) unmodeled(p int, field, what string) error {
	w := k.workload(p)
	return fmt.Errorf("%s: %s: %s: %w", w.ID, w.Kind().Own("spec.template."+field), what, actor.ErrUnmodeled)
}

func (k *Compiled) workload(p int) *state.Workload {
	return &k.Cfg.Spec.Workloads[k.Cfg.Pods[p].Workload]
}

// NodeObject is node n as the API server has it, sharing all but name and labels with
// its class's.
func NodeObject(c *state.Config, n int) *corev1.Node {
	object := *c.Spec.Classes[c.Nodes[n].Class].Node
	object.Name = c.Nodes[n].Name
	object.Labels = labels.Merge(object.Labels, labels.Set{corev1.LabelHostname: object.Name})
	return &object
}

// addNodes makes each node's object and reads its allocatable.
func (k *Compiled) addNodes() {
	for n := range k.Cfg.Nodes {
		object := NodeObject(k.Cfg, n)
		node := schedNode{object: object, Elastic: k.Cfg.Spec.Classes[k.Cfg.Nodes[n].Class].Elastic}
		node.Allocatable = k.vector(object.Status.Allocatable)
		node.MaxPods = int(object.Status.Allocatable.Pods().Value())
		k.elastic = k.elastic || node.Elastic
		k.Nodes = append(k.Nodes, node)
	}
}

// key gives the index of a topology key, adding it where new.
func (k *Compiled) key(name string) int {
	for i := range k.keys {
		if k.keys[i].name == name {
			return i
		}
	}
	t := topologyKey{name: name}
	seen := map[string]int32{}
	for i := range k.Nodes {
		v, ok := k.Nodes[i].object.Labels[name]
		if _, old := seen[v]; !old {
			seen[v] = int32(len(seen))
		}
		t.domain = append(t.domain, seen[v])
		t.has = append(t.has, ok)
	}
	t.size = len(seen)
	k.keys = append(k.keys, t)
	return len(k.keys) - 1
}

// rank orders the pod classes by priority.
//
// Upstream: queuesort: (*PrioritySort).Less.
func (k *Compiled) rank() {
	var order []int
	for p := range k.Classes {
		if k.Classes[p].ranked {
			order = append(order, p)
		} else {
			k.Unranked = append(k.Unranked, p)
		}
	}
	sort.SliceStable(order, func(i, j int) bool {
		return k.Classes[order[i]].priority > k.Classes[order[j]].priority
	})
	for i, p := range order {
		if i == 0 || k.Classes[order[i-1]].priority != k.Classes[p].priority {
			k.Groups = append(k.Groups, nil)
		}
		last := len(k.Groups) - 1
		k.Groups[last] = append(k.Groups[last], p)
	}
}

// measure sums up the counters that the neediest pod class uses at once.
func (k *Compiled) measure() {
	for p := range k.Classes {
		class := &k.Classes[p]
		need := 0
		for _, terms := range [][]spreadTerm{class.hard, class.soft} {
			for i := range terms {
				need += k.keys[terms[i].key].size
			}
		}
		for _, terms := range [][]podTerm{class.near, class.apart, class.repel} {
			for i := range terms {
				need += k.keys[terms[i].key].size
			}
		}
		for i := range class.pull {
			need += k.keys[class.pull[i].key].size
		}
		k.space = max(k.space, need)
	}
}

// nameResources collects every resource that a pod requests or the profile scores.
func (k *Compiled) nameResources() {
	k.Resources = []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage}
	scalars := map[corev1.ResourceName]bool{}
	for i := range k.Classes {
		for name := range objects.PodRequests(k.Classes[i].Pod) {
			scalars[name] = true
		}
	}
	for i := range k.profiles {
		for _, r := range slices.Concat(k.profiles[i].Resources, k.profiles[i].Balanced) {
			scalars[r.Name] = true
		}
	}
	var names []corev1.ResourceName
	for name := range scalars {
		if isScalar(name) && !slices.Contains(k.Resources, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	k.Resources = append(k.Resources, names...)
	for i := range k.profiles {
		p := &k.profiles[i]
		p.fitDims, p.balDims = k.dims(p.Resources), k.dims(p.Balanced)
	}
}

func (k *Compiled) dims(list []state.ResourceWeight) []int {
	out := make([]int, len(list))
	for i, r := range list {
		out[i] = slices.Index(k.Resources, r.Name)
	}
	return out
}

// vector reads a resource list in the order of k.resources.
//
// Upstream: framework: (*Resource).Add.
func (k *Compiled) vector(list corev1.ResourceList) []int64 {
	out := make([]int64, len(k.Resources))
	for i, name := range k.Resources {
		q := list[name]
		if out[i] = q.Value(); i == DimCPU {
			out[i] = q.MilliValue()
		}
	}
	return out
}

// isScalar reports whether NodeInfo counts a resource beside cpu, memory and storage.
//
// Upstream: pkg/scheduler/util: IsScalarResourceName.
func isScalar(name corev1.ResourceName) bool {
	return isExtended(name) || objects.IsHugePages(name) ||
		strings.Contains(string(name), corev1.ResourceDefaultNamespacePrefix) ||
		strings.HasPrefix(string(name), corev1.ResourceAttachableVolumesPrefix)
}

// IsExtended reports whether a resource is a device of a plugin or another one that is counted one by one.
func IsExtended(name corev1.ResourceName) bool { return isExtended(name) }

// isExtended is upstream's helper.IsExtendedResourceName.
func isExtended(name corev1.ResourceName) bool {
	native := !strings.Contains(string(name), "/") || strings.Contains(string(name), corev1.ResourceDefaultNamespacePrefix)
	if native || strings.HasPrefix(string(name), corev1.DefaultResourceRequestsPrefix) {
		return false
	}
	return len(validation.IsQualifiedName(corev1.DefaultResourceRequestsPrefix+string(name))) == 0
}

// namespaceLabels are the labels of a namespace, with the one that every namespace has.
func (k *Compiled) namespaceLabels(ns string) labels.Set {
	return labels.Merge(labels.Set{corev1.LabelMetadataName: ns}, k.Cfg.Spec.Namespaces[ns])
}
