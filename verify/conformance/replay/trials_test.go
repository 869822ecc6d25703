//go:build replay

package replay

import (
	"context"
	"errors"
	"flag"
	"os"
	"sync"
	"testing"
	"time"
)

// together is how many trials run side by side.
const together = 8

var drawnCases = flag.Int("cases", 0, "how many events are drawn; 0: as many as are kept")

// observeAll runs drawn events side by side on one control plane.
func observeAll(t *testing.T, draw func(int) drawn, n int) []observed {
	t.Helper()
	if *drawnCases > 0 {
		n = *drawnCases
	}
	binary := os.Getenv(BinaryEnv)
	if binary == "" {
		t.Fatalf("%s is not set: `make replay` builds the control plane and sets it", BinaryEnv)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	plane, err := Start(ctx, binary, []byte(retrySoon), patientNodes...)
	if err != nil {
		t.Fatal(err)
	}
	defer plane.Stop()
	l, err := newLab(ctx, plane)
	if err != nil {
		t.Fatal(err)
	}
	out, failed := make([]observed, n), make([]error, n)
	next := make(chan int)
	var wg sync.WaitGroup
	for range together {
		wg.Go(func() {
			for seed := range next {
				begin := time.Now()
				d := draw(seed)
				out[seed], failed[seed] = l.run(ctx, d, seed)
				t.Logf("%s, %s: %.0f s", d.name, d.what, time.Since(begin).Seconds())
			}
		})
	}
	for seed := range n {
		next <- seed
	}
	close(next)
	wg.Wait()
	if err := errors.Join(append(failed, plane.Err())...); err != nil {
		t.Error(err)
	}
	return out
}

// TestEndpoints has random rollouts, swaps, drains and scales happen, and holds the EndpointSlices against the model.
func TestEndpoints(t *testing.T) {
	hold(t, recordedEndpoints, observeAll(t, drawTraffic, 50), compareEndpoints)
}

// TestChanges has random changes of one workload happen, and holds their outcome against what is foreseen.
func TestChanges(t *testing.T) {
	hold(t, recordedChanges, observeAll(t, drawChange, 200), compareChange)
}

// hold compares what was observed with the model, and keeps it where nothing differs.
func hold(t *testing.T, file string, list []observed, compare func(*testing.T, observed) verdictOf) {
	t.Helper()
	wrong, likeliest, bounds, states := 0, 0, 0, 0
	for _, o := range list {
		if o.Digest == "" {
			continue // it did not come to its end
		}
		v := compare(t, o)
		if states += v.states; len(v.wrong) > 0 {
			wrong++
			t.Errorf("%s %d, %s: %v; seen %v", file, o.Seed, o.What, v.wrong, o.Ready)
		}
		if v.likeliest {
			likeliest++
		}
		if v.bounds {
			bounds++
		}
	}
	t.Logf("%d events, %d are not the model's; changes as in the likeliest run: %d, at both bounds: %d; %d states",
		len(list), wrong, likeliest, bounds, states)
	if *record && *drawnCases == 0 && !t.Failed() {
		if err := writeObserved(file, list); err != nil {
			t.Fatal(err)
		}
	}
}
