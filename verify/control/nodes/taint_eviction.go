package nodes

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// taintEviction models the taint eviction controller on the pods of one class: those
// that it deletes at once, or those that it deletes when their tolerationSeconds are over.
//
// Upstream: kubernetes v1.36.3, pkg/controller/tainteviction: processPodOnNode,
// getNoExecuteTaints, getMinTolerationTime; pkg/apis/core/v1/helper:
// GetMatchingTolerations; pkg/kubelet/lifecycle: generalFilter.
type taintEviction struct {
	class int
	name  string
	when  tolerance
	by    [2][]tolerance // by node: while it is up, and while it is lost
}

// tolerance is for how long a pod may stay on a node with taints of effect NoExecute.
type tolerance uint8

const (
	stays tolerance = iota
	stayForSeconds
	stayNot
)

func NewTaintEviction(b *state.Builder) ([]actor.Actor, error) {
	c := b.Config()
	var out []actor.Actor
	for p := range c.Pods {
		by := stayOn(c, p)
		for _, a := range []taintEviction{
			{class: p, name: objects.ClassActor(c, "tainteviction", p), when: stayNot, by: by},
			{class: p, name: objects.ClassActor(c, "tainteviction-timed", p), when: stayForSeconds, by: by},
		} {
			if a.needed(c) {
				out = append(out, &a)
			}
		}
	}
	return out, nil
}

// stayOn gives what becomes of class p's pods on every node.
func stayOn(c *state.Config, p int) [2][]tolerance {
	var out [2][]tolerance
	pod := objects.Admitted(c, p)
	for n := range c.Nodes {
		taints := c.Spec.Classes[c.Nodes[n].Class].Node.Spec.Taints
		out[0] = append(out[0], tolerated(pod, taints))
		more := append(append([]corev1.Taint(nil), taints...), scheduler.ServiceTaints(scheduler.Lost)...)
		out[1] = append(out[1], tolerated(pod, more))
	}
	return out
}

// needed reports whether the actor can ever have something to do.
func (e *taintEviction) needed(c *state.Config) bool {
	for n := range c.Nodes {
		// A taint that keeps a pod off a node drives away one that skips the scheduler only.
		if e.by[0][n] == stayNot && c.Pods[e.class].Template.Spec.NodeName != c.Nodes[n].Name {
			continue
		}
		if e.by[0][n] == e.when || (c.Spec.Events.NodeFailure > 0 || c.Panics()) && e.by[1][n] == e.when {
			return true
		}
	}
	return false
}

// tolerated is [StaySeconds] without the number.
func tolerated(pod *corev1.Pod, taints []corev1.Taint) tolerance {
	switch seconds := StaySeconds(pod, taints); {
	case seconds < 0:
		return stays
	case seconds == 0:
		return stayNot
	}
	return stayForSeconds
}

// StaySeconds is for how many seconds a pod may stay on a node with these taints; -1 is
// forever. Of each taint of effect NoExecute the first toleration that matches counts,
// and of all that count the shortest.
//
// Upstream: (*Controller).processPodOnNode, with the functions named above.
func StaySeconds(pod *corev1.Pod, taints []corev1.Taint) int64 {
	shortest := int64(-1)
	for i := range taints {
		t := &taints[i]
		if t.Effect != corev1.TaintEffectNoExecute {
			continue
		}
		matched := false
		for j := range pod.Spec.Tolerations {
			tol := &pod.Spec.Tolerations[j]
			if !corev1helpers.TolerationsTolerateTaint(objects.NoLog(), pod.Spec.Tolerations[j:j+1], t, false) {
				continue
			}
			if s := tol.TolerationSeconds; s != nil && (shortest < 0 || *s < shortest) {
				shortest = max(*s, 0)
			}
			matched = true
			break
		}
		if !matched {
			return 0
		}
	}
	return shortest
}

// Traits implements [actor.Declarer]: it looks at live pods.
func (*taintEviction) Traits(*state.Config) actor.Traits {
	return actor.Traits{Managed: true, Lumps: actor.Stopping}
}

func (e *taintEviction) Name() string { return e.name }

func (e *taintEviction) Latency() actor.Latency {
	if e.when == stayForSeconds {
		return actor.Periodic
	}
	return actor.Sync
}

// Step implements [actor.Actor]: the pods of the class that a node's taints drive away go at
// once; nodes with equal records count once.
func (e *taintEviction) Step(s state.State, next *actor.Emit) {
	for n := range s.C.Nodes {
		is := 0
		if s.Down(n) && s.DownNodes() < s.PresentNodes() { // else handleDisruption takes the taints off again
			is = 1
		}
		starting := s.On(n, e.class, state.Starting)
		if e.by[is][n] != e.when || s.LiveOn(n, e.class) == 0 || s.Twin(n) {
			continue
		}
		t := next.Copy(s)
		t.Add(n, e.class, state.Starting, -starting)
		t.Add(n, e.class, state.Terminating, starting+t.TakeReady(n, e.class))
		next.Move(search.Move{Args: [3]int32{int32(n)}})
	}
}

func (e *taintEviction) Describe(from, _ state.State, m search.Move) actor.Words {
	c, n := from.C, int(m.Args[0])
	count := from.LiveOn(n, e.class)
	taints := append([]corev1.Taint(nil), c.Spec.Classes[c.Nodes[n].Class].Node.Spec.Taints...)
	if from.Down(n) {
		taints = append(taints, scheduler.ServiceTaints(scheduler.Lost)...)
	}
	key, why := "", "not tolerated"
	pod := objects.Admitted(c, e.class)
	for i := range taints {
		if tolerated(pod, taints[i:i+1]) == e.when {
			key = taints[i].ToString()
			break
		}
	}
	if e.when == stayForSeconds {
		why = "tolerationSeconds are over"
	}
	v := objects.Version(c, e.class)
	if c.Pods[e.class].InBase && from.VersionOfClass(e.class) == state.Base {
		v = state.Base
	}
	field := "spec.template.spec.tolerations"
	w := actor.Words{
		Action: "evict-pod", Object: objects.PodObject(c, e.class),
		Text: fmt.Sprintf("taint eviction deletes %s on %s (taint %s, %s)", objects.SomePods(c, e.class, count, ""),
			c.Nodes[n].Name, key, why),
	}
	if c.Pods[e.class].Template.Spec.NodeName != "" {
		w.Because = append(w.Because,
			actor.Ref{Object: c.Spec.Workloads[c.Pods[e.class].Workload].ID, Version: v, Field: "spec.template.spec.nodeName"})
	}
	w.Because = append(w.Because,
		actor.Ref{Object: c.Spec.Workloads[c.Pods[e.class].Workload].ID, Version: v, Field: field})
	return w
}

func (e *taintEviction) Model() *actor.Model {
	return &actor.Model{
		Upstream: objects.Upstream + ", pkg/controller/tainteviction: processPodOnNode, getMinTolerationTime",
		Exact:    []string{"which pods stay, go at once, or go after tolerationSeconds; DefaultTolerationSeconds"},
		MayInvent: []string{
			"tolerationSeconds may be over at any moment",
		},
		MayHide: []string{
			"all pods of one revision on one node go in one step",
			"a pod that the kubelet refuses for a NoExecute taint is not counted",
		},
	}
}
