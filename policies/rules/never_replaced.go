package rules

import (
	"fmt"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/verify/state"
)

// neverReplaced says that a pod which is lost is replaced: □◇(no ordinal of the workload is
// held by a pod on a lost node, and none of its pods is refused at creation).
//
// Intent: a machine that dies takes nothing with it for good.
// Class: liveness; the counterexample ends quiescent.
// Assumes: the node does not come back, which is an event and never forced.
// Does not say: that the replacement finds a node (see unschedulable).
var neverReplaced = Rule{
	ID:       NeverReplaced,
	Class:    Lifecycle,
	Title:    "a pod is never created, or never replaced once it is lost",
	Severity: Error,
	Facets:   Stuck | Unreplaced,
	Blind:    BlindToStarts | BlindToStops | BlindToPlace,
	Help: Help{
		Real: `Pods of a StatefulSet stay on a lost node in deletion (unless lost nodes are deleted: set
` + "`events.nodeFailure.outOfService: true`" + `). Or pods or claims are refused by a LimitRange, Pod Security, duplicate
` + "`hostNetwork`" + ` port, or a ` + "`failurePolicy: Fail`" + ` webhook that guards its own pods. Or a Pod has no
controller, or a Job has ` + "`backoffLimit: 0`" + `.`,
		Bad: `A replica is missing; a webhook blocks every pod.`,
		Now: `- Machine off: delete its Node or taint it ` + "`node.kubernetes.io/out-of-service`" + `.
- Webhook: exclude these pods.
- LimitRange: set limits.
- Pod: use a Deployment.
- Job: a ` + "`podFailurePolicy`" + ` that ignores ` + "`DisruptionTarget`" + `.`,
		Sources: []string{
			"https://kubernetes.io/docs/tasks/run-application/force-delete-stateful-set-pod/",
			"https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/#non-graceful-node-shutdown",
			"https://kubernetes.io/docs/concepts/cluster-administration/admission-webhooks-good-practices/",
			"https://kubernetes.io/docs/concepts/policy/limit-range/",
			"https://kubernetes.io/docs/concepts/workloads/pods/#working-with-pods",
			"https://kubernetes.io/docs/tasks/job/pod-failure-policy/",
			"https://github.com/kubernetes/kubernetes/issues/54368",
			"https://github.com/kubernetes/kubernetes/issues/74689",
			"https://github.com/defenseunicorns/uds-core/issues/1509",
		},
	},
	Also: neverTaken,
	New: func(c *state.Config, w int) Property {
		m, _ := Newest(c, w)
		switch {
		case m == nil || m.Kind().Ends():
			return Property{}
		case m.Kind().Bare():
			return lostForGood(c, w, m)
		case c.Admits() && c.Revisions(w) < 2:
			return neverCreated(c, w)
		case m.Kind() != state.StatefulSet || c.Spec.Events.NodeFailure <= 0:
			return Property{}
		}
		return Property{
			Persists: func(s state.State) bool { return s.Manifest(w).Exists() && !rolling(s, w) && lostOf(s, w) > 0 },
			Message: func(s state.State) string {
				lost := lostOf(s, w)
				return fmt.Sprintf("%s of %s can stay in deletion on a lost node forever and never be replaced: %d of %s %s",
					english.Plural(lost, "pod", ""), FullName(c, w), s.ReadyOf(w), outOf(s, w),
					english.PluralWord(s.ReadyOf(w), "runs", "run"))
			},
			Fields: []string{"Workload:spec.replicas"},
		}
	},
}

// lostForGood is the rule if no controller owns the pod: it is gone for good, until it is applied again. Authors of
// such a Pod know that, or should hear it once; a change is not at fault if events take pods.
func lostForGood(c *state.Config, w int, m *state.Manifest) Property {
	if m.Bare.Ends() {
		return Property{}
	}
	return Property{
		Mild:     true,
		Persists: func(s state.State) bool { return s.LostPod(w) },
		Message: func(s state.State) string {
			if s.FailedPod(w) {
				return fmt.Sprintf("%s can fail for good: no controller owns it, so nothing runs it again", FullName(c, w))
			}
			return fmt.Sprintf("%s can be lost for good: no controller owns it, so nothing replaces it", FullName(c, w))
		},
		Fields: []string{"Workload:metadata.name"},
	}
}

// neverTaken is the side of the rule on Pods that no controller owns: the API server takes them; and on Jobs.
func neverTaken(c *state.Config, w int) Property {
	if m, _ := Newest(c, w); m == nil || !m.Kind().Bare() {
		return failsOfDisruption(c, w)
	}
	return Property{
		Persists: func(s state.State) bool { return s.Owed(w) },
		Message: func(s state.State) string {
			return fmt.Sprintf("%s can stay missing for good, as the API server refuses to create it", FullName(c, w))
		},
		Fields: []string{"Workload:spec.template.spec.containers"},
	}
}

// neverCreated is the rule where something may refuse pods at their creation.
func neverCreated(c *state.Config, w int) Property {
	return Property{
		Persists: func(s state.State) bool {
			return s.Manifest(w).Exists() && (lostOf(s, w) > 0 || forbiddenPods(s, w) > 0)
		},
		Message: func(s state.State) string {
			n := forbiddenPods(s, w)
			if n == 0 {
				n = lostOf(s, w)
			}
			return fmt.Sprintf("%s of %s can be missing forever, as the API server refuses to create it: %d of %s %s",
				english.Plural(n, "pod", ""), FullName(c, w), s.ReadyOf(w), outOf(s, w),
				english.PluralWord(s.ReadyOf(w), "runs", "run"))
		},
		Fields: []string{refusedField(c, w)},
	}
}

// refusedField is the field that what refuses the pods of a workload looks at.
func refusedField(c *state.Config, w int) string {
	for _, list := range c.Spec.Admission.Claims {
		if list != nil && len(list[w]) > 0 {
			return "Workload:spec.volumeClaimTemplates"
		}
	}
	return "Workload:spec.template.spec.containers"
}

// forbiddenPods is how many pods of workload w are missing that the API server refuses to
// create, whatever room there is.
func forbiddenPods(s state.State, w int) int {
	p := s.NewClass(w)
	if p < 0 {
		return 0
	}
	if s.C.Pods[p].Ordinal != state.NoOrdinal {
		return forbiddenOrdinals(s, w)
	}
	if !s.Forbidden(p) {
		return 0
	}
	have := 0
	for _, p := range s.C.ClassesOf[w] {
		have += s.Active(p)
	}
	return max(s.Replicas(w)-have, 0)
}

// forbiddenOrdinals are the ordinals of a StatefulSet without a pod whose pod of the applied version is refused.
func forbiddenOrdinals(s state.State, w int) int {
	total, first := 0, s.Manifest(w).FirstOrdinal()
	for i := range s.Replicas(w) {
		there, refused := false, false
		for _, p := range s.C.ClassesOf[w] {
			if c := &s.C.Pods[p]; c.Ordinal == first+i {
				there = there || s.Existing(p) > 0
				refused = refused || (s.VersionOf(w) == state.Head && c.InHead || s.VersionOf(w) == state.Base && c.InBase) &&
					s.Forbidden(p)
			}
		}
		if refused && !there {
			total++
		}
	}
	return total
}

// lostOf is the number of ordinals of workload w that a pod on deletion on a node that is
// down holds, where its StatefulSet wants one.
func lostOf(s state.State, w int) int {
	if s.C.Spec.Events.NodeFailure <= 0 {
		return 0
	}
	total := 0
	for _, p := range s.C.ClassesOf[w] {
		o := s.C.Pods[p].Ordinal
		if o == state.NoOrdinal {
			continue
		}
		m := s.Manifest(w)
		if i := o - m.FirstOrdinal(); i < 0 || i >= s.Replicas(w) {
			continue
		}
		for n := range s.C.Nodes {
			if s.Outage(n) == state.Lost {
				total += s.On(n, p, state.Terminating)
			}
		}
	}
	return total
}
