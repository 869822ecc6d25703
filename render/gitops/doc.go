// Package gitops reads the objects of Argo CD and Flux among what was rendered (Application, ApplicationSet,
// Kustomization, HelmRelease) and gives the releases that they declare: from which path with which settings, delivered
// how, and where in the repository each of that is written. It asks no cluster and no repository but this one for what
// a generator or a reference means; what is not here is a failure of that release, or a remark.
package gitops
