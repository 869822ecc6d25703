package slice

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Around knows what stands around the slices of a change where no snapshot tells: the pods that
// base's releases declare, on the nodes on which the scheduler puts them while these are empty, the
// highest priority first. It is one placement of those that the cluster can come to.
type Around struct {
	policy   *policies.Policy
	releases []*object.Rendered
	asked    map[string]*object.Rendered // releases that are checked, by ID
	sizes    [][]*corev1.Node            // that the cluster may have, the smallest first; nil: their capacity is not known
	fixed    bool                        // there is one size
	placed   map[string]*cast
}

// cast is where the pods of one set of releases stand.
type cast struct {
	on    map[string][]standing // by node
	left  []standing            // without a node
	err   error                 // why it is not known
	tight bool                  // each stands on the node that has least left, and not where the scheduler puts it
}

// standing are like pods of one workload on one node.
type standing struct {
	release, id string
	priority    int32
	pod         *corev1.Pod
	count       int
	share       float64 // of a node that one pod requests; see shareOf
}

// NewAround gathers what base declares; head, where there is no base.
func NewAround(p *policies.Policy, ch *object.Changes) *Around {
	rev := ch.Base
	if rev == nil {
		rev = ch.Head
	}
	a := &Around{policy: p, asked: map[string]*object.Rendered{}, placed: map[string]*cast{}}
	for _, r := range rev.Releases {
		if r.Switched == "" {
			a.releases = append(a.releases, r)
		}
	}
	for _, r := range ch.Head.Releases {
		a.asked[r.ID] = r
	}
	_, a.fixed = p.Cluster.Fixed()
	a.sizes = p.Cluster.Sizes()
	return a
}

// Meet gives the policy with each declared node as the slice finds it, the same with the others as
// tightly as they fit, and says what that rests on. Where the others leave room on every node for all
// pods that the slice may have, the policy stays as it is: they make no difference.
func (a *Around) Meet(sl *Slice, p *policies.Policy) (own, packed *policies.Policy, notes []finding.Note) {
	if !a.fixed {
		return p, nil, nil
	}
	mine := sl.owns
	spread, tight := a.castOf(sl.Release, p, 0, false), a.castOf(sl.Release, p, 0, true)
	if spread.err != nil {
		return p, nil, []finding.Note{finding.Say(finding.OthersTakeNoRoom, spread.err)}
	}
	if tight.err != nil || len(tight.left) > len(spread.left) { // nothing tighter is known
		tight = spread
	}
	own, packed, matters := a.room(sl, p, 0, spread, tight)
	if !matters {
		return p, nil, nil
	}
	sl.hold(own, func(node string) []outside {
		var out []outside
		for _, s := range spread.on[node] {
			if !mine(s) {
				out = append(out, outside{s.id, s.priority})
			}
		}
		return out
	})
	notes = []finding.Note{finding.Say(finding.OthersTakeRoom)}
	if s, ok := spread.homeless(mine); ok {
		notes = append(notes, finding.Say(finding.NodesTooFew).On(s.id))
	}
	return own, packed, notes
}

// owns reports whether pods are of the slice itself; for its DaemonSets see [Slice.Crowd].
func (sl *Slice) owns(s standing) bool {
	return s.release == sl.Release && (sl.IsWorkload(s.id) || sl.isDaemon(s.id))
}

// Met is a cluster of one size as a slice finds it beside the others.
type Met struct{ Own, Packed *policies.Policy }

// mostSizes is at how many sizes of an open cluster a slice meets the others.
const mostSizes = 3

// Sizes gives, where the number of nodes is open, the smallest clusters of those declared that hold the
// others and in which a pod of the slice can miss what they take, at most three: on larger ones there is
// more room, not less. from is the policy without the sizes that do not hold the others, where one pool
// decides them; notes say what that rests on.
func (a *Around) Sizes(sl *Slice, p *policies.Policy) (from *policies.Policy, out []Met, notes []finding.Note) {
	if a.fixed {
		return p, nil, nil
	}
	from = p
	never := map[string]bool{} // workloads that the largest cluster has no node for: they stay pending on any
	if n := len(a.sizes); n > 0 {
		for _, s := range a.castOf(sl.Release, p, n-1, false).left {
			never[s.id] = true
		}
	}
	mine := func(s standing) bool { return sl.owns(s) || never[s.id] }
	for size, nodes := range a.sizes {
		spread, tight := a.castOf(sl.Release, p, size, false), a.castOf(sl.Release, p, size, true)
		if spread.err != nil {
			return p, nil, []finding.Note{finding.Say(finding.OthersTakeNoRoom, spread.err)}
		}
		if _, ok := spread.homeless(mine); ok { // the cluster is larger than this
			continue
		}
		if size > 0 && from == p { // a smaller one does not hold them
			from = atLeast(p, len(nodes))
		}
		if _, ok := tight.homeless(mine); ok || tight.err != nil {
			tight = spread
		}
		own, packed, matters := a.room(sl, p, size, spread, tight)
		if !matters {
			break
		}
		if out = append(out, Met{own, packed}); len(out) == mostSizes {
			break
		}
	}
	if len(out) > 0 {
		notes = append(notes, finding.Say(finding.OthersTakeRoom))
	}
	return from, out, notes
}

// atLeast is a policy whose only pool of an open size has what n nodes in all need.
func atLeast(p *policies.Policy, n int) *policies.Policy {
	open := -1
	n -= len(p.Cluster.Nodes)
	for i, pool := range p.Cluster.Pools {
		switch {
		case pool.Min == pool.Max:
			n -= pool.Min
		case open >= 0:
			return p
		default:
			open = i
		}
	}
	if open < 0 || n <= p.Cluster.Pools[open].Min {
		return p
	}
	own := *p
	own.Cluster.Pools = slices.Clone(p.Cluster.Pools)
	own.Cluster.Pools[open].Min = n
	return &own
}

// room gives the policy with what others take of each node of a size where they are spread, the same
// where they stand tightly, and reports whether either can matter to the slice.
func (a *Around) room(sl *Slice, p *policies.Policy, size int, spread,
	tight *cast) (own, packed *policies.Policy, matter bool) {
	var matters [2]bool
	own, matters[0] = a.with(sl, p, size, spread)
	packed, matters[1] = a.with(sl, p, size, tight)
	return own, packed, matters[0] || matters[1]
}

// with gives the policy with what others take of each node, and reports whether that is so much that
// a pod of the slice could miss it.
func (a *Around) with(sl *Slice, p *policies.Policy, size int, at *cast) (*policies.Policy, bool) {
	beside, matters := map[string]*state.Beside{}, false
	for _, n := range a.sizes[size] {
		b := besideOn(at.on[n.Name], sl.owns)
		if len(b.Pods) > 0 {
			beside[n.Name] = b
			matters = matters || sl.crowdedBy(n, b)
		}
	}
	own := *p
	own.Cluster.Nodes, own.Cluster.Pools, own.Cluster.Beside = a.sizes[size], nil, beside
	return &own, matters
}

// homeless is what of the others found no node.
func (at *cast) homeless(mine func(standing) bool) (standing, bool) {
	i := slices.IndexFunc(at.left, func(s standing) bool { return !mine(s) })
	if i < 0 {
		return standing{}, false
	}
	return at.left[i], true
}

// castOf is that of the releases that share a cluster with one.
func (a *Around) castOf(release string, p *policies.Policy, size int, tight bool) *cast {
	together := []*object.Rendered{}
	key := fmt.Sprintln(size, tight)
	asks := a.asked[release] // it may be new
	for _, r := range a.releases {
		if r.ID == release || asks != nil && a.runs(asks) && a.runs(r) && asks.Cluster == r.Cluster {
			together = append(together, r)
			key += r.ID + "\n"
		}
	}
	if a.placed[key] == nil {
		a.placed[key] = place(together, a.sizes[size], p, tight)
	}
	return a.placed[key]
}

func (a *Around) runs(r *object.Rendered) bool { return a.policy.Cluster.Runs(r.ID, r.Path) }

// besideOn sums up what stands on a node, but for some of it, by rising priority.
func besideOn(list []standing, but func(standing) bool) *state.Beside {
	out := &state.Beside{}
	for _, s := range list {
		if but(s) {
			continue
		}
		i, found := slices.BinarySearchFunc(out.Pods, s.priority,
			func(p state.BesidePods, priority int32) int { return cmp.Compare(p.Priority, priority) })
		if !found {
			out.Pods = slices.Insert(out.Pods, i, state.BesidePods{Priority: s.priority, Requests: corev1.ResourceList{}})
		}
		to := &out.Pods[i]
		to.Count += s.count
		addTimes(to.Requests, requestsOf(&s.pod.Spec), int64(s.count))
		scored := scheduler.ScoredRequests(s.pod)
		for d := range scored {
			to.Scored[d] += int64(s.count) * scored[d]
		}
		to.Ports = append(to.Ports, hostPorts(&s.pod.Spec)...)
	}
	return out
}

// crowdedBy reports whether the pods of the slice could want more of a node than others leave, of something that these
// take: who takes nothing of it does not even decide, by the scheduler's scores, where they go.
func (sl *Slice) crowdedBy(n *corev1.Node, b *state.Beside) bool {
	want := corev1.ResourceList{}
	var each []corev1.ResourceList
	for i := range sl.Spec.Workloads {
		w := &sl.Spec.Workloads[i]
		if len(w.Sizes) > 0 {
			return true
		}
		var most [2]corev1.ResourceList
		for v := range w.Manifests {
			m := &w.Manifests[v]
			if !m.Exists() {
				continue
			}
			if m.VPA != nil || sharePort(m.Pod(), b) {
				return true
			}
			n := m.MostReplicas()
			n += m.Pace().SurgeOf(n)
			most[v] = corev1.ResourceList{corev1.ResourcePods: *resource.NewQuantity(int64(n), resource.DecimalSI)}
			each = append(each, requestsOf(m.Pod()))
			addTimes(most[v], requestsOf(m.Pod()), int64(n))
		}
		for _, list := range most { // pods of both versions stand side by side in a rollout
			addTimes(want, list, 1)
		}
	}
	if most := mostOn(n, each); want.Pods().Value() > most {
		want[corev1.ResourcePods] = *resource.NewQuantity(most, resource.DecimalSI)
	}
	class := state.NodeClass{Node: n, Beside: b}
	free := class.Free(state.EveryPriority)
	for name, q := range want {
		if have, ok := free[name]; ok && have.Cmp(q) < 0 && anyTakes(b, name) {
			return true
		}
	}
	return false
}

// mostOn is how many pods, each of some requests, a node can hold at most by what all of them request.
func mostOn(n *corev1.Node, each []corev1.ResourceList) int64 {
	most := int64(math.MaxInt64)
	for name, have := range n.Status.Allocatable {
		least := int64(math.MaxInt64)
		for _, list := range each {
			least = min(least, list.Name(name, resource.DecimalSI).MilliValue())
		}
		if len(each) > 0 && least > 0 {
			most = min(most, have.MilliValue()/least)
		}
	}
	return most
}

// anyTakes reports whether pods take some of a resource.
func anyTakes(b *state.Beside, name corev1.ResourceName) bool {
	return slices.ContainsFunc(b.Pods, func(p state.BesidePods) bool {
		q := p.Requests[name]
		return name == corev1.ResourcePods && p.Count > 0 || !q.IsZero()
	})
}

// sharePort reports whether a pod wants a port of the node that others hold.
func sharePort(pod *corev1.PodSpec, b *state.Beside) bool {
	for _, want := range hostPorts(pod) {
		for _, p := range b.Pods {
			if slices.ContainsFunc(p.Ports, func(have corev1.ContainerPort) bool { return have.HostPort == want.HostPort }) {
				return true
			}
		}
	}
	return false
}

func hostPorts(pod *corev1.PodSpec) []corev1.ContainerPort {
	var out []corev1.ContainerPort
	for _, c := range slices.Concat(pod.Containers, pod.InitContainers) {
		for _, p := range c.Ports {
			if p.HostPort > 0 {
				out = append(out, p)
			}
		}
	}
	return out
}

// requestsOf are what a pod requests, as it is admitted.
func requestsOf(pod *corev1.PodSpec) corev1.ResourceList {
	spec := pod.DeepCopy()
	objects.DefaultRequests(spec)
	return resourcehelper.PodRequests(&corev1.Pod{Spec: *spec}, resourcehelper.PodResourcesOptions{})
}

func addTimes(to, list corev1.ResourceList, n int64) {
	for name, q := range list {
		sum := to[name]
		more := q.DeepCopy()
		more.Mul(n)
		sum.Add(more)
		to[name] = sum
	}
}
