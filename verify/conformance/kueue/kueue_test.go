// Package kueue compares what Kueue's actor makes of ClusterQueues with upstream's own code.
package kueue

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	config "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/resources"
	"sigs.k8s.io/kueue/pkg/scheduler/flavorassigner"
	"sigs.k8s.io/kueue/pkg/scheduler/preemption"
	preemptexpectations "sigs.k8s.io/kueue/pkg/scheduler/preemption/expectations"
	utiltesting "sigs.k8s.io/kueue/pkg/util/testing"
	utiltestingapi "sigs.k8s.io/kueue/pkg/util/testing/v1beta2"
	"sigs.k8s.io/kueue/pkg/workload"

	"github.com/kubesettle/kubesettle/verify/control/admission"
	"github.com/kubesettle/kubesettle/verify/state"
)

const rounds = 2000

var (
	names  = []corev1.ResourceName{corev1.ResourceCPU, "example.com/gpu"}
	start  = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	within = []kueue.PreemptionPolicy{kueue.PreemptionPolicyNever, kueue.PreemptionPolicyLowerPriority, kueue.PreemptionPolicyLowerOrNewerEqualPriority}
	reach  = append(within, kueue.PreemptionPolicyAny)
)

// TestTargetsAreUpstreams holds whether a workload fits, and whom it preempts, against flavorassigner's Assign and
// (*Preemptor).GetTargets, on ClusterQueues alone and in cohorts, in any state.
func TestTargetsAreUpstreams(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	modes := map[flavorassigner.FlavorAssignmentMode]int{}
	preempted, several := 0, 0
	for round := range rounds {
		d := newDraw(r)
		mode, want := d.upstream(t)
		fit := d.ours.Fit(&d.incoming)
		if got := map[admission.Fit]flavorassigner.FlavorAssignmentMode{admission.NoFit: flavorassigner.NoFit,
			admission.Preempt: flavorassigner.Preempt, admission.Fits: flavorassigner.Fit}[fit]; got != mode {
			t.Fatalf("round %d: %v, upstream says %v:\n%s", round, got, mode, d)
		}
		var got []string
		for _, i := range d.ours.Targets(&d.incoming) {
			got = append(got, nameOf(i))
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("round %d: preempts %v, upstream %v:\n%s", round, got, want, d)
		}
		modes[mode]++
		if len(want) > 0 {
			preempted++
		}
		if len(want) > 1 {
			several++
		}
	}
	t.Logf("%d rounds: %v, %d with victims, %d with several", rounds, modes, preempted, several)
	for _, mode := range []flavorassigner.FlavorAssignmentMode{flavorassigner.NoFit, flavorassigner.Preempt, flavorassigner.Fit} {
		if modes[mode] < rounds/20 {
			t.Errorf("mode %v: %d of %d, too few to show anything", mode, modes[mode], rounds)
		}
	}
	if preempted < rounds/20 || several < rounds/50 {
		t.Errorf("%d preempt, %d several, of %d: too few to show anything", preempted, several, rounds)
	}
}

// draw is one state, for upstream and for the actor.
type draw struct {
	queues   []*kueue.ClusterQueue
	admitted []kueue.Workload
	waiting  *kueue.Workload
	ours     admission.Contest
	incoming admission.Entrant
}

func nameOf(i int) string { return fmt.Sprintf("w%02d", i) }

func (d *draw) String() string {
	out := ""
	for i := range d.ours.Queues {
		q := &d.ours.Queues[i]
		out += fmt.Sprintf("queue %d: %+v used %v", i, *q.Queue, q.Used)
		for _, l := range q.Limits {
			if l != nil {
				out += fmt.Sprintf(" limit %d borrowing %s lending %s", l.Nominal, told(l.Borrowing), told(l.Lending))
			}
		}
		out += "\n"
	}
	for i := range d.ours.Admitted {
		out += fmt.Sprintf("%s: %+v\n", nameOf(i), d.ours.Admitted[i])
	}
	return out + fmt.Sprintf("incoming: %+v", d.incoming)
}

func told(n *int64) string {
	if n == nil {
		return "-"
	}
	return strconv.FormatInt(*n, 10)
}

func newDraw(r *rand.Rand) *draw {
	d := &draw{}
	covered := 1 + r.IntN(len(names))
	cohort := ""
	if r.IntN(5) > 0 {
		cohort = "all"
	}
	n := 1
	if cohort != "" {
		n += r.IntN(3)
	}
	for i := range n {
		d.addQueue(r, i, cohort, covered)
	}
	for range r.IntN(9) {
		queue := r.IntN(n)
		x := entrant(r, queue, covered)
		x.Since, x.Evicted = int64(r.IntN(50)), r.IntN(6) == 0
		if d.ours.Fit(&x) != admission.Fits && r.IntN(8) > 0 { // most are admitted by the rules
			x.Uses = []int64{1000, 0}
		}
		for k, use := range x.Uses {
			d.ours.Queues[queue].Used[k] += use
		}
		d.ours.Admitted = append(d.ours.Admitted, x)
		w := workloadOf(len(d.ours.Admitted)-1, &x).SimpleReserveQuota(kueue.ClusterQueueReference(queueName(queue)), "default", at(x.Since))
		if x.Evicted {
			w = w.EvictedAt(at(60))
		}
		d.admitted = append(d.admitted, *w.Obj())
	}
	d.incoming = entrant(r, r.IntN(n), covered)
	d.waiting = workloadOf(99, &d.incoming).Obj()
	return d
}

func at(seconds int64) time.Time { return start.Add(time.Duration(seconds) * time.Second) }

func queueName(i int) string { return fmt.Sprintf("q%d", i) }

func entrant(r *rand.Rand, queue, covered int) admission.Entrant {
	x := admission.Entrant{Queue: queue, Priority: int32(r.IntN(3)), Queued: int64(r.IntN(50)), Uses: make([]int64, len(names))}
	for k := range covered {
		if k == 0 || r.IntN(2) == 0 {
			x.Uses[k] = int64(1+r.IntN(4)) * 1000
		}
	}
	return x
}

func workloadOf(i int, x *admission.Entrant) *utiltestingapi.WorkloadWrapper {
	w := utiltestingapi.MakeWorkload(nameOf(i), "default").UID(types.UID(nameOf(i))).Priority(x.Priority).Creation(at(x.Queued))
	for k, use := range x.Uses {
		if use > 0 {
			w = w.Request(names[k], strconv.FormatInt(use/1000, 10))
		}
	}
	return w
}

func (d *draw) addQueue(r *rand.Rand, i int, cohort string, covered int) {
	q := &state.Queue{Cohort: cohort}
	up := utiltestingapi.MakeClusterQueue(queueName(i)).Cohort(kueue.CohortReference(cohort))
	flavor := utiltestingapi.MakeFlavorQuotas("default")
	ours := admission.Contender{Queue: q, Limits: make([]*state.QueueLimit, len(names)), Used: make([]int64, len(names))}
	for k := range covered {
		l := &state.QueueLimit{Resource: names[k], Nominal: int64(r.IntN(7)) * 1000}
		amounts := []string{strconv.FormatInt(l.Nominal/1000, 10), "", ""}
		if cohort != "" && r.IntN(3) == 0 {
			n := int64(r.IntN(5)) * 1000
			l.Borrowing, amounts[1] = &n, strconv.FormatInt(n/1000, 10)
		}
		if cohort != "" && r.IntN(3) == 0 {
			n := int64(r.IntN(int(l.Nominal/1000)+1)) * 1000
			l.Lending, amounts[2] = &n, strconv.FormatInt(n/1000, 10)
		}
		flavor = flavor.Resource(names[k], amounts...)
		ours.Limits[k] = l
	}
	own, others := within[r.IntN(len(within))], reach[r.IntN(len(reach))]
	if cohort == "" {
		others = kueue.PreemptionPolicyNever
	}
	p := kueue.ClusterQueuePreemption{WithinClusterQueue: own, ReclaimWithinCohort: others}
	q.Within, q.Reclaim = state.PreemptionOf(string(own)), state.PreemptionOf(string(others))
	if others != kueue.PreemptionPolicyNever && r.IntN(2) == 0 {
		p.BorrowWithinCohort = &kueue.BorrowWithinCohort{Policy: kueue.BorrowWithinCohortPolicyLowerPriority}
		if q.WhileBorrowing = true; r.IntN(2) == 0 {
			threshold := int32(r.IntN(3))
			p.BorrowWithinCohort.MaxPriorityThreshold, q.Threshold = &threshold, &threshold
		}
	}
	d.queues = append(d.queues, up.ResourceGroup(*flavor.Obj()).Preemption(p).Obj())
	d.ours.Queues = append(d.ours.Queues, ours)
}

// upstream gives what Kueue itself makes of it.
func (d *draw) upstream(t *testing.T) (flavorassigner.FlavorAssignmentMode, []string) {
	t.Helper()
	log := logr.Discard()
	ctx := logr.NewContext(context.Background(), log)
	cl := utiltesting.NewClientBuilder().WithLists(&kueue.WorkloadList{Items: d.admitted}).WithStatusSubresource(&kueue.Workload{}).Build()
	cache := schdcache.New(cl)
	cache.AddOrUpdateResourceFlavor(log, utiltestingapi.MakeResourceFlavor("default").Obj())
	for _, q := range d.queues {
		if err := cache.AddClusterQueue(ctx, q); err != nil {
			t.Fatal(err)
		}
	}
	snapshot, err := cache.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	preemptor := preemption.New(cl, workload.Ordering{}, &utiltesting.EventRecorder{}, nil, false, clock.RealClock{}, nil, preemptexpectations.New(), nil)
	info := workload.NewInfo(d.waiting)
	info.ClusterQueue = kueue.ClusterQueueReference(queueName(d.incoming.Queue))
	assigner := flavorassigner.New(info, snapshot.ClusterQueue(info.ClusterQueue), snapshot.ResourceFlavors, false,
		preemption.NewOracle(preemptor, snapshot), nil, config.QuotaCheckStrategy(""), resources.NewResourceFormatter(), 1)
	assignment := assigner.Assign(ctx, nil)
	mode := assignment.RepresentativeMode()
	if mode != flavorassigner.Preempt {
		return mode, nil
	}
	var out []string
	for _, target := range preemptor.GetTargets(ctx, *info, assignment, snapshot) {
		out = append(out, target.WorkloadInfo.Obj.Name)
	}
	slices.Sort(out)
	return mode, out
}
