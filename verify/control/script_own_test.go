package control_test

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kubesettle/kubesettle/verify/state"
)

// addOwn: own NAME [WORKLOAD] [scale=N|ready+1|worker] [restart] [delete=outdated] [evict] [write=OBJECT] [watch=OBJECT]
// [differs] [sync] [when=changed|ready|spread|READY], the last a number of ready pods.
func (s *script) addOwn(bare []string, opt map[string]string) {
	d := state.Declared{
		Name: bare[1], Acts: [2]bool{true, true}, Prompt: slices.Contains(bare, "sync"), Evicts: slices.Contains(bare, "evict"), Watches: opt["watch"],
		Differs: slices.Contains(bare, "differs"), Writes: opt["write"], Min: number(opt, "min", 1), Max: number(opt, "max", 4),
		Which: map[string]state.Victim{"outdated": state.OutdatedPod, "unready": state.UnreadyPod}[opt["delete"]],
	}
	switch {
	case opt["scale"] != "":
		d.Does, d.To = state.SetReplicas, ownExpression(opt["scale"])
	case slices.Contains(bare, "restart"):
		d.Does = state.Restart
	case opt["delete"] != "":
		d.Does = state.DeletePods
	default:
		d.Does = state.WriteObject
	}
	if opt["when"] != "" {
		d.When = ownExpression(opt["when"])
	}
	if d.Does != state.WriteObject {
		w := s.workload(bare[2])
		d.Workload = w.ID
		if d.Does == state.SetReplicas {
			for v := range w.Manifests {
				w.Manifests[v].Bounds = state.Bounds{Min: d.Min, Max: d.Max}
			}
		}
	}
	s.spec.Declared = append(s.spec.Declared, d)
}

// ownExpression stands for what a policy file says.
type ownExpression string

type ownReading struct {
	of     func(s state.State, noticed bool) int
	placed bool
}

func (r ownReading) Of(s state.State, noticed bool) int { return r.of(s, noticed) }
func (r ownReading) Err() error                         { return nil }
func (r ownReading) Placed() bool                       { return r.placed }

func (e ownExpression) Content() string { return string(e) }

func (e ownExpression) For(c *state.Config, self int) (state.Reading, bool) {
	truth := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	switch e {
	case "changed":
		return ownReading{of: func(_ state.State, noticed bool) int { return truth(noticed) }}, true
	case "ready":
		return ownReading{of: func(s state.State, _ bool) int { return truth(s.ReadyOf(self) >= s.Replicas(self)) }}, true
	case "ready+1":
		return ownReading{of: func(s state.State, _ bool) int { return s.ReadyOf(self) + 1 }}, true
	case "spread": // no node has two ready pods of the workload
		return ownReading{placed: true, of: func(s state.State, _ bool) int {
			for n := range s.C.Nodes {
				on := 0
				for _, p := range s.C.ClassesOf[self] {
					on += s.ReadyOn(n, p)
				}
				if on > 1 {
					return 0
				}
			}
			return 1
		}}, true
	}
	if least, err := strconv.Atoi(string(e)); err == nil {
		return ownReading{of: func(s state.State, _ bool) int { return truth(s.ReadyOf(self) >= least) }}, true
	}
	w := slices.IndexFunc(c.Spec.Workloads, func(w state.Workload) bool { return strings.HasSuffix(w.ID, "/"+string(e)) })
	return ownReading{of: func(s state.State, _ bool) int { return s.ReadyOf(w) }}, w >= 0
}
