// Package autoscaling models the load on a workload and the autoscalers of its pods: the HorizontalPodAutoscaler,
// KEDA's ScaledObject and the VerticalPodAutoscaler.
//
// Upstream: kubernetes v1.36.3, pkg/controller/podautoscaler (horizontal.go, replica_calculator.go); kedacore/keda
// v2, pkg/scaling; kubernetes/autoscaler, vertical-pod-autoscaler/pkg (recommender, updater, admission-controller).
//
// Demand comes from the manifests: "nominal" keeps the declared replicas at the target, "saturating" needs the most
// replicas ([DemandFor]). It watches counts of pods by phase: which pods have started, which are warm and which are
// on deletion decides what is sampled.
package autoscaling
