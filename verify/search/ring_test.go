package search

import "fmt"

// counter i of a ring steps up, hands a unit to its neighbour and wraps.
type counter struct{ i, n, top int }

func (c counter) Name() string     { return fmt.Sprintf("counter/%d", c.i) }
func (c counter) Urgency() Urgency { return Prompt }
func (c counter) Describe(from, to []byte, m Move) string {
	return [...]string{"up", "hand", "wrap"}[m.Kind]
}
func (c counter) Step(s []byte, next *Emit) {
	top := byte(c.top)
	j := (c.i + 1) % c.n
	v := s[c.i]
	if v < top {
		next.Copy(s)[c.i]++
		next.Move(Move{Kind: 0})
	}
	if v > 0 && s[j] < top {
		t := next.Copy(s)
		t[c.i]--
		t[j]++
		next.Move(Move{Kind: 1})
	}
	if v == top {
		next.Copy(s)[c.i] = 0
		next.Move(Move{Kind: 2})
	}
}

func ring(n, top int) System {
	sys := System{Width: n, Initial: [][]byte{make([]byte, n)}}
	for i := range n {
		sys.Actors = append(sys.Actors, counter{i, n, top})
	}
	return sys
}
