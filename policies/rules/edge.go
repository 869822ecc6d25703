package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/verify/state"
)

// Edge are requests to the pods behind a Service or a route, as manifests or a policy tell of them, for who searches
// whether some of them are ready.
type Edge struct {
	To        string   // the target, as a finding names it
	Namespace string   // of the target
	Service   string   // whose pods answer; "": those of all Workloads do
	Workloads []string // that answer in some version, "namespace/name", in order
	Least     int      // pods that have to be ready, at least 1
	Caller    string   // the workload that asks; "": it is not known, or of no matter
	// Local says that what matters is that pods on the caller's own node answer, where no others do.
	Local bool
	Guess bool // only a setting of the caller's says that it asks
	// Declared is where a policy says it; zero: none declares it.
	Declared Declaration
}

// ServiceGapOf is the rule service-gap for one edge, which takes a search: □(enough of those that answer are ready),
// once the cluster has settled; or, where only pods on the caller's node answer, that each node on which callers come
// to rest has one.
//
// Upstream: kubernetes v1.36.3, pkg/proxy: CategorizeEndpoints (with internalTrafficPolicy Local, ready endpoints of
// other nodes are left out).
func ServiceGapOf(e Edge) Rule {
	r := serviceGap
	names := slices.Clone(e.Workloads)
	if e.Caller != "" {
		names = append(names, e.Caller)
	}
	slices.Sort(names)
	r.Scope = &Scope{Workloads: slices.Compact(names), Numbers: []int{e.Least}, Absolute: e.Least > 1}
	r.Static, r.Declared, r.Made = false, e.Declared, fmt.Sprintf("%+v", e)
	r.New = func(c *state.Config, w int) Property {
		of := newAnswers(c, e)
		if of == nil || of.speaks != w {
			return Property{}
		}
		p := Property{Mild: e.Guess, Fields: []string{"Workload:spec.replicas"}}
		if e.Local {
			p.Quiescent, p.Fields = of.alone, []string{"Service:spec.internalTrafficPolicy"}
			p.Message = func(s state.State) string {
				return fmt.Sprintf("pods of %s can stand on a node without a ready pod behind %s, whose internalTrafficPolicy is Local",
					e.Caller, e.To)
			}
			return p
		}
		p.Bad = func(s state.State) bool { return of.ready(s) < e.Least }
		p.Message = func(s state.State) string {
			return fmt.Sprintf("%s can be ready behind %s, below the %d that are wanted (%s)",
				english.Plural(of.ready(s), "pod", ""), e.To, e.Least, of.words(s))
		}
		return p
	}
	return r
}

// answers are the workloads of an edge in one problem.
type answers struct {
	edge   Edge
	of     []int
	caller int              // -1: none
	speaks int              // the one that the property names
	behind map[int][][]bool // by workload, version and class of its pods
}

// newAnswers finds them; nil: one of them is not there.
func newAnswers(c *state.Config, e Edge) *answers {
	at := func(name string) int {
		return slices.IndexFunc(c.Spec.Workloads, func(w state.Workload) bool { return w.Namespace+"/"+w.Name == name })
	}
	out := &answers{edge: e, caller: -1, speaks: -1, behind: map[int][][]bool{}}
	for _, n := range e.Workloads {
		w := at(n)
		if w < 0 {
			return nil
		}
		for v := range c.Spec.Workloads[w].Manifests {
			var behind []bool
			for _, p := range c.ClassesOf[w] {
				m := &c.Spec.Workloads[w].Manifests[v]
				behind = append(behind, e.Service == "" || m.Serves(e.Service, c.Pods[p].Template.Labels))
			}
			out.behind[w] = append(out.behind[w], behind)
		}
		if out.of = append(out.of, w); out.speaks < 0 || c.Spec.Workloads[w].Manifests[state.Head].Replicas() > 0 {
			out.speaks = w
		}
	}
	if e.Caller != "" {
		if out.caller = at(e.Caller); out.caller < 0 {
			return nil
		}
		out.speaks = out.caller
	}
	return out
}

// pods counts those of a workload that answer in a state, by class: pods of an earlier template are behind the Service
// as long as its selector matches them.
func (a *answers) pods(s state.State, w int, count func(p int) int) int {
	total, behind := 0, a.behind[w][s.VersionOf(w)]
	for i, p := range s.C.ClassesOf[w] {
		if behind[i] {
			total += count(p)
		}
	}
	return total
}

// ready is how many pods answer in a state.
func (a *answers) ready(s state.State) int {
	total := 0
	for _, w := range a.of {
		total += a.pods(s, w, s.ReadyPods)
	}
	return total
}

// alone reports whether a pod of the caller is ready on a node where none answers.
func (a *answers) alone(s state.State) bool {
	for n := range s.C.Nodes {
		if readyOn(s, n, a.caller) == 0 {
			continue
		}
		local, answered := false, false
		for _, w := range a.of {
			local = local || slices.Contains(s.Manifest(w).Near, a.edge.Service)
			answered = answered || a.pods(s, w, func(p int) int { return s.ReadyOn(n, p) }) > 0
		}
		if local && !answered {
			return true
		}
	}
	return false
}

func readyOn(s state.State, n, w int) int {
	total := 0
	for _, p := range s.C.ClassesOf[w] {
		total += s.ReadyOn(n, p)
	}
	return total
}

// words says how many of each workload are ready.
func (a *answers) words(s state.State) string {
	var out []string
	for _, w := range a.of {
		if any := a.pods(s, w, func(int) int { return 1 }); any > 0 {
			out = append(out, fmt.Sprintf("%s %d", FullName(s.C, w), a.pods(s, w, s.ReadyPods)))
		}
	}
	if len(out) == 0 {
		return "it selects none"
	}
	return strings.Join(out, ", ")
}
