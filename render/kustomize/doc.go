// Package kustomize gathers a kustomization, with the folders, charts and files that it names, into a recipe, and
// builds it as Kustomize does, in memory: with what a GitOps object adds to it before the build (an overlay) and after
// it (labels, variables of Flux).
//
// Upstream: sigs.k8s.io/kustomize/api, and fluxcd/pkg's kustomize and envsubst. It runs no exec or container plugin and
// decrypts nothing: what sops would decrypt is masked.
package kustomize
