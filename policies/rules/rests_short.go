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
// all pods ready, without load, far above what that justifies). Under some load, for which a
// footprint and a load together may well fill more pods than either, it says so only of what
// the behavior keeps.
func staysHigh(c *state.Config, w int) Property {
	if c.Spec.Workloads[w].Manifests[state.Head].HPA == nil {
		return Property{}
	}
	return Property{
		Quiescent: func(s state.State) bool {
			m := s.Manifest(w)
			if s.VersionOf(w) != state.Head || m.HPA == nil || !allReady(s, w) || declaredByGit(s, w) {
				return false
			}
			n, most, load := s.Replicas(w), int(m.HPA.Spec.MaxReplicas), s.Load(w)
			rest := c.Rest[w][state.Head][load]
			return far(n, rest, most) && (load == state.Idle || n > c.Autoscaling[w][state.Head].Unheld[load])
		},
		Message: func(s state.State) string {
			return fmt.Sprintf("the autoscaler of %s can stay at %s with no load to justify it: the %s load asks for %d",
				FullName(c, w), ofMost(s, w), s.Load(w), c.Rest[w][s.VersionOf(w)][s.Load(w)])
		},
		Fields: []string{"HorizontalPodAutoscaler:spec.metrics", "HorizontalPodAutoscaler:spec.maxReplicas",
			"HorizontalPodAutoscaler:spec.minReplicas", "HorizontalPodAutoscaler:spec.behavior"},
	}
}

// ofMost words how many replicas an autoscaler has come to, as part of how many it may.
func ofMost(s state.State, w int) string {
	if most := int(s.Manifest(w).HPA.Spec.MaxReplicas); s.Replicas(w) < most {
		return fmt.Sprintf("%s, of at most %d,", wanted(s, w), most)
	}
	return "its maximum of " + wanted(s, w)
}

// declaredByGit reports whether a workload has the number of replicas that a GitOps
// controller keeps it at, whoever set it.
func declaredByGit(s state.State, w int) bool {
	g, m := s.C.Spec.GitOps, s.Manifest(w)
	return g != nil && g.SelfHeal && m.DeclaresReplicas && s.Replicas(w) == m.Replicas()
}
