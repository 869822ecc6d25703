package control_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

// TestInterruptedSyncsGoOn: a sync that broke off leaves the manager down, and something done of what it was to do;
// once the manager is back, the loop comes to where it might have come to without a break. Which pods a ReplicaSet or a
// Job deletes it ranks anew then, as upstream does: of these, as many are gone.
func TestInterruptedSyncsGoOn(t *testing.T) {
	broke := map[string]int{}
	eachProblem(t, func(t *testing.T, s *script, r *rand.Rand) {
		if s.spec.Events.ManagerRestart == 0 {
			return
		}
		for range 120 {
			from := s.random(r)
			if from.ManagerDown() || from.RestartsLeft() == 0 || from.Lagging() >= 0 {
				continue
			}
			for _, a := range s.actors {
				kind, _, _ := strings.Cut(a.Name(), "/")
				d := actor.TraitsOf(a, s.cfg).Interrupt
				if d == nil || kind == "deployment" { // it scales the second ReplicaSet by what the first one has become
					continue
				}
				counted := kind == "replicaset" || kind == "job"
				whole := endsOf(a, from, counted)
				for _, x := range interrupts(d, from) {
					back := x.To
					if !back.ManagerDown() {
						t.Fatalf("%s breaks off, and the manager is up", a.Name())
					}
					back.Set(back.C.Manager.Restarts, from.RestartsLeft())
					back.StartManager()
					if string(back.B) == string(from.B) {
						t.Fatalf("%s breaks off before its first write\n%v", a.Name(), from.B)
					}
					for end := range endsOf(a, back, counted) {
						if !whole[end] {
							t.Fatalf("%s comes to an end that it does not come to without a break: from\n%v by\n%v to\n%v",
								a.Name(), from.B, back.B, []byte(end))
						}
					}
					broke[kind]++
				}
			}
		}
	})
	for _, kind := range []string{"replicaset", "statefulset", "daemonset", "job"} {
		if broke[kind] < 20 {
			t.Errorf("only %d syncs of a %s broke off", broke[kind], kind)
		}
	}
}

func interrupts(interrupt func(state.State, *actor.Emit), s state.State) []actor.Successor {
	list := &actor.List{Cfg: s.C}
	var scratch actor.Scratch
	interrupt(s, actor.NewEmit(list, s.C, &scratch))
	return list.All
}

// endsOf are the states in which a loop has nothing left to do, with nobody else acting; counted: how many pods of each
// class are there.
func endsOf(a actor.Actor, s state.State, counted bool) map[string]bool {
	out, seen := map[string]bool{}, map[string]bool{}
	todo := []state.State{s}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		at.C.Canon(at.B)
		if seen[string(at.B)] {
			continue
		}
		seen[string(at.B)] = true
		next := actor.Successors(a, at)
		switch {
		case len(next) == 0 && counted:
			var pods []byte
			for p := range at.C.Pods {
				pods = append(pods, byte(at.Active(p)), byte(at.Existing(p)))
			}
			out[string(pods)] = true
		case len(next) == 0:
			out[string(at.B)] = true
		}
		for _, x := range next {
			todo = append(todo, x.To)
		}
	}
	return out
}
