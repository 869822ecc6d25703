package verify

import (
	"fmt"
	"strings"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// assumeSnapshot says what a result that rests on a snapshot assumes.
func assumeSnapshot(p *policies.Policy, add func(string)) {
	shot := p.Cluster.Snapshot
	add(fmt.Sprintf("the cluster is as the snapshot %s of %s has it: pods outside the change stay where they are and occupy their room; none is created, deleted or preempted",
		p.Cluster.SnapshotFile, shot.Taken))
	for _, g := range shot.Gaps {
		add(fmt.Sprintf("not in the snapshot: %s (%s)", g.Kind, g.Reason))
	}
}

// snapshotNotices are said on every surface: that a snapshot is old, or says too little.
func (a *analysis) snapshotNotices() []string {
	c := &a.opt.Policy.Cluster
	if c.Snapshot == nil {
		return nil
	}
	var out []string
	if days := c.Stale(a.opt.Today); days > 0 {
		out = append(out, fmt.Sprintf("the snapshot %s is of %s, %d days ago: findings about capacity are at most warnings; renew it with `kubesettle snapshot`", c.SnapshotFile, c.Snapshot.Taken, days))
	}
	if by := c.Grows(); by != "" {
		out = append(out, fmt.Sprintf("%s may add nodes of sizes that are not declared (taken: like the largest node of each pool), so findings about capacity are at most warnings; declare them as cluster.nodePools with autoscaled: true", by))
	}
	if why := c.Snapshot.Missing("pods"); why != "" {
		out = append(out, fmt.Sprintf("the snapshot %s does not hold all pods (%s): what runs beside the change takes less room than it does in the cluster", c.SnapshotFile, why))
	}
	for i := range c.Snapshot.Nodes {
		n := &c.Snapshot.Nodes[i]
		if len(n.Conditions) > 0 {
			out = append(out, fmt.Sprintf("the node %s was unhealthy when the snapshot was taken (%s)", n.Name,
				strings.Join(n.Conditions, ", ")))
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
	a.result.Notices = scenario.AppendNew(a.result.Notices, sl.Disagree(shot))
	if why := sl.StartLive(shot); why != "" {
		a.result.Notices = scenario.AppendNew(a.result.Notices,
			[]string{fmt.Sprintf("%s: the change does not start from its live placement: %s", sl.Spec.Workloads[0].ID, why)})
	}
}

// meets gives the policy with the nodes as a slice finds them: of a snapshot, or beside what the
// releases declare. packed is that where the others stand as tightly as they fit; nil: it is of no matter.
func (a *analysis) meets(sl *slice.Slice, p *policies.Policy) (own, packed *policies.Policy) {
	if p.Cluster.Snapshot != nil {
		return sl.AsIs(p), nil
	}
	own, packed, note := a.around.Meet(sl, p)
	if note != "" {
		a.note([]string{note})
	}
	return own, packed
}
