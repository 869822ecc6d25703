// Package judge makes findings of violations: their status, certainty, severity, place, blame and fix.
//
// The order is that of [Judge.Findings]. The violations of one rule and object are compared
// with base's, at the same topology and for the same events (status.go); one of the gravest
// is chosen and put into words (finding.go, snapshot.go); the changed fields are put back
// one after the other and searched again, and those without which it is gone are to blame
// (blame.go); edits of the repository's own text are tried in the same way, and the first
// one that holds is the fix (fix.go). A finding that depends on an undeclared number of nodes
// is hedged (hedge.go).
//
// [Places] knows the files and lines of both revisions; quote.go shows some of them, and
// never a line that may hold a secret.
package judge
