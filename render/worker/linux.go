//go:build linux

package worker

import (
	"os/exec"
	"syscall"
)

// limitMemory lets the system refuse an allocation beyond the limit: [watchMemory] looks at the memory already in use.
// Go takes more than its heap.
func limitMemory(limit uint64) {
	most := limit + limit/2 + 128<<20
	// If the system does not let us, there is only the watch.
	_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: most, Max: most})
}

// dieWithParent has the system end a process with the one that started it, by whatever
// signal that dies.
func dieWithParent(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
