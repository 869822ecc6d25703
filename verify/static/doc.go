// Package static finds mistakes in objects without a search.
//
// Refusals are objects that the API server refuses (refusals.go, by upstream's own validation). Shortages are
// demands that the declared size cannot meet, however pods are arranged (shortage.go, arithmetic that errs on the
// side of room). Remarks are found by the analyzers, one mistake each (analyzer.go): selectors and names that aim
// at nothing, annotations that hold a node, and so on. Orphans are objects that a removed workload leaves behind
// (orphans.go). Each becomes a finding by the places of package judge.
package static
