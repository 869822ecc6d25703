// Package helm gathers a chart, with its dependencies and values, into a recipe, and renders it as Helm does, in
// memory.
//
// Upstream: helm.sh/helm/v3, pkg/chartutil, pkg/engine and pkg/action. It calls no cluster (lookup finds nothing), runs
// no plugin and no post-renderer of a command line, and follows no link out of the tree.
package helm
