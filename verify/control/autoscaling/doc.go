// Package autoscaling models what changes the number or the size of a workload's pods, and the load that it answers to:
// the HorizontalPodAutoscaler, KEDA's ScaledObject and the VerticalPodAutoscaler.
//
// Upstream: kubernetes v1.36.3, pkg/controller/podautoscaler (horizontal.go, replica_calculator.go); kedacore/keda
// v2, pkg/scaling; kubernetes/autoscaler, vertical-pod-autoscaler/pkg (recommender, updater, admission-controller).
//
// Demand comes from the manifests: what keeps the declared replicas at the target is "nominal", what asks for the most
// is "saturating" ([DemandFor]). It watches counts of pods by phase: which pods have started, which are warm and which
// are on deletion decides what is sampled.
package autoscaling
