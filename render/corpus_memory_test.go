package render

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// meter watches the memory of this process and its workers together, where the system
// tells of it in /proc.
type meter struct {
	stop chan struct{}
	done sync.WaitGroup
	peak int64 // bytes
}

func startMeter() *meter {
	m := &meter{stop: make(chan struct{})}
	m.done.Add(1)
	go func() {
		defer m.done.Done()
		for {
			m.peak = max(m.peak, resident())
			select {
			case <-m.stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return m
}

// end gives the peak, in bytes.
func (m *meter) end() int64 {
	close(m.stop)
	m.done.Wait()
	return m.peak
}

// resident is the resident memory of this process and its children, in bytes; the
// program's own pages, which they share, count once.
func resident() int64 {
	own, shared := int64(0), int64(0)
	self := strconv.Itoa(os.Getpid())
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			continue // it has ended
		}
		pid := filepath.Base(filepath.Dir(f))
		_, rest, _ := bytes.Cut(b, []byte(") ")) // a program's name may hold spaces
		if fields := bytes.Fields(rest); len(fields) < 2 || pid != self && string(fields[1]) != self {
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

// processorTime is that of this process and of those it has waited for.
func processorTime() (self, children time.Duration) {
	read := func(who int) time.Duration {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) != nil {
			return 0
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return read(syscall.RUSAGE_SELF), read(syscall.RUSAGE_CHILDREN)
}

// spent is an amount of time by the clock, and of the processors.
type spent struct{ wall, processor time.Duration }

func (s *spent) add(o spent) { s.wall, s.processor = s.wall+o.wall, s.processor+o.processor }

// over words the ratio of two amounts.
func over(a, b time.Duration) string {
	if b <= 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", a.Seconds()/b.Seconds())
}
