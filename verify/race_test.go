//go:build race

package verify

// raceDetector says that this binary runs several times slower: what is drawn at random differs in what is searched, not
// in what runs at the same time, so less of it is drawn.
const raceDetector = true
