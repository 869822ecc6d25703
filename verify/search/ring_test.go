package search

import (
	"context"
	"fmt"
	"testing"
)

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

func BenchmarkRing(b *testing.B) {
	for _, w := range []int{1, 2} {
		b.Run(fmt.Sprint("workers=", w), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, err := Run(context.Background(), ring(6, 9), Options{Workers: w})
				if err != nil || r.States != 1e6 || r.Transitions != 10860000 {
					b.Fatal(r, err)
				}
				b.ReportMetric(float64(r.Bytes)/float64(r.States), "B/state")
			}
			b.ReportMetric(10.86*float64(b.N)/b.Elapsed().Seconds(), "Mtrans/s")
		})
	}
}
