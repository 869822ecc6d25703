package control_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/datadriven"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

// set changes the state by hand. Lines are WORKLOAD [replicas=N] [load=saturating], or
// WORKLOAD@REVISION~SIZE [size=N] [desired=N] [max=N] [pending=N] [NODE.PHASE=N …] [NODE.nominated=N …]; setting a
// size makes the ReplicaSet exist, with the annotations of that size and surge 0.
func (s *script) set(input string) error {
	for _, line := range strings.Split(input, "\n") {
		bare, opt := words(line)
		if len(bare) == 1 && bare[0] == "head" {
			s.now.Set(s.cfg.Applied, int(state.Head))
			continue
		}
		if bare[0] == "every-node" { // a line of its own: no node is absent
			for n := range s.cfg.Nodes {
				s.now.SetTenure(n, state.Staying)
			}
			continue
		}
		at, size, _ := strings.Cut(bare[0], "~")
		name, revision, _ := strings.Cut(at, "@")
		w := slices.IndexFunc(s.spec.Workloads, func(w state.Workload) bool { return w.Name == name })
		if w < 0 {
			return fmt.Errorf("no workload %q", name)
		}
		if n := number(opt, "replicas", -1); n >= 0 {
			s.now.SetReplicas(w, n)
		}
		for l := state.Idle; l < state.Loads; l++ {
			if opt["load"] == l.String() {
				s.now.Set(s.cfg.Workload[w].Load, int(l))
			}
		}
		for _, p := range s.cfg.ClassesOf[w] {
			if s.cfg.Revision(p) == revision && s.cfg.Pods[p].Size == number(map[string]string{"": size}, "", 0) {
				s.setClass(p, opt)
			}
		}
	}
	return nil
}

func (s *script) setClass(p int, opt map[string]string) {
	f := &s.cfg.Class[p]
	if n := number(opt, "size", -1); n >= 0 {
		s.now.Set(f.Exists, 1)
		s.now.Set(f.Size, n)
		s.now.Set(f.Desired, n)
		s.now.Set(f.Max, n)
	}
	for key, field := range map[string]state.Field{"desired": f.Desired, "max": f.Max, "pending": f.Pending} {
		if n := number(opt, key, -1); n >= 0 {
			s.now.Set(field, n)
		}
	}
	for n := range s.cfg.Nodes {
		for ph, name := range phases {
			if k := number(opt, s.cfg.Nodes[n].Name+"."+name, -1); k >= 0 {
				s.now.SetAt(n, f.Phase[ph], k)
			}
		}
		if k := number(opt, s.cfg.Nodes[n].Name+".nominated", -1); k >= 0 {
			s.now.Nominate(n, p, k-s.now.Nominated(n, p))
		}
	}
}

var phases = [state.Phases]string{"starting", "ready", "terminating", "warming", "fresh"}

func (s *script) actor(name string) (actor.Actor, error) {
	i := slices.IndexFunc(s.actors, func(a actor.Actor) bool { return a.Name() == name })
	if i < 0 {
		var names []string
		for _, a := range s.actors {
			names = append(names, a.Name())
		}
		return nil, fmt.Errorf("no actor %q, have %s", name, strings.Join(names, ", "))
	}
	return s.actors[i], nil
}

func (s *script) steps(args []datadriven.CmdArg) (string, error) {
	var out strings.Builder
	for _, arg := range args {
		name, times, _ := strings.Cut(arg.Key, "*")
		name, choice, _ := strings.Cut(name, "#")
		a, err := s.actor(name)
		if err != nil {
			return "", err
		}
		for range number(map[string]string{"": times}, "", 1) {
			all := actor.Successors(a, s.now)
			i := number(map[string]string{"": choice}, "", 1) - 1
			if len(all) == 0 {
				fmt.Fprintf(&out, "%s is not enabled\n", name)
				continue
			}
			if i >= len(all) {
				return "", fmt.Errorf("%s has %d choices only", name, len(all))
			}
			fmt.Fprintln(&out, a.Describe(s.now, all[i].To, all[i].Move).Text)
			s.now = all[i].To
		}
	}
	return out.String(), nil
}

func (s *script) choices(name string) (string, error) {
	a, err := s.actor(name)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	all := actor.Successors(a, s.now)
	for i, x := range all {
		w := a.Describe(s.now, x.To, x.Move)
		fmt.Fprintf(&out, "%d %s %s: %s\n", i+1, w.Action, w.Object, w.Text)
		for _, r := range w.Because {
			fmt.Fprintf(&out, "  because %s %s (%s)\n", r.Object, r.Field, [...]string{"base", "head"}[r.Version])
		}
	}
	if len(all) == 0 {
		out.WriteString("none\n")
	}
	return out.String(), nil
}

// settle moves the fastest enabled actor, the first of its latency, until only the
// environment is enabled.
func (s *script) settle() (string, error) {
	var out strings.Builder
	for range 1000 {
		if !s.settleStep(&out) {
			return out.String() + s.show(), nil
		}
	}
	return "", fmt.Errorf("does not settle in 1000 steps")
}

func (s *script) settleStep(out *strings.Builder) bool {
	for l := actor.Sync; l < actor.Event; l++ {
		for _, a := range s.actors {
			if a.Latency() != l {
				continue
			}
			if all := actor.Successors(a, s.now); len(all) > 0 {
				fmt.Fprintln(out, a.Describe(s.now, all[0].To, all[0].Move).Text)
				s.now = all[0].To
				return true
			}
		}
	}
	return false
}

// show prints the state: a line a workload, a line a revision.
func (s *script) show() string {
	var out strings.Builder
	for w := range s.spec.Workloads {
		fmt.Fprintf(&out, "%s: %s applied, replicas %d", s.spec.Workloads[w].Name,
			[...]string{"base", "head"}[s.now.Version()], s.now.Replicas(w))
		if s.spec.Workloads[w].Autoscaled() {
			fmt.Fprintf(&out, ", load %s", s.now.Load(w))
		}
		if o := s.now.Owners(w); o != 0 {
			fmt.Fprintf(&out, ", owners %b", o)
		}
		out.WriteByte('\n')
		for _, p := range s.cfg.ClassesOf[w] {
			s.showClass(&out, p)
		}
	}
	for n := range s.cfg.Nodes {
		if t := s.now.Tenure(n); t != state.Staying {
			fmt.Fprintf(&out, "  %s %s\n", s.cfg.Nodes[n].Name, [...]string{"", "removing", "reclaimed", "scaling down", "absent", "replacing"}[t])
		}
	}
	return out.String()
}

func (s *script) showClass(out *strings.Builder, p int) {
	f := &s.cfg.Class[p]
	if s.now.Get(f.Exists) == 0 && s.now.Existing(p) == 0 {
		return
	}
	name := s.cfg.Revision(p)
	if name == "" {
		name = "only"
	}
	if z := s.cfg.Pods[p].Size; z > 0 {
		if s.now.Existing(p) == 0 { // the fields are the ReplicaSet's
			return
		}
		name = fmt.Sprintf("%s, resized to %d", name, z)
	}
	if o := s.cfg.Pods[p].Ordinal; o != state.NoOrdinal {
		if s.now.Existing(p) == 0 { // the field says that the revision had a pod
			return
		}
		fmt.Fprintf(out, "  %d %s", o, name)
		s.showPlaces(out, p)
		return
	}
	fmt.Fprintf(out, "  %s size %d (desired %d, max %d)", name, s.now.Get(f.Size), s.now.Get(f.Desired), s.now.Get(f.Max))
	s.showPlaces(out, p)
}

func (s *script) showPlaces(out *strings.Builder, p int) {
	if n := s.now.Pending(p); n > 0 {
		out.WriteString(", pending " + strconv.Itoa(n))
	}
	for n := range s.cfg.Nodes {
		if k := s.now.Nominated(n, p); k > 0 {
			fmt.Fprintf(out, ", %s %d nominated", s.cfg.Nodes[n].Name, k)
		}
		for ph, phase := range phases {
			if k := s.now.On(n, p, state.Phase(ph)); k > 0 {
				fmt.Fprintf(out, ", %s %d %s", s.cfg.Nodes[n].Name, k, phase)
			}
		}
	}
	out.WriteByte('\n')
}
