package state

// RolloutsHash is the label by which a Rollout tells the pods of its revisions apart. Upstream: argo-rollouts v1.10.1,
// v1alpha1.DefaultRolloutUniqueLabelKey.
const RolloutsHash = "rollouts-pod-template-hash"

// OwnsSets reports whether the kind's controller makes ReplicaSets, one a revision, and sizes them.
func (k Kind) OwnsSets() bool { return k == Deployment || k == Rollout }

// RolloutFields are the moving parts of a Rollout's status; a field that makes no difference to the strategies of both
// versions is not laid out.
type RolloutFields struct {
	Stable  Field // status.stableRS, as [State.RevisionOf]
	Current Field // status.currentPodHash, likewise
	Steps   Field // which version's steps status.currentStepHash is of, and one; 0: none
	Step    Field // status.currentStepIndex
	Pause   Field // a RolloutPause
	Abort   Field // status.abort

	// Weight is status.canary.weights.canary.weight and one; 0: there are no weights. Weighed is whose weight it is, as
	// Stable.
	Weight, Weighed Field
	Active          Field    // status.blueGreen.activeSelector, as Stable
	Checked         Field    // status.blueGreen.scaleUpPreviewCheckPoint
	Due             [2]Field // by slot: the deadline to scale a ReplicaSet down, as a Deadline
}

// RolloutPause is where a Rollout stands in a pause.
type RolloutPause uint8

// Where a Rollout stands in a pause.
const (
	NotPaused  RolloutPause = iota // no pause condition
	PausedNow                      // there is one
	PauseEnded                     // its time has passed, or somebody has promoted the Rollout
)

// Deadline is where a ReplicaSet stands with the annotation scale-down-deadline.
type Deadline uint8

// Where a ReplicaSet stands with its deadline.
const (
	NoDeadline Deadline = iota
	Ahead
	Passed
)

// Laid reports whether the builder laid a field out.
func (f Field) Laid() bool { return f.width > 0 }

// AddRollout lays out the status of a Rollout: steps is the most steps of a version, and what says which parts matter.
func (b *Builder) AddRollout(w, steps int, weight int32, blueGreen bool) {
	f := &b.cfg.Workload[w].Rollout
	slots := len(b.cfg.ClassesOf[w])
	f.Stable, f.Current, f.Pause, f.Abort = b.Field(slots), b.Field(slots), b.Field(int(PauseEnded)), b.Field(1)
	if steps > 0 {
		f.Step = b.Field(steps)
	}
	f.Steps = b.Field(2)
	for i := range f.Due {
		f.Due[i] = b.Field(int(Passed))
	}
	if weight > 0 {
		f.Weight, f.Weighed = b.Field(int(weight)+1), b.Field(slots)
	}
	if blueGreen {
		f.Active, f.Checked = b.Field(slots), b.Field(1)
	}
}

// RevisionOf gives the class of workload w's pods that one of a Rollout's fields names; -1: it names none.
func (s State) RevisionOf(w int, f Field) int {
	if i := s.left(f); i > 0 {
		return s.C.ClassesOf[w][i-1]
	}
	return -1
}

// AbortedTo gives the class of the pods that an aborted Rollout goes back to; -1 where workload w is none, or not
// aborted.
func (s State) AbortedTo(w int) int {
	f := &s.C.Workload[w].Rollout
	if s.left(f.Abort) == 0 {
		return -1
	}
	return s.RevisionOf(w, f.Stable)
}

// Counted reports whether an autoscaler of class p's workload counts its pods. Those of a blue-green Rollout are
// counted where its active Service sends requests, once it does: status.selector and status.HPAReplicas are theirs.
func (s State) Counted(p int) bool {
	w := s.C.Pods[p].Workload
	active := s.RevisionOf(w, s.C.Workload[w].Rollout.Active)
	return active < 0 || active == p || s.Get(s.C.Class[active].Exists) == 0
}

// ForgetRollout clears the status of workload w, if it is a Rollout: the object is gone.
func (s State) ForgetRollout(w int) {
	f := &s.C.Workload[w].Rollout
	for _, x := range [...]Field{f.Stable, f.Current, f.Steps, f.Step, f.Pause, f.Abort, f.Weight, f.Weighed, f.Active,
		f.Checked, f.Due[0], f.Due[1]} {
		if x.width > 0 {
			s.Set(x, 0)
		}
	}
}
