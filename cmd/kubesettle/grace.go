//go:build !race

package main

import "time"

// grace is what a run may take beyond its time budget and a share of it.
const grace = 2 * time.Second
