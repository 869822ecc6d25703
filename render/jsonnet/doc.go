// Package jsonnet gathers the Jsonnet files of a release, with everything that they may import, into a recipe, and
// evaluates them as Argo CD and Tanka do. Imports come from the recipe alone: a path that leaves the repository, and a
// library that is not committed, make the release unknown, and so does a function that the calling program gives.
//
// Upstream: google/go-jsonnet; argo-cd, reposerver/repository: makeJsonnetVm; grafana/tanka, pkg/jsonnet/jpath,
// pkg/jsonnet/native and pkg/process.
package jsonnet
