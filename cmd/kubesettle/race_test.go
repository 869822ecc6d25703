//go:build race

package main

import "testing"

// raceDetector says that this binary maps shadow memory beside its own.
const raceDetector = true

// notUnderRace leaves a list of pull requests out under the race detector: they differ in what is read, not in what runs
// at the same time.
func notUnderRace(t *testing.T) {
	t.Skip("it takes minutes under the race detector, and runs nothing at once that others do not")
}
