package main

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/verify/run"
)

// A matrix has a leg at least, none without a search and no more than were asked for; less time for
// each never makes fewer; and where there are more legs than one, they shorten the dearest.
func TestMatrixIsWorthItsLegs(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		var s run.Survey
		for range rng.IntN(40) {
			s.Searches = append(s.Searches, float64(rng.IntN(10))*float64(rng.IntN(400_000)))
		}
		most := 1 + rng.IntN(20)
		before := 0
		for _, seconds := range []int{600, 120, 60, 20, 1} {
			m := matrixOf(&s, time.Duration(seconds)*time.Second, most)
			n := len(m.Shard)
			if n < 1 || n > most || n > max(len(s.Searches), 1) {
				t.Fatalf("%d legs of at most %d for %d searches", n, most, len(s.Searches))
			}
			if n < before {
				t.Fatalf("%d s: %d legs, and %d with more time", seconds, n, before)
			}
			before = n
			if n > 1 && dearest(s.Searches, n) >= dearest(s.Searches, 1) {
				t.Fatalf("%d legs are no faster than one: %v", n, s.Searches)
			}
		}
		if n := len(matrixOf(&s, 0, most).Shard); n != 1 {
			t.Fatalf("%d legs without a budget", n)
		}
	}
}

// The page is one page, whatever was found.
func TestDoctorsPageIsOnePage(t *testing.T) {
	d := &diagnosis{}
	for range 300 {
		d.Releases = append(d.Releases, diagnosedRelease{ID: "a\nb", Status: "ok"}, diagnosedRelease{ID: "c", Status: "failed", Reason: "x\ny"})
		d.Slices = append(d.Slices, run.SliceSurvey{Release: "r", Workloads: []string{"apps/Deployment a/b", "apps/Deployment a/c", "d"}})
		d.Unknown = append(d.Unknown, run.Unknown{What: "w", File: "f", Times: 3})
		d.Cluster.Nodes = append(d.Cluster.Nodes, "pool")
		d.Unmodeled, d.Ignored = append(d.Unmodeled, "u"), append(d.Ignored, listedPath{"p\x1b[2J", "r"})
	}
	lines := 0
	for _, r := range d.text() {
		if r == '\n' {
			lines++
		}
		if r == 0x1b {
			t.Fatal("a control character")
		}
	}
	if lines > 60 {
		t.Fatalf("%d lines", lines)
	}
}
