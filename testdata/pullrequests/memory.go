package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// meter watches the memory of a group of processes, where the system tells of it in /proc.
type meter struct {
	group string
	stop  chan struct{}
	done  sync.WaitGroup
	peak  int64 // bytes
}

// watch starts to watch a group, ten times a second: a shorter interval would itself be
// seen in the processor time of a machine with two cores.
func watch(group int) *meter {
	m := &meter{group: strconv.Itoa(group), stop: make(chan struct{})}
	m.done.Add(1)
	go func() {
		defer m.done.Done()
		for {
			m.peak = max(m.peak, m.resident())
			select {
			case <-m.stop:
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
	return m
}

// end gives the peak, in bytes; 0 where the system does not tell.
func (m *meter) end() int64 {
	close(m.stop)
	m.done.Wait()
	return m.peak
}

// resident is the group's resident memory, in bytes; the pages of the program itself,
// which its processes share, count once.
func (m *meter) resident() int64 {
	own, shared := int64(0), int64(0)
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := bytes.Cut(b, []byte(") ")) // a program's name may hold spaces
		if fields := bytes.Fields(rest); len(fields) < 3 || string(fields[2]) != m.group {
			continue
		}
		var size, all, file int64 // in pages
		if b, err = os.ReadFile(f + "m"); err == nil {
			_, _ = fmt.Sscan(string(b), &size, &all, &file)
		}
		own += all - file
		shared = max(shared, file)
	}
	return (own + shared) * int64(os.Getpagesize())
}
