package control

import "github.com/kubesettle/kubesettle/verify/state"

// All builds every actor that the slice calls for, in report order, and adds the
// memory they need to the state. A new loop is one file and one line here.
// Errors: [ErrUnmodeled].
func All(b *state.Builder) ([]Actor, error) {
	var out []Actor
	for _, build := range []func(*state.Builder) ([]Actor, error){
		newApply,
		newLoadChange,
		newDrain,
		newNodeFailure,
		newNodePanic,
		newPressure,
		newNodePool,
		newSpot,
		newPodCrash,
		newBadRevision,
		newRollback,
		newRevert,
		newAdmission,
		newCronJob,
		newDeployment,
		newReplicaSet,
		newDaemonSet,
		newStatefulSet,
		newJob,
		newScheduler,
		newAttachDetach,
		newKubelet,
		newTaintEviction,
		newOutOfService,
		newPressureEviction,
		newHPA,
		newVPA,
		newKEDA,
		newDescheduler,
		newClusterAutoscaler,
		newKarpenter,
		newResync,
	} {
		actors, err := build(b)
		if err != nil {
			return nil, err
		}
		out = append(out, actors...)
	}
	return out, nil
}
