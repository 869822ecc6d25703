package certificate

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// The certificate that is issued is accepted, and every change of one of its numbers that takes something away is not:
// an invariant or rank that is left out, or a counter more or less in one.
func TestCheckRefusesWhatIsWrong(t *testing.T) {
	good := Rolling("apps/Deployment default/web", "25%", "1")
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	refused, kept := 0, 0
	try := func(change func(c *Certificate)) {
		c := Rolling(good.Workload, good.MaxSurge, good.MaxUnavailable)
		change(&c)
		switch err := c.Check(); {
		case err == nil:
			kept++
		case errors.Is(err, ErrRefused):
			refused++
		default:
			t.Fatal(err)
		}
	}
	for i := range good.Invariant {
		for _, by := range []int64{-1, 1} {
			for j, name := range slices.Sorted(maps.Keys(good.Invariant[i])) {
				if (i+j)%3 > 0 {
					continue
				}
				try(func(c *Certificate) { c.Invariant[i][name] += by })
			}
		}
	}
	for i := range good.Ranking {
		try(func(c *Certificate) { c.Ranking = append(c.Ranking[:i:i], c.Ranking[i+1:]...) })
		for name := range good.Ranking[i] {
			try(func(c *Certificate) { c.Ranking[i][name] *= -1; c.Ranking[i][One] -= 1 })
		}
	}
	if refused < 30 || kept > refused/3 {
		t.Errorf("%d wrong certificates refused, %d accepted", refused, kept)
	}
	for _, change := range []func(c *Certificate){
		func(c *Certificate) { c.Claims = append(c.Claims, "anything") },
		func(c *Certificate) { c.Claims = nil },
		func(c *Certificate) { c.MaxSurge = "some" },
		func(c *Certificate) { c.Invariant = append(c.Invariant, Sum{"pods": 1}) },
		func(c *Certificate) { c.Invariant = append(c.Invariant, Sum{One: -1}) }, // false everywhere would prove anything
		func(c *Certificate) { c.Ranking = nil },
		func(c *Certificate) { c.Invariant = nil },
	} {
		c := Rolling(good.Workload, good.MaxSurge, good.MaxUnavailable)
		if change(&c); c.Check() == nil {
			t.Errorf("accepted: %+v", c)
		}
	}
}

// Elimination is held against all points of a small box: where a point satisfies random sums, they are not impossible,
// and random combinations that add up to a negative constant are.
func TestImpossible(t *testing.T) {
	names := []string{"x", "y", "z"}
	possible, not := 0, 0
	for seed := range 400 {
		r := rand.New(rand.NewPCG(37, uint64(seed)))
		var sums []Sum
		for range 2 + r.IntN(6) {
			s := Sum{One: int64(r.IntN(9) - 5)}
			for _, n := range names {
				s[n] = int64(r.IntN(7) - 3)
			}
			sums = append(sums, s)
		}
		point := false
		for i := range 11 * 11 * 11 {
			at := State{"x": int64(i%11 - 5), "y": int64(i/11%11 - 5), "z": int64(i/121 - 5)}
			all := true
			for _, s := range sums {
				all = all && value(s, at) >= 0
			}
			point = point || all
		}
		switch no := impossible(sums); {
		case no && point:
			t.Fatalf("seed %d: %v has a point", seed, sums)
		case no:
			not++
		default:
			possible++
		}
		// what says that a combination of them is negative has no point
		whole := Sum{}
		for _, s := range sums {
			whole = whole.plus(int64(1+r.IntN(3)), s)
		}
		if against := append(sums, Sum{One: -1}.plus(-1, whole)); !impossible(against) {
			t.Fatalf("seed %d: %v is not seen to be impossible", seed, against)
		}
	}
	if possible < 50 || not < 50 {
		t.Errorf("%d possible, %d not: the test has lost its teeth", possible, not)
	}
}

// A rollout that is weakened is not proved: each step of the Deployment without one of its guards breaks the floor or
// never ends, but for those that only a ReplicaSet out of step would need.
func TestGuardsCount(t *testing.T) {
	c := Rolling("web", "1", "0")
	breaks := 0
	for _, s := range rolling() {
		for i := range s.guards {
			guards := append(append([]Sum(nil), s.guards[:i]...), s.guards[i+1:]...)
			from := append(append(c.context(), guards...), Sum{k: 1, One: -1})
			for _, inv := range c.Invariant {
				if !follows(from, inv.after(s.effect)) {
					breaks++
					break
				}
			}
		}
	}
	if breaks < 12 {
		t.Errorf("%d guards count", breaks)
	}
	if !maps.Equal(floor(), sum(0, oldReady, newReady, "-replicas", "unavailable")) {
		t.Error("the floor moved")
	}
}
