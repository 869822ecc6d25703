package scheduler

import (
	"fmt"
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
					objects.PodName(from.C, q)+fmt.Sprintf(" (priority %d)", a.K.Classes[q].priority))
				add(a.K.priorityRef(from, q))
			}
		}
	}
	for _, r := range a.decideFor(from, p, -1).Why {
		if r.Node == n && r.Ref.Field != "" {
			add(r.Ref)
		}
	}
	what := "nothing that is not being deleted already"
	if len(lost) > 0 {
		what = strings.Join(lost, " and ")
	}
	w.Text = fmt.Sprintf("no node is feasible for %s (priority %d), so it is nominated to node %s and preempts %s",
		w.Object, a.K.Classes[p].priority, from.C.Nodes[n].Name, what)
	return w
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
