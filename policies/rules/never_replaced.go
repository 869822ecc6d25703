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
	ID:       "never-replaced",
	Class:    Lifecycle,
	Title:    "a pod is never created, or never replaced once it is lost",
	Severity: Error,
	Blind:    BlindToStarts | BlindToStops | BlindToPlace,
	Help: Help{
		Real: `One of three things happened in the run:

- A node is lost for good (` + "`events.nodeFailure`" + `). Taint eviction deletes the StatefulSet's pod on it, but
  only that node's kubelet could confirm that it stopped, so the pod stays in deletion and the
  StatefulSet never creates the ordinal again.
- The API server refuses to create a pod, because a LimitRange's defaults make it invalid or break the
  LimitRange's own bounds.
- An admission webhook with ` + "`failurePolicy: Fail`" + ` guards the pods that serve it, and all are gone. One
  lost node is tried for this even if no ` + "`events.nodeFailure`" + ` is declared.

Deployments are not affected by the first. If somebody, or your cloud's controller, deletes lost Node
objects or marks them out of service, set ` + "`events.nodeFailure.outOfService: true`" + `. During a rollout
` + "`rollout-stuck`" + ` reports a refused pod.`,
		Bad: `The set runs one replica short until somebody acts, whatever its budget says: one replica is down, and a
quorum will not survive the next loss. A refused pod does not exist, so nothing is pending; only its
ReplicaSet's events tell. A webhook that guards itself stops every pod it guards.`,
		Now: `- Once the machine is known to be off, delete the Node object or taint it
  ` + "`node.kubernetes.io/out-of-service`" + `; cloud controllers, Karpenter and machine health checks delete it.
- Run what keeps no state as a Deployment.
- ` + "`kubectl delete pod --force`" + ` risks two pods with one identity.
- Exclude a webhook's own pods by its ` + "`namespaceSelector`" + ` or ` + "`objectSelector`" + `.
- Set limits where a LimitRange's default is below the request, or raise the default.`,
		Sources: []string{
			"https://kubernetes.io/docs/tasks/run-application/force-delete-stateful-set-pod/",
			"https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/#non-graceful-node-shutdown",
			"https://kubernetes.io/docs/concepts/cluster-administration/admission-webhooks-good-practices/",
			"https://kubernetes.io/docs/concepts/policy/limit-range/",
			"https://github.com/kubernetes/kubernetes/issues/54368",
			"https://github.com/kubernetes/kubernetes/issues/74689",
		},
	},
	New: func(c *state.Config, w int) Property {
		m, _ := Newest(c, w)
		switch {
		case m == nil || m.Kind().Ends():
			return Property{}
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
					english.Plural(lost, "pod", ""), FullName(c, w), s.ReadyOf(w), wanted(s, w), english.PluralWord(s.ReadyOf(w), "runs", "run"))
			},
			Fields: []string{"Workload:spec.replicas"},
		}
	},
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
			return fmt.Sprintf("%s of %s can be missing forever, as the API server refuses its creation: %d of %s %s",
				english.Plural(n, "pod", ""), FullName(c, w), s.ReadyOf(w), english.Plural(s.Replicas(w), "replica", ""), english.PluralWord(s.ReadyOf(w), "runs", "run"))
		},
		Fields: []string{"Workload:spec.template.spec.containers"},
	}
}

// forbiddenPods is how many pods of workload w are missing that the API server refuses to
// create, whatever room there is.
func forbiddenPods(s state.State, w int) int {
	p := s.NewClass(w)
	if p < 0 || !s.Forbidden(p) {
		return 0
	}
	have := 0
	for _, p := range s.C.ClassesOf[w] {
		have += s.Active(p)
	}
	return max(s.Replicas(w)-have, 0)
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
