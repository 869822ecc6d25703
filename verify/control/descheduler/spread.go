package descheduler

import (
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/state"
)

// spreadIdentity is what upstream compares constraints by; two pods whose constraints
// are equal in it have one.
type spreadIdentity struct {
	namespace    string
	maxSkew      int32
	key          string
	selector     labels.Selector
	affinity     corev1.NodeInclusionPolicy
	taints       corev1.NodeInclusionPolicy
	nodeAffinity nodeaffinity.RequiredNodeAffinity
	tolerations  []corev1.Toleration
}

// spreadRule is one distinct constraint of a namespace.
type spreadRule struct {
	identity spreadIdentity
	owners   []int             // pod classes that declare it
	domain   []int32           // by node: its domain, or -1
	eligible []bool            // by node: passes the inclusion policies
	match    []bool            // by pod class
	stands   scheduler.Service // of a node out of service, what keeps it eligible
	domains  int
}

// spread compiles RemovePodsViolatingTopologySpreadConstraint.
//
// Upstream: removepodsviolatingtopologyspreadconstraint: Balance,
// newTopologySpreadConstraint, hasIdenticalConstraints, matchNodeInclusionPolicies,
// topologyIsBalanced, balanceDomains, sortDomains, filterNodesBelowIdealAvg.
func (k *deschedCompiled) spread(plugin *deschedPlugin, a *state.SpreadArgs) error {
	var err error
	if plugin.selects, err = k.selection(a.PodSelection, plugin.field); err != nil {
		return err
	}
	for p := range k.classes {
		for _, c := range kube.Spreads(&k.classes[p].pod.Spec) {
			if !slices.Contains(a.Constraints, c.WhenUnsatisfiable) {
				continue
			}
			selector, err := metav1.LabelSelectorAsSelector(c.LabelSelector)
			if err != nil {
				continue // upstream logs it and goes on
			}
			k.addSpread(plugin, p, c, selector)
		}
	}
	plugin.balanceFit = a.BalanceFit
	plugin.run = removeUnspread
	plugin.because = func(k *deschedCompiled, s state.State, p int) []actor.Ref {
		var out []actor.Ref
		for _, c := range kube.Spreads(&k.classes[p].pod.Spec) {
			if slices.Contains(a.Constraints, c.WhenUnsatisfiable) {
				out = append(out, templateRef(k, s, p, c.Field()))
			}
		}
		return out
	}
	return nil
}

func (k *deschedCompiled) addSpread(plugin *deschedPlugin, p int, c kube.Spread,
	selector labels.Selector) {
	pod := k.classes[p].pod
	id := spreadIdentity{
		namespace: pod.Namespace, maxSkew: c.MaxSkew, key: c.TopologyKey, selector: selector,
		affinity: scheduler.OrPolicy(c.NodeAffinityPolicy, corev1.NodeInclusionPolicyHonor),
		taints:   scheduler.OrPolicy(c.NodeTaintsPolicy, corev1.NodeInclusionPolicyIgnore),
	}
	if id.affinity == corev1.NodeInclusionPolicyHonor {
		id.nodeAffinity = nodeaffinity.GetRequiredNodeAffinity(pod)
	}
	if id.taints == corev1.NodeInclusionPolicyHonor {
		id.tolerations = pod.Spec.Tolerations
	}
	for i := range plugin.constraints {
		if rule := &plugin.constraints[i]; reflect.DeepEqual(rule.identity, id) {
			rule.owners = append(rule.owners, p)
			return
		}
	}
	rule := spreadRule{identity: id, owners: []int{p},
		stands: scheduler.Cordoned | scheduler.Lost | scheduler.Deleting | scheduler.DiskShort | scheduler.MemoryShort}
	if id.taints == corev1.NodeInclusionPolicyHonor {
		rule.stands = k.classes[p].stands
	}
	values := map[string]int32{}
	for n := range k.nodes {
		node := k.nodes[n].object
		ok := true
		if id.affinity == corev1.NodeInclusionPolicyHonor {
			ok, _ = id.nodeAffinity.Match(node) // upstream ignores parsing errors, too
		}
		if ok && id.taints == corev1.NodeInclusionPolicyHonor {
			ok = toleratesAll(pod, node, keepsOut)
		}
		rule.eligible = append(rule.eligible, ok)
		domain := int32(-1)
		if v, has := node.Labels[c.TopologyKey]; has {
			if _, seen := values[v]; !seen {
				values[v] = int32(len(values))
			}
			domain = values[v]
		}
		rule.domain = append(rule.domain, domain)
	}
	rule.domains = len(values)
	for q := range k.classes {
		other := k.classes[q].pod
		rule.match = append(rule.match, other.Namespace == pod.Namespace && selector.Matches(labels.Set(other.Labels)))
	}
	plugin.constraints = append(plugin.constraints, rule)
}
