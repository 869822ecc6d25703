package replay

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/kubesettle/kubesettle/verify/control/autoscaling"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Outcome is what a replay showed.
type Outcome struct {
	Shown   bool   // the violation was seen on the control plane
	Seen    string // what was seen, for people
	Steps   int    // of the counterexample
	Matched int    // of them seen, in their order
	Elapsed time.Duration
}

// player plays one case on one control plane.
type player struct {
	plane    *Plane
	c        *Case
	view     *view
	kubelets *kubelets
	metrics  *metrics
	applier  *applier
	demands  map[string]autoscaling.Demand
	out      io.Writer         // tells what is done
	twin     bool              // of the case that the finding is of: its steps are not to come about
	plays    map[string]string // the real node that plays a node of the counterexample
	next     int               // events of the log that were matched to steps
	start    int               // events of the log before the first step
	known    map[string]bool   // hashes of the revisions before the first step
}

// Play plays the counterexample of a finding of the case. What is done and seen goes to
// out. Errors are those of the machinery; what the cluster did is the outcome. binary is
// the control plane's.
func (c *Case) Play(ctx context.Context, binary string, f *finding.Finding, out io.Writer) (*Outcome, error) {
	return c.playOn(ctx, binary, f, &player{c: c, out: out})
}

// PlayEvents plays the events of another case's finding, and pods start and stop in its
// order as far as they do: what a repaired case has to stand.
func (c *Case) PlayEvents(ctx context.Context, binary string, f *finding.Finding, out io.Writer) (*Outcome, error) {
	return c.playOn(ctx, binary, f, &player{c: c, out: out, twin: true})
}

func (c *Case) playOn(ctx context.Context, binary string, f *finding.Finding, p *player) (_ *Outcome, err error) {
	begin := time.Now()
	plane, err := Start(ctx, binary, c.SchedulerConfig)
	if err != nil {
		return nil, err
	}
	defer plane.Stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-plane.dead:
			cancel()
		case <-ctx.Done():
		}
	}()
	if err = p.join(ctx, plane); err == nil {
		defer p.metrics.server.Close()
		err = p.prepare(ctx, f)
	}
	o := &Outcome{}
	if err == nil {
		o, err = p.play(ctx, f)
	}
	if err != nil { // a request may fail before it is known that a component died
		select {
		case <-plane.dead:
		case <-time.After(time.Second):
		}
	}
	if died := plane.Err(); died != nil {
		return nil, died
	}
	if err != nil {
		return nil, err
	}
	o.Elapsed = time.Since(begin)
	return o, nil
}

// join connects the stand-ins to a control plane.
func (p *player) join(ctx context.Context, plane *Plane) error {
	p.plane, p.demands = plane, p.c.demands()
	dyn, err := dynamic.NewForConfig(plane.Config)
	if err != nil {
		return err
	}
	if p.view, err = watchCluster(ctx, plane.Client); err != nil {
		return err
	}
	p.kubelets = &kubelets{client: plane.Client, view: p.view, down: map[string]bool{}, warm: map[types.UID]bool{}, slow: 3 * time.Second,
		overload: overload{
			above: int64(p.c.Policy.Events.NodePanic), spike: int64(p.c.Policy.Events.StartupSpike),
			since: map[string]time.Time{}, back: make(chan string, 1),
		},
	}
	p.applier = newApplier(dyn, plane.Client.Discovery(), p.c.Policy.Apply == "server-side")
	p.metrics, err = serveMetrics(ctx, dyn, p.view)
	if err == nil {
		p.metrics.spike, p.metrics.warming = int64(p.c.Policy.Events.StartupSpike), p.kubelets.warming
	}
	return err
}

// prepare brings the cluster to where the counterexample begins: the nodes, and base, or
// head where there is no base or the scenario knows none, settled under the nominal load.
func (p *player) prepare(ctx context.Context, f *finding.Finding) error {
	nodes, err := p.c.nodesFor(f)
	if err != nil {
		return err
	}
	for _, n := range nodes {
		if err := p.kubelets.join(ctx, n); err != nil {
			return err
		}
	}
	if err := p.nodesReady(ctx, len(nodes)); err != nil {
		return err
	}
	for w, d := range p.demands {
		if d[state.Saturating] > 0 {
			p.metrics.setDemand(w, d[state.Nominal])
		}
	}
	go p.kubelets.run(ctx)
	p.rename(&f.Interleaving[0])
	if f.Scenario == "install" {
		return nil
	}
	from := p.c.Base
	if from == nil || f.Scenario == "steady" {
		from = p.c.Head
	}
	all, err := objects(from)
	if err != nil {
		return err
	}
	for _, o := range all {
		if err := p.applier.apply(ctx, o); err != nil {
			return err
		}
	}
	return p.arrange(ctx, f)
}

// nodesReady waits until the control plane took the taint of new nodes off all of them:
// pods that are scheduled before would have less of a choice.
func (p *player) nodesReady(ctx context.Context, want int) error {
	for end := time.Now().Add(time.Minute); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
		ready := 0
		for _, n := range p.view.nodes() {
			if !slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeNotReady }) {
				ready++
			}
		}
		if ready == want {
			return nil
		}
	}
	return fmt.Errorf("the control plane does not take its %d nodes for ready", want)
}

// play plays the steps: events are made to happen, pods are moved, and for the control
// loops it waits a while.
func (p *player) play(ctx context.Context, f *finding.Finding) (*Outcome, error) {
	p.kubelets.setHeld(true)
	p.start = len(p.view.events(0))
	p.next, p.known = p.start, p.view.revisions()
	p.view.watchLeast()
	if p.c.DeschedulerPolicy != nil {
		if err := p.plane.StartDescheduler(p.c.DeschedulerPolicy, 3*time.Second); err != nil {
			return nil, err
		}
	}
	if f.Scenario == "install" {
		if err := p.applyHead(ctx); err != nil {
			return nil, err
		}
	}
	o := &Outcome{Steps: len(f.Interleaving)}
	for i := range f.Interleaving {
		s := &f.Interleaving[i]
		ok, err := p.step(ctx, s)
		if err != nil {
			return nil, err
		}
		mark := "  "
		if ok {
			mark = "ok"
			o.Matched++
		}
		fmt.Fprintf(p.out, "%2d %s %s\n", i+1, mark, s.Text)
		if err := p.plane.Err(); err != nil {
			return nil, err
		}
	}
	p.judge(ctx, f, o)
	for _, e := range p.view.events(p.start) {
		fmt.Fprintf(p.out, "   %s %s\n", e.at.Format("05.000"), e.text)
	}
	return o, nil
}

// step plays one step; it reports whether it came about.
func (p *player) step(ctx context.Context, s *finding.Step) (bool, error) {
	w := workloadIn(s)
	switch s.Action {
	case "apply":
		return true, p.applyHead(ctx)
	case "load-change":
		p.metrics.setDemand(w, p.demands[w][loadAfter(s, w)])
		return true, nil
	case "drain":
		return true, p.cordon(ctx, p.nodeIn(s), true)
	case "uncordon":
		return true, p.cordon(ctx, p.nodeIn(s), false)
	case "node-failure":
		p.kubelets.setDown(p.nodeIn(s), true)
		return true, nil
	case "node-recovery":
		p.kubelets.setDown(p.nodeIn(s), false)
		return true, nil
	case "evict-pod", "evict":
		if strings.HasPrefix(s.Actor, "drain") {
			return p.evict(ctx, w, p.nodeIn(s), phaseIn(s)), nil
		}
		return p.await(ctx, s, p.patience(s)), nil
	case "no-feasible-node":
		for end := time.Now().Add(p.patience(s)); len(p.unplaced(w)) == 0; time.Sleep(100 * time.Millisecond) {
			if time.Now().After(end) {
				return false, nil
			}
		}
		return true, nil
	case "node-restart":
		p.kubelets.overload.back <- p.nodeIn(s)
	case "bad-revision":
		p.kubelets.spoil(p.known)
		return true, nil
	case "creation-refused":
		for end := time.Now().Add(p.patience(s)); !p.view.refused(w); time.Sleep(100 * time.Millisecond) {
			if time.Now().After(end) {
				return false, nil
			}
		}
		return true, nil
	case "warm-pod":
		return p.warmPod(w, p.nodeIn(s)), nil
	case "start-pod", "stop-pod":
		return p.movePod(ctx, s, w), nil
	}
	return p.await(ctx, s, p.patience(s)), nil
}

// patience is how long a step of a control loop is waited for.
func (p *player) patience(s *finding.Step) time.Duration {
	switch {
	case p.twin:
		return 300 * time.Millisecond
	case s.Class == "periodic":
		return 10 * time.Second
	default:
		return 3 * time.Second
	}
}

// await reports, once it has waited, whether the log has a step's event that no step before it was matched to.
func (p *player) await(ctx context.Context, s *finding.Step, limit time.Duration) bool {
	w := workloadIn(s)
	action := s.Action
	if action == "evict" {
		action = "evict-pod"
	}
	for end := time.Now().Add(limit); ; {
		for i, e := range p.view.events(p.next) {
			same := e.action == action || action == "evict-pod" && e.action == "delete-pod"
			if same && (w == "" || e.workload == w) {
				p.next += i + 1
				return true
			}
		}
		if time.Now().After(end) || ctx.Err() != nil {
			return false
		}
		time.Sleep(20 * time.Millisecond)
	}
}
