package slice

import (
	"maps"
	"slices"

	"github.com/kubesettle/kubesettle/policies"
)

// Joint are two workloads of different releases, by release and ID, that belong into one slice.
type Joint [2][2]string

// mostDisplaced is the most workloads of other releases that are searched with one that may preempt their pods: more
// stay where they are, which is said.
const mostDisplaced = 3

// Displaces lists the workloads of other releases whose pods one of the slice outranks on a node that may lack room for
// both.
func (a *Around) Displaces(sl *Slice, p *policies.Policy) []Joint {
	by, top := sl.preempts()
	if by == "" || top <= a.lowest(p) {
		return nil
	}
	met, _ := a.Meet(sl, p)
	found := map[[2]string]bool{}
	for _, m := range met {
		if m.Alone() {
			continue
		}
		for _, n := range m.Own.Cluster.Nodes {
			if b := m.Own.Cluster.Beside[n.Name]; b == nil || !sl.crowdedBy(n, b) {
				continue
			}
			for _, s := range m.cast.on[n.Name] {
				if s.priority < top && s.release != "" && s.release != sl.Release && !sl.owns(s) {
					found[[2]string{s.release, s.id}] = true
				}
			}
		}
	}
	if len(found) > mostDisplaced {
		return nil
	}
	var out []Joint
	order := func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }
	for _, low := range slices.SortedFunc(maps.Keys(found), order) {
		out = append(out, Joint{{sl.Owner(by), by}, low})
	}
	return out
}

// lowest is a priority below which no pod beside a slice is.
func (a *Around) lowest(p *policies.Policy) (least int32) {
	for i := range p.Cluster.Workloads {
		if n := p.Cluster.Workloads[i].Pod().Spec.Priority; n != nil {
			least = min(least, *n)
		}
	}
	for _, r := range slices.Concat(a.releases, a.added) {
		s, _ := a.side(r)
		for _, value := range s.priorities.spec.PriorityClasses {
			least = min(least, value)
		}
		for _, o := range s.Workloads {
			if n := templateOf(o).Spec.Priority; n != nil {
				least = min(least, *n)
			}
		}
	}
	return least
}

// joint reports whether two workloads of different releases are known to belong into one slice.
func (s Scope) joint(releaseA, a, releaseB, b string) bool {
	x, y := [2]string{releaseA, a}, [2]string{releaseB, b}
	return slices.Contains(s.Joints, Joint{x, y}) || slices.Contains(s.Joints, Joint{y, x})
}
