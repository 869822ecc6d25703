package diff

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"sort"

	"github.com/kubesettle/kubesettle/render/object"
)

// pairing finds who became whom among the objects that one side alone has.
type pairing struct {
	removed, added []*object.Object
	was, is        []map[string]string // their leaves
	to             map[int]int         // of removed, into added
	taken          map[int]bool        // of added
}

// Beyond maxRenamePairs of one kind, an object is compared with renameWindow others to each side of where it
// would stand among them by name, and as many by its name from behind: a prefix or suffix keeps such a place.
const (
	maxRenamePairs = 1 << 20
	renameWindow   = 16
)

func (p *pairing) pair(i, j int) { p.to[i], p.taken[j] = j, true }

// alikeKind has the properties that two objects must share to be one.
func alikeKind(o *object.Object) string { return fmt.Sprint(o.ID.Group, "/", o.ID.Kind, " ", o.Hook) }

// equal pairs those that differ in their names alone, in order: no other pair is more alike.
func (p *pairing) equal() {
	free := map[string][]int{}
	for j, o := range p.added {
		k := alikeKind(o) + leavesSum(p.is[j])
		free[k] = append(free[k], j)
	}
	for i, o := range p.removed {
		k := alikeKind(o) + leavesSum(p.was[i])
		if list := free[k]; len(list) > 0 && len(p.was[i]) > 0 {
			p.pair(i, list[0])
			free[k] = list[1:]
		}
	}
}

// leavesSum is the same for the same leaves.
func leavesSum(leaves map[string]string) string {
	h := sha256.New()
	for _, k := range slices.Sorted(maps.Keys(leaves)) {
		fmt.Fprintf(h, "%q=%q\n", k, leaves[k])
	}
	return string(h.Sum(nil))
}

// like pairs the rest, the most alike first; of equals those that stand first.
func (p *pairing) like() {
	type candidate struct {
		from, to int
		score    float64
	}
	removed, added := map[string][]int{}, map[string][]int{}
	for j, o := range p.added {
		if !p.taken[j] {
			added[alikeKind(o)] = append(added[alikeKind(o)], j)
		}
	}
	for i, o := range p.removed {
		if _, done := p.to[i]; !done {
			removed[alikeKind(o)] = append(removed[alikeKind(o)], i)
		}
	}
	var list []candidate
	for kind, from := range removed {
		others := func(int) []int { return added[kind] }
		if len(from)*len(added[kind]) > maxRenamePairs {
			others = p.near(added[kind])
		}
		for _, i := range from {
			for _, j := range others(i) {
				if s := likeness(p.was[i], p.is[j]); s >= RenameThreshold {
					list = append(list, candidate{i, j, s})
				}
			}
		}
	}
	sort.Slice(list, func(a, b int) bool {
		x, y := list[a], list[b]
		if x.score != y.score {
			return x.score > y.score
		}
		return x.from < y.from || x.from == y.from && x.to < y.to
	})
	for _, c := range list {
		if _, done := p.to[c.from]; !done && !p.taken[c.to] {
			p.pair(c.from, c.to)
		}
	}
}

// near gives those of the added objects whose names stand around a removed one's, in order.
func (p *pairing) near(added []int) func(i int) []int {
	orders := []func(*object.Object) string{
		func(o *object.Object) string { return o.ID.Namespace + "/" + o.ID.Name },
		func(o *object.Object) string { return o.ID.Name + "/" + o.ID.Namespace },
		func(o *object.Object) string { return backwards(o.ID.Name) + "/" + o.ID.Namespace },
	}
	sorted := make([][]int, len(orders))
	for k, name := range orders {
		sorted[k] = slices.Clone(added)
		sort.SliceStable(sorted[k], func(a, b int) bool { return name(p.added[sorted[k][a]]) < name(p.added[sorted[k][b]]) })
	}
	return func(i int) []int {
		var out []int
		for k, name := range orders {
			own, list := name(p.removed[i]), sorted[k]
			at := sort.Search(len(list), func(n int) bool { return name(p.added[list[n]]) >= own })
			out = append(out, list[max(at-renameWindow, 0):min(at+renameWindow, len(list))]...)
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
}

// backwards is a text with its bytes in the other order.
func backwards(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}
