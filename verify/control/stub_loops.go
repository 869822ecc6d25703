package control

import "github.com/kubesettle/kubesettle/verify/state"

func newApply(b *state.Builder) ([]Actor, error)      { return nil, nil }
func newLoadChange(b *state.Builder) ([]Actor, error) { return nil, nil }
func newDeployment(b *state.Builder) ([]Actor, error) { return nil, nil }
func newReplicaSet(b *state.Builder) ([]Actor, error) { return nil, nil }
func newKubelet(b *state.Builder) ([]Actor, error)    { return nil, nil }
func newHPA(b *state.Builder) ([]Actor, error)        { return nil, nil }
