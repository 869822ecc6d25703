// Package traffic reads from manifests who sends requests to whom: over which routes, Services and ports, and past
// which network policies. It answers whether a request arrives with yes, no or unknown, and says which field decides.
//
// It is plain data of one version of one cluster. It does not know changes, releases, or how many pods are ready at a
// moment of a run: package static compares two versions, and the rules look at states.
package traffic
