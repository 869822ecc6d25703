package rules

import (
	"testing"

	"github.com/kubesettle/kubesettle/verify/state"
)

// held is a problem whose autoscaler, of 2 to 6 pods, cannot act; its loads ask for 2, 3
// and 6 pods, of which another workload's may take a share.
func held(t *testing.T, why string, git *state.GitOps) *state.Config {
	t.Helper()
	p := problem{deployment(6, "a", hpa(2, 6)), deployment(6, "a", hpa(2, 6))}
	b := p.builder(t, git)
	b.Autoscaling(0, state.Head, state.Autoscaling{Least: [state.Loads]int{2, 3, 6}, Held: why, Unheld: [state.Loads]int{6, 6, 6}, Fields: []string{"Workload:spec.selector"}})
	for load, pods := range []int{2, 3, 6} {
		b.Rest(0, state.Head, state.Load(load), pods)
	}
	c, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func under(s state.State, load state.Load) state.State {
	s.Set(s.C.Workload[0].Load, int(load))
	return s
}

func TestRestsShort(t *testing.T) {
	c := held(t, "somebody else does", nil)
	p := neverSettles.Also(c, 0)
	short := under(at(c, state.Head, 2, pods{size: 2, ready: 2}), state.Saturating)
	got, want := p.Message(short), "the autoscaler of default/web leaves it at 2 replicas although the saturating load asks for 6: somebody else does"
	if got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
	off := under(at(c, state.Head, 0), state.Nominal)
	got, want = p.Message(off), "the autoscaler of default/web stays switched off, as it has 0 replicas, although the nominal load asks for 3"
	if got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
	for name, x := range map[string]struct {
		s    state.State
		want bool
	}{
		"short":                  {short, true},
		"off":                    {off, true},
		"enough":                 {under(at(c, state.Head, 3, pods{size: 3, ready: 3}), state.Nominal), false},
		"a pod is yet to start":  {under(at(c, state.Head, 2, pods{size: 2, ready: 1, starting: 1}), state.Saturating), false},
		"a pod is yet to come":   {under(at(c, state.Head, 2, pods{size: 2, ready: 1}), state.Saturating), false},
		"before the change":      {under(at(c, state.Base, 2, pods{size: 2, ready: 2}), state.Saturating), false},
		"more pods than replica": {under(at(c, state.Head, 2, pods{size: 3, ready: 3}), state.Saturating), false},
	} {
		if got := p.Quiescent(x.s); got != x.want {
			t.Errorf("%s: %t, want %t", name, got, x.want)
		}
	}
	free := held(t, "", nil)
	if neverSettles.Also(free, 0).Quiescent(under(at(free, state.Head, 2, pods{size: 2, ready: 2}), state.Saturating)) {
		t.Error("an autoscaler that nothing keeps from acting rests short")
	}
	if c := (problem{deployment(3, "a"), deployment(3, "a")}).config(t); !neverSettles.Also(c, 0).IsZero() || !runawayScale.Also(c, 0).IsZero() {
		t.Error("a side on autoscalers speaks of a workload without one")
	}
}

func TestStaysHigh(t *testing.T) {
	c := held(t, "", nil)
	p := runawayScale.Also(c, 0)
	high := under(at(c, state.Head, 6, pods{size: 6, ready: 6}), state.Idle)
	got, want := p.Message(high), "the autoscaler of default/web can stay at its maximum of 6 replicas with no load to justify it: the idle load asks for 2"
	if got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
	git, kept := held(t, "", &state.GitOps{SelfHeal: true}), held(t, "", nil)
	kept.Autoscaling[0][state.Head].Unheld = [state.Loads]int{2, 3, 6}
	for name, x := range map[string]struct {
		s    state.State
		want bool
	}{
		"at the maximum":        {high, true},
		"with some load":        {under(at(c, state.Head, 6, pods{size: 6, ready: 6}), state.Nominal), false},
		"a behavior keeps it":   {under(at(kept, state.Head, 6, pods{size: 6, ready: 6}), state.Nominal), true},
		"short of the maximum":  {under(at(c, state.Head, 5, pods{size: 5, ready: 5}), state.Idle), true},
		"twice what is asked":   {under(at(c, state.Head, 4, pods{size: 4, ready: 4}), state.Idle), false},
		"a pod is yet to start": {under(at(c, state.Head, 6, pods{size: 6, ready: 5, starting: 1}), state.Idle), false},
		"before the change":     {under(at(c, state.Base, 6, pods{size: 6, ready: 6}), state.Idle), false},
		"Git says so":           {under(at(git, state.Head, 6, pods{size: 6, ready: 6}), state.Idle), false},
	} {
		if got := runawayScale.Also(x.s.C, 0).Quiescent(x.s); got != x.want {
			t.Errorf("%s: %t, want %t", name, got, x.want)
		}
	}
}
