package control_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// check searches from the present state for a violation of a rule:
//
//	pending      a quiescent state has a pod without a node
//	complete     every fair run ends with as many ready pods of the new revision as replicas, and no old ones
//	steady       no fair cycle changes the live replicas
//	ready>=N     ready pods of the first workload never fall under N
func (s *script) check(rule string) (string, error) {
	r := search.Rule{Name: rule}
	at := func(b []byte) state.State { return state.State{C: s.cfg, B: b} }
	switch {
	case rule == "pending":
		r.Quiescent = func(b []byte) bool {
			for p := range s.cfg.Pods {
				if at(b).Pending(p) > 0 {
					return true
				}
			}
			return false
		}
	case rule == "complete":
		r.Settles = func(b []byte) bool { return complete(at(b)) }
	case rule == "steady":
		r.Recurs = func(from, to []byte, _ int, _ search.Move) bool {
			return at(from).Replicas(0) != at(to).Replicas(0)
		}
	case strings.HasPrefix(rule, "ready>="):
		least, err := strconv.Atoi(strings.TrimPrefix(rule, "ready>="))
		if err != nil {
			return "", err
		}
		r.Bad = func(b []byte) bool { return at(b).ReadyOf(0) < least }
	default:
		return "", fmt.Errorf("unknown rule %q", rule)
	}
	res, err := search.Run(context.Background(), search.System{
		Width: s.cfg.Width(), Initial: [][]byte{s.now.B}, Actors: actor.Adapt(s.cfg, s.actors, actor.Realistic),
		Rules: []search.Rule{r}, Canon: s.cfg.Canon, Local: actor.NewLocal,
	}, search.Options{Workers: 1, MaxEvents: -1})
	if err != nil {
		return "", err
	}
	return s.verdict(res), nil
}

func complete(s state.State) bool {
	for w := range s.C.Spec.Workloads {
		for _, p := range s.C.ClassesOf[w] {
			want := 0
			if p == s.NewClass(w) {
				want = s.Wanted(w)
			}
			if s.Count(p, state.Ready) != want || s.Existing(p) != want {
				return false
			}
		}
	}
	return true
}

func (s *script) verdict(res *search.Result) string {
	var out strings.Builder
	if len(res.Violations) == 0 {
		fmt.Fprintf(&out, "holds, %d states\n", res.States)
		return out.String()
	}
	v := res.Violations[0]
	certainty := "possible"
	if v.Inevitable {
		certainty = "inevitable"
	}
	fmt.Fprintf(&out, "violated, %s, %d states\n", certainty, res.States)
	for i, step := range v.Steps {
		mark := ""
		if v.CycleStart >= 0 && i >= v.CycleStart {
			mark = "loop "
		}
		a := s.actors[step.Actor]
		from, to := state.State{C: s.cfg, B: step.From}, state.State{C: s.cfg, B: step.To}
		fmt.Fprintf(&out, "%s%s\n", mark, a.Describe(from, to, step.Move).Text)
	}
	return out.String()
}
