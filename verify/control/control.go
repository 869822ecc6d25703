// Package control lists the control loops and the environment of a cluster ([List]) and tells the search which of their
// steps commute ([Reduce]).
//
// The loops live in families below it, one actor per file: workloads, scheduler, descheduler, autoscaling, nodes,
// faults, gitops, admission and others. What an actor is, and what it declares, is in package actor; what all of them
// need to know of pods and nodes, in package objects. None of them knows rules or files.
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

// Loops is one entry of the list: the constructor of the actors of one file, and their declarations before any state is
// laid out. The fields have no names where the list is written, so that an entry without a declaration does not
// compile; TestStopsAreDeclared compares the declarations with the actors' steps.
type Loops struct {
	New   func(*state.Builder) ([]actor.Actor, error)
	Stops state.WatchesStops
}

// List is every control loop and every source of events, in report order. A new loop is one file and one line here.
func List() []Loops {
	return []Loops{
		{gitops.NewApply, gitops.Stops},
		{autoscaling.NewLoadChange, actor.NoStops},
		{nodes.NewDrain, nodes.DrainStops},
		{faults.NewNodeFailure, faults.FailureStops},
		{faults.NewNodePanic, faults.PanicStops},
		{faults.NewPressure, actor.NoStops},
		{nodes.NewNodePool, nodes.PoolStops},
		{faults.NewSpot, faults.SpotStops},
		{faults.NewPodCrash, faults.CrashStops},
		{faults.NewBadRevision, actor.NoStops},
		{gitops.NewRollback, actor.NoStops},
		{gitops.NewRevert, actor.NoStops},
		{admission.NewAdmission, admission.Stops},
		{admission.NewKueue, admission.KueueStops},
		{workloads.NewCronJob, workloads.Stops(state.CronJob)},
		{workloads.NewDeployment, workloads.DeploymentStops},
		{workloads.NewReplicaSet, workloads.ReplicaSetStops},
		{workloads.NewReplicaSetAlone, workloads.Stops(state.ReplicaSet)},
		{workloads.NewPod, actor.NoStops},
		{workloads.NewRollout, workloads.Stops(state.Rollout)},
		{workloads.NewDaemonSet, workloads.Stops(state.DaemonSet)},
		{workloads.NewStatefulSet, workloads.Stops(state.StatefulSet)},
		{workloads.NewJob, workloads.Stops(state.Job)},
		{scheduler.New, scheduler.Stops},
		{nodes.NewAttachDetach, nodes.VolumeStops},
		{nodes.NewKubelet, actor.NoStops},
		{nodes.NewTaintEviction, nodes.TaintStops},
		{nodes.NewOutOfService, nodes.OutageStops},
		{nodes.NewPressureEviction, nodes.PressureStops},
		{autoscaling.NewHPA, autoscaling.HPAStops},
		{autoscaling.NewVPA, autoscaling.VPAStops},
		{autoscaling.NewKEDA, actor.NoStops},
		{descheduler.New, descheduler.Stops},
		{nodes.NewClusterAutoscaler, nodes.AutoscalerStops},
		{nodes.NewKarpenter, nodes.AutoscalerStops},
		{gitops.NewResync, gitops.Stops},
		{gitops.NewSteps, actor.NoStops},
		{gitops.NewHelm, gitops.HelmStops},
		{others.NewDeclared, others.Stops},
	}
}

// NewBuilder is [state.NewBuilder] beside all actors: it lays out what one of them declares to look at.
func NewBuilder(spec *state.Spec, topology []int, maxPods int) (*state.Builder, error) {
	watch := []state.WatchesStops{faults.RestartStops, faults.LagStops}
	for _, l := range List() {
		watch = append(watch, l.Stops)
	}
	return state.NewBuilder(spec, topology, maxPods, watch...)
}

// All builds every actor that the slice calls for, in the list's order, and adds the
// memory they need to the state. Errors: [actor.ErrUnmodeled].
func All(b *state.Builder) ([]actor.Actor, error) {
	var out []actor.Actor
	for _, l := range List() {
		actors, err := l.New(b)
		if err != nil {
			return nil, err
		}
		out = append(out, actors...)
	}
	return faults.WithLags(b, faults.WithRestarts(b, out)), nil
}
