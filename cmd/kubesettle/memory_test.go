package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/verify/run"
)

// A process that passes its budget ends with a message and a code of its own, and not with
// that of a crash.
func TestMemoryEndsWithAMessage(t *testing.T) {
	ended := make(chan int, 1)
	var said bytes.Buffer
	stop := guardMemory(1<<20, &said, func(code int) { ended <- code }) // less than it holds by now
	defer stop()
	select {
	case code := <-ended:
		if code != exitAnalysis || !strings.Contains(said.String(), "more than 1 MiB of memory are needed: nothing was decided") {
			t.Errorf("code %d: %s", code, said.String())
		}
	case <-time.After(10 * time.Second):
		t.Error("it goes on")
	}
	if run.MemoryInUse() == 0 {
		t.Error("nothing is in use")
	}
}

// What the searches get lies below what ends the run, so that they end first.
func TestMemoryBudgetsAreNested(t *testing.T) {
	budget := memoryBudget()
	if budget > mostMemory || searchMemory(budget) >= budget {
		t.Errorf("%d, of which searches get %d", budget, searchMemory(budget))
	}
}
