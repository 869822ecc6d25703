package scale

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kubesettle/kubesettle/verify/state"
)

func classes(bounds ...[2]int) []state.NodeClass {
	var out []state.NodeClass
	for i, b := range bounds {
		out = append(out, state.NodeClass{Name: fmt.Sprint(i), Min: b[0], Max: b[1]})
	}
	return out
}

func TestTopologiesGrowFromTheSmallest(t *testing.T) {
	got, err := Topologies(classes([2]int{1, 3}, [2]int{1, 2}), 4)
	if err != nil {
		t.Fatal(err)
	}
	want := []Topology{{1, 1}, {2, 1}, {1, 2}, {2, 2}, {3, 1}}
	if !slices.EqualFunc(got, want, slices.Equal[Topology]) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAClassDeclaredWithNoNodesMayBeEmpty(t *testing.T) {
	got, err := Topologies(classes([2]int{0, 1}, [2]int{0, 1}), 6)
	if err != nil {
		t.Fatal(err)
	}
	want := []Topology{{1, 0}, {0, 1}, {1, 1}} // never no node at all
	if !slices.EqualFunc(got, want, slices.Equal[Topology]) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestTheSmallestIsListedBeyondTheBound(t *testing.T) {
	got, err := Topologies(classes([2]int{1, 9}, [2]int{1, 9}, [2]int{1, 9}), 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || !slices.Equal(got[0], Topology{1, 1, 1}) {
		t.Errorf("got %v, want [[1 1 1]]", got)
	}
}

// Every combination within the bounds is listed once, and totals never fall.
func TestTopologiesAreCompleteAndOrdered(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var cs []state.NodeClass
		want := 1
		total := 0
		for range 1 + rng.IntN(3) {
			lo := rng.IntN(3)
			hi := max(1, lo+rng.IntN(3))
			cs = append(cs, state.NodeClass{Min: lo, Max: hi})
			want *= hi - min(1, lo) + 1
			total += hi
		}
		if !slices.ContainsFunc(cs, func(c state.NodeClass) bool { return c.Min > 0 }) {
			want-- // the empty cluster
		}
		got, err := Topologies(cs, total)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for i, x := range got {
			seen[fmt.Sprint(x)] = true
			if i > 0 && x.Total() < got[i-1].Total() {
				t.Fatalf("%v comes after the larger %v", x, got[i-1])
			}
		}
		if len(got) != want || len(seen) != want {
			t.Fatalf("classes %v: %d topologies, %d distinct, want %d", cs, len(got), len(seen), want)
		}
	}
}

func TestAnAbsurdBoundIsRefused(t *testing.T) {
	if _, err := Topologies(classes([2]int{1, 400}, [2]int{1, 400}, [2]int{1, 400}), 1200); !errors.Is(err, ErrTooMany) {
		t.Errorf("got %v, want ErrTooMany", err)
	}
}

func TestDeclared(t *testing.T) {
	cs := classes([2]int{2, 3}, [2]int{0, 1})
	for _, tt := range []struct {
		t    Topology
		want bool
	}{{Topology{2, 0}, true}, {Topology{3, 1}, true}, {Topology{1, 1}, false}, {Topology{2, 2}, false}} {
		if got := Declared(cs, tt.t); got != tt.want {
			t.Errorf("Declared(%v) = %v, want %v", tt.t, got, tt.want)
		}
	}
	if got := Largest(cs); !slices.Equal(got, Topology{3, 1}) {
		t.Errorf("Largest = %v, want [3 1]", got)
	}
}

func TestAPoolBoundsItsZonesTogether(t *testing.T) {
	cs := classes([2]int{1, 2}, [2]int{1, 2})
	for i := range cs {
		cs[i].Pool, cs[i].PoolMin, cs[i].PoolMax = "general", 3, 3
	}
	got, err := Topologies(cs, 6)
	if err != nil {
		t.Fatal(err)
	}
	want := []Topology{{1, 1}, {2, 1}, {1, 2}}
	if !slices.EqualFunc(got, want, slices.Equal[Topology]) {
		t.Errorf("got %v, want %v", got, want)
	}
	if Declared(cs, Topology{1, 1}) || !Declared(cs, Topology{2, 1}) {
		t.Error("a pool of 3 was declared: 1+1 is not within it, 2+1 is")
	}
	if got := Largest(cs); !slices.Equal(got, Topology{2, 1}) {
		t.Errorf("Largest = %v, want [2 1]", got)
	}
}
