package scheduler

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// describePreemption words that pods of lower priority make room for a pod of class p.
func (a *Scheduler) describePreemption(from, to state.State, p, n int) actor.Words {
	w := actor.Words{Action: "preempt", Object: objects.PodObject(from.C, p)}
	var lost []string
	add := func(r actor.Ref) {
		for _, old := range w.Because {
			if old == r {
				return
			}
		}
		w.Because = append(w.Because, r)
	}
	add(a.K.priorityRef(from, p))
	for q := range a.K.Classes {
		for _, ph := range state.LivePhases {
			if gone := from.On(n, q, ph) - to.On(n, q, ph); gone > 0 {
				lost = append(lost, english.Plural(gone, objects.Revised(from.C, q, ph.String()+" pod"), "")+" of "+
					objects.PodName(from.C, q)+" ("+a.K.priorityWords(q)+")")
				add(a.K.priorityRef(from, q))
			}
		}
	}
	why := a.decideFor(from, p, -1).Why
	for _, r := range why {
		if r.Node == n && r.Ref.Field != "" {
			add(r.Ref)
		}
	}
	what := "nothing that is not being deleted already"
	if len(lost) > 0 {
		what = strings.Join(lost, " and ")
	}
	w.Text = fmt.Sprintf("no node is feasible for %s (%s; %s), so it is nominated to node %s and preempts %s%s",
		w.Object, a.K.priorityWords(p), FitError(len(from.C.Nodes), why), from.C.Nodes[n].Name, what,
		a.K.tieWords(from, to, p, n))
	return w
}

// tieWords say what decides on node n between the pods that a pod of class p preempts and others of the same priority
// that stay; "" where there are none, or where budgets have a say.
//
// Upstream: SelectVictimsOnNode, which reprieves in the order of MoreImportantPod.
func (k *Compiled) tieWords(from, to state.State, p, n int) string {
	var gone, stay []int32
	for _, q := range k.Classes[p].victims {
		if len(k.budgets.Of[from.VersionOfClass(q)][q]) > 0 {
			return ""
		}
		for _, ph := range state.LivePhases {
			if left := to.On(n, q, ph); left > 0 {
				stay = append(stay, k.Classes[q].priority)
			}
			if from.On(n, q, ph) > to.On(n, q, ph) {
				gone = append(gone, k.Classes[q].priority)
			}
		}
	}
	for _, priority := range gone {
		if slices.Contains(stay, priority) {
			return ", as of equal priority those that started last go"
		}
	}
	return ""
}

// describeForget words that a pod of class p loses its nomination.
func (a *Scheduler) describeForget(from state.State, p, n int) actor.Words {
	w := actor.Words{Action: "forget-nomination", Object: objects.PodObject(from.C, p)}
	w.Text = fmt.Sprintf("%s does not fit on node %s and is no longer nominated to it", w.Object, from.C.Nodes[n].Name)
	if from.NominatedOf(p) > from.Pending(p) {
		w.Text = fmt.Sprintf("a pod that was nominated to node %s has been deleted", from.C.Nodes[n].Name)
	}
	return w
}

// priorityWords say the priority of class p's pods, and what gave it to them when they were created: "priority 1000 of
// PriorityClass high".
func (k *Compiled) priorityWords(p int) string {
	said := fmt.Sprintf("priority %d", k.Classes[p].priority)
	if name := k.Classes[p].Pod.Spec.PriorityClassName; name != "" {
		return said + " of PriorityClass " + name
	}
	if name := k.Cfg.Spec.DefaultPriority[objects.FirstVersion(k.Cfg, p)]; name != "" {
		return said + " of the default PriorityClass " + name
	}
	if k.Classes[p].Pod.Spec.Priority == nil && k.Cfg.Spec.DefaultPriority != [2]string{} {
		return said + ", no PriorityClass when created"
	}
	return said
}

// priorityRef is the source of the priority of class p's pods.
func (k *Compiled) priorityRef(s state.State, p int) actor.Ref {
	if k.Classes[p].Pod.Spec.PriorityClassName != "" || k.Classes[p].Pod.Spec.Priority != nil {
		return k.ref(s, p, "priorityClassName")
	}
	if name := k.Cfg.Spec.DefaultPriority[objects.FirstVersion(k.Cfg, p)]; name != "" {
		return actor.Ref{Object: "scheduling.k8s.io/PriorityClass " + name, Version: s.Version(), Field: "globalDefault"}
	}
	return k.ref(s, p, "priorityClassName")
}
