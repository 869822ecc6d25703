//go:build !linux

package worker

import "os/exec"

// limitMemory is what Linux can do.
func limitMemory(uint64) {}

// dieWithParent is what Linux can do; elsewhere a worker looks at its input, see [orders].
func dieWithParent(*exec.Cmd) {}
