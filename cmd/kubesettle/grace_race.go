//go:build race

package main

import "time"

// grace is longer where the race detector slows the program by an unknown factor: only the outside end of a run depends
// on it.
const grace = time.Minute
