//go:build race

package main

// raceDetector says that this binary maps shadow memory beside its own.
const raceDetector = true

// quicker is how many times fewer pull requests are tried with -short under it: they differ in what is read, not in what
// runs at the same time.
const quicker = 4
