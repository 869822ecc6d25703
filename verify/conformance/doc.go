// Package conformance runs the models beside the upstream code they were read from, on
// generated clusters and manifests, and demands equal answers. It is a module of its
// own, never imported.
//
// The scheduler is compared on 20,000 pod-cluster pairs; SCHEDULER_PAIRS or
// -scheduler.pairs sets another number (1,000,000 for a nightly run), -scheduler.seed
// draws other clusters. A disagreement is shrunk and printed as manifests.
package conformance
