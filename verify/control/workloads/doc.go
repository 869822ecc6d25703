// Package workloads models the controllers that make pods: Deployment and ReplicaSet, StatefulSet, DaemonSet, Job,
// CronJob and the Rollout of Argo Rollouts.
//
// Upstream: kubernetes v1.36.3, pkg/controller: deployment (sync.go, rolling.go, recreate.go, progress.go), replicaset,
// statefulset (stateful_set_control.go), daemon (daemon_controller.go, update.go), job, cronjob, and
// controller_utils.go for the ranking of victims.
//
// The Rollout is read from argo-rollouts v1.10.1.
//
// They watch the pods that they own, by revision and phase. Pods on deletion count for a Deployment that recreates, for
// a StatefulSet's ordinals and for a Job's replacement policy; for the others they are gone.
package workloads
