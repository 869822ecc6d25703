package release

import (
	"sync/atomic"
	"time"
)

// Clock says until when a repository is looked through and renderings may run: the first one
// of each release, and those that find lines. Its owner moves it on from phase to phase, so that none can use up the
// time of the next. A nil Clock never ends.
type Clock struct {
	until atomic.Int64 // nanoseconds since 1970; 0: no end
	ended atomic.Bool
}

// Set lets all later renderings run until a time; the zero time: without an end.
func (c *Clock) Set(until time.Time) {
	if until.IsZero() {
		c.until.Store(0)
		return
	}
	c.until.Store(until.UnixNano())
}

// Ended reports whether anything was not rendered, or no line was looked for, for want of time.
func (c *Clock) Ended() bool { return c != nil && c.ended.Load() }

// Over reports whether the time is up, and remembers that it was asked for.
func (c *Clock) Over() bool {
	if c == nil || c.until.Load() == 0 || time.Now().UnixNano() < c.until.Load() {
		return false
	}
	c.ended.Store(true)
	return true
}

// Left is how long something may take that must not take longer than a time.
func (c *Clock) Left(most time.Duration) time.Duration {
	if c == nil || c.until.Load() == 0 {
		return most
	}
	return min(most, max(time.Until(time.Unix(0, c.until.Load())), 0))
}
