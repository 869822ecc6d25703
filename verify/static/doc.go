// Package static finds what is wrong with objects as they stand, whatever runs: no search
// is needed to tell.
//
// Refusals are what the API server says to an apply (refusals.go, by upstream's own
// validation); shortages are what no arrangement of pods can give at the declared size
// (shortage.go, arithmetic that errs on the side of room); remarks are what the
// analyzers find, one mistake each (analyzer.go): selectors and names that aim at nothing, annotations that hold a
// node, and so on. Orphans are what a removed workload leaves behind (orphans.go). Each becomes a finding by the places
// of package judge.
package static
