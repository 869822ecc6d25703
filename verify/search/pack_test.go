package search

import (
	"bytes"
	"context"
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestPackingIsExact: a state is what it was once it was packed, and others are packed otherwise; one with a byte that
// takes more bits than it may does not fit.
func TestPackingIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	packed, refused := 0, 0
	for range 4000 {
		most, s := make([]byte, 1+r.IntN(40)), []byte(nil)
		top := 1 + r.IntN(8)
		for i := range most {
			most[i] = byte(r.IntN(1 << r.IntN(top)))
			s = append(s, byte(r.IntN(int(most[i])+1)))
		}
		p := newPacking(len(s), most)
		if p == nil {
			continue
		}
		packed++
		key, wide := p.pack(make([]byte, p.packed+slack), s)
		if wide >= 0 || len(key) != p.packed {
			t.Fatalf("word %d of %v does not fit %v", wide, s, most)
		}
		back := make([]byte, len(s))
		if p.unpack(back, bytes.Clone(key)); !bytes.Equal(back, s) {
			t.Fatalf("%v comes back as %v, packed for %v", s, back, most)
		}
		i := r.IntN(len(s))
		other := bytes.Clone(s)
		other[i] ^= byte(1 + r.IntN(255))
		changed, wide := p.pack(make([]byte, p.packed+slack), other)
		switch fits := other[i]>>p.bits[i/8] == 0; {
		case fits != (wide < 0) || !fits && wide != i/8:
			t.Fatalf("%v, packed for %v: word %d does not fit", other, most, wide)
		case !fits:
			refused++
		case bytes.Equal(changed, key):
			t.Fatalf("%v and %v are packed alike for %v", s, other, most)
		}
	}
	if packed < 1000 || refused < 300 {
		t.Errorf("%d states packed, %d refused: the test has lost its teeth", packed, refused)
	}
}

// TestPackingChangesNothing compares searches whose states are packed, for what is true of them or less, with searches
// whose states are not: every result is the same, byte for byte.
func TestPackingChangesNothing(t *testing.T) {
	again := 0
	eachRandom(t, 30, func(t *testing.T, r *rand.Rand, sys System) {
		opt := Options{MaxEvents: r.IntN(4) - 1, Settled: true, Workers: 1 + r.IntN(2), sizes: sizes{noEdges: r.IntN(2) == 0}}
		want, err := Run(context.Background(), sys, opt)
		if err != nil {
			t.Fatal(err)
		}
		sys.Most = bytes.Repeat([]byte{3}, sys.Width)
		if r.IntN(3) == 0 {
			sys.Most = bytes.Repeat([]byte{1}, sys.Width)
			again++
		}
		got, err := Run(context.Background(), sys, opt)
		if err != nil {
			t.Fatal(err)
		}
		want.Bytes, got.Bytes = 0, 0
		if !reflect.DeepEqual(got, want) {
			t.Errorf("packed:\n%+v\nas they are:\n%+v", got, want)
		}
	})
	if again < 30 {
		t.Errorf("only %d searches had states that may not fit", again)
	}
}
