package finding

import "slices"

// Gate says what fails a merge.
type Gate struct {
	FailOn         string `json:"failOn"` // error, warning, note or off
	OnlyNew        bool   `json:"onlyNew"`
	OnInconclusive string `json:"onInconclusive"` // warn or fail
}

// off is the severity at which the gate never fails.
const off = "off"

// Fails reports whether a finding fails the gate.
func (g Gate) Fails(f *Finding) bool {
	if f.Status == Fixed || f.Baselined || (f.Status == Existing && g.OnlyNew) || g.FailOn == off {
		return false
	}
	return Rank(f.Severity) <= max(Rank(g.FailOn), 0)
}

// ScopeResult is a folder's policy as results name it: the gate of its releases.
type ScopeResult struct {
	Policy   string   `json:"policy"` // the file
	Releases []string `json:"releases"`
	Gate     Gate     `json:"gate"` // as the file has it
	// Judged is the gate with what flags make of it; nil: they say nothing.
	Judged *Gate `json:"-"`
}

// inForce is the gate that counts.
func (s *ScopeResult) inForce() Gate {
	if s.Judged != nil {
		return *s.Judged
	}
	return s.Gate
}

// Gates reports whether a finding fails a gate of its release: those of the policies of its folders, else g, that of
// the policy at the root.
func (r *Result) Gates(f Finding, g Gate) bool {
	if r.heldBack(&f) {
		return false
	}
	scoped := false
	for _, s := range r.Scopes {
		if slices.Contains(s.Releases, f.Release) {
			if scoped = true; s.inForce().Fails(&f) {
				return true
			}
		}
	}
	return !scoped && g.Fails(&f)
}

// gated is a part of a result with the gate that it is judged by.
type gated struct {
	*Result
	gate Gate
	run  *Result // the whole
}

// heldBack reports whether a finding says of a release why it does not render: that the release has no result is what
// gates, with an exit code that tells it from a finding.
func (r *Result) heldBack(f *Finding) bool {
	return f.Unrendered && slices.ContainsFunc(r.Releases, func(x ReleaseResult) bool {
		return x.ID == f.Release && x.HoldsUp()
	})
}

// byGate splits a result into the parts under each gate; g is the root's. With one policy there is one part, the result
// itself.
func (r *Result) byGate(g Gate) []gated {
	if len(r.Scopes) == 0 {
		return []gated{{r, g, r}}
	}
	part := func(mine func(release string) bool) *Result {
		one := *r
		one.Scopes, one.Unused = nil, false
		one.Releases = slices.DeleteFunc(slices.Clone(r.Releases), func(x ReleaseResult) bool { return !mine(x.ID) })
		one.Workloads = slices.DeleteFunc(slices.Clone(r.Workloads), func(x Workload) bool { return !mine(x.Release) })
		one.Findings = slices.DeleteFunc(slices.Clone(r.Findings), func(x Finding) bool { return !mine(x.Release) })
		return &one
	}
	scoped := map[string]bool{}
	var out []gated
	for _, s := range r.Scopes {
		for _, id := range s.Releases {
			scoped[id] = true
		}
		out = append(out, gated{part(func(id string) bool { return slices.Contains(s.Releases, id) }), s.inForce(), r})
	}
	out = append([]gated{{part(func(id string) bool { return !scoped[id] }), g, r}}, out...)
	out = slices.DeleteFunc(out, func(x gated) bool { return len(x.Releases) == 0 && len(x.Findings) == 0 })
	if len(out) == 0 {
		return []gated{{r, g, r}}
	}
	return out
}

// Worst is the verdict of several that says the least good.
func Worst(list []Verdict) Verdict {
	for _, v := range []Verdict{Fail, Errored, Inconclusive} {
		if slices.Contains(list, v) {
			return v
		}
	}
	return Pass
}

// ExitCode is the gate's: 0 pass, 1 a gating finding, 3 could not analyse, 4 inconclusive where the policy says fail.
// Of several gates it is the code that says the worst.
func (r *Result) ExitCode(g Gate) int {
	parts := r.byGate(g)
	if len(parts) == 1 && parts[0].Result == r {
		return codeOf(r.Verdict, g)
	}
	var codes []int
	for _, p := range parts {
		codes = append(codes, codeOf(p.verdict(), p.gate))
	}
	for _, c := range []int{1, 3, 4} {
		if slices.Contains(codes, c) {
			return c
		}
	}
	return 0
}

// Judge sets the verdicts of the workloads and of the whole.
func (r *Result) Judge(g Gate) {
	for i := range r.Workloads {
		w := &r.Workloads[i]
		for _, f := range r.Findings {
			mine := f.Workload == w.ID && (f.Release == w.Release || slices.Contains(f.AlsoIn, w.Release))
			if mine && r.Gates(f, g) {
				w.Verdict = Fail
			}
		}
	}
	var all []Verdict
	for _, part := range r.byGate(g) {
		all = append(all, part.verdict())
	}
	r.Verdict = Worst(all)
}

// HoldsUp reports whether a release has no result and the change is the reason: it broke it,
// or added it broken.
func (r *ReleaseResult) HoldsUp() bool {
	return r.Changed && (r.Missing() || r.Open()) && !r.Before
}

// Missing reports whether nothing of head's release was analysed.
func (r *ReleaseResult) Missing() bool { return r.Status == "failed-head" || r.Status == "skipped" }

// Open reports whether the change may reach a part of a release that is unknown, which is no pass.
func (r *ReleaseResult) Open() bool { return r.Status == "partial" || r.Status == "unclaimed" }

// nothing reports whether a run had nothing to check: it has no release, or the verified manifests have no workload.
func (r *Result) nothing() bool {
	none := !slices.ContainsFunc(r.Releases, func(rel ReleaseResult) bool { return rel.Status != "unclaimed" })
	if none && (r.Base == Side{} || r.Narrowed || r.Unused) {
		return true
	}
	cut := slices.ContainsFunc(r.Releases, func(rel ReleaseResult) bool { return rel.Cut })
	return r.Base == Side{} && len(r.Workloads) == 0 && !cut
}

// nothingLeft reports whether the change touches releases of which none was analysed, or one
// that was not where no workload of the others was checked: what it hides may be all there is.
func (r *Result) nothingLeft() bool {
	touched, missing := 0, 0
	for _, rel := range r.Releases {
		if rel.Changed && !rel.Elsewhere {
			touched++
			if rel.Missing() {
				missing++
			}
		}
	}
	return missing > 0 && (touched == missing || len(r.Workloads) == 0)
}

// verdict is that of releases that have one gate: the worst of what became of them. There was nothing to check only if
// the whole run had nothing.
func (r gated) verdict() Verdict {
	var all []Verdict
	add := func(id OutcomeID) { all = append(all, id.Of().Verdict) }
	if slices.ContainsFunc(r.Findings, func(f Finding) bool { return r.gate.Fails(&f) && !r.heldBack(&f) }) {
		add(Gating)
	}
	if r.run.nothing() {
		add(Nothing)
	}
	searched, left := r.searched(), !r.nothingLeft()
	for i := range r.Workloads {
		if id := r.Workloads[i].Outcome(); id != NoModel || !searched {
			add(id)
		}
	}
	for i := range r.Releases {
		rel := &r.Releases[i]
		switch id := rel.Outcome(); {
		case id == BrokenAlike && left && (rel.Status != "skipped" || !rel.Changed || rel.Elsewhere),
			id == Unfetchable && (!rel.Changed || rel.Elsewhere):
		default:
			add(id)
		}
	}
	return Worst(all)
}

// searched reports whether a changed workload was searched to the end.
func (r *Result) searched() bool {
	return slices.ContainsFunc(r.Workloads, func(w Workload) bool {
		return w.Verdict == Pass && w.Change != "unchanged" && w.Change != "removed"
	})
}
