package workloads

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Deployment models the controller of one Deployment.
//
// Upstream: kubernetes v1.36.3, pkg/controller/deployment: syncDeployment,
// isScalingEvent, getNewReplicaSet (this file), sync, scale (deployment_scale.go),
// rolloutRolling, rolloutRecreate and what they call (deployment_rolling.go).
type Deployment struct {
	Workload int
	name     string // "default/web"
	versions [2]rollout
}

// rollout is what one version declares of a Deployment, compiled.
type rollout struct {
	exists, paused, recreate bool
	surge, unavailable       state.Share
}

// setsPerWorkload bounds the ReplicaSets of one workload: one a version.
const setsPerWorkload = 2

// replicaSet has the fields of one ReplicaSet that the controller reads and writes. The status is that of this moment.
type replicaSet struct {
	class   int
	age     int   // order of creation, oldest lowest
	size    int32 // .spec.replicas
	desired int32 // deployment.kubernetes.io/desired-replicas
	max     int32 // deployment.kubernetes.io/max-replicas
	// pods and available are .status.replicas and .status.availableReplicas.
	pods, available int32
}

// deploymentSync is one call of syncDeployment.
type deploymentSync struct {
	*rollout
	replicas int32 // .spec.replicas
	// newRS is upstream's variable of that name, nil if it does not exist.
	newRS *replicaSet
	// oldRS is the old ReplicaSet, of which two versions have at most one, or nil.
	oldRS *replicaSet
	// oldRuns says that a pod of another ReplicaSet than newRS exists in any phase.
	oldRuns bool
	changed bool
	// first and second are the ReplicaSets that the sync writes, in upstream's order.
	first, second *replicaSet
	sets          [setsPerWorkload]replicaSet // what newRS and oldRS point to
	create        int                         // pod class of a newRS still to be created
}

func NewDeployment(b *state.Builder) ([]actor.Actor, error) {
	c := b.Config()
	var out []actor.Actor
	for w := range c.Spec.Workloads {
		wl := &c.Spec.Workloads[w]
		if wl.Kind() != state.Deployment {
			continue
		}
		d := &Deployment{Workload: w, name: objects.ShortName(wl)}
		for v := range wl.Manifests {
			if !wl.Manifests[v].Exists() {
				continue
			}
			r, err := compileRollout(wl.Manifests[v].Deployment)
			if err != nil {
				return nil, fmt.Errorf("deployment %s: %w", d.name, err)
			}
			d.versions[v] = r
		}
		out = append(out, d)
	}
	return out, nil
}

func compileRollout(d *appsv1.Deployment) (rollout, error) {
	m := state.Manifest{Deployment: d}
	pace := m.Pace()
	r := rollout{exists: true, paused: d.Spec.Paused, recreate: pace.AtOnce}
	if r.recreate {
		return r, nil
	}
	if t := d.Spec.Strategy.Type; t != appsv1.RollingUpdateDeploymentStrategyType {
		return r, fmt.Errorf("spec.strategy.type: %q: %w", t, actor.ErrUnmodeled)
	}
	var err error
	if r.surge, err = shareOf(pace.Surge); err != nil {
		return r, fmt.Errorf("%s: %w", pace.SurgeField(), err)
	}
	if r.unavailable, err = shareOf(pace.Unavailable); err != nil {
		return r, fmt.Errorf("%s: %w", pace.UnavailableField(), err)
	}
	return r, nil
}

// shareOf reads one of the shares of a rollout, which defaulting sets.
func shareOf(v *intstr.IntOrString) (state.Share, error) {
	if v == nil {
		return state.Share{}, fmt.Errorf("not defaulted")
	}
	share, err := state.ShareOf(v)
	if err != nil {
		return share, fmt.Errorf("%w: %w", err, actor.ErrUnmodeled)
	}
	return share, nil
}

// resolveFenceposts is deploymentutil.ResolveFenceposts.
func (r *rollout) resolveFenceposts(desired int32) (surge, unavailable int32) {
	surge, unavailable = int32(r.surge.Of(int(desired), true)), int32(r.unavailable.Of(int(desired), false))
	if surge == 0 && unavailable == 0 {
		unavailable = 1
	}
	return surge, unavailable
}

// maxSurge is deploymentutil.MaxSurge.
func (r *rollout) maxSurge(replicas int32) int32 {
	if r.recreate {
		return 0
	}
	surge, _ := r.resolveFenceposts(replicas)
	return surge
}

// maxUnavailable is deploymentutil.MaxUnavailable.
func (r *rollout) maxUnavailable(replicas int32) int32 {
	if r.recreate || replicas == 0 {
		return 0
	}
	_, unavailable := r.resolveFenceposts(replicas)
	return min(unavailable, replicas)
}

// Traits implements [actor.Declarer].
func (d *Deployment) Traits(c *state.Config) actor.Traits {
	return actor.Traits{
		Managed: true, Interrupt: d.interrupt,
		// It counts pods of a class on all nodes, and looks at those on deletion where it waits for them (Recreate).
		Lumps: func(k actor.Likeness) bool {
			waits := d.versions[state.Base].recreate || d.versions[state.Head].recreate
			return k.Kind == actor.StartedWhere || !waits || c.Pods[k.Class].Workload != d.Workload
		},
		Alone: true, Of: d.Workload,
		Commutes: actor.Resize | actor.Create, // it reads and writes what belongs to its own workload
		Minds:    d.minds, Leads: d.leads,
		Wakes: &actor.Work{Workload: d.Workload}, Works: &actor.Work{Workload: d.Workload},
		Grows: func(p int, calm bool) func(state.State) bool { return d.Grows(c, p, calm) },
		Ends:  func(calm bool) (int, func(state.State) bool, bool) { return d.ends(c, calm) },
		// It sees the status of its ReplicaSets; a second write of one from the same view is refused.
		Lag: &actor.Lag{Sees: c.ClassesOf[d.Workload], Expects: true, Conflicts: d.conflicts},
	}
}

// Name implements [actor.Actor].
func (d *Deployment) Name() string { return "deployment/" + d.name }

// Latency implements [actor.Actor].
func (d *Deployment) Latency() actor.Latency { return actor.Sync }

// interrupt: of the two ReplicaSets that one sync scales, the first is written.
func (d *Deployment) interrupt(s state.State, next *actor.Emit) {
	y := actor.Own[deploymentSync](next.Scratch)
	*y = deploymentSync{rollout: &d.versions[s.VersionOf(d.Workload)]}
	if !y.exists {
		return
	}
	y.read(s, d.Workload)
	y.syncDeployment()
	if y.second == nil {
		return
	}
	t := next.Copy(s)
	t.StopManager()
	y.writeSet(t, y.first)
	next.Move(objects.Done)
}

// Step implements [actor.Actor]: one sync with all that it writes.
func (d *Deployment) Step(s state.State, next *actor.Emit) {
	y := actor.Own[deploymentSync](next.Scratch)
	*y = deploymentSync{rollout: &d.versions[s.VersionOf(d.Workload)]}
	if !y.exists {
		return
	}
	y.read(s, d.Workload)
	y.syncDeployment()
	if !y.changed {
		return
	}
	t := next.Copy(s)
	y.write(t)
	next.Move(objects.Done)
}

func (y *deploymentSync) read(s state.State, w int) {
	y.replicas = int32(s.Replicas(w))
	y.create = s.NewClass(w)
	i := -1
	for _, p := range s.C.ClassesOf[w] {
		if s.C.Pods[p].Set != p {
			continue
		}
		i++
		f, rs := &s.C.Class[p], &y.sets[i]
		if s.Get(f.Exists) == 0 {
			continue
		}
		*rs = replicaSet{
			class: p, age: i, size: int32(s.Get(f.Size)), desired: int32(s.Get(f.Desired)), max: int32(s.Get(f.Max)),
		}
		pods, available := s.Reported(p)
		rs.pods, rs.available = int32(pods), int32(available)
		if p == y.create {
			y.newRS = rs
			continue
		}
		y.oldRS = rs
		y.oldRuns = y.oldRuns || s.ExistingIn(p) > 0
	}
}

func (y *deploymentSync) write(t state.State) {
	for _, rs := range [...]*replicaSet{y.newRS, y.oldRS} {
		if rs == nil {
			continue
		}
		y.writeSet(t, rs)
	}
}

func (*deploymentSync) writeSet(t state.State, rs *replicaSet) {
	f := &t.C.Class[rs.class]
	t.Set(f.Exists, 1)
	t.Set(f.Size, int(rs.size))
	t.Set(f.Desired, int(rs.desired))
	t.Set(f.Max, int(rs.max))
}

func (y *deploymentSync) syncDeployment() {
	switch {
	case y.paused || y.isScalingEvent():
		y.scale()
	case y.recreate:
		y.rolloutRecreate()
	default:
		y.rolloutRolling()
	}
}

func (rs *replicaSet) active() bool { return rs != nil && rs.size > 0 }

func (y *deploymentSync) isScalingEvent() bool {
	return y.newRS.active() && y.newRS.desired != y.replicas ||
		y.oldRS.active() && y.oldRS.desired != y.replicas
}

// createNewReplicaSet is the second half of getNewReplicaSet.
func (y *deploymentSync) createNewReplicaSet() {
	slot := 0
	if y.oldRS == &y.sets[0] {
		slot = 1
	}
	rs := &y.sets[slot]
	*rs = replicaSet{class: y.create, age: setsPerWorkload}
	rs.size = y.newRSNewReplicas(rs)
	rs.desired, rs.max = y.replicas, y.replicas+y.maxSurge(y.replicas)
	y.newRS = rs
	y.wrote(rs)
}

// wrote notes that a ReplicaSet was created or updated.
func (y *deploymentSync) wrote(rs *replicaSet) {
	y.changed = true
	switch {
	case y.first == nil:
		y.first = rs
	case y.first != rs:
		y.second = rs
	}
}

// allPods is deploymentutil.GetReplicaCountForReplicaSets of newRS and the old one.
func (y *deploymentSync) allPods() int32 {
	total := int32(0)
	if y.newRS != nil {
		total += y.newRS.size
	}
	if y.oldRS != nil {
		total += y.oldRS.size
	}
	return total
}

// newRSNewReplicas is deploymentutil.NewRSNewReplicas; rs need not be y.newRS yet.
func (y *deploymentSync) newRSNewReplicas(rs *replicaSet) int32 {
	if y.recreate {
		return y.replicas
	}
	current := rs.size
	if y.oldRS != nil {
		current += y.oldRS.size
	}
	most := y.replicas + int32(y.surge.Of(int(y.replicas), true))
	if current >= most {
		return rs.size
	}
	return rs.size + min(most-current, y.replicas-rs.size)
}

// scaleReplicaSet is the function of that name; it reports whether the size changed.
func (y *deploymentSync) scaleReplicaSet(rs *replicaSet, size int32, force bool) bool {
	if !force && rs.size == size {
		return false
	}
	most := y.replicas + y.maxSurge(y.replicas)
	resized := rs.size != size
	if resized || rs.desired != y.replicas || rs.max != most {
		rs.size, rs.desired, rs.max = size, y.replicas, most
		y.wrote(rs)
	}
	return resized
}

// Model implements [actor.Actor].
func (d *Deployment) Model() *actor.Model {
	return &actor.Model{
		Upstream: objects.Upstream +
			", pkg/controller/deployment: syncDeployment, scale, rolloutRolling, rolloutRecreate, deploymentutil",
		Exact: []string{
			"surge and unavailable, proportional scaling, clean-up of unhealthy old replicas, pause",
			"progressDeadlineSeconds sets a condition only",
		},
		MayInvent: []string{
			"base's ReplicaSet counts as older than head's: wrong after a rollback, for ties of size",
		},
		MayHide: []string{
			"one sync is one step: anything between two of its writes is missed",
			"a sync reads the current status of ReplicaSets, except with timing.stale",
			"pods of revisions before base are missed",
		},
		Refused: []string{"a strategy that is neither RollingUpdate nor Recreate"},
	}
}

// Describe implements [actor.Actor]; see [describeRollout].
func (d *Deployment) Describe(from, to state.State, _ search.Move) actor.Words {
	return d.describe(from, to)
}
