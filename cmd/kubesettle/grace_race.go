//go:build race

package main

import "time"

// grace is longer where the race detector slows what is under test by a factor that nobody
// knows: only the outside end of a run hangs on it.
const grace = time.Minute
