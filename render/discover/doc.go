// Package discover finds the releases of a tree that nothing has rendered yet: those that the policy declares, charts
// with their sets of values, helmfiles, kustomizations that no other includes, and folders of plain manifests. Head
// keeps the roots that base has. What is left out is noted with its reason. What objects declare is found by
// render/gitops later.
package discover
