// Package finding has the nouns of a verdict as plain data: what is wrong, where it stands and what fixes it, how
// certain it is, what a run covered and what there is to say about it. Rooms of verify find what is wrong, and report
// makes the words; but each finding is made here, of a [Draft], so that all are identified in the same way
// (fingerprint.go). What follows from data alone is here, too: order, causes, gates and the exit code.
//
// finding.go and result.go are the JSON contract: readers outside rely on it.
package finding
