// Package finding has the nouns of a verdict as plain data: what is wrong, where it stands and what fixes it, how
// certain it is, and what is to be said about a run. Rooms of verify find what is wrong, and report makes the words;
// but each finding is made here, of a [Draft], so that all are identified in the same way (fingerprint.go).
//
// finding.go is the part of the JSON contract that speaks of findings: readers outside rely on it.
package finding
