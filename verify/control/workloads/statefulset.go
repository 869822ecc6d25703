package workloads

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/admission"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// statefulSet models the controller of one StatefulSet. Each of its ordinals is a pod
// class in each revision.
//
// Upstream: kubernetes v1.36.3, pkg/controller/statefulset: updateStatefulSet,
// processReplica, processCondemned, runForAll, slowStartBatch, newVersionedStatefulSetPod
// (statefulset_sync.go), completeRollingUpdate. The feature gate MaxUnavailableStatefulSet
// is off, as it is by default.
type statefulSet struct {
	workload int
	name     string // "default/web"
	versions [2]statefulRollout
	first    int      // the lowest ordinal that either version can have
	classes  [2][]int // by version and ordinal from first: the pod class of the version's template
	quotas   *admission.Quotas
}

// statefulRollout is what one version declares of a StatefulSet, compiled.
type statefulRollout struct {
	exists, parallel, onDelete bool
	start, partition           int
	// gated says that the feature gate MaxUnavailableStatefulSet is on; most is how many pods may be unavailable then.
	gated bool
	// repairs is [state.Manifest.ReplacesUnavailable].
	repairs bool
	most    state.Share
}

func NewStatefulSet(b *state.Builder) ([]actor.Actor, error) {
	c := b.Config()
	var out []actor.Actor
	quotas := admission.NewQuotas(c)
	for w := range c.Spec.Workloads {
		if c.Spec.Workloads[w].Kind() != state.StatefulSet {
			continue
		}
		x, err := compileStatefulSet(c, w)
		if err != nil {
			return nil, err
		}
		x.quotas = quotas
		if c.Revisions(w) > 1 && (x.versions[state.Base].partition > 0 || x.versions[state.Head].partition > 0) {
			b.AddCurrentRevision(w)
		}
		out = append(out, x)
	}
	return out, nil
}

func compileStatefulSet(c *state.Config, w int) (*statefulSet, error) {
	wl := &c.Spec.Workloads[w]
	x := &statefulSet{workload: w, name: objects.ShortName(wl), first: c.Pods[c.ClassesOf[w][0]].Ordinal}
	for v := range wl.Manifests {
		m := &wl.Manifests[v]
		if !m.Exists() {
			continue
		}
		refuse := func(field, what string) error {
			return fmt.Errorf("%s: %s: %s: %w", wl.ID, field, what, actor.ErrUnmodeled)
		}
		spec := &m.StatefulSet.Spec
		r := statefulRollout{exists: true, start: m.FirstOrdinal(), partition: m.Partition()}
		if r.gated = m.MaxUnavailable; r.gated {
			var err error
			if r.most, err = mostUnavailable(m); err != nil {
				return nil, fmt.Errorf("%s: spec.updateStrategy.rollingUpdate.maxUnavailable: %w", wl.ID, err)
			}
		}
		switch spec.PodManagementPolicy {
		case appsv1.ParallelPodManagement:
			r.parallel, r.repairs = true, m.ReplacesUnavailable
		case appsv1.OrderedReadyPodManagement, "":
		default:
			return nil, refuse("spec.podManagementPolicy", fmt.Sprintf("%q", spec.PodManagementPolicy))
		}
		switch spec.UpdateStrategy.Type {
		case appsv1.OnDeleteStatefulSetStrategyType:
			r.onDelete = true
		case appsv1.RollingUpdateStatefulSetStrategyType, "":
		default:
			return nil, refuse("spec.updateStrategy.type", fmt.Sprintf("%q", spec.UpdateStrategy.Type))
		}
		if m.Pod().NodeName != "" {
			return nil, refuse("spec.template.spec.nodeName", "a StatefulSet's pods on one node that the kubelet may refuse")
		}
		x.versions[v] = r
		for _, p := range c.ClassesOf[w] {
			if c.HasTemplate(p, state.Version(v)) {
				x.classes[v] = append(x.classes[v], p)
			}
		}
	}
	return x, nil
}

// mostUnavailable is what a rolling update may leave unavailable.
func mostUnavailable(m *state.Manifest) (state.Share, error) {
	one := intstr.FromInt32(1)
	if u := m.Pace().Unavailable; u != nil {
		return shareOf(u)
	}
	return shareOf(&one)
}

func (x *statefulSet) Name() string           { return "statefulset/" + x.name }
func (x *statefulSet) Latency() actor.Latency { return actor.Sync }

func (x *statefulSet) Traits(c *state.Config) actor.Traits {
	return actor.Traits{
		Managed: true, Interrupt: x.interrupt,
		// The consistency store holds a sync until the informer has what the last one wrote.
		Lag: &actor.Lag{Sees: c.ClassesOf[x.workload], Expects: true, Conflicts: x.conflicts},
	}
}

// Step implements [actor.Actor]: one sync with all that it writes.
func (x *statefulSet) Step(s state.State, next *actor.Emit) {
	y := actor.Own[statefulSync](next.Scratch)
	y.sync(x, s)
	if len(y.creates)+len(y.deletes) == 0 && !y.completes {
		return
	}
	t := next.Copy(s)
	x.write(t, y.creates, y.deletes)
	if y.completes {
		t.SetCurrent(x.workload, s.VersionOf(x.workload))
	}
	next.Move(objects.Done)
}

// write creates pods, and deletes others.
func (x *statefulSet) write(t state.State, creates, deletes []int) {
	for _, p := range creates {
		t.Set(t.C.Class[p].Pending, 1)
		t.Begin(p)
	}
	for _, p := range deletes {
		deleteOne(t, p)
	}
}

// deleteOne deletes the one pod of class p: one without a node is gone at once.
func deleteOne(t state.State, p int) {
	if t.Pending(p) > 0 {
		t.Set(t.C.Class[p].Pending, 0)
		if t.C.Preempts(p) {
			for n := range t.C.Nodes {
				t.SetAt(n, t.C.Class[p].Nominated, 0)
			}
		}
		return
	}
	for n := range t.C.Nodes {
		for _, ph := range state.LivePhases {
			if t.On(n, p, ph) > 0 {
				objects.Evict(t, n, p, ph)
				return
			}
		}
	}
}

func (x *statefulSet) Describe(from, to state.State, _ search.Move) actor.Words {
	c := from.C
	wl := &c.Spec.Workloads[x.workload]
	w := actor.Words{Object: wl.ID, Action: "complete-update"}
	because := func(field string) {
		w.Because = actor.AppendNew(w.Because, actor.Ref{Object: wl.ID, Version: from.VersionOf(x.workload), Field: field})
	}
	text := ""
	for _, p := range c.ClassesOf[x.workload] {
		switch was, is := from.Active(p), to.Active(p); {
		case is > was:
			w.Action, w.Object = "create-pod", objects.PodObject(c, p)
			text += ", creates " + objects.PodName(c, p)
			because("spec.replicas")
		case was > is:
			why := "to scale down"
			field := "spec.replicas"
			if r := &x.versions[from.VersionOf(x.workload)]; !r.exists {
				why, field = "as it is being deleted itself", "spec"
			} else if i := c.Pods[p].Ordinal - r.start; i >= 0 && i < from.Replicas(x.workload) {
				why, field = "to update it", "spec.template"
			}
			w.Action, w.Object = "delete-pod", objects.PodObject(c, p)
			text += ", deletes " + objects.PodName(c, p) + placeOf(from, p) + " " + why
			because(field)
		}
	}
	if text == "" {
		because("spec.updateStrategy")
		w.Text = "StatefulSet " + x.name + " has all its pods updated: the revision is its current one"
		return w
	}
	w.Text = "StatefulSet " + x.name + text[1:]
	return w
}

// placeOf words where the one pod of class p stands, and as what.
func placeOf(s state.State, p int) string {
	for n := range s.C.Nodes {
		for _, ph := range state.LivePhases {
			if s.On(n, p, ph) > 0 {
				return " (" + ph.String() + " on " + s.C.Nodes[n].Name + ")"
			}
		}
	}
	return " (pending)"
}

func (x *statefulSet) Model() *actor.Model {
	return &actor.Model{
		Upstream: objects.Upstream +
			", pkg/controller/statefulset: updateStatefulSet, processReplica, processCondemned, slowStartBatch, " +
			"newVersionedStatefulSetPod, completeRollingUpdate",
		Exact: []string{
			"which ordinals a sync creates and deletes, and at which revision: OrderedReady and Parallel, partition, OnDelete, " +
				"ordinals.start, minReadySeconds, scaling before updating",
			"an ordinal is not created again before its pod is gone, also on a lost node",
			"ResourceQuotas: pods, requests, limits and extended resources",
		},
		MayInvent: []string{
			"a pod being deleted counts against a quota until it has stopped, not only for its grace period",
		},
		MayHide: []string{
			"one sync is one step: anything between two of its writes is missed",
			"updateStrategy.rollingUpdate.maxUnavailable counts where the policy sets the feature gate MaxUnavailableStatefulSet, which is off by default",
			"claims of volumeClaimTemplates exist, bind anywhere, and block a pod only where a LimitRange or quota refuses them",
			"the scheduler's default spreading ignores a Service that selects some ordinals only",
			"pods of revisions before base are missed",
			"a deleted StatefulSet's pods go at once, in one step",
		},
		Refused: []string{"spec.template.spec.nodeName of a StatefulSet",
			"a podManagementPolicy or updateStrategy.type that upstream does not know"},
	}
}
