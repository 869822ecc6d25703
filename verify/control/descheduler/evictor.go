package descheduler

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/verify/state"
)

// Annotations that the descheduler reads.
const (
	alwaysEvict      = "descheduler.alpha.kubernetes.io/evict"
	preferNoEviction = "descheduler.alpha.kubernetes.io/prefer-no-eviction"
)

// systemCritical is upstream's utils.SystemCriticalPriority.
const systemCritical int32 = 2_000_000_000

// deschedEvictor is the DefaultEvictor of one profile.
//
// Upstream: defaultevictor: Filter, PreEvictionFilter, applyEffectivePodProtections, applyFailedBarePodsProtection,
// evictionConstraintsForLabelSelector, evictionConstraintsForMinReplicas.
type deschedEvictor struct {
	always      []bool // by pod class: annotated to be evictable whatever else holds
	allowed     []bool // by pod class: passes the checks that do not depend on the state
	inNamespace []bool // by pod class: namespaceLabelSelector
	minReplicas int
	needsBudget bool
	nodeFit     bool
	fitNodes    []bool // by node: nodeFit looks at it
}

func (k *deschedCompiled) evictor(a *state.DefaultEvictor) (*deschedEvictor, error) {
	e := &deschedEvictor{needsBudget: a.ProtectWithoutPDB, nodeFit: a.NodeFit}
	if a.MinReplicas > 1 {
		e.minReplicas = a.MinReplicas
	}
	if a.ProtectPVC && len(a.ProtectedStorageClasses) > 0 {
		return nil, deschedUnmodeled(a.Field+".podProtections.config", "storage classes of claims")
	}
	nodes, err := labels.Parse(a.NodeSelector)
	if err != nil {
		return nil, deschedUnmodeled(a.Field+".nodeSelector", err.Error())
	}
	for n := range k.nodes {
		e.fitNodes = append(e.fitNodes, nodes.Matches(labels.Set(k.nodes[n].object.Labels)))
	}
	chosen, spaces := labels.Everything(), labels.Everything()
	if a.LabelSelector != nil {
		if chosen, err = metav1.LabelSelectorAsSelector(a.LabelSelector); err != nil {
			return nil, deschedUnmodeled(a.Field+".labelSelector", err.Error())
		}
	}
	if a.NamespaceLabelSelector != nil {
		if spaces, err = metav1.LabelSelectorAsSelector(a.NamespaceLabelSelector); err != nil {
			return nil, deschedUnmodeled(a.Field+".namespaceLabelSelector", err.Error())
		}
	}
	limit, err := k.threshold(a)
	if err != nil {
		return nil, err
	}
	for p := range k.classes {
		class := &k.classes[p]
		_, annotated := class.pod.Annotations[alwaysEvict]
		ns := labels.Merge(labels.Set{corev1.LabelMetadataName: class.pod.Namespace},
			k.cfg.Spec.Namespaces[class.pod.Namespace])
		e.always = append(e.always, annotated)
		e.allowed = append(e.allowed, !protected(a, class, limit) && chosen.Matches(labels.Set(class.pod.Labels)))
		e.inNamespace = append(e.inNamespace, spaces.Matches(ns))
	}
	return e, nil
}

// threshold is the priority from which on pods stay.
//
// Upstream: setDefaultEvictor, utils.GetPriorityValueFromPriorityThreshold.
func (k *deschedCompiled) threshold(a *state.DefaultEvictor) (int32, error) {
	t := a.PriorityThreshold
	switch {
	case t.Value != nil:
		return *t.Value, nil
	case t.Name == "", t.Name == "system-cluster-critical":
		return systemCritical, nil
	}
	v, ok := k.cfg.Spec.PriorityClasses[t.Name]
	if !ok {
		return 0, deschedUnmodeled(a.Field+".priorityThreshold.name", "the PriorityClass "+t.Name+" is not among the objects")
	}
	return v, nil
}

// protected reports whether a pod stays whatever the state is.
func protected(a *state.DefaultEvictor, class *deschedClass, limit int32) bool {
	_, avoid := class.pod.Annotations[preferNoEviction]
	volume := func(is func(*corev1.Volume) bool) bool {
		return slices.ContainsFunc(class.pod.Spec.Volumes, func(v corev1.Volume) bool { return is(&v) })
	}
	switch {
	case class.owner == "": // a running pod without owners stays in any case: applyFailedBarePodsProtection
	case a.MandatoryNoEviction && avoid:
	case a.ProtectSystemCritical && (class.priority >= systemCritical || class.priority >= limit):
	case a.ProtectLocalStorage && volume(func(v *corev1.Volume) bool { return v.HostPath != nil || v.EmptyDir != nil }):
	case a.ProtectDaemonSets && class.owner == "DaemonSet":
	case a.ProtectPVC && volume(func(v *corev1.Volume) bool { return v.PersistentVolumeClaim != nil }):
	case a.ProtectResourceClaims && len(class.pod.Spec.ResourceClaims) > 0:
	default:
		return false
	}
	return true
}

// evictable reports what the evictor's Filter says on pods of class p that are not on deletion.
func (r *descheduling) evictable(e *deschedEvictor, p int) bool {
	if e.always[p] {
		return true
	}
	return e.allowed[p] && (e.minReplicas == 0 || r.owned(p) >= e.minReplicas) &&
		(!e.needsBudget || r.k.api.Covered(r.now, p))
}

// owned is how many pods the owner of class p's pods has.
func (r *descheduling) owned(p int) int {
	class := &r.k.cfg.Pods[p]
	if class.Ordinal == state.NoOrdinal {
		return r.now.Existing(p)
	}
	total := 0
	for _, q := range r.k.cfg.ClassesOf[class.Workload] {
		total += r.now.Existing(q)
	}
	return total
}

// mayLeave reports what the evictor's PreEvictionFilter says on pods of class p on node n.
func (r *descheduling) mayLeave(e *deschedEvictor, p, n int) bool {
	return e.inNamespace[p] && (!e.nodeFit || r.fitsAnother(p, n, e.fitNodes))
}

// fitsAnother reports whether a pod of class p fits any of some nodes but its own.
//
// Upstream: node: PodFitsAnyOtherNode.
func (r *descheduling) fitsAnother(p, own int, among []bool) bool {
	for n := range r.k.nodes {
		if n != own && among[n] && r.up[n] && r.fits(p, own, n) {
			return true
		}
	}
	return false
}

// fits reports whether the descheduler thinks that a pod of class p on node own could run
// on node n.
//
// Upstream: node: NodeFit, podMatchesInterPodAntiAffinity, fitsRequest,
// nodeAvailableResources.
func (r *descheduling) fits(p, own, n int) bool {
	class := &r.k.classes[p]
	if !r.lands(p, n) {
		return false
	}
	for i := range class.anti {
		t := &class.anti[i]
		if !t.has[n] {
			continue
		}
		others := 0
		for _, q := range t.match {
			others += r.held(n, q)
			if q == p && n == own {
				others--
			}
		}
		if others > 0 {
			return false
		}
	}
	if n == own {
		return true
	}
	node := &r.k.nodes[n]
	used := r.used[n*len(r.k.resources):]
	for d := range r.k.resources {
		if d != deschedPods && (node.elastic || !class.named[d]) {
			continue
		}
		if class.request[d] > node.capacity[d]-used[d] {
			return false
		}
	}
	return true
}

// held counts the pods of class p on node n in any phase: one on deletion keeps its
// place.
func (r *descheduling) held(n, p int) int {
	return r.now.LiveOn(n, p) + r.now.On(n, p, state.Terminating)
}
