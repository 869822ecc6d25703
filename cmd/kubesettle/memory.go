package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/kubesettle/kubesettle/cmd/kubesettle/early"
	"github.com/kubesettle/kubesettle/verify/run"
)

// mostMemory is what this process may hold, in bytes, whatever comes in: GitHub's runners
// have 7 to 16 GB, and other steps.
const mostMemory = 2 << 30

// memoryBudget is what the machine lets this process have of [mostMemory]: an address space
// or a control group that is smaller ends it without a word.
var memoryBudget = sync.OnceValue(func() uint64 {
	budget := uint64(mostMemory)
	for _, limit := range systemLimits() {
		if limit > 0 {
			budget = min(budget, limit/10*9)
		}
	}
	return budget
})

// smallMemory is how many bytes this process holds before it collects garbage as Go does, and not as [early.SmallGC]
// says: collecting takes a tenth of the processor time of a run that never does.
const smallMemory = 128 << 20

// leastMemory is what reading a small repository takes.
const leastMemory = 96 << 20

// enoughMemory explains that a budget is too small for anything: Go's runtime would end the process midway, with its
// own message and exit code.
func enoughMemory(budget uint64) error {
	if budget >= leastMemory {
		return nil
	}
	return &exit{exitAnalysis, fmt.Errorf("the system leaves this process %d MiB of memory, and %d MiB are needed: nothing was decided; raise the limit of the address space (ulimit -v), which Go's runtime takes a gigabyte of, or of the container", budget>>20, leastMemory>>20)}
}

// searchMemory is the searches' share of a budget: the rest is for reading and writing.
func searchMemory(budget uint64) uint64 { return budget / 10 * 8 }

// guardMemory keeps this process within a budget: Go's runtime collects the more the nearer
// it is, a search that passes its share ends as inconclusive, and what passes the budget all
// the same ends the run with a message in place of the system's. While it holds little, garbage is let lie.
func guardMemory(budget uint64, stderr io.Writer, end func(code int)) (stop func()) {
	debug.SetMemoryLimit(int64(budget / 10 * 7))
	debug.SetGCPercent(early.SmallGC)
	small := true
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				used := run.MemoryInUse()
				if small && used > min(smallMemory, budget/4) {
					debug.SetGCPercent(early.Given)
					small = false
				}
				if used > budget {
					fmt.Fprintf(stderr, "kubesettle: more than %d MiB of memory are needed: nothing was decided; name fewer PATHs, or split the run with --shard\n", budget>>20)
					end(exitAnalysis)
					return
				}
			}
		}
	}()
	return func() { close(done) }
}

// endProcess ends it without a word of the runtime's.
func endProcess(code int) { os.Exit(code) }
