package nodes

import "github.com/kubesettle/kubesettle/verify/state"

// Ends implements [actor.Ender], where a pod starts and stops wherever it is, whatever else is there.
func (k *Kubelet) Ends(c *state.Config, _ bool) (w int, ended func(state.State) bool, ok bool) {
	w, ok = k.Alone(c)
	return w, nil, ok
}
