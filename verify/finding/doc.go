// Package finding has the nouns of a verdict as plain data: findings with place, fix and certainty, and the coverage
// and notes of a run. Rooms of verify fill them, and report makes the words; but each finding is made here, of a
// [Draft], so that all are identified in the same way (fingerprint.go). Everything that follows from data alone is
// here, too: order, causes, gates and the exit code.
//
// finding.go and result.go are the JSON contract: readers outside rely on it.
package finding
