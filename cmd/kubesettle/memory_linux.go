package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// reserved is the address space that Go takes beside its heap, in bytes: in whole arenas, and for the stacks of
// threads.
const reserved = 256 << 20

// taken is the amount of a resource that this process has already: Go's runtime reserves most of a gigabyte of
// addresses before it uses any.
func taken(resource int) uint64 {
	b, _ := os.ReadFile("/proc/self/statm")
	var size, resident, shared, text, library, data uint64 // pages
	_, _ = fmt.Sscan(string(b), &size, &resident, &shared, &text, &library, &data)
	if resource == syscall.RLIMIT_DATA {
		size = data
	}
	return size * uint64(os.Getpagesize())
}

// systemLimits are what the system lets this process have, in bytes.
func systemLimits() []uint64 {
	var out []uint64
	for _, resource := range []int{syscall.RLIMIT_AS, syscall.RLIMIT_DATA} {
		var l syscall.Rlimit
		if syscall.Getrlimit(resource, &l) == nil && l.Cur < 1<<62 {
			out = append(out, max(l.Cur-min(l.Cur, taken(resource)+reserved), 1))
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
