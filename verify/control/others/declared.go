package others

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Object names a declared controller in references, whose fields are those of its entry in the policy file.
func Object(name string) string { return "controllers.own " + name }

// declared is one loop that the policy file describes. There is no upstream: it does what the file says.
type declared struct {
	*state.Declared
	index     int // in [state.Spec.Declared]
	workload  int // -1: it acts on none
	name      string
	when, to  state.Reading // nil: always; the bounds
	evictions *objects.Evictions
}

// NewDeclared builds the loops of the policy file that act on workloads of the problem.
// Errors: [actor.ErrUnmodeled].
func NewDeclared(b *state.Builder) ([]actor.Actor, error) {
	c := b.Config()
	var out []actor.Actor
	var evictions *objects.Evictions
	for i := range c.Spec.Declared {
		d := &declared{Declared: &c.Spec.Declared[i], index: i, workload: -1}
		d.name = "own/" + d.Declared.Name
		if d.Workload != "" {
			w := slices.IndexFunc(c.Spec.Workloads, func(w state.Workload) bool { return w.ID == d.Workload })
			if w < 0 {
				continue
			}
			d.workload, d.name = w, d.name+"/"+objects.OwnName(&c.Spec.Workloads[w])
			if err := d.refused(c); err != nil {
				return nil, err
			}
		}
		ok := d.reads(c, d.When, &d.when)
		ok = d.reads(c, d.To, &d.to) && ok
		if !ok {
			return nil, fmt.Errorf("controllers.own %s: a workload that its expressions name and that is not searched with %s: %w", d.Declared.Name, d.Workload, actor.ErrUnmodeled)
		}
		if evictions == nil && d.Evicts {
			evictions = objects.NewEvictions(c)
		}
		d.evictions = evictions
		out = append(out, d)
	}
	return out, nil
}

// reads gives an expression in a problem; false where it speaks of a workload that is searched elsewhere.
func (d *declared) reads(c *state.Config, e state.Expression, into *state.Reading) bool {
	if e == nil {
		return true
	}
	var ok bool
	*into, ok = e.For(c, d.workload)
	return ok
}

// refused says what the loop cannot do with a workload of this kind.
func (d *declared) refused(c *state.Config) error {
	wl := &c.Spec.Workloads[d.workload]
	kind := wl.Kind()
	refuse := func(what string) error {
		return fmt.Errorf("controllers.own %s: %s of the %s %s: %w", d.Declared.Name, what, kind,
			objects.ShortName(wl), actor.ErrUnmodeled)
	}
	switch {
	case d.Does == state.Restart && (kind != state.Deployment || len(wl.Sizes) > 0):
		return refuse("restarts")
	case d.Does == state.SetReplicas && wl.Manifests[state.Head].ReplicasField() == nil &&
		wl.Manifests[state.Base].ReplicasField() == nil:
		return refuse("replicas")
	case d.Does == state.DeletePods && (kind == state.DaemonSet || kind.Ends()):
		return refuse("deletion of pods")
	}
	return nil
}

func (d *declared) Traits(c *state.Config) actor.Traits {
	return actor.Traits{
		// Of its own workload it makes pods go, and of others it counts pods, or looks at where they are ready. Pods on
		// deletion are counted without regard to their revision, if at all.
		Lumps: func(k actor.Likeness) bool {
			placed := d.when != nil && d.when.Placed() || d.to != nil && d.to.Placed()
			return k.Kind == actor.StoppingAs || c.Pods[k.Class].Workload != d.workload && !placed
		},
		// Nothing says that it remembers what it wrote.
		Lag: &actor.Lag{Sees: d.sees(c), Conflicts: d.conflicts},
	}
}

// Err says why an expression had no value in some state.
func (d *declared) Err() error {
	for _, r := range []state.Reading{d.when, d.to} {
		if r != nil && r.Err() != nil {
			return r.Err()
		}
	}
	return nil
}

func (d *declared) Name() string { return d.name }

func (d *declared) Latency() actor.Latency {
	if d.Prompt {
		return actor.Sync
	}
	return actor.Periodic
}

// Kinds of moves: pods are deleted where they stand, or without a node.
const (
	deleteOn uint16 = iota
	deletePending
)

func (d *declared) Step(s state.State, next *actor.Emit) {
	if d.workload >= 0 && (!s.Manifest(d.workload).Exists() || !d.Acts[s.VersionOf(d.workload)]) {
		return
	}
	noticed := s.Notices(d.index)
	if d.when != nil && d.when.Of(s, noticed) == 0 {
		return
	}
	switch d.Does {
	case state.SetReplicas:
		d.scale(s, noticed, next)
	case state.Restart:
		d.restart(s, next)
	case state.DeletePods:
		d.remove(s, next)
	case state.WriteObject:
		d.write(s, next)
	}
}

// scale sets the replicas of the workload, within the bounds.
func (d *declared) scale(s state.State, noticed bool, next *actor.Emit) {
	want := min(max(d.to.Of(s, noticed), d.Min), d.Max)
	if want == s.Replicas(d.workload) {
		return
	}
	t := next.Copy(s)
	t.SetReplicas(d.workload, want)
	t.Notice(d.index, false)
	if s.C.Spec.Apply == state.ServerSide {
		t.Set(t.C.Workload[d.workload].Owners, int(state.Autoscaler))
	}
	next.Move(objects.Done)
}

// restart makes the other revision the current one, once no pod of it is left from the restart before.
func (d *declared) restart(s state.State, next *actor.Emit) {
	if !s.C.Restarts(d.workload) {
		return
	}
	for _, p := range s.C.ClassesOf[d.workload] {
		if !s.HasTemplate(p) && (s.Get(s.C.Class[p].Size) > 0 || s.Active(p) > 0) {
			return
		}
	}
	t := next.Copy(s)
	t.Turn(d.workload)
	t.Notice(d.index, false)
	next.Move(objects.Done)
}

// remove deletes any one pod of those that are meant.
func (d *declared) remove(s state.State, next *actor.Emit) {
	for _, p := range s.C.ClassesOf[d.workload] {
		if d.Which == state.OutdatedPod && s.HasTemplate(p) {
			continue
		}
		if s.Pending(p) > 0 && d.Which != state.AnyPod && !s.C.Preempts(p) {
			t := next.Copy(s)
			t.Set(t.C.Class[p].Pending, s.Pending(p)-1)
			t.Notice(d.index, false)
			next.Move(search.Move{Kind: deletePending, Args: [3]int32{-1, int32(p)}})
		}
		for n := range s.C.Nodes {
			if s.Twin(n) {
				continue
			}
			for _, ph := range state.LivePhases {
				if s.On(n, p, ph) == 0 || d.Which == state.UnreadyPod && ph.IsReady() ||
					d.Evicts && d.evictions.Ask(s, p, ph) == objects.EvictionRefused {
					continue
				}
				t := next.Copy(s)
				if d.Evicts {
					objects.Disrupt(t, n, p, ph)
				} else {
					objects.Evict(t, n, p, ph)
				}
				t.Notice(d.index, false)
				next.Move(search.Move{Kind: deleteOn, Args: [3]int32{int32(n), int32(p), int32(ph)}})
			}
		}
	}
}

// write has those notice that watch the object, where one of them has not yet.
func (d *declared) write(s state.State, next *actor.Emit) {
	news := false
	for i := range s.C.Spec.Declared {
		news = news || d.writes(s.C, i) && !s.Notices(i)
	}
	if !news {
		return
	}
	t := next.Copy(s)
	t.Notice(d.index, false)
	for i := range s.C.Spec.Declared {
		if d.writes(s.C, i) {
			t.Notice(i, true)
		}
	}
	next.Move(objects.Done)
}

// writes reports whether the loop writes what loop i watches.
func (d *declared) writes(c *state.Config, i int) bool {
	return c.CanNotice(i) && c.Spec.Declared[i].Watches == d.Writes
}

func (d *declared) Describe(from, to state.State, m search.Move) actor.Words {
	c := from.C
	w := actor.Words{Because: []actor.Ref{{Object: Object(d.Declared.Name), Version: from.Version(),
		Field: [...]string{"scales", "restarts", "deletes", "writes"}[d.Does]}}}
	why := ""
	if d.Watches != "" && from.Notices(d.index) && !to.Notices(d.index) {
		why = " (" + d.Watches + " has changed)"
	}
	switch d.Does {
	case state.SetReplicas:
		w.Action, w.Object = "scale", d.Workload
		w.Text = fmt.Sprintf("%s scales %s from %d to %d%s", d.Declared.Name,
			objects.ShortName(&c.Spec.Workloads[d.workload]), from.Replicas(d.workload), to.Replicas(d.workload), why)
	case state.Restart:
		w.Action, w.Object = "restart", d.Workload
		w.Text = fmt.Sprintf("%s restarts %s: its pod template gets a new annotation%s", d.Declared.Name,
			objects.ShortName(&c.Spec.Workloads[d.workload]), why)
	case state.DeletePods:
		p := int(m.Args[1])
		w.Action, w.Object = "delete-pod", objects.PodObject(c, p)
		verb := "deletes"
		if d.Evicts {
			w.Action, verb = "evict-pod", "evicts"
			why += d.evictions.Bare(from, p)
		}
		where := ", which has no node"
		if m.Kind == deleteOn {
			where = fmt.Sprintf(" (%s on %s)", state.Phase(m.Args[2]), c.Nodes[m.Args[0]].Name)
		}
		w.Text = fmt.Sprintf("%s %s %s%s%s", d.Declared.Name, verb, objects.OnePod(c, p, ""), where, why)
	case state.WriteObject:
		w.Action, w.Object = "write", d.Writes
		w.Text = fmt.Sprintf("%s writes %s again", d.Declared.Name, strings.TrimSpace(d.Writes))
	}
	if d.when != nil {
		w.Because = append(w.Because, actor.Ref{Object: Object(d.Declared.Name), Version: from.Version(), Field: "when"})
	}
	return w
}

func (d *declared) Model() *actor.Model {
	return &actor.Model{
		Upstream: "none: the policy file describes the controller (controllers.own)",
		MayInvent: []string{
			"of the pods that a declared controller deletes any may be next",
			"it acts in every state in which its expression is true, as often as that is so",
		},
		MayHide: []string{
			"a declared controller sees the cluster as it is now, writes one thing at a time, and never restarts itself",
			"a restart waits until the last one has replaced all pods; none comes while the change itself has a new pod template",
			"an object's content is not modeled, only that it differs on head, or is written",
		},
		Refused: []string{
			"restarts of workloads other than Deployments, or resized ones; deletion of pods of DaemonSets and Jobs",
			"expressions that name workloads which are not searched together",
		},
	}
}

// sees are all pods: its expressions may look at any.
func (d *declared) sees(c *state.Config) []int {
	all := make([]int, len(c.Pods))
	for p := range all {
		all[p] = p
	}
	return all
}

// conflicts reports whether the API server, which answers to an eviction by the cluster as it is, refuses it.
func (d *declared) conflicts(s, view, after state.State) bool {
	if !d.Evicts || d.Does != state.DeletePods {
		return false
	}
	for _, p := range s.C.ClassesOf[d.workload] {
		for n := range s.C.Nodes {
			for _, ph := range state.LivePhases {
				if view.On(n, p, ph) > after.On(n, p, ph) && d.evictions.Ask(s, p, ph) == objects.EvictionRefused {
					return true
				}
			}
		}
	}
	return false
}
