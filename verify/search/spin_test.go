package search_test

import (
	"context"
	"flag"
	"testing"

	"github.com/kubesettle/kubesettle/verify/search"
)

var record = flag.Bool("record", false, "print what SPIN counts at all sizes instead of comparing")

// TestCountsOfSPIN compares all models at all sizes with what SPIN counted.
func TestCountsOfSPIN(t *testing.T) {
	sizes := map[string]int{}
	for _, size := range spinSizes() {
		sizes[size.Model]++
		if testing.Short() && size.States > 20000 {
			continue
		}
		t.Run(size.String(), func(t *testing.T) {
			res, err := search.Run(context.Background(), size.system(), search.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if res.States != size.States || res.Transitions != size.Transitions || res.Quiescent != size.Deadlocks {
				t.Errorf("%d states, %d transitions, %d deadlocks; SPIN has %d, %d, %d",
					res.States, res.Transitions, res.Quiescent, size.States, size.Transitions, size.Deadlocks)
			}
		})
	}
	if len(sizes) < 8 {
		t.Errorf("%d models, want at least 8", len(sizes))
	}
	for model, n := range sizes {
		if n < 3 {
			t.Errorf("%s: %d sizes, want at least 3", model, n)
		}
	}
}

// TestRecordedCountsAreSPINs runs SPIN where it is installed, on the smallest size of
// each model; BenchmarkCountsOfSPIN runs it on all.
func TestRecordedCountsAreSPINs(t *testing.T) {
	if err := spinAvailable(); err != nil {
		t.Skip(err)
	}
	if testing.Short() {
		t.Skip("compiles nine verifiers")
	}
	done := map[string]bool{}
	for _, size := range spinSizes() {
		if done[size.Model] && !*record {
			continue
		}
		done[size.Model] = true
		t.Run(size.String(), func(t *testing.T) {
			pan, err := compilePan(t.Context(), t.TempDir(), size, "-O0")
			if err != nil {
				t.Fatal(err)
			}
			got, err := pan.run(t.Context(), 18)
			if err != nil {
				t.Fatal(err)
			}
			if *record {
				t.Logf("{%q, %d, %d, %d, %d, %d, %d},", size.Model, size.N, size.M, size.K, got.States, got.Transitions, got.Deadlocks)
			} else if got.spinSize != size {
				t.Errorf("SPIN counts %+v, recorded is %+v", got.spinSize, size)
			}
		})
	}
}
