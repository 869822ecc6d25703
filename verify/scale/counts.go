package scale

import "slices"

// Counts maps declared numbers of pods (and of nodes, where pods are counted against
// them) to those of a reduced scale, by cutting long gaps short:
//
//   - 0 and everything up to Exact stay as they are;
//   - equal numbers stay equal and different ones different, in their order;
//   - the distance of two neighbours among the numbers that were declared stays, where
//     it is at most Gap, and otherwise becomes Gap, or a little more for a number of nodes
//     that zones share evenly.
//
// So a controller's comparisons come out as before: whether one number reaches another, and by how much it misses it,
// up to Gap.
type Counts struct {
	Exact, Gap int
	from, to   []int // the declared numbers, ascending, and their images
}

// compress makes the map for the numbers that were declared. The image of a number in even is a multiple of the value
// there, and its distance may be longer for that. gap is at least 1.
func compress(declared []int, even map[int]int, exact, gap int) Counts {
	c := Counts{Exact: exact, Gap: max(gap, 1)}
	c.from = append(c.from, declared...)
	c.from = append(c.from, 0, max(exact, 0))
	slices.Sort(c.from)
	c.from = slices.Compact(slices.DeleteFunc(c.from, func(n int) bool { return n < 0 }))
	for i, n := range c.from {
		switch {
		case n <= exact || i == 0:
			c.to = append(c.to, n)
		default:
			to := c.to[i-1] + min(n-c.from[i-1], c.Gap)
			for parts := even[n]; parts > 1 && to%parts != 0; {
				to++
			}
			c.to = append(c.to, min(to, n))
		}
	}
	return c
}

// Of is the image of a number. One that was not declared lies where its neighbours'
// images leave room for it: order is kept, but two such numbers may become one.
func (c Counts) Of(n int) int {
	i, known := slices.BinarySearch(c.from, n)
	switch {
	case known:
		return c.to[i]
	case n < 0:
		return n
	case i == len(c.from):
		return c.to[i-1] + min(n-c.from[i-1], c.Gap)
	}
	return min(c.to[i-1]+n-c.from[i-1], c.to[i])
}

// extent says how a share of a total stands to the total.
type extent uint8

const (
	none extent = iota
	some
	all
)

func extentOf(share, total int) extent {
	switch {
	case share <= 0:
		return none
	case share < total:
		return some
	}
	return all
}

// total is a number of replicas that shares are taken of, and its image.
type total struct{ declared, reduced int }

// share gives the image of a number of pods that is compared with totals, such as a
// surge: at most Gap, and none, some or all of each reduced total as it was of the
// declared one.
func (c Counts) share(n int, totals []total) int {
	if n <= 0 {
		return n
	}
	out := min(n, c.Gap)
	low, high := 1, -1
	for _, t := range totals {
		switch extentOf(n, t.declared) {
		case some:
			if most := t.reduced - 1; high < 0 || most < high {
				high = most
			}
		case all:
			low = max(low, t.reduced)
		}
	}
	if high >= 0 {
		out = min(out, high)
	}
	return max(out, low)
}

// against gives the image of a threshold that is compared with one total only: it is
// missed, or passed, by as much as before, up to Gap.
func (c Counts) against(n int, t total) int {
	if n > t.declared {
		return t.reduced + min(n-t.declared, c.Gap)
	}
	return max(t.reduced-min(t.declared-n, c.Gap), min(n, 1))
}

// percent gives the percentage next to p, in either direction, that is none, some or all
// of each reduced total as p was of the declared one, rounded as upstream rounds it.
// ok is false where there is none.
func percent(p int, up bool, totals []total) (out int, ok bool) {
	fits := func(q int) bool {
		for _, t := range totals {
			if extentOf(part(q, t.reduced, up), t.reduced) != extentOf(part(p, t.declared, up), t.declared) {
				return false
			}
		}
		return true
	}
	for d := range 101 {
		for _, q := range []int{p + d, p - d} {
			if q >= 0 && q <= max(100, p) && fits(q) {
				return q, true
			}
		}
	}
	return p, false
}

// part is a percentage of a total in pods.
//
// Upstream: k8s.io/apimachinery v0.36.3, pkg/util/intstr: GetScaledValueFromIntOrPercent.
func part(percent, total int, up bool) int {
	if up {
		return (percent*total + 99) / 100
	}
	return percent * total / 100
}
