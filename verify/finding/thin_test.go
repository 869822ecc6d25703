package finding

import "testing"

// Long runs of many workloads keep few snapshots, the first and the last among them; short ones of few keep all.
func TestThin(t *testing.T) {
	findings := func(n, steps, workloads int) (out []Finding) {
		for range n {
			f := Finding{Interleaving: make([]Step, steps)}
			for i := range f.Interleaving {
				f.Interleaving[i].After = &Snapshot{Workloads: make([]WorkloadSnapshot, workloads)}
			}
			out = append(out, f)
		}
		return out
	}
	kept := func(list []Finding) (n int) {
		for _, f := range list {
			for _, s := range f.Interleaving {
				if s.After != nil {
					n++
				}
			}
			if last := len(f.Interleaving) - 1; f.Interleaving[0].After == nil || f.Interleaving[last].After == nil {
				t.Errorf("of %d steps the first or the last has no snapshot", last+1)
			}
		}
		return n
	}
	usual := findings(100, 20, 5)
	if Thin(usual); kept(usual) != 100*20 {
		t.Errorf("of %d usual snapshots %d are kept", 100*20, kept(usual))
	}
	large := findings(100, 200, 300)
	if Thin(large); kept(large)*300 > cells+100*2*300 {
		t.Errorf("%d snapshots of 300 workloads are kept", kept(large))
	}
}
