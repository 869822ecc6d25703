//go:build race

package render

// raceDetector says that this binary needs several times the memory of the one that users
// run, so that limits on a worker's memory have to be tried on a worker of another build.
const raceDetector = true
