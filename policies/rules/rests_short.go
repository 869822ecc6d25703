package rules

import (
	"fmt"

	"github.com/kubesettle/kubesettle/verify/state"
)

// restsShort is the side of never-settles on autoscalers that cannot act: □¬(at rest, all
// pods ready, with fewer of them than the load asks for).
func restsShort(c *state.Config, w int) Property {
	a := &c.Autoscaling[w][state.Head]
	if c.Spec.Workloads[w].Manifests[state.Head].HPA == nil {
		return Property{}
	}
	return Property{
		Quiescent: func(s state.State) bool {
			return s.VersionOf(w) == state.Head && (a.Held != "" || s.Replicas(w) == 0) && allReady(s, w) &&
				s.Replicas(w) < asked(s, w)
		},
		Message: func(s state.State) string {
			has, wants := wanted(s, w), fmt.Sprintf("the %s load asks for %d", s.Load(w), asked(s, w))
			if s.Replicas(w) == 0 {
				return fmt.Sprintf("the autoscaler of %s stays switched off, as it has %s, although %s", FullName(c, w), has, wants)
			}
			return fmt.Sprintf("the autoscaler of %s leaves it at %s although %s: %s", FullName(c, w), has, wants, a.Held)
		},
		Fields: append(a.Fields, sizeFields(c, w)...),
	}
}

// asked is how many pods the load on workload w asks for, beside those of other workloads
// that take a share of it.
func asked(s state.State, w int) int {
	a := &s.C.Autoscaling[w][s.VersionOf(w)]
	n := a.Least[s.Load(w)]
	for _, p := range a.Sharers {
		n -= s.ReadyPods(p)
	}
	return n
}

// allReady reports whether a workload has as many pods as it should, and all of them are
// ready.
func allReady(s state.State, w int) bool {
	active := 0
	for _, p := range s.C.ClassesOf[w] {
		active += s.Active(p)
	}
	return active == s.Replicas(w) && s.ReadyOf(w) == active
}

// staysHigh is the side of runaway-scale on autoscalers that do not come down: □¬(at rest,
// all pods ready, at maxReplicas without load, which justifies fewer). Under some load it
// says nothing: a footprint and a load together may well fill more pods than either.
func staysHigh(c *state.Config, w int) Property {
	if c.Spec.Workloads[w].Manifests[state.Head].HPA == nil {
		return Property{}
	}
	return Property{
		Quiescent: func(s state.State) bool {
			m := s.Manifest(w)
			return s.VersionOf(w) == state.Head && m.HPA != nil && s.Load(w) == state.Idle &&
				s.Replicas(w) == int(m.HPA.Spec.MaxReplicas) &&
				allReady(s, w) && c.Rest[w][s.VersionOf(w)][s.Load(w)] < s.Replicas(w) && !declaredByGit(s, w)
		},
		Message: func(s state.State) string {
			return fmt.Sprintf("the autoscaler of %s can stay at its maximum of %s with no load to justify it: the %s load asks for %d",
				FullName(c, w), wanted(s, w), s.Load(w), c.Rest[w][s.VersionOf(w)][s.Load(w)])
		},
		Fields: []string{"HorizontalPodAutoscaler:spec.metrics", "HorizontalPodAutoscaler:spec.maxReplicas",
			"HorizontalPodAutoscaler:spec.minReplicas"},
	}
}

// declaredByGit reports whether a workload has the number of replicas that a GitOps
// controller keeps it at, whoever set it.
func declaredByGit(s state.State, w int) bool {
	g, m := s.C.Spec.GitOps, s.Manifest(w)
	return g != nil && g.SelfHeal && m.DeclaresReplicas && s.Replicas(w) == m.Replicas()
}
