package verify

import (
	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// assumeSnapshot says what a result that rests on a snapshot assumes.
func assumeSnapshot(p *policies.Policy) []finding.Note {
	shot := p.Cluster.Snapshot
	out := []finding.Note{finding.Say(finding.FromSnapshot, p.Cluster.SnapshotFile, shot.Taken)}
	for _, g := range shot.Gaps {
		out = append(out, finding.Say(finding.SnapshotLacks, g.Kind, g.Reason))
	}
	return out
}

// snapshotNotices are said on every surface: that a snapshot is old, or says too little.
func (a *analysis) snapshotNotices() []finding.Note {
	c := &a.opt.Policy.Cluster
	if c.Snapshot == nil {
		return nil
	}
	var out []finding.Note
	if days := c.Stale(a.opt.Today); days > 0 {
		out = append(out, finding.Say(finding.SnapshotOld, c.SnapshotFile, c.Snapshot.Taken, days))
	}
	if by := c.Grows(); by != "" {
		out = append(out, finding.Say(finding.SnapshotGrows, by))
	}
	if why := c.Snapshot.Missing("pods"); why != "" {
		out = append(out, finding.Say(finding.SnapshotLacksPods, c.SnapshotFile, why))
	}
	for i := range c.Snapshot.Nodes {
		if n := &c.Snapshot.Nodes[i]; len(n.Conditions) > 0 {
			out = append(out, finding.Say(finding.NodeUnhealthy, n.Name).With(n.Conditions...))
		}
	}
	return out
}

// startLive makes the cluster as it is a start of the change, and says where it is none and where
// it is not what base says.
func (a *analysis) startLive(sl *slice.Slice) {
	shot := a.opt.Policy.Cluster.Snapshot
	if shot == nil || a.places.Changes == nil {
		return
	}
	a.result.Notices = finding.AppendNew(a.result.Notices, sl.Disagree(shot)...)
	if why := sl.StartLive(shot); why != "" {
		a.result.Notices = finding.AppendNew(a.result.Notices,
			finding.Say(finding.NotStartedLive, why).On(sl.Spec.Workloads[0].ID))
	}
}

// meets gives the policy with the nodes as a slice finds them: of a snapshot, or beside what the
// releases declare. packed is that where the others stand as tightly as they fit; nil: it is of no matter.
func (a *analysis) meets(sl *slice.Slice, p *policies.Policy) (own, packed *policies.Policy) {
	if p.Cluster.Snapshot != nil {
		return sl.AsIs(p), nil
	}
	own, packed, notes := a.around.Meet(sl, p)
	a.note(notes...)
	return own, packed
}
