package scheduler

import "github.com/kubesettle/kubesettle/verify/state"

// profile is one profile of the scheduler, compiled for a problem.
type profile struct {
	state.SchedulerProfile
	weight  [scorers]int64
	fitDims []int // index in compiled.resources of each of Resources, or -1
	balDims []int
	shape   []state.ShapePoint // scaled to node scores
}

func compileProfile(p state.SchedulerProfile) profile {
	out := profile{SchedulerProfile: p, shape: scaledShape(p.Shape)}
	for i, name := range scorerNames() {
		out.weight[i] = p.Weight[name]
	}
	return out
}

// filters reports whether a plugin's Filter is enabled.
func (p *profile) filters(plugin string) bool { return !p.NoFilter[plugin] }

// scorer is a score plugin by its place in upstream's order.
type scorer int

const (
	scoreTaints scorer = iota
	scoreNodeAffinity
	scoreFit
	scoreSpread
	scorePodAffinity
	scoreBalanced
	scoreImages
	scorers // number of score plugins
)

// scorerNames gives the plugin of each scorer.
func scorerNames() [scorers]string {
	return [scorers]string{
		state.TaintToleration, state.NodeAffinity, state.NodeResourcesFit, state.PodTopologySpread, state.InterPodAffinity,
		state.NodeResourcesBalancedAllocation, state.ImageLocality,
	}
}
