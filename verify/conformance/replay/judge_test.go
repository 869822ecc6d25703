package replay

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/state"
)

// rounds is how often a loop has to repeat to count as one.
const rounds = 3

// judge watches, with the kubelets free again, whether the cluster does what the finding
// says.
func (p *player) judge(ctx context.Context, f *finding.Finding, o *Outcome) {
	_, w, _ := strings.Cut(f.Workload, " ")
	last := f.Interleaving[len(f.Interleaving)-1].After
	facets := rules.FacetsOf(f.Rule)
	switch {
	case facets.Any(rules.Short | rules.TakenBack | rules.Surplus):
		p.kubelets.setHeld(false)
		p.view.quiet(ctx, 2*time.Second, 10*time.Second)
		p.judgeCount(facets, w, last, o)
	case facets.Any(rules.Undrained):
		p.kubelets.setHeld(false)
		p.judgeDrain(ctx, w, o)
	case facets.Any(rules.Evicted | rules.Swings | rules.NodesGoDown | rules.Restless | rules.Displaced |
		rules.NodesComeAndGo):
		p.kubelets.setHeld(false)
		p.judgeLoop(ctx, w, facets, o)
	case facets.Any(rules.Unreplaced):
		p.kubelets.setHeld(false)
		p.view.quiet(ctx, 5*time.Second, 30*time.Second)
		p.judgeJob(ctx, w, o)
	default: // stuck: what is seen stays
		p.kubelets.setHeld(false)
		p.view.quiet(ctx, 5*time.Second, 30*time.Second)
		p.judgeStuck(w, o)
	}
}

func (p *player) judgeCount(facets rules.Facets, w string, last *finding.Snapshot, o *Outcome) {
	i := slices.IndexFunc(last.Workloads, func(x finding.WorkloadSnapshot) bool { return strings.HasSuffix(x.Workload, " "+w) })
	if i < 0 {
		return
	}
	want := last.Workloads[i]
	p.view.mu.Lock()
	ready, lowest, most := p.view.least[w], p.view.lowest[w], p.view.most[w]
	p.view.mu.Unlock()
	switch {
	case facets.Any(rules.Short):
		o.Shown, o.Seen = ready <= want.Ready, fmt.Sprintf("at the least %d ready pods; the counterexample has %d", ready, want.Ready)
	case facets.Any(rules.TakenBack):
		o.Shown, o.Seen = lowest <= want.Replicas, fmt.Sprintf("spec.replicas was %d at the least; the counterexample has %d", lowest, want.Replicas)
	default:
		o.Shown, o.Seen = most >= want.Replicas, fmt.Sprintf("spec.replicas was %d at the most; the counterexample has %d", most, want.Replicas)
	}
}

// judgeDrain asks again and again for the eviction of the workload's pods on cordoned nodes.
func (p *player) judgeDrain(ctx context.Context, w string, o *Outcome) {
	for range 5 {
		p.view.quiet(ctx, time.Second, 10*time.Second)
		left := 0
		for _, n := range p.view.nodes() {
			if !n.Spec.Unschedulable {
				continue
			}
			for _, pod := range p.view.pods() {
				if name, _ := workloadOf(pod); name == w && pod.Spec.NodeName == n.Name {
					left++
				}
			}
			p.evict(ctx, w, n.Name, "")
		}
		o.Shown, o.Seen = left > 0, fmt.Sprintf("%d pods of %s cannot leave their cordoned nodes", left, w)
		if left == 0 {
			return
		}
	}
}

// judgeJob looks whether a Job has failed for good.
func (p *player) judgeJob(ctx context.Context, w string, o *Outcome) {
	namespace, name, _ := strings.Cut(w, "/")
	j, err := p.plane.Client.BatchV1().Jobs(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		o.Seen = err.Error()
		return
	}
	o.Seen = fmt.Sprintf("%s goes on, with %d active pods", w, j.Status.Active)
	for _, c := range j.Status.Conditions {
		if c.Type == batchv1.JobFailed && c.Status == corev1.ConditionTrue {
			o.Shown, o.Seen = true, fmt.Sprintf("%s failed: %s: %s", w, c.Reason, c.Message)
		}
	}
}

// judgeLoop counts how often pods go, or replicas change, with no event left to happen.
func (p *player) judgeLoop(ctx context.Context, w string, facets rules.Facets, o *Outcome) {
	from := len(p.view.events(0))
	count := func() (gone, scaled, down int) {
		for _, e := range p.view.events(from) {
			switch {
			case e.action == "evict-pod" || e.action == "delete-pod":
				gone++
			case e.action == "scale" && e.workload == w:
				scaled++
			case e.action == "node-panic":
				down++
			}
		}
		return gone, scaled, down
	}
	begin := time.Now()
	for ; time.Since(begin) < 40*time.Second && ctx.Err() == nil; time.Sleep(200 * time.Millisecond) {
		gone, scaled, down := count()
		o.Seen = fmt.Sprintf("%d pods were deleted and %d times replicas changed with no event left to happen", gone, scaled)
		if down > 0 {
			o.Seen += fmt.Sprintf("; %d times a node went down", down)
		}
		loops := gone
		switch {
		case facets.Any(rules.Swings):
			loops = scaled / 2 // up and down
		case facets.Any(rules.NodesGoDown):
			loops = down
		}
		if loops >= rounds {
			o.Shown = true
			return
		}
		if p.view.idle() > 12*time.Second && time.Since(begin) > 12*time.Second { // four cycles of the descheduler
			return
		}
	}
}

// judgeStuck looks for pods that cannot be placed and rollouts that do not end.
func (p *player) judgeStuck(w string, o *Outcome) {
	seen := p.unplaced(w)
	namespace, name, _ := strings.Cut(w, "/")
	if d, err := p.view.deploys.Deployments(namespace).Get(name); err == nil && d.Status.UpdatedReplicas < d.Status.Replicas {
		seen = append(seen, fmt.Sprintf("%d of %d pods are of the new revision", d.Status.UpdatedReplicas, d.Status.Replicas))
	}
	o.Shown, o.Seen = len(seen) > 0, strings.Join(slices.Compact(seen), "; ")
	if !o.Shown {
		o.Seen = "every pod of " + w + " has its node: " + p.view.now()
	}
}

// unplaced is what the scheduler says of the pods of a workload that it cannot place.
func (p *player) unplaced(w string) []string {
	var out []string
	for _, pod := range p.view.pods() {
		name, _ := workloadOf(pod)
		if name != w || phaseOf(pod) != "pending" {
			continue
		}
		for _, c := range pod.Status.Conditions {
			if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
				out = append(out, c.Message)
			}
		}
	}
	return out
}

// workloadIn is the "namespace/name" of the workload that a step is about; "" where none is named.
func workloadIn(s *finding.Step) string {
	for _, word := range strings.Fields(s.Object + " " + s.Actor) {
		word, _, _ = strings.Cut(word, "@")
		if parts := strings.Split(word, "/"); len(parts) >= 3 && parts[0] != "apps" {
			return strings.Join(parts[len(parts)-2:], "/")
		} else if len(parts) == 2 && parts[0] != "apps" && parts[0] != "autoscaling" && parts[0] != "policy" && parts[0] != "drain" {
			return word
		}
	}
	return ""
}

// phaseIn is the phase of the pod that an eviction takes; "" is not said.
func phaseIn(s *finding.Step) string {
	for _, phase := range []string{"ready", "starting"} {
		if strings.Contains(s.Text, " "+phase+" pod") {
			return phase
		}
	}
	return ""
}

// loadAfter is the load on a workload after a step.
func loadAfter(s *finding.Step, w string) state.Load {
	for _, x := range s.After.Workloads {
		if strings.HasSuffix(x.Workload, " "+w) {
			for l := state.Idle; l < state.Loads; l++ {
				if l.String() == x.Load {
					return l
				}
			}
		}
	}
	return state.Nominal
}

// nameOf tells objects apart.
func nameOf(o map[string]any) string {
	m, _ := o["metadata"].(map[string]any)
	return fmt.Sprint(o["kind"], " ", m["namespace"], "/", m["name"])
}

// unlike says of which pods not to think: all but those of a workload in a phase.
func unlike(phase, w string) func(*corev1.Pod) bool {
	return func(p *corev1.Pod) bool {
		name, _ := workloadOf(p)
		return phaseOf(p) != phase || (w != "" && name != w)
	}
}

func onNode(node string) func(*corev1.Pod) bool {
	return func(p *corev1.Pod) bool { return node == "" || p.Spec.NodeName == node }
}

// containsWord reports whether a text has a name that is not a part of a longer one.
func containsWord(text, name string) bool {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool {
		return r != '-' && r != '.' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	}) {
		if strings.TrimRight(word, ".") == name {
			return true
		}
	}
	return false
}
