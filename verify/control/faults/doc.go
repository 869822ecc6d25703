// Package faults models failures: crashes of pods, revisions that never become ready, and nodes that are lost, run
// short of disk or memory, fall over under load, or are reclaimed.
//
// Upstream for what follows a fault: kubernetes v1.36.3, pkg/controller/nodelifecycle, pkg/kubelet/eviction,
// pkg/kubelet (restarts in place). The faults themselves are events of the environment: each has a budget, may fall
// at any moment, and is never forced. They watch only what they strike.
package faults
