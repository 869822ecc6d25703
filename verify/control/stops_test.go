package control_test

import (
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/control"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/faults"
	"github.com/kubesettle/kubesettle/verify/state"
)

// roomy are problems in which few declare that they tell pods on deletion from those that are gone; beside them stand
// those of all other properties.
var roomy = []string{`
nodes a 3 elastic pods=9999
base web replicas=3 image=v1 cpu=500m
head web replicas=4 image=v2 cpu=500m
both api image=v1 cpu=300m
hpa both api min=1 max=4 target=50
pdb web unavailable=1
events apply=1 load=1 bad=1`, `
nodes a 2 elastic pods=9999
base web replicas=3 image=v1 cpu=500m volume=data
head web replicas=2 image=v2 cpu=500m volume=data
claim data once
base api image=v1
head api image=v2 cpu=100m
hpa both api min=1 max=4 target=50
both worker image=v1 cpu=300m
hpa both worker min=1 max=4 queue=30
keda both worker
gitops
events apply=1 load=1 revert=yes`, `
nodes a 3 elastic pods=9999
both web replicas=2 image=v1 cpu=500m port=80
events apply=1`, `
nodes a 3 elastic pods=9999
both web replicas=2 image=v1 cpu=500m apart
events apply=1`, `
nodes a 2 elastic pods=4
base web replicas=2 image=v1 cpu=500m
head web replicas=3 image=v2 cpu=500m
events apply=1`, `
nodes a 2 elastic pods=9999 taint=k:NoExecute
base web replicas=2 image=v1 cpu=500m tolerate=60
head web replicas=3 image=v2 cpu=500m tolerate=60
events apply=1`, `
nodes a 2 elastic pods=9999
base web replicas=2 image=v1 cpu=500m recreate
head web replicas=3 image=v2 cpu=500m recreate
both guard image=v1 cpu=100m
webhook guard
quota pods=9
events apply=1`, `
nodes a 2 cpu=4
nodes b 2 cpu=4
both web replicas=3 image=v1 cpu=500m
both api image=v1 cpu=300m apart
descheduler
events apply=1`,
}

// needless are the declarations that no actor needs, and why they are made. They cost states, and hide nothing.
var needless = map[string]string{
	"autoscaling.NewHPA":   "it computes nothing while pods without requests stop, but they may always stop before it is due",
	"faults.NewPodCrash":   "rules follow a pod that crashes again and again by the phases of all pods of its class",
	"workloads.NewRollout": "its ReplicaSets delete pods in steps that rules compare with evictions",
}

// TestStopsAreDeclared holds what each entry of the list declares against random states. Who declares not to tell pods
// on deletion from those that are gone
//   - takes no step beside them that it would not take without them, and, where pods cannot stop before it acts (it is
//     one of milliseconds, or an event), each of those as well,
//   - takes no pod that its controller still wants,
//   - and keeps none on deletion from stopping.
//
// Every other declaration is seen to be needed: without it, its actors would fail here.
func TestStopsAreDeclared(t *testing.T) {
	steps, needed := map[string]int{}, map[string]bool{}
	all := append(slices.Clone(roomy), problems...)
	for _, text := range problems {
		if strings.Contains(text, "stale=") { // a view that lags concerns every loop: each is tried without, too
			all = append(all, strings.ReplaceAll(text, "stale=", "unseen="))
		}
	}
	for i, text := range all {
		s, entries := listed(t, text)
		r := rand.New(rand.NewPCG(uint64(i), 7))
		for range 400 {
			from := s.random(r)
			without := s.cfg.New()
			copy(without.B, from.B)
			s.stopAll(without)
			for _, e := range entries {
				blind := !e.stops(s.spec, s.max) && !faults.LagStops(s.spec, s.max)
				for _, a := range e.actors {
					n, odd := s.tells(a, from, without)
					steps[e.name] += n
					needed[e.name] = needed[e.name] || odd != ""
					if blind && odd != "" {
						t.Errorf("problem %d: %s declares that %s does not look at pods on deletion, but with them: %s", i, e.name, a.Name(), odd)
					}
				}
			}
			if t.Failed() {
				return
			}
		}
	}
	none := nameOf(actor.NoStops)
	for _, e := range list() {
		switch {
		case steps[e.name] < 20:
			t.Errorf("%s: only %d steps were compared: add a problem in which it moves to problems_test.go", e.name, steps[e.name])
		case nameOf(e.stops) != none && !needed[e.name] && needless[e.name] == "":
			t.Errorf("%s: its declaration was never seen to be needed: declare %s, or show a problem", e.name, none)
		case needed[e.name] && needless[e.name] != "":
			t.Errorf("%s: its declaration is needed, and listed as if it were not", e.name)
		}
	}
}

// entry is one of the list, with its actors in one problem.
type entry struct {
	name   string
	stops  state.WatchesStops
	actors []actor.Actor
}

// list is the list of control, and what stands beside it.
func list() (out []entry) {
	for _, l := range control.List() {
		out = append(out, entry{name: nameOf(l.New), stops: l.Stops})
	}
	return append(out, entry{name: nameOf(faults.RestartStops), stops: faults.RestartStops},
		entry{name: nameOf(faults.LagStops), stops: faults.LagStops})
}

func nameOf(f any) string {
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	return name[strings.LastIndex(name, "/")+1:]
}

// listed builds a problem in which nobody has declared anything, so that all is laid out.
func listed(t *testing.T, text string) (*script, []entry) {
	t.Helper()
	descheduler := strings.Contains(text, "\ndescheduler\n")
	s := &script{}
	if err := s.cluster(strings.TrimSpace(strings.Replace(text, "\ndescheduler\n", "\n", 1))); err != nil {
		t.Fatal(err)
	}
	if descheduler {
		var err error
		if s.spec.Descheduler, err = policies.LoadDescheduler("descheduler.yaml", []byte(packing)); err != nil {
			t.Fatal(err)
		}
	}
	b, err := state.NewBuilder(s.spec, s.nodes, s.max)
	if err != nil {
		t.Fatal(err)
	}
	entries, all := list(), []actor.Actor(nil)
	for k, l := range control.List() {
		if entries[k].actors, err = l.New(b); err != nil {
			t.Fatal(err)
		}
		all = append(all, entries[k].actors...)
	}
	restarts, lags := faults.WithRestarts(b, all), faults.WithLags(b, all)
	entries[len(entries)-2].actors = restarts[len(all):]
	for k, a := range lags {
		if k >= len(all) || a != all[k] { // it looks at a view that may lag
			entries[len(entries)-1].actors = append(entries[len(entries)-1].actors, a)
		}
	}
	if s.cfg, err = b.Freeze(); err != nil {
		t.Fatal(err)
	}
	return s, entries
}

// packing is a descheduler that takes pods from nodes with many.
const packing = `
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- name: balance
  pluginConfig:
  - name: LowNodeUtilization
    args: {thresholds: {pods: 2}, targetThresholds: {pods: 3}}
  plugins:
    balance: {enabled: [LowNodeUtilization]}
`

// stopAll takes all pods on deletion away.
func (s *script) stopAll(t state.State) {
	for n := range s.cfg.Nodes {
		for p := range s.cfg.Pods {
			t.Add(n, p, state.Terminating, -t.On(n, p, state.Terminating))
		}
	}
}

// tells words what an actor does with pods on deletion that one which does not look at them could not do; n is how many
// steps were compared.
func (s *script) tells(a actor.Actor, from, without state.State) (n int, odd string) {
	still := s.canon(without)
	could, does := map[string]bool{still: true}, map[string]bool{still: true}
	alone := actor.Successors(a, without)
	for _, x := range alone {
		could[s.canon(x.To)] = true
	}
	for _, x := range actor.Successors(a, from) {
		n++
		to := s.canon(x.To)
		does[to] = true
		if s.takesWanted(from, x.To) || s.keepsDown(from, x.To) || !could[to] {
			odd = a.Describe(from, x.To, x.Move).Text
		}
	}
	if a.Latency() == actor.Kubelet || a.Latency() == actor.Periodic {
		return n, odd
	}
	for _, x := range alone {
		if !does[s.canon(x.To)] {
			odd = "not: " + a.Describe(without, x.To, x.Move).Text
		}
	}
	return n, odd
}

// canon is a state without pods on deletion, in canonical form.
func (s *script) canon(t state.State) string {
	u := s.cfg.New()
	copy(u.B, t.B)
	s.stopAll(u)
	s.cfg.Canon(u.B)
	return string(u.B)
}

// takesWanted reports whether a step takes a pod, though its ReplicaSet has no more than it should.
func (s *script) takesWanted(from, to state.State) bool {
	for p := range s.cfg.Pods {
		set := s.cfg.Pods[p].Set
		if s.cfg.Pods[p].Ordinal == state.NoOrdinal && to.Active(p) < from.Active(p) && from.ActiveIn(set) <= from.Get(s.cfg.Class[set].Size) {
			return true
		}
	}
	return false
}

// keepsDown reports whether a step takes down a node that has pods.
func (s *script) keepsDown(from, to state.State) bool {
	for n := range s.cfg.Nodes {
		for p := range s.cfg.Pods {
			if !from.Down(n) && to.Down(n) && from.LiveOn(n, p)+from.On(n, p, state.Terminating) > 0 {
				return true
			}
		}
	}
	return false
}
