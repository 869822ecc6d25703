// Package nodes models what happens on nodes and to them: the kubelet, drains, taint eviction, node-pressure eviction,
// attaching of volumes, and the loops that make and take nodes away.
//
// Upstream: kubernetes v1.36.3, pkg/kubelet (lifecycle, eviction, status), pkg/controller/tainteviction, nodelifecycle,
// podgc, volume/attachdetach; k8s.io/kubectl pkg/drain; kubernetes/autoscaler, cluster-autoscaler/core;
// sigs.k8s.io/karpenter pkg/controllers (provisioning, disruption, node/termination).
//
// It watches pods by node and phase, pods on deletion among them: they keep their room, their volume and their ports
// until the kubelet has stopped them.
package nodes
