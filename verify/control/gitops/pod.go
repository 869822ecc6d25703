package gitops

import (
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// update is the effect of an apply on a Pod that no controller owns: a Pod that is there keeps its node and has the
// manifest's template from now on, with its containers started again if their images differ; one that is not there is
// created. Updates that the API server refuses are left to verify/validation.
func update(t state.State, w int) {
	to := t.NewClass(w)
	for _, p := range t.C.ClassesOf[w] {
		if p != to {
			rename(t, p, to)
		}
	}
	if t.Vanished(w) {
		t.Owe(w)
	}
}

// describePod words the effect of an apply on a Pod that was applied before.
func describePod(from, to state.State, w int, because func(string, state.Version, string)) string {
	wl := &to.C.Spec.Workloads[w]
	name := string(wl.Kind()) + " " + objects.ShortName(wl)
	a, b := from.NewClass(w), to.NewClass(w)
	switch {
	case to.Owed(w) && !from.Owed(w):
		because(wl.ID, to.VersionOf(w), "spec")
		return name + " is not there, and is created again"
	case a == b:
		return ""
	}
	because(wl.ID, to.VersionOf(w), "spec.template")
	if to.C.RestartsInPlace(a, b) {
		return name + ": updated in place, and its containers restart"
	}
	return name + ": updated in place"
}

// rename makes the pods of one class, in whatever state they are, those of another of one workload. One on
// deletion goes as it is.
func rename(t state.State, from, to int) {
	a, b := &t.C.Class[from], &t.C.Class[to]
	for _, f := range [...][2]state.Field{{a.Pending, b.Pending}, {a.Size, b.Size}, {a.Exists, b.Exists}} {
		if k := t.Get(f[0]); k > 0 {
			t.Set(f[0], 0)
			t.Set(f[1], max(t.Get(f[1]), k)) // it is one pod
		}
	}
	for n := range t.C.Nodes {
		if k := t.Nominated(n, from); k > 0 {
			t.Nominate(n, from, -k)
			if t.C.Preempts(to) {
				t.Nominate(n, to, k)
			}
		}
		for _, ph := range state.LivePhases {
			k := t.On(n, from, ph)
			if k == 0 {
				continue
			}
			t.Add(n, from, ph, -k)
			if t.C.RestartsInPlace(from, to) {
				ph = state.Starting
			}
			t.Add(n, to, ph, k)
		}
	}
}

// remove deletes the Pod that workload w is.
func remove(t state.State, w int) {
	for _, p := range t.C.ClassesOf[w] {
		t.Set(t.C.Class[p].Pending, 0)
		for n := range t.C.Nodes {
			if k := t.Nominated(n, p); k > 0 {
				t.Nominate(n, p, -k)
			}
			for _, ph := range state.LivePhases {
				for range t.On(n, p, ph) {
					objects.Evict(t, n, p, ph)
				}
			}
		}
	}
}

// Stops implements [state.WatchesStops]: who applies a Pod again creates none while the old one is still there.
func Stops(s *state.Spec, _ int) bool {
	return s.Declares(func(_ *state.Workload, m *state.Manifest) bool { return m.Kind().Bare() })
}
