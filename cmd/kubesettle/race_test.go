//go:build race

package main

// raceDetector says that this binary maps shadow memory beside its own.
const raceDetector = true
