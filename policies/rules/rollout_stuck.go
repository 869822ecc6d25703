package rules

import (
	"fmt"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/verify/state"
)

// rolloutStuck says that a rollout completes: □◇(every replica is of the current
// revision and available), unless what is missing is a pod that waits for a node with
// no old revision left, which is unschedulable.
//
// Intent: what is merged gets to run, and all of it.
// Class: liveness; the counterexample ends quiescent, or in a loop, in mid-rollout.
// Assumes: weak fairness of every actor. Bad revisions, whose pods never become ready, are
// none of its business.
// Does not say: that it completes within progressDeadlineSeconds.
var rolloutStuck = Rule{
	ID:       RolloutStuck,
	Class:    Lifecycle,
	Title:    "a rollout can never complete",
	Severity: Error,
	Facets:   Stuck | MidRollout,
	Blind:    BlindToStarts | BlindToStops | BlindToPlace,
	Help: Help{
		Real: `A run ends in mid-rollout: updated, total and available replicas never all equal
` + "`spec.replicas`" + `, or containers share a port. In a cluster: ` + "`ProgressDeadlineExceeded`" + `. Not real
for ` + "`ReadWriteOnce`" + ` on NFS, which attaches nothing.`,
		Bad: `The new version never takes over; ` + "`helm --wait`" + `, Argo CD and Flux report a failure.`,
		Now: `- ` + "`rollingUpdate: {maxSurge: 0, maxUnavailable: 1}`" + `, or ` + "`type: Recreate`" + ` (` + "`ReadWriteOnce`" + `: that, or
  a StatefulSet).
- Ignore old pods in spread and anti-affinity: ` + "`matchLabelKeys: [pod-template-hash]`" + `.
- Leave room for one more pod: a node, a port, quota.`,
		Sources: []string{
			"https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-update-deployment",
			"https://github.com/kubernetes/kubernetes/issues/116891",
			"https://github.com/kubernetes/kubernetes/issues/56539",
			"https://github.com/argoproj/argo-cd/issues/16627",
			"https://github.com/digitalocean/csi-digitalocean/issues/111",
		},
	},
	New: func(c *state.Config, w int) Property {
		m, _ := Newest(c, w)
		if m == nil || m.Pace().Keeps || c.Revisions(w) < 2 {
			return Property{} // one template: there is nothing to roll out
		}
		return Property{
			Persists: func(s state.State) bool { return stuck(s, w) },
			Unsure:   func(s state.State) bool { return waiting(s, w) > 0 },
			Message:  func(s state.State) string { return stuckMessage(s, w) },
			Fields:   append(append(strategyFields(m), PlacementFields(m)...), sizeFields(c, w)...),
		}
	},
}

func stuck(s state.State, w int) bool {
	current := s.NewClass(w)
	if current < 0 || s.Manifest(w).Paused() {
		return false
	}
	if stable := s.AbortedTo(w); stable >= 0 { // an abort completes when all earlier pods are back
		return s.Pending(stable)+s.Waiting(stable) == 0 && s.AvailableIn(stable) < s.Replicas(w)
	}
	if halted(s, w) {
		return false
	}
	if s.C.Pods[current].Ordinal != state.NoOrdinal {
		return rolling(s, w) ||
			pendingOf(s, w) == 0 && newestPods(s, w, s.Waiting) == 0 && lostOf(s, w) == 0 && s.AvailableOf(w) < s.Replicas(w)
	}
	return rolling(s, w) ||
		newestPods(s, w, s.Pending) == 0 && newestPods(s, w, s.Waiting) == 0 && s.AvailableIn(current) < s.Replicas(w)
}

func stuckMessage(s state.State, w int) string {
	current := s.NewClass(w)
	if current < 0 {
		return fmt.Sprintf("the rollout of %s can stay incomplete forever", FullName(s.C, w))
	}
	if stable := s.AbortedTo(w); stable >= 0 {
		n := s.AvailableIn(stable)
		return fmt.Sprintf("the abort of %s can stay incomplete forever: %d of %s %s of the stable revision and ready",
			FullName(s.C, w), n, outOf(s, w), english.PluralWord(n, "is", "are"))
	}
	updated := newestPods(s, w, s.ReadyPods)
	text := fmt.Sprintf("the rollout of %s can stay incomplete forever: %d of %s %s updated and ready",
		FullName(s.C, w), updated, outOf(s, w), english.PluralWord(updated, "is", "are"))
	if n := newestPods(s, w, s.Pending); n > 0 {
		text += fmt.Sprintf(", %s of the %s revision %s pending", english.Plural(n, "pod", ""), s.C.Revision(current),
			english.PluralWord(n, "stays", "stay"))
	}
	if n := newestPods(s, w, s.Waiting); n > 0 {
		text += fmt.Sprintf(", %s of the %s revision %s for a volume", english.Plural(n, "pod", ""), s.C.Revision(current),
			english.PluralWord(n, "waits", "wait"))
	}
	old, revision := 0, ""
	for _, p := range s.C.ClassesOf[w] {
		if !s.HasTemplate(p) {
			old, revision = old+s.Active(p), s.C.Revision(p)
		}
	}
	if old > 0 {
		text += fmt.Sprintf(", %s of the %s revision %s", english.Plural(old, "pod", ""), revision,
			english.PluralWord(old, "stays", "stay"))
	}
	return text
}

// strategyFields names what paces a workload's rollout.
func strategyFields(m *state.Manifest) []string {
	var out []string
	for _, f := range m.PaceFields() {
		out = append(out, "Workload:"+f)
	}
	return out
}
