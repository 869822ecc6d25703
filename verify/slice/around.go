package slice

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Around knows the other pods of the cluster around the slices of a change if there is no snapshot: the pods that
// base's releases declare, and those that head adds, in every placement that the scheduler can bring them to on empty
// nodes, the highest priority first.
type Around struct {
	ties *Neighbours
	// releases are base's, or head's where there is no base; added those of head, with what it adds to them.
	releases, added []*object.Rendered
	// sizes are those that the cluster may have, the smallest first; nil: their capacity is not known.
	sizes  [][]*corev1.Node
	fixed  bool // there is one size
	placed map[string]*casts
	found  map[sized]*casts                // the same, by slice
	grown  map[*object.Rendered][]standing // what a release of head adds; filled as it is asked for
	sides  map[*object.Rendered]side       // filled as they are asked for
	apart  int                             // pairs of pods that were placed for one slice alone; see mostApart
}

// sized is a slice on a cluster of one of its sizes.
type sized struct {
	slice *Slice
	size  int
}

// mostApart bounds the pairs of pods that are placed anew for each slice without the pods that head adds to it. Further
// slices share one placement of all, from which each takes its own away: as many pods are asked for, and each that
// finds no node is another slice's.
const mostApart = 4_000_000

// cast is where the pods of one set of releases stand.
type cast struct {
	on   map[string][]standing // by node
	left []standing            // without a node
}

// NewAround gathers what base declares, and what head adds; head alone, where there is no base.
func NewAround(p *policies.Policy, ties *Neighbours, ch *object.Changes) *Around {
	rev := ch.Base
	if rev == nil {
		rev = ch.Head
	}
	a := &Around{ties: ties, placed: map[string]*casts{}, found: map[sized]*casts{},
		grown: map[*object.Rendered][]standing{}, sides: map[*object.Rendered]side{}}
	for _, r := range rev.Releases {
		if r.Switched == "" {
			a.releases = append(a.releases, r)
		}
	}
	for _, r := range ch.Head.Releases {
		if r.Switched == "" && ch.Base != nil {
			a.added = append(a.added, r)
		}
	}
	_, a.fixed = p.Cluster.Fixed()
	a.sizes = p.Cluster.Sizes()
	return a
}

// Met is a cluster as a slice finds it beside the others.
type Met struct {
	Own *policies.Policy
	// Others are the same cluster with the others elsewhere; none: where they stand is of no matter.
	Others []*policies.Policy
	cast   *cast
}

// Meet gives the policy with each declared node as the slice finds it, once for each placement of the others that it
// can distinguish, and says what that rests on. Where the others leave room on every node for all pods that the slice
// may have, the policy stays as it is: they make no difference.
func (a *Around) Meet(sl *Slice, p *policies.Policy) (out []Met, notes []finding.Note) {
	alone := []Met{{Own: p}}
	if !a.fixed {
		return alone, nil
	}
	at := a.castsOf(sl, p, 0)
	if at.err != nil {
		return alone, []finding.Note{finding.Say(finding.OthersTakeNoRoom, at.err)}
	}
	out = a.met(sl, p, 0, at.all)
	if len(out) == 0 {
		return alone, nil
	}
	notes = []finding.Note{finding.Say(finding.OthersTakeRoom)}
	for _, c := range at.all {
		if s, ok := c.without(sl.owns); ok {
			return out, append(notes, finding.Say(finding.NodesTooFew).On(s.id))
		}
	}
	return out, notes
}

// Alone reports whether the others make no difference.
func (m Met) Alone() bool { return m.cast == nil }

// Hold notes the workloads of a cluster that are held still though something may move them.
func (m Met) Hold(sl *Slice) {
	if m.cast == nil {
		return
	}
	sl.hold(m.Own, func(node string) []outside {
		var out []outside
		for _, s := range m.cast.on[node] {
			if !sl.owns(s) {
				out = append(out, outside{s.id, s.priority})
			}
		}
		return out
	})
}

// owns reports whether pods are of the slice itself; for its DaemonSets see [Slice.Crowd].
func (sl *Slice) owns(s standing) bool {
	return sl.IsWorkload(s.id) && s.release == sl.Owner(s.id) || sl.isDaemon(s.id)
}

const (
	// mostSizes is at how many sizes of an open cluster a slice meets the others.
	mostSizes = 3
	// mostMet is in how many placements of the others a slice is searched. One and the same with other labels, such as
	// two zones that change places, counts once.
	mostMet = 3
	// mostAsked is in how many more it is asked whether a finding is there as well.
	mostAsked = 12
)

// met are the clusters that a slice finds in some placements of the others, without those that it cannot distinguish;
// none, if their use matters to no pod of the slice in any placement.
func (a *Around) met(sl *Slice, p *policies.Policy, size int, all []*cast) (out []Met) {
	byShape, seen, matter := map[string][]Met{}, map[string]bool{}, false
	for _, c := range all {
		own, matters := a.with(sl, p, size, c)
		matter = matter || matters
		key, shape := sl.sees(own)
		if !seen[key] {
			seen[key] = true
			byShape[shape] = append(byShape[shape], Met{Own: own, cast: c})
		}
	}
	if !matter {
		return nil
	}
	var every []Met
	shapes := sortedIDs(byShape)
	for i, shape := range shapes {
		like := byShape[shape][:min(len(byShape[shape]), 2*mostMet)]
		every = append(every, like...)
		if i < mostMet-1 || i == len(shapes)-1 {
			out = append(out, like...)
		}
	}
	for i := range out {
		for j := range every[:min(len(every), mostAsked)] {
			if every[j].cast != out[i].cast {
				out[i].Others = append(out[i].Others, every[j].Own)
			}
		}
	}
	return out
}

// sees is what a slice sees of its nodes and what others take of them; shape is the same except for the nodes' labels.
func (sl *Slice) sees(p *policies.Policy) (key, shape string) {
	var keys, shapes []string
	for _, n := range p.Cluster.Nodes {
		bare := n.DeepCopy()
		bare.Labels = nil
		of := fmt.Sprintln(nodeKey(bare), p.Cluster.Beside[n.Name].Key())
		shapes = append(shapes, of)
		for _, label := range sortedIDs(n.Labels) {
			if sl.Relevant(label) && label != corev1.LabelHostname {
				of += fmt.Sprintln(label, n.Labels[label])
			}
		}
		keys = append(keys, of)
	}
	slices.Sort(keys)
	slices.Sort(shapes)
	return strings.Join(keys, "\n"), strings.Join(shapes, "\n")
}

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
		for _, c := range a.castsOf(sl, p, n-1).all {
			for _, s := range c.left {
				never[s.id] = true
			}
		}
	}
	mine := func(s standing) bool { return sl.owns(s) || never[s.id] }
	met, lacks := 0, ""
	for size, nodes := range a.sizes {
		at := a.castsOf(sl, p, size)
		if at.err != nil {
			return p, nil, []finding.Note{finding.Say(finding.OthersTakeNoRoom, at.err)}
		}
		fit := slices.DeleteFunc(slices.Clone(at.all), func(c *cast) bool {
			s, without := c.without(mine)
			if without && lacks == "" {
				lacks = s.id
			}
			return without
		})
		if len(fit) == 0 { // the cluster is larger than this
			continue
		}
		if size > 0 && from == p { // a smaller one does not hold them
			if from = atLeast(p, len(nodes)); from != p && lacks != "" {
				notes = append(notes, finding.Say(finding.SizesTooSmall, len(nodes)).On(lacks))
			}
		}
		here := a.met(sl, p, size, fit)
		if len(here) == 0 {
			break
		}
		out = append(out, here...)
		if met++; met == mostSizes {
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

// without is what of the others found no node.
func (at *cast) without(mine func(standing) bool) (standing, bool) {
	i := slices.IndexFunc(at.left, func(s standing) bool { return !mine(s) })
	if i < 0 {
		return standing{}, false
	}
	return at.left[i], true
}

// castsOf are those of the releases that share a cluster with that of a slice. Pods that head adds to the slice itself
// are not among them: they are searched.
func (a *Around) castsOf(sl *Slice, p *policies.Policy, size int) *casts {
	of := sized{sl, size}
	if a.found[of] == nil {
		a.found[of] = a.castsFor(sl, p, size)
	}
	return a.found[of]
}

func (a *Around) castsFor(sl *Slice, p *policies.Policy, size int) *casts {
	var id strings.Builder
	fmt.Fprintln(&id, size)
	beside := func(r *object.Rendered) bool {
		return r.ID == sl.Release || a.ties.Tie(sl.Release, r.ID) == Sure
	}
	var together []*object.Rendered
	for _, r := range a.releases {
		if beside(r) {
			together = append(together, r)
			fmt.Fprintln(&id, r.ID)
		}
	}
	var added []standing
	for _, r := range a.added {
		if beside(r) {
			added = append(added, a.adds(r)...)
		}
	}
	late := added
	if a.apart < mostApart {
		late = slices.DeleteFunc(slices.Clone(added), sl.owns)
	}
	for _, s := range late {
		id.WriteString(s.release + " " + s.id + "\n")
	}
	key := id.String()
	if a.placed[key] == nil {
		a.placed[key] = a.place(together, a.sizes[size], p, late)
		a.apart += len(late) * len(late)
	}
	return a.placed[key]
}

// adds are the pods that a release of head has and base's has not: of new workloads, and of those that grow.
func (a *Around) adds(r *object.Rendered) []standing {
	if out, known := a.grown[r]; known {
		return out
	}
	var out []standing
	if s, ok := a.side(r); ok {
		had := map[string]int{}
		for _, b := range a.releases {
			if b.ID != r.ID {
				continue
			}
			if s, ok := a.side(b); ok {
				for _, x := range s.standings(r.ID) {
					had[x.id] = x.count
				}
			}
		}
		for _, x := range s.standings(r.ID) {
			if x.count -= had[x.id]; x.count > 0 {
				out = append(out, x)
			}
		}
	}
	a.grown[r] = out
	return out
}
