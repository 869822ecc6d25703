// Package scenario searches a slice in every situation that a change can meet, at every
// size of cluster that was declared, smallest first.
//
// A [Variant] is a slice with node classes, events, and the numbers of one scale. Its
// scenarios are change (base settles, head is applied), revert, install and steady; beside
// them stand the probes, such as the next rollout and the drain of one node (probe.go). Each is
// a [Problem]: a compiled cluster with its actors and rules, which the engine explores.
//
// What a topology shows of one rule and object is a Pareto front of violations (pareto.go):
// those that no other one covers with fewer events. Base is searched as head is, as the
// baseline. Slices share the time fairly (fair.go); one with many pods is searched on
// several scalings, reduced first and then as declared (scalings.go), and what only a reduced scale
// showed is looked for again as declared by a directed search (at_declared.go, directed.go).
//
// The result does not depend on the number of workers. What it means for a merge is not
// said here: see the package judge, and docs/how-the-search-works.md for the definitions.
package scenario
