package rules

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"

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
	ID:       "rollout-stuck",
	Class:    Lifecycle,
	Title:    "a rollout can never complete",
	Severity: Error,
	Help: Help{
		What: `A run may not end, or go on forever, in the middle of a rollout. As upstream's
` + "`DeploymentComplete`" + ` has it, a rollout is complete when the updated replicas, all replicas
and the available replicas equal ` + "`spec.replicas`" + `.

The rule speaks of a workload whose pod template changes, while an old revision still has
replicas, or while the new one lacks ready replicas and none of its pods is pending. A pod
that stays pending, or waits for a volume, once the old revision is gone is ` + "`unschedulable`" + `: never both at once. A
rollout that is paused on purpose is no finding, nor is one of a revision whose pods never become
ready (` + "`events.badRevision`" + `): that one is stuck everywhere, and what has to hold meanwhile is
` + "`below-floor`" + `.

Upstream gives no rollout up. One without progress for ` + "`progressDeadlineSeconds`" + ` (600 unless
declared) gets the condition ` + "`ProgressDeadlineExceeded`" + ` and stays as it is; a paused one does not.`,
		Why: `The new version never takes over: part of the traffic, or all of it, stays with the old
one, later rollouts queue behind it, and ` + "`helm --wait`" + `, Argo CD and Flux report a failure
or roll back. The usual cause is one pod. With the default strategy and fewer than four
replicas the update may take away no old pod before a new one is ready (25% rounds down to 0
unavailable, up to 1 surge), so that whatever refuses that one surge pod holds up the whole.

A ` + "`ReadWriteOnce`" + ` volume does so without refusing anything: the scheduler does not look at who has
it, and a surge pod that comes to another node waits in ` + "`ContainerCreating`" + ` for a volume that stays
attached to the old pod's node. As some drivers attach nothing, and which node is taken hangs on what
else runs there, such a finding is called possible, never inevitable.`,
		Mend: `- ` + "`strategy.rollingUpdate: {maxSurge: 0, maxUnavailable: 1}`" + ` gives up a pod before it asks for
  its successor; ` + "`strategy.type: Recreate`" + ` gives up all of them.
- With anti-affinity or topology spread, let the old revision not count against the new one:
  ` + "`matchLabelKeys: [pod-template-hash]`" + `, or prefer instead of require.
- Leave room for one more pod: a spare node, a free port, head-room in the quota.
- With a ` + "`ReadWriteOnce`" + ` volume, ` + "`strategy.type: Recreate`" + `, a StatefulSet, or ` + "`ReadWriteMany`" + `.`,
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
		if m == nil || m.Kind().Ends() || c.Revisions(w) < 2 {
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
	if current < 0 || s.Manifest(w).Paused() || halted(s, w) {
		return false
	}
	if s.C.Pods[current].Ordinal != state.NoOrdinal {
		return rolling(s, w) || pendingOf(s, w) == 0 && newestPods(s, w, s.Waiting) == 0 && lostOf(s, w) == 0 && s.AvailableOf(w) < s.Replicas(w)
	}
	return rolling(s, w) || newestPods(s, w, s.Pending) == 0 && newestPods(s, w, s.Waiting) == 0 && s.AvailableIn(current) < s.Replicas(w)
}

func stuckMessage(s state.State, w int) string {
	current := s.NewClass(w)
	if current < 0 {
		return fmt.Sprintf("the rollout of %s can stay incomplete forever", FullName(s.C, w))
	}
	updated := newestPods(s, w, s.ReadyPods)
	text := fmt.Sprintf("the rollout of %s can stay incomplete forever: %d of %s %s updated and ready",
		FullName(s.C, w), updated, wanted(s, w), are(updated))
	if n := newestPods(s, w, s.Pending); n > 0 {
		text += fmt.Sprintf(", %s of the %s revision %s pending", Count(n, "pod"), s.C.Revision(current), stays(n))
	}
	if n := newestPods(s, w, s.Waiting); n > 0 {
		text += fmt.Sprintf(", %s of the %s revision %s for a volume", Count(n, "pod"), s.C.Revision(current), waits(n))
	}
	old, revision := 0, ""
	for _, p := range s.C.ClassesOf[w] {
		if !s.C.HasTemplate(p, s.Version()) {
			old, revision = old+s.Active(p), s.C.Revision(p)
		}
	}
	if old > 0 {
		text += fmt.Sprintf(", %s of the %s revision %s", Count(old, "pod"), revision, stays(old))
	}
	return text
}

func waits(n int) string {
	if n == 1 {
		return "waits"
	}
	return "wait"
}

func stays(n int) string {
	if n == 1 {
		return "stays"
	}
	return "stay"
}

// strategyFields names what paces a workload's rollout.
func strategyFields(m *state.Manifest) []string {
	switch m.Kind() {
	case state.DaemonSet:
		return []string{"Workload:spec.updateStrategy"}
	case state.StatefulSet:
		return []string{"Workload:spec.podManagementPolicy", "Workload:spec.updateStrategy"}
	}
	d := m.Deployment
	if d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
		return []string{"Workload:spec.strategy.type"}
	}
	return []string{
		"Workload:spec.strategy.rollingUpdate.maxSurge",
		"Workload:spec.strategy.rollingUpdate.maxUnavailable",
	}
}
