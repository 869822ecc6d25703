// Package conformance runs the actors beside the upstream code they model, on generated
// clusters and manifests, and demands equal answers. It is a module of its own, never
// imported.
package conformance
