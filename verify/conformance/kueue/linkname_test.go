package kueue

import (
	"context"
	"time"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	config "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/controller/core"
	"sigs.k8s.io/kueue/pkg/controller/jobframework"
)

// Upstream's functions that are not exported. They are called, never copied.

//go:linkname waitForPodsReady sigs.k8s.io/kueue/pkg/controller/core.waitForPodsReady
func waitForPodsReady(cfg *config.WaitForPodsReady) unsafe.Pointer

//go:linkname withWaitForPodsReady sigs.k8s.io/kueue/pkg/controller/core.WithWaitForPodsReady
func withWaitForPodsReady(value unsafe.Pointer) core.Option

//go:linkname admittedNotReadyWorkload sigs.k8s.io/kueue/pkg/controller/core.(*WorkloadReconciler).admittedNotReadyWorkload
func admittedNotReadyWorkload(r *core.WorkloadReconciler, wl *kueue.Workload) (kueue.EvictionUnderlyingCause, time.Duration)

//go:linkname triggerDeactivation sigs.k8s.io/kueue/pkg/controller/core.(*WorkloadReconciler).triggerDeactivation
func triggerDeactivation(r *core.WorkloadReconciler, ctx context.Context, wl *kueue.Workload) (bool, error)

//go:linkname generatePodsReadyCondition sigs.k8s.io/kueue/pkg/controller/jobframework.generatePodsReadyCondition
func generatePodsReadyCondition(ctx context.Context, c client.Client, job jobframework.GenericJob, wl *kueue.Workload,
	clock clock.Clock) metav1.Condition
