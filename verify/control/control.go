// Package control lists the control loops and the environment of a cluster ([All]) and tells the search which of their
// steps commute ([Reduce]).
//
// The loops live in families below it, one actor per file: workloads, scheduler, descheduler, autoscaling, nodes,
// faults, gitops, admission and others. What an actor is, and what it declares, is in package actor; what all of them need to
// know of pods and nodes, in package objects. None of them knows rules or files.
package control

import (
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/admission"
	"github.com/kubesettle/kubesettle/verify/control/autoscaling"
	"github.com/kubesettle/kubesettle/verify/control/descheduler"
	"github.com/kubesettle/kubesettle/verify/control/faults"
	"github.com/kubesettle/kubesettle/verify/control/gitops"
	"github.com/kubesettle/kubesettle/verify/control/nodes"
	"github.com/kubesettle/kubesettle/verify/control/others"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/control/workloads"
	"github.com/kubesettle/kubesettle/verify/state"
)

// All builds every actor that the slice calls for, in report order, and adds the
// memory they need to the state. A new loop is one file and one line here.
// Errors: [actor.ErrUnmodeled].
func All(b *state.Builder) ([]actor.Actor, error) {
	var out []actor.Actor
	for _, build := range []func(*state.Builder) ([]actor.Actor, error){
		gitops.NewApply,
		autoscaling.NewLoadChange,
		nodes.NewDrain,
		faults.NewNodeFailure,
		faults.NewNodePanic,
		faults.NewPressure,
		nodes.NewNodePool,
		faults.NewSpot,
		faults.NewPodCrash,
		faults.NewBadRevision,
		gitops.NewRollback,
		gitops.NewRevert,
		admission.NewAdmission,
		workloads.NewCronJob,
		workloads.NewDeployment,
		workloads.NewReplicaSet,
		workloads.NewReplicaSetAlone,
		workloads.NewRollout,
		workloads.NewDaemonSet,
		workloads.NewStatefulSet,
		workloads.NewJob,
		scheduler.New,
		nodes.NewAttachDetach,
		nodes.NewKubelet,
		nodes.NewTaintEviction,
		nodes.NewOutOfService,
		nodes.NewPressureEviction,
		autoscaling.NewHPA,
		autoscaling.NewVPA,
		autoscaling.NewKEDA,
		descheduler.New,
		nodes.NewClusterAutoscaler,
		nodes.NewKarpenter,
		gitops.NewResync,
		gitops.NewSteps,
		others.NewDeclared,
	} {
		actors, err := build(b)
		if err != nil {
			return nil, err
		}
		out = append(out, actors...)
	}
	return faults.WithRestarts(b, out), nil
}
