// Package gitops models who writes manifests into the cluster: the apply of a change, client-side or server-side, its
// revert and rollback, the first install, and a re-sync that heals drift.
//
// Upstream: kubernetes v1.36.3, apimachinery strategicpatch and managedfields (what an apply makes of a live object);
// Argo CD's selfHeal and Flux's drift correction for the re-sync.
//
// An apply is one step where its tool does all at once, one for each wave that Argo CD waits for, and with Flux one
// more for what is pruned (steps.go). It watches the manifests' version and the live fields that another loop may own
// (replicas above all).
package gitops
