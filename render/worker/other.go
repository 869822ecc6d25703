//go:build !linux

package worker

import "os/exec"

// limitMemory exists on Linux only.
func limitMemory(uint64) {}

// dieWithParent exists on Linux only; elsewhere a worker looks at its input, see [orders].
func dieWithParent(*exec.Cmd) {}
