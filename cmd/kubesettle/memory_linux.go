package main

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// systemLimits are what the system lets this process have, in bytes.
func systemLimits() []uint64 {
	var out []uint64
	for _, resource := range []int{syscall.RLIMIT_AS, syscall.RLIMIT_DATA} {
		var l syscall.Rlimit
		if syscall.Getrlimit(resource, &l) == nil && l.Cur < 1<<62 {
			out = append(out, l.Cur-min(l.Cur/2, 512<<20)) // the program itself, and what Go reserves
		}
	}
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		b, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64); err == nil && n < 1<<62 {
			out = append(out, n)
		}
	}
	return out
}
