package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/nodes"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/control/workloads"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// wording turns a violation into a finding. sources maps an object of the slice to the
// rendered object that holds its fields.
type wording struct {
	scenario.Violation
	slice   *slice.Slice
	places  Places
	sources func(id string, v state.Version) *object.Object
	shots   *camera
	folded  bool // like steps that follow each other are one
}

// newWording words a violation of head, or with base of the baseline, where both
// versions of every manifest are base's.
func newWording(v scenario.Violation, sl *slice.Slice, pl Places, base bool) wording {
	w := wording{Violation: v, slice: sl, places: pl, shots: newCamera(v.Problem.Cfg)}
	w.sources = func(id string, version state.Version) *object.Object {
		pair := sl.Objects[id]
		if pair == nil {
			return nil
		}
		if base {
			return pair[state.Base]
		}
		if v.Scenario == scenario.ScenarioNext { // head runs, and is applied again
			version = state.Head
		}
		if o := pair[version]; o != nil {
			return o
		}
		return pair[1-version]
	}
	return w
}

// finding words the violation, except for the parts that need the other side: status, blame and severity.
func (w wording) finding() finding.Finding {
	d := finding.Draft{
		Rule: w.Bound.Rule.ID, Class: string(w.Bound.Rule.Class), Severity: string(w.Bound.Rule.Severity),
		Certainty: finding.Possible, Scenario: w.Scenario, Workload: w.Key().Workload,
		Release: w.slice.Owner(w.Key().Workload),
	}
	switch {
	case w.Inevitable:
		d.Certainty = finding.Inevitable
	case w.Undecided:
		d.Certainty = finding.Unknown
	}
	cycle := (*int)(nil)
	s := w.state(w.Start)
	pods := podsIn(s)
	for i, st := range w.Steps {
		from := s
		s = w.state(st.To)
		pods = max(pods, podsIn(s))
		step := w.step(from, s, st)
		if step.Class == actor.Event.String() {
			d.Events = append(d.Events, step.Action)
		}
		if i == w.CycleStart {
			cycle = &i
		}
		d.Steps = append(d.Steps, step)
	}
	at := s
	if w.CycleStart > 0 {
		at = w.state(w.Steps[w.CycleStart-1].To)
	} else if w.CycleStart == 0 {
		at = w.state(w.Start)
	}
	if w.CycleStart < 0 {
		d.Steps = append(d.Steps, w.stuck(s)...)
	}
	d.Message = w.Bound.Property.Message(at) + w.Else()
	f := d.Finding()
	f.CycleStart = cycle
	if w.FromLive() {
		f.Start = "live"
	}
	f.Scale.Nodes, f.Scale.Pods = len(s.C.Nodes), pods
	for i, c := range s.C.Spec.Classes {
		f.Scale.Classes[c.Name] = s.C.Topology[i]
	}
	if w.folded {
		fold(&f)
	}
	return f
}

// step words one step, with the cluster after it.
func (w wording) step(from, to state.State, st search.Step) finding.Step {
	return w.stepOf(w.Problem.Actors[st.Actor], from, to, st)
}

// stepOf is step of an actor.
func (w wording) stepOf(a actor.Actor, from, to state.State, st search.Step) finding.Step {
	words := a.Describe(from, to, st.Move)
	return finding.Step{
		Actor: a.Name(), Class: a.Latency().String(), Action: words.Action, Object: words.Object,
		Text: words.Text, Because: w.because(words.Because), After: w.shots.snapshot(to),
	}
}

func (w wording) state(b []byte) state.State { return state.State{C: w.Problem.Cfg, B: b} }

// stuck gives the steps that do not happen: why a node is not drained, and why the pods
// that stay pending find no node.
func (w wording) stuck(s state.State) []finding.Step {
	var out []finding.Step
	for _, p := range s.C.ClassesOf[w.Bound.Workload] {
		why, n, refs := nodes.DrainRefusal(s, p)
		if why == "" {
			continue
		}
		out = append(out, finding.Step{
			Actor: "drain", Class: actor.Periodic.String(), Action: "eviction-refused",
			Object:  "Pod " + podName(s, p),
			Text:    fmt.Sprintf("the drain may not evict %s%s on %s: %s", onePod(s, p), revision(s, p), s.C.Nodes[n].Name, why),
			Because: w.because(refs), After: w.shots.snapshot(s),
		})
	}
	return append(out, w.unmade(s)...)
}

// unmade gives the pods that are not created, for want of quota, and those that are not
// placed, for want of a node.
func (w wording) unmade(s state.State) []finding.Step {
	var out []finding.Step
	for _, p := range s.C.ClassesOf[w.Bound.Workload] {
		why, refs := workloads.QuotaRefusal(s, p)
		if why == "" {
			continue
		}
		wl := s.C.Spec.Workloads[s.C.Pods[p].Workload]
		owner := "ReplicaSet"
		if !wl.Kind().OwnsSets() {
			owner = string(wl.Kind())
		}
		action := "creation-refused"
		if !slices.ContainsFunc(refs, func(r actor.Ref) bool { return strings.HasPrefix(r.Object, "ResourceQuota ") }) {
			action = "admission-refused"
		}
		by, pod := strings.ToLower(owner), onePod(s, p)+revision(s, p)
		if r := s.Refused(p); r != nil && r.Claim != "" {
			pod = "PersistentVolumeClaim " + r.Claim + ", without which there is no pod"
		}
		text := fmt.Sprintf("the API server refuses the %s %s: %s", owner, pod, why)
		if slices.ContainsFunc(refs, func(r actor.Ref) bool { return strings.HasPrefix(r.Object, slice.KueueGroup+"/") }) {
			by, action, text = "kueue", "stay-gated", fmt.Sprintf("Kueue does not admit %s: %s", pod, why)
		}
		out = append(out, finding.Step{
			Actor: by, Class: actor.Sync.String(), Action: action,
			Object:  "Pod " + podName(s, p),
			Text:    text,
			Because: w.because(refs), After: w.shots.snapshot(s),
		})
	}
	for _, p := range s.C.ClassesOf[w.Bound.Workload] {
		if text, refs := nodes.AttachRefusal(s, p); text != "" {
			wl := s.C.Spec.Workloads[s.C.Pods[p].Workload]
			out = append(out, finding.Step{
				Actor: "attachdetach", Class: actor.Sync.String(), Action: "attach-refused",
				Object: "Pod " + wl.Namespace + "/" + wl.Name, Text: text, Because: w.because(refs), After: w.shots.snapshot(s),
			})
		}
		if s.Pending(p) == 0 {
			continue
		}
		if text, refs := nodes.AdmissionRefusal(s, p); text != "" {
			wl := s.C.Spec.Workloads[s.C.Pods[p].Workload]
			out = append(out, finding.Step{
				Actor: "kubelet", Class: actor.Kubelet.String(), Action: "refuse-pod",
				Object: "Pod " + wl.Namespace + "/" + wl.Name, Text: text, Because: w.because(refs), After: w.shots.snapshot(s),
			})
			continue
		}
		reasons := scheduler.WhyPending(s, p)
		if len(reasons) == 0 {
			continue
		}
		var refs []actor.Ref
		for _, r := range reasons {
			if !slices.Contains(refs, r.Ref) {
				refs = append(refs, r.Ref)
			}
		}
		out = append(out, finding.Step{
			Actor: "scheduler", Class: actor.Sync.String(), Action: "no-feasible-node",
			Object: "Pod " + podName(s, p),
			Text: fmt.Sprintf("the scheduler finds no feasible node for %s%s: %s", onePod(s, p), revision(s, p),
				scheduler.FitError(s.PresentNodes(), reasons)),
			Because: w.because(refs), After: w.shots.snapshot(s),
		})
	}
	return out
}

// podName is "default/web", or "default/web-0" for the pod of a StatefulSet.
func podName(s state.State, p int) string {
	wl := &s.C.Spec.Workloads[s.C.Pods[p].Workload]
	if o := s.C.Pods[p].Ordinal; o != state.NoOrdinal {
		return fmt.Sprintf("%s/%s-%d", wl.Namespace, wl.Name, o)
	}
	return wl.Namespace + "/" + wl.Name
}

// onePod words a pod of class p.
func onePod(s state.State, p int) string {
	if objects.Named(s.C, p) {
		return "pod " + podName(s, p)
	}
	return "a pod of " + podName(s, p)
}

// revision tells the pods of several revisions apart, where there are several.
func revision(s state.State, p int) string {
	if s.C.Revision(p) == "" {
		return ""
	}
	return " (" + s.C.Revision(p) + " revision)"
}

// because resolves references to files and lines; one without a known object is left out.
func (w wording) because(refs []actor.Ref) []finding.Because {
	out := []finding.Because{}
	for _, r := range refs {
		file, line, ok := w.slice.Configured(r)
		b := finding.Because{File: file, Line: line, Field: r.Field}
		if o := w.sources(r.Object, r.Version); o != nil {
			r = ofKind(r)
			at := o.Locate(r.Field)
			b, ok = finding.Because{File: at.File, Line: at.StartLine, Field: r.Field}, true
		}
		if !ok {
			continue
		}
		if !slices.Contains(out, b) {
			out = append(out, b)
		}
	}
	return out
}

// ofKind gives a field of a workload as its kind has it: a CronJob's pod template is that
// of the Jobs it creates.
func ofKind(r actor.Ref) actor.Ref {
	r.Field = state.KindOf(r.Object).Own(r.Field)
	return r
}

// refs lists what the counterexample rests on, the last steps first.
func (w wording) refs() []actor.Ref {
	var out []actor.Ref
	add := func(refs []actor.Ref) {
		for _, r := range refs {
			if r = ofKind(r); !slices.Contains(out, r) {
				out = append(out, r)
			}
		}
	}
	last := w.state(w.Start)
	if n := len(w.Steps); n > 0 {
		last = w.state(w.Steps[n-1].To)
	}
	if w.CycleStart < 0 {
		for _, p := range last.C.ClassesOf[w.Bound.Workload] {
			if _, refs := nodes.AdmissionRefusal(last, p); len(refs) > 0 {
				add(refs)
				continue
			}
			if _, refs := nodes.AttachRefusal(last, p); refs != nil {
				add(refs)
			}
			if _, refs := workloads.QuotaRefusal(last, p); refs != nil {
				add(refs)
			}
			if last.Pending(p) > 0 {
				for _, r := range scheduler.WhyPending(last, p) {
					add([]actor.Ref{r.Ref})
				}
			}
		}
	}
	for _, f := range w.Bound.Property.Fields {
		kind, path, _ := strings.Cut(f, ":")
		for _, id := range w.slice.Ids() {
			if o := w.sources(id, state.Head); o != nil && (o.ID.Kind == kind || kind == "Workload" && w.slice.IsWorkload(id)) {
				add([]actor.Ref{{Object: id, Version: state.Head, Field: path}})
			}
		}
	}
	for _, st := range slices.Backward(w.Steps) {
		a := w.Problem.Actors[st.Actor]
		add(a.Describe(w.state(st.From), w.state(st.To), st.Move).Because)
	}
	return out
}

// podsIn counts the pods that stand for a replica: terminating ones do not.
func podsIn(s state.State) int {
	total := 0
	for p := range s.C.Pods {
		total += s.Active(p)
	}
	return total
}

// severity of a finding follows from the rule, from certainty, and from what it takes:
// the apply alone or one routine event keeps the rule's severity, more than that or an
// unlucky choice lowers it by one, and so do a size that was not declared and a mere wish. What rests
// on an assumed number of nodes is a note, and what needs a failure (a lost node or one
// under pressure, a pod that crashes, a bad revision) a warning.
// The drains of one maintenance, node by node, are one event, and none where they only come before a loss. One change
// of load beside another event is none: an autoscaled workload is at some load when that happens, so that it matters
// to nobody at how many replicas it was written down.
func severity(v scenario.Violation, f finding.Finding, assumed bool) rules.Severity {
	b, s := v.Bound, v.Bound.Rule.Severity
	if b.Property.Wish {
		s = Lower(s)
	}
	if !f.AtDeclaredScale && assumed {
		return rules.Note
	}
	if b.Property.Mild {
		s = Lower(s)
	}
	if f.Certainty != finding.Inevitable {
		s = Lower(s)
	}
	routine, loads := 0, 0
	for i, e := range f.Events {
		switch {
		case e == "load-change":
			loads++
		case e != "apply" && (e != "drain" || !v.AfterUpkeep() && !slices.Contains(f.Events[:i], e)):
			routine++
		}
	}
	if routine > 0 { // the load on an autoscaled workload is at some level whenever anything happens
		loads--
	}
	if routine += max(loads, 0); routine > 1 || routine == 1 && b.Property.Mild {
		s = Lower(s)
	}
	if !f.AtDeclaredScale {
		s = Lower(s)
	}
	if s == rules.Error && (b.Property.Soft || slices.ContainsFunc(f.Events, policies.IsFailure)) {
		s = rules.Warning
	}
	return s
}

// Lower gives the next lower severity that is still reported.
func Lower(s rules.Severity) rules.Severity {
	if s == rules.Error {
		return rules.Warning
	}
	return rules.Note
}
