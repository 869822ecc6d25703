package nodes

import (
	"fmt"
	"strings"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// attachDetach models the attach-detach controller on the volume of one claim that is
// attached to one node at a time: a pod that is bound elsewhere waits, in ContainerCreating,
// until no pod is left on the node that has it.
//
// Upstream: kubernetes v1.36.3, pkg/controller/volume/attachdetach/reconciler: reconcile,
// attachDesiredVolumes, reportMultiAttachError; pkg/volume/util: IsMultiAttachAllowed.
type attachDetach struct {
	claim int
	name  string
}

const (
	attach uint16 = iota
	detach
)

func NewAttachDetach(b *state.Builder) ([]actor.Actor, error) {
	c := b.Config()
	var out []actor.Actor
	for i := range c.Spec.Claims {
		k := &c.Spec.Claims[i]
		if c.Attaches(i) {
			out = append(out, &attachDetach{claim: i, name: "attachdetach/" + k.Namespace + "/" + k.Name})
		}
		if c.Places(i) && k.Immediate {
			out = append(out, &provision{claim: i, name: "provision/" + k.Namespace + "/" + k.Name,
				allowed: scheduler.AllowedNodes(c, k)})
		}
	}
	return out, nil
}

func (a *attachDetach) Name() string           { return a.name }
func (a *attachDetach) Latency() actor.Latency { return actor.Sync }

func (*attachDetach) Traits(*state.Config) actor.Traits { return actor.Traits{Managed: true} }

// Step implements [actor.Actor]: a volume without pods on its node is detached; one that is not
// attached is attached to any node with a live pod. Nodes with equal records count once.
func (a *attachDetach) Step(s state.State, next *actor.Emit) {
	holder := -1
	for n := range s.C.Nodes {
		if s.Attached(n, a.claim) {
			holder = n
		}
	}
	if holder >= 0 {
		if live, all := a.pods(s, holder); live+all == 0 {
			t := next.Copy(s)
			t.SetAttached(holder, a.claim, false)
			next.Move(search.Move{Kind: detach, Args: [3]int32{int32(holder)}})
		}
		return
	}
	for n := range s.C.Nodes {
		if live, _ := a.pods(s, n); live == 0 || s.Twin(n) {
			continue
		}
		t := next.Copy(s)
		t.SetAttached(n, a.claim, true)
		next.Move(search.Move{Kind: attach, Args: [3]int32{int32(n)}})
	}
}

// pods counts the pods on node n that use the claim: live ones, and those on deletion.
func (a *attachDetach) pods(s state.State, n int) (live, deleted int) {
	for _, p := range s.C.Users[a.claim] {
		live += s.LiveOn(n, p)
		deleted += s.On(n, p, state.Terminating)
	}
	return live, deleted
}

func (a *attachDetach) Describe(from, _ state.State, m search.Move) actor.Words {
	claim := &from.C.Spec.Claims[a.claim]
	node := from.C.Nodes[m.Args[0]].Name
	w := actor.Words{Action: "attach-volume", Object: claim.ID(),
		Text: fmt.Sprintf("the volume of %s/%s is attached to %s", claim.Namespace, claim.Name, node)}
	if m.Kind == detach {
		w.Action, w.Text = "detach-volume", fmt.Sprintf("the volume of %s/%s is detached from %s",
			claim.Namespace, claim.Name, node)
		return w
	}
	w.Because = []actor.Ref{{Object: claim.ID(), Version: claim.Version, Field: "spec.accessModes"}}
	return w
}

// AttachRefusal says why pods of class p that have a node wait for a volume in s; "" where
// none does.
func AttachRefusal(s state.State, p int) (text string, refs []actor.Ref) {
	c := s.C
	if s.Waiting(p) == 0 {
		return "", nil
	}
	for n := range c.Nodes {
		if s.On(n, p, state.Starting) == 0 {
			continue
		}
		for _, i := range c.Uses[p] {
			if !c.Attaches(i) || s.Attached(n, i) {
				continue
			}
			claim := &c.Spec.Claims[i]
			text = fmt.Sprintf("%s of %s waits on %s in ContainerCreating for the volume of %s/%s",
				objects.Article(objects.Revised(c, p, "pod")),
				objects.ShortName(&c.Spec.Workloads[c.Pods[p].Workload]), c.Nodes[n].Name, claim.Namespace, claim.Name)
			if by := holders(s, i); by != "" {
				text += ", which is attached to " + by + " (Multi-Attach error)"
			}
			return text, []actor.Ref{{Object: claim.ID(), Version: claim.Version, Field: "spec.accessModes"}}
		}
	}
	return "", nil
}

// holders words where a claim's volume is attached, and for whom.
func holders(s state.State, claim int) string {
	for n := range s.C.Nodes {
		if !s.Attached(n, claim) {
			continue
		}
		var whose []string
		for _, p := range s.C.Users[claim] {
			if s.LiveOn(n, p)+s.On(n, p, state.Terminating) > 0 {
				whose = append(whose,
					objects.Article(objects.Revised(s.C, p,
						"pod"))+" of "+objects.ShortName(&s.C.Spec.Workloads[s.C.Pods[p].Workload]))
			}
		}
		return s.C.Nodes[n].Name + " for " + strings.Join(whose, " and ")
	}
	return ""
}

func (a *attachDetach) Model() *actor.Model {
	return &actor.Model{
		Upstream: objects.Upstream + ", pkg/controller/volume/attachdetach/reconciler: reconcile, attachDesiredVolumes; pkg/volume/util: IsMultiAttachAllowed",
		Exact: []string{
			"a ReadWriteOnce or ReadWriteOncePod volume stays attached to one node while a pod there uses it, also one being deleted; pods on one node share it",
		},
		MayInvent: []string{
			"a volume of an unknown driver needs attaching, which network file systems do not; no finding on it is inevitable",
		},
		MayHide: []string{
			"attaching takes no time; forced detach after 6 minutes is not modeled",
			"claims that are not among the objects, ephemeral volumes and volumes without a claim are ignored",
		},
	}
}

// provision models a claim of a StorageClass with volumeBindingMode Immediate whose volume
// only some nodes reach: it is made at once, in any zone, whatever the pods ask for.
//
// Upstream: kubernetes v1.36.3, pkg/controller/volume/persistentvolume: syncUnboundClaim,
// provisionClaim; the drivers' choice of a zone is their own.
type provision struct {
	claim   int
	name    string
	allowed []bool // by node
}

func (a *provision) Name() string           { return a.name }
func (a *provision) Latency() actor.Latency { return actor.Sync }

// Step implements [actor.Actor]: the volume is made in any zone that has a node and
// that the StorageClass allows; nodes with equal records count once.
func (a *provision) Step(s state.State, next *actor.Emit) {
	if s.Bound(a.claim) || !a.wanted(s) {
		return
	}
	for n := range s.C.Nodes {
		if s.Gone(n) || s.Twin(n) || !a.allowed[n] {
			continue
		}
		t := next.Copy(s)
		t.Bind(n, a.claim)
		next.Move(search.Move{Args: [3]int32{int32(n)}})
	}
}

// wanted reports whether the version that is applied has a workload that uses the claim.
func (a *provision) wanted(s state.State) bool {
	for _, p := range s.C.Users[a.claim] {
		if s.C.ByVersion[s.C.Pods[p].Workload][s.VersionOfClass(p)] == p {
			return true
		}
	}
	return false
}

func (a *provision) Describe(from, _ state.State, m search.Move) actor.Words {
	c := from.C
	claim := &c.Spec.Claims[a.claim]
	where := "for " + c.Nodes[m.Args[0]].Name
	if zone := c.Zone(int(m.Args[0])); zone != "" {
		where = "in zone " + zone
	}
	return actor.Words{
		Action: "provision-volume", Object: claim.ID(),
		Text: fmt.Sprintf("the volume of %s/%s is made %s (volumeBindingMode Immediate)",
			claim.Namespace, claim.Name, where),
		Because: []actor.Ref{{Object: claim.ID(), Version: claim.Version, Field: "spec.storageClassName"}},
	}
}

func (a *provision) Model() *actor.Model {
	return &actor.Model{
		Upstream: objects.Upstream + ", pkg/controller/volume/persistentvolume: syncUnboundClaim, provisionClaim",
		Exact:    []string{"with Immediate a volume is made before its pod is scheduled, with WaitForFirstConsumer where the first pod is bound"},
		MayInvent: []string{
			"any zone with a node may be taken",
		},
		MayHide: []string{
			"volumes are bound to a zone or node only for known drivers; nothing limits their number; none is deleted",
		},
	}
}
