// Package objects knows pods and nodes as every control loop sees them: what a pod asks for once the API server has
// defaulted it, its quality of service, whether the eviction API lets it go, how a node leaves, and what pods, nodes
// and counts are called in a counterexample. It has no actor of its own.
//
// Upstream: kubernetes v1.36.3, pkg/apis/core/v1 (defaults), pkg/apis/core/v1/helper/qos,
// k8s.io/component-helpers/resource, pkg/registry/core/pod/storage (eviction), pkg/controller/disruption.
package objects
