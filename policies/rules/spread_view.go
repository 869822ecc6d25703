package rules

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	resourcehelper "k8s.io/component-helpers/resource"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"

	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/state"
)

// spreadView is what a version of a workload asks of where its pods stand.
type spreadView struct {
	class       int // of its pods, or the first of them
	own         []int
	soft        bool // nothing is required, so preferences count
	constraints []spreadRule
	apart       []apartRule
	open        []bool         // by node: nothing that is constant keeps the pods away
	room        [][]amount     // by node
	request     []([]amount)   // by class
	nodes       []*corev1.Node // by node
	resources   []corev1.ResourceName
}

// amount is one of a node's or a pod's resources, in thousandths of its unit.
type amount = int64

// spreadRule is a topology spread constraint.
type spreadRule struct {
	index, maxSkew, minDomains int
	hard                       bool
	key                        string
	domain                     domains
	match                      []int // pod classes that are counted
}

// apartRule is an anti-affinity term that selects the workload's own pods.
type apartRule struct {
	hard   bool
	key    string
	domain domains
	match  []int
}

// domains says which domain of a topology key each node is in.
type domains struct {
	name  []string // by node; "" where it is in none that counts
	first []int    // by node: the first one of the same domain
}

func (d *domains) add(name string) {
	first := slices.Index(d.name, name)
	if first < 0 {
		first = len(d.name)
	}
	d.name, d.first = append(d.name, name), append(d.first, first)
}

// standing counts by node the live pods of some classes in its domain, in one pass: as many
// domains as nodes are a hostname's.
func (d *domains) standing(s state.State, classes []int) []int {
	out := make([]int, len(d.name))
	for n, first := range d.first {
		for _, p := range classes {
			out[first] += s.LiveOn(n, p)
		}
	}
	for n, first := range d.first {
		out[n] = out[first]
	}
	return out
}

func (v *spreadView) asks() bool { return len(v.constraints)+len(v.apart) > 0 }

// newSpreadView compiles a version of workload w. A preference is left out if the manifest prefers other nodes as well,
// or if other pods decide whether a pod may move.
func newSpreadView(c *state.Config, w int, version state.Version) *spreadView {
	v := &spreadView{class: c.ByVersion[w][version]}
	if v.class < 0 {
		return v
	}
	for _, p := range c.ClassesOf[w] {
		if c.HasTemplate(p, version) {
			v.own = append(v.own, p)
		}
	}
	pod := templatePod(c, v.class)
	v.loadNodes(c, pod)
	v.loadConstraints(c, pod)
	v.loadApart(c, pod)
	required := slices.ContainsFunc(v.constraints, func(k spreadRule) bool { return k.hard }) ||
		slices.ContainsFunc(v.apart, func(k apartRule) bool { return k.hard })
	if v.soft = !required; v.soft && (wishesElse(pod) || keepOut(c)) {
		v.constraints, v.apart = nil, nil
	}
	return v
}

func templatePod(c *state.Config, p int) *corev1.Pod {
	t := c.Pods[p].Template
	return &corev1.Pod{ObjectMeta: t.ObjectMeta, Spec: t.Spec}
}

// wishesElse reports whether a pod prefers nodes for a reason beside its being spread.
func wishesElse(pod *corev1.Pod) bool {
	a := pod.Spec.Affinity
	return a != nil && (a.NodeAffinity != nil && len(a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution) > 0 ||
		a.PodAffinity != nil)
}

// keepOut reports whether pods of the problem may keep others from a node for more than room.
func keepOut(c *state.Config) bool {
	for p := range c.Pods {
		spec := &c.Pods[p].Template.Spec
		if kube.RepelsHard(spec) {
			return true
		}
		for _, list := range [][]corev1.Container{spec.Containers, spec.InitContainers} {
			if slices.ContainsFunc(list, func(k corev1.Container) bool {
				return slices.ContainsFunc(k.Ports,
					func(port corev1.ContainerPort) bool { return port.HostPort > 0 || spec.HostNetwork })
			}) {
				return true
			}
		}
	}
	return false
}

func (v *spreadView) loadNodes(c *state.Config, pod *corev1.Pod) {
	affinity := nodeaffinity.GetRequiredNodeAffinity(pod)
	for p := range c.Pods {
		for name := range resourcehelper.PodRequests(templatePod(c, p), resourcehelper.PodResourcesOptions{}) {
			if !slices.Contains(v.resources, name) {
				v.resources = append(v.resources, name)
			}
		}
	}
	slices.Sort(v.resources)
	for p := range c.Pods {
		requests := resourcehelper.PodRequests(templatePod(c, p), resourcehelper.PodResourcesOptions{})
		v.request = append(v.request, append(v.amounts(requests), 1000))
	}
	for n := range c.Nodes {
		class := &c.Spec.Classes[c.Nodes[n].Class]
		node := *class.Node
		node.Labels = labels.Merge(node.Labels, labels.Set{corev1.LabelHostname: c.Nodes[n].Name})
		fits, _ := affinity.Match(&node)
		_, tainted := corev1helpers.FindMatchingUntoleratedTaint(klog.Logger{}, node.Spec.Taints,
			pod.Spec.Tolerations, nil, false)
		v.nodes = append(v.nodes, &node)
		v.open = append(v.open, fits && !tainted && !node.Spec.Unschedulable)
		if class.Elastic {
			v.room = append(v.room, nil)
			continue
		}
		free := class.Free(state.EveryPriority)
		v.room = append(v.room, append(v.amounts(free), free.Pods().MilliValue()))
	}
}

func (v *spreadView) amounts(list corev1.ResourceList) []amount {
	out := make([]amount, 0, len(v.resources)+1)
	for _, name := range v.resources {
		q := list[name]
		out = append(out, q.MilliValue())
	}
	return out
}

// loadConstraints reads the topology spread constraints that count the pod itself.
//
// Upstream: kubernetes v1.36.3, podtopologyspread: getConstraints, nodeLabelsMatchSpreadConstraints.
func (v *spreadView) loadConstraints(c *state.Config, pod *corev1.Pod) {
	all := kube.Spreads(&pod.Spec)
	for _, t := range all {
		k := spreadRule{
			index: t.Index, maxSkew: int(t.MaxSkew), minDomains: 1, key: t.TopologyKey,
			hard: t.Hard(), match: matching(c, v.class, t.LabelSelector, t.MatchLabelKeys),
		}
		if t.MinDomains != nil && k.hard {
			k.minDomains = int(*t.MinDomains)
		}
		if !slices.Contains(k.match, v.class) {
			continue
		}
		for _, node := range v.nodes {
			domain := node.Labels[t.TopologyKey]
			for j := range all { // a node without one of the keys is in no domain
				if _, has := node.Labels[all[j].TopologyKey]; !has && all[j].WhenUnsatisfiable == t.WhenUnsatisfiable {
					domain = ""
				}
			}
			if !t.Counts(pod, node) {
				domain = ""
			}
			k.domain.add(domain)
		}
		v.constraints = append(v.constraints, k)
	}
}

// matching lists the pod classes that a selector of class p's pods selects.
func matching(c *state.Config, p int, selector *metav1.LabelSelector, keys []string) []int {
	sel, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		return nil
	}
	own := c.Pods[p].Template.Labels
	var out []int
	for q := range c.Pods {
		set := labels.Set(c.Pods[q].Template.Labels)
		if c.Pods[q].Namespace != c.Pods[p].Namespace || !sel.Matches(set) {
			continue
		}
		if !slices.ContainsFunc(keys, func(key string) bool {
			switch of := c.Spec.Workloads[c.Pods[p].Workload].Kind(); {
			case key == appsv1.DefaultDeploymentUniqueLabelKey &&
				of == state.Deployment, key == state.RolloutsHash && of == state.Rollout:
				return q != p
			case key == appsv1.StatefulSetRevisionLabel && of == state.StatefulSet:
				return c.Pods[q].Template != c.Pods[p].Template
			}
			return own[key] != set[key]
		}) {
			out = append(out, q)
		}
	}
	return out
}

func (v *spreadView) loadApart(c *state.Config, pod *corev1.Pod) {
	for _, t := range kube.Terms(&pod.Spec) {
		match := matching(c, v.class, t.LabelSelector, t.MatchLabelKeys)
		if !t.Anti || len(t.Namespaces) > 0 || t.NamespaceSelector != nil || len(t.MismatchLabelKeys) > 0 ||
			!slices.Contains(match, v.class) {
			continue
		}
		k := apartRule{hard: t.Required, key: t.TopologyKey, match: match}
		for _, node := range v.nodes {
			k.domain.add(node.Labels[t.TopologyKey])
		}
		v.apart = append(v.apart, k)
	}
}

// liveOn reports whether a live pod of the version stands on node n.
func (v *spreadView) liveOn(s state.State, n int) bool {
	return slices.ContainsFunc(v.own, func(p int) bool { return s.LiveOn(n, p) > 0 })
}

// skewed words that a domain with pods of the workload has more than the least filled one
// by more than maxSkew.
//
// Upstream: podtopologyspread: (*PodTopologySpread).Filter, minMatchNum.
func (v *spreadView) skewed(s state.State, k *spreadRule) (string, bool) {
	counts, all := k.domain.standing(s, k.match), 0
	least, where := -1, ""
	for n, d := range k.domain.name {
		if d != "" && k.domain.first[n] == n {
			all++
		}
		if d == "" || least >= 0 && counts[n] >= least || !k.hard && !v.takes(s, n) {
			continue
		}
		least, where = counts[n], d
	}
	if least < 0 {
		return "", false
	}
	if all < k.minDomains {
		least, where = 0, fmt.Sprintf("a domain that is missing of %d", k.minDomains)
	}
	for n, d := range k.domain.name {
		if d != "" && counts[n]-least > k.maxSkew && v.liveOn(s, n) {
			return fmt.Sprintf("with %d in %s and %d in %s, more than maxSkew %d of topologySpreadConstraints[%d] (%s) apart",
				counts[n], d, least, where, k.maxSkew, k.index, k.key), true
		}
	}
	return "", false
}

// together words that two pods stand in one domain that an anti-affinity term keeps apart;
// where it is preferred, although a domain that has none would take one.
func (v *spreadView) together(s state.State, k *apartRule) (string, bool) {
	held := k.domain.standing(s, k.match)
	if !k.hard && !v.takesWhereNone(s, &k.domain, held) {
		return "", false
	}
	for n, d := range k.domain.name {
		if d != "" && held[n] > 1 && v.liveOn(s, n) {
			return fmt.Sprintf("with %d in %s, which their anti-affinity over %s keeps apart", held[n], d, k.key), true
		}
	}
	return "", false
}

func (v *spreadView) takesWhereNone(s state.State, in *domains, held []int) bool {
	for n, d := range in.name {
		if d != "" && held[n] == 0 && v.takes(s, n) {
			return true
		}
	}
	return false
}

// takes reports whether node n is open to one more pod and has room for it.
func (v *spreadView) takes(s state.State, n int) bool {
	if !v.open[n] {
		return false
	}
	for i, has := range v.room[n] {
		used := v.request[v.class][i]
		for p := range s.C.Pods {
			used += int64(s.LiveOn(n, p)+s.On(n, p, state.Terminating)) * v.request[p][i]
		}
		if used > has {
			return false
		}
	}
	return true
}
