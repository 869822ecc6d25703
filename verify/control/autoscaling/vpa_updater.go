package autoscaling

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// vpaUpdater models the updater of a VerticalPodAutoscaler: it evicts pods whose requests differ from the
// recommendation, so that they are created again, or resizes them in place.
//
// Upstream: kubernetes/autoscaler, vertical-pod-autoscaler/pkg/updater: logic (RunOnce),
// priority (AddPod, GetUpdatePriority), restriction (GetCreatorMaps, CanEvict,
// isPodDisruptable).
type vpaUpdater struct {
	workload  int
	name      string
	evictions *objects.Evictions
	acts      [2]bool // by version
	inPlace   [2]bool
	least     [2]int    // live pods of a ReplicaSet
	apart     [][]bool  // by pod class and size: so far apart that the pod is updated
	requests  []usage   // of one pod, by class
	room      [][]int64 // by node and resource, in thousandths; -1: any
}

// compile reads the parts that do not change.
func (u *vpaUpdater) compile(c *state.Config) {
	u.apart = make([][]bool, len(c.Pods))
	for _, p := range c.ClassesOf[u.workload] {
		set := c.Pods[p].Set
		for _, q := range c.Members(set) {
			sized := recommendedOf(&c.Pods[q].Template.Spec, c.Spec.Workloads[u.workload].Sizes)
			u.apart[p] = append(u.apart[p], resourceDiff(&c.Pods[p].Template.Spec, sized) >= minimumChange)
		}
	}
	for p := range c.Pods {
		var r usage
		for i, name := range objects.VPAResources {
			r[i], _ = objects.PodRequest(&c.Pods[p].Template.Spec, name, "")
		}
		u.requests = append(u.requests, r)
	}
	for n := range c.Nodes {
		class := &c.Spec.Classes[c.Nodes[n].Class]
		row := []int64{-1, -1}
		if !class.Elastic && class.Node != nil {
			for i, name := range objects.VPAResources {
				q := class.Node.Status.Allocatable[name]
				row[i] = q.MilliValue()
			}
		}
		u.room = append(u.room, row)
	}
}

// recommendedOf reads the recommendation for its containers off a template, for resources that some size sets.
func recommendedOf(pod *corev1.PodSpec, sizes []state.Size) map[string]corev1.ResourceList {
	out := map[string]corev1.ResourceList{}
	for _, z := range sizes {
		for _, name := range containersOf(z) {
			for i := range pod.Containers {
				if c := &pod.Containers[i]; c.Name == name {
					out[name] = corev1.ResourceList{}
					for r := range z[name].Requests {
						out[name][r], _ = objects.RequestOf(c, r)
					}
				}
			}
		}
	}
	return out
}

func (u *vpaUpdater) Name() string           { return "vpa-updater/" + u.name }
func (u *vpaUpdater) Latency() actor.Latency { return actor.Periodic }

// Kinds of the updater's moves beside [objects.EvictPod].
const resizePod uint16 = 1

// Step implements [actor.Actor]: any pod whose size is not the one that is recommended is evicted,
// or resized where its node has room.
func (u *vpaUpdater) Step(s state.State, next *actor.Emit) {
	v := s.VersionOf(u.workload)
	if !u.acts[v] || !s.Manifest(u.workload).Exists() {
		return
	}
	size := s.SizeOf(u.workload)
	set, active := -1, 0
	for _, p := range s.C.ClassesOf[u.workload] {
		if of := s.C.Pods[p].Set; of != set {
			set, active = of, s.ActiveIn(of)
		}
		if !u.apart[p][size] || active < u.least[v] {
			continue
		}
		to := s.C.Sized(set, size)
		for n := range s.C.Nodes {
			if s.Twin(n) {
				continue
			}
			for _, ph := range state.LivePhases {
				if s.On(n, p, ph) == 0 {
					continue
				}
				switch {
				case u.inPlace[v] && u.fits(s, n, p, to):
					t := next.Copy(s)
					t.Add(n, p, ph, -1)
					t.Add(n, to, ph, 1)
					next.Move(search.Move{Kind: resizePod, Args: [3]int32{int32(n), int32(p), int32(to)}})
				case u.disrupts(s, set, ph) && u.evictions.Ask(s, p, ph) != objects.EvictionRefused:
					t := next.Copy(s)
					objects.Disrupt(t, n, p, ph)
					next.Move(search.Move{Kind: objects.EvictPod, Args: [3]int32{int32(n), int32(p), int32(ph)}})
				}
			}
		}
	}
}

// disrupts is CanEvict with isPodDisruptable: half of a ReplicaSet's pods stay, or where
// half of them is none all run.
func (u *vpaUpdater) disrupts(s state.State, set int, ph state.Phase) bool {
	if ph == state.Starting {
		return true // its phase may be Pending
	}
	running := 0
	for _, p := range s.C.Members(set) {
		running += s.ReadyPods(p) + s.Count(p, state.Starting)
	}
	configured := s.Get(s.C.Class[set].Size)
	tolerance := configured / 2
	return running > configured-tolerance || configured == running && tolerance == 0
}

// fits reports whether node n has room for a pod that changes from class p to class q.
func (u *vpaUpdater) fits(s state.State, n, p, q int) bool {
	for i := range objects.VPAResources {
		if u.room[n][i] < 0 {
			continue
		}
		use := u.requests[q][i] - u.requests[p][i]
		for o := range s.C.Pods {
			use += int64(s.LiveOn(n, o)+s.On(n, o, state.Terminating)) * u.requests[o][i]
		}
		if use > u.room[n][i] {
			return false
		}
	}
	return true
}

func (u *vpaUpdater) Describe(from, to state.State, m search.Move) actor.Words {
	c, n, p := from.C, int(m.Args[0]), int(m.Args[1])
	wl := &c.Spec.Workloads[u.workload]
	size := from.SizeOf(u.workload)
	wants := objects.RequestWords(&c.Pods[c.Sized(c.Pods[p].Set, size)].Template.Spec)
	w := actor.Words{
		Action: "evict-pod", Object: objects.PodObject(c, p),
		Text: fmt.Sprintf("the VPA updater evicts %s on %s (recommended: %s)%s", objects.OnePod(c, p, ""),
			c.Nodes[n].Name, wants, u.evictions.Bare(from, p)),
	}
	if m.Kind == resizePod {
		w.Action = "resize-pod"
		w.Text = fmt.Sprintf("the VPA updater resizes %s on %s in place, to %s", objects.OnePod(c, p, ""),
			c.Nodes[n].Name, wants)
	}
	v := from.VersionOf(u.workload)
	if o := wl.Manifests[v].VPA; o != nil {
		w.Because = []actor.Ref{{Object: vpaID(wl, &wl.Manifests[v]), Version: v, Field: "spec.updatePolicy.updateMode"}}
	}
	return w
}

func (u *vpaUpdater) Model() *actor.Model {
	return &actor.Model{
		Upstream: "kubernetes/autoscaler, vertical-pod-autoscaler/pkg/updater: logic (RunOnce), priority (AddPod, GetUpdatePriority), " +
			"restriction (GetCreatorMaps, CanEvict, isPodDisruptable)",
		Exact: []string{
			"a ReplicaSet with fewer live pods than minReplicas (default 2) is left alone, half of its pods stay, PodDisruptionBudgets are asked",
			"requests that differ by 10 % or more in total are updated",
		},
		MayInvent: []string{
			"pods are updated at any moment, in any order, not after 12 hours",
			"a resize in place without room is an eviction at once",
		},
		MayHide: []string{
			"requests that are out of bounds by less than 10 % are left alone",
			"the usage of a resized pod, and restarts of its containers, are not modeled",
			"evictionRequirements are ignored",
			"of more than eight sizes that pods may get, eight are distinguished",
		},
	}
}
