package run

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Survey is what a run would search, without a search.
type Survey struct {
	Releases    []finding.ReleaseResult `json:"releases"`
	Workloads   []finding.Workload      `json:"-"`
	Slices      []SliceSurvey           `json:"slices"`
	Searches    []float64               `json:"-"` // expected states of each, as they are dealt to shards
	Assumptions []finding.Note          `json:"-"`
	Notices     []finding.Note          `json:"-"`
	// Policy is that of the run, with the controllers that were found among the manifests.
	Policy *policies.Policy `json:"-"`
}

// SliceSurvey is one slice: workloads that are searched together.
type SliceSurvey struct {
	Release   string   `json:"release"`
	Workloads []string `json:"workloads"`
	Beside    []string `json:"beside"`   // objects that target them
	Searches  int      `json:"searches"` // topologies, and scales of its numbers
	MaxNodes  int      `json:"maxNodes"`
	Pods      int      `json:"pods"`   // declared
	Events    []string `json:"events"` // that may fall
}

// Plan says what [Check] would search between two revisions. Progress, Workers and Shard of the
// options are of no matter.
func Plan(ch *object.Changes, opt Options) (*Survey, error) { return survey(ch, opt, false) }

// Inspect says what [Verify] would search of one revision.
func Inspect(rev *object.Revision, opt Options) (*Survey, error) {
	return survey(&object.Changes{Head: rev}, opt, true)
}

func survey(ch *object.Changes, opt Options, all bool) (*Survey, error) {
	opt.Shard, opt.TimeBudget = scenario.Shard{}, 0
	var out *Survey
	for _, one := range opt.parts() {
		s, err := surveyPart(ch, one, all)
		if err != nil {
			return nil, err
		}
		if out == nil {
			out = s
			continue
		}
		out.Releases, out.Workloads = append(out.Releases, s.Releases...), append(out.Workloads, s.Workloads...)
		out.Slices, out.Searches = append(out.Slices, s.Slices...), append(out.Searches, s.Searches...)
		out.Assumptions = finding.AppendNew(out.Assumptions, s.Assumptions...)
		out.Notices = finding.AppendNew(out.Notices, s.Notices...)
	}
	slices.SortStableFunc(out.Releases, func(x, y finding.ReleaseResult) int { return strings.Compare(x.ID, y.ID) })
	slices.SortStableFunc(out.Slices, func(x, y SliceSurvey) int {
		return slices.Compare(append([]string{x.Release}, x.Workloads...), append([]string{y.Release}, y.Workloads...))
	})
	return out, nil
}

// surveyPart is a survey of the releases of one policy.
func surveyPart(ch *object.Changes, opt Options, all bool) (*Survey, error) {
	ch, err := render.WithMade(ch, recipes(opt.Policy))
	if err != nil {
		return nil, err
	}
	a, picked, _, err := prepare(ch, opt, all)
	if err != nil {
		return nil, err
	}
	var cov scenario.Coverage
	plans, _, err := a.plan(context.Background(), picked, &cov)
	if err != nil {
		return nil, err
	}
	effective := opt.Policy
	if len(picked) > 0 {
		effective = a.besides.PolicyOf(picked[0].Release, a.besides.Head)
	}
	a.assume(effective, ch, map[string]*actor.Model{})
	out := &Survey{
		Releases: a.Result.Releases, Workloads: a.Result.Workloads, Notices: a.Result.Notices,
		Assumptions: a.Result.Assumptions,
		Slices:      []SliceSurvey{}, Policy: effective,
	}
	at := map[*slice.Slice]int{}
	for _, c := range scenario.Costs(plans) {
		i, seen := at[c.Slice]
		if !seen {
			i = len(out.Slices)
			at[c.Slice] = i
			out.Slices = append(out.Slices, sliceSurvey(c.Slice))
		}
		out.Slices[i].Searches++
		out.Slices[i].MaxNodes = max(out.Slices[i].MaxNodes, c.Nodes)
		out.Searches = append(out.Searches, c.States)
	}
	for _, p := range plans {
		if i, ok := at[p.Slice()]; ok {
			out.Slices[i].Events = eventNames(p.Events(), p.Slice().Maintained && budgeted(out.Slices[i].Beside))
		}
	}
	return out, nil
}

func sliceSurvey(sl *slice.Slice) SliceSurvey {
	s := SliceSurvey{Release: sl.Release, Workloads: []string{}, Beside: []string{},
		Pods: scenario.PodsOf(sl), Events: []string{}}
	own := map[string]bool{}
	for _, w := range sl.Workloads {
		s.Workloads = append(s.Workloads, w.ID)
		own[w.ID] = true
	}
	for _, id := range slices.Sorted(maps.Keys(sl.Objects)) {
		if !own[id] {
			s.Beside = append(s.Beside, id)
		}
	}
	return s
}

// eventNames are the events that may fall, as results call them.
func eventNames(e state.Events, maintained bool) []string {
	if maintained {
		e.Drain = max(e.Drain, 1) // as routine, wherever a budget is
	}
	out := []string{}
	for _, x := range []struct {
		n    int
		name string
	}{
		{e.LoadChange, "load-change"}, {e.Drain, "drain"}, {e.NodeFailure, "node-failure"}, {e.PodCrash, "pod-crash"},
		{e.BadRevision, "bad-revision"}, {e.NodeAdded, "node-added"}, {e.NodeRemoved, "node-removed"},
		{e.SpotReclaim, "spot-reclaim"}, {e.DiskPressure, "disk-pressure"}, {e.MemoryPressure, "memory-pressure"},
		{e.JobOverrun, "job-overrun"}, {e.StartupSpike, "startup-spike"},
		{e.ManagerRestart, "controller-restart"}, {e.StaleWrites, "stale-view"},
	} {
		if x.n > 0 {
			out = append(out, x.name)
		}
	}
	return out
}

func budgeted(beside []string) bool {
	return slices.ContainsFunc(beside,
		func(id string) bool { return strings.HasPrefix(id, "policy/PodDisruptionBudget ") })
}
