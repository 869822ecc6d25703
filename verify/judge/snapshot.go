package judge

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/control/admission"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/state"
)

// camera draws the states of one problem.
type camera struct {
	evictions *objects.Evictions // nil: there is no budget
	quotas    *admission.Quotas
}

func newCamera(c *state.Config) *camera {
	out := &camera{quotas: admission.NewQuotas(c)}
	if c.Spec.Declares(func(_ *state.Workload, m *state.Manifest) bool { return len(m.PDBs) > 0 }) {
		out.evictions = objects.NewEvictions(c)
	}
	return out
}

// snapshot draws a state for surfaces that show the cluster between two steps.
func (k *camera) snapshot(s state.State) *finding.Snapshot {
	out := &finding.Snapshot{Nodes: []finding.NodeSnapshot{}, Workloads: []finding.WorkloadSnapshot{}}
	for n, node := range s.C.Nodes {
		if s.Gone(n) {
			continue
		}
		class := s.C.Spec.Classes[node.Class]
		x := finding.NodeSnapshot{Name: node.Name, Class: class.Name, Cordoned: s.Cordoned(n), Condition: condition(s, n)}
		if class.Node != nil {
			x.Zone = class.Node.Labels[corev1.LabelTopologyZone]
			for i := range class.Node.Spec.Taints {
				x.Taints = append(x.Taints, class.Node.Spec.Taints[i].ToString())
			}
		}
		for p := range s.C.Pods {
			if k := s.On(n, p, state.Starting); k > 0 {
				x.Pods = withPods(x.Pods, pods(s, p, state.Starting.String(), k))
			}
			if k := s.ReadyOn(n, p); k > 0 {
				x.Pods = withPods(x.Pods, pods(s, p, state.Ready.String(), k))
			}
			if k := s.On(n, p, state.Terminating); k > 0 {
				x.Pods = withPods(x.Pods, pods(s, p, state.Terminating.String(), k))
			}
		}
		out.Nodes = append(out.Nodes, x)
	}
	for p := range s.C.Pods {
		if k := s.Pending(p); k > 0 {
			out.Pending = withPods(out.Pending, pods(s, p, "pending", k))
		}
	}
	for w, wl := range s.C.Spec.Workloads {
		x := finding.WorkloadSnapshot{Workload: wl.ID, Replicas: s.Replicas(w), Ready: s.ReadyOf(w), Load: load(s, w)}
		for _, p := range s.C.ClassesOf[w] {
			x.Waiting += s.Waiting(p)
			if f := &s.C.Class[p]; wl.Kind().OwnsSets() && s.C.Pods[p].Set == p && s.Get(f.Exists) == 1 {
				x.Sets = append(x.Sets, finding.SetSnapshot{Revision: pods(s, p, "", 0).Revision, Size: s.Get(f.Size)})
			}
		}
		if h := s.Manifest(w).HPA; h != nil {
			least := 1
			if h.Spec.MinReplicas != nil {
				least = int(*h.Spec.MinReplicas)
			}
			x.Autoscaler = &finding.AutoscalerSnapshot{Min: least, Max: int(h.Spec.MaxReplicas), Desired: s.Recommended(w)}
		}
		out.Workloads = append(out.Workloads, x)
	}
	out.Services = endpoints(s)
	k.limits(s, out)
	return out
}

// endpoints counts the ready pods behind each Service that has pods of these workloads behind it.
func endpoints(s state.State) []finding.ServiceSnapshot {
	behind := map[string]int{}
	for w, wl := range s.C.Spec.Workloads {
		m := s.Manifest(w)
		for _, svc := range m.Behind() {
			name := wl.Namespace + "/" + svc
			behind[name] += 0
			for _, p := range s.C.ClassesOf[w] {
				if m.Serves(svc, s.C.Pods[p].Template.Labels) {
					behind[name] += s.ReadyPods(p)
				}
			}
		}
	}
	var out []finding.ServiceSnapshot
	for _, name := range slices.Sorted(maps.Keys(behind)) {
		out = append(out, finding.ServiceSnapshot{Name: name, Endpoints: behind[name]})
	}
	return out
}

// condition is the further state of a node; "": none.
func condition(s state.State, n int) string {
	switch {
	case s.Down(n):
		return "down"
	case s.Maintenance(n) == state.Draining:
		return "draining"
	case s.Tenure(n) != state.Staying:
		return "to be removed"
	case s.Pressure(n)&state.DiskPressure != 0:
		return "disk pressure"
	case s.Pressure(n) != 0:
		return "memory pressure"
	}
	return ""
}

// limits adds what holds pods back: budgets, quotas, and volumes that are attached elsewhere.
func (k *camera) limits(s state.State, out *finding.Snapshot) {
	if k.evictions != nil {
		list := k.evictions.Budgets[s.Version()]
		for i := range list {
			d := k.evictions.Status(s, &list[i])
			out.Budgets = append(out.Budgets,
				finding.BudgetSnapshot{Name: list[i].Name(), Allowed: d.Allowed, Needed: d.Desired, Healthy: d.Healthy})
		}
	}
	for v := range k.quotas.List {
		for i := range k.quotas.List[v] {
			q := &k.quotas.List[v][i]
			for l := range q.Limits {
				if limit := &q.Limits[l]; q.InForce(s, state.Version(v)) {
					out.Quotas = append(out.Quotas, finding.QuotaSnapshot{Name: q.Name, Resource: string(limit.Resource),
						Used: limit.Hard - q.Left(s, limit), Hard: limit.Hard})
				}
			}
		}
	}
	for i, claim := range s.C.Spec.Claims {
		for n, node := range s.C.Nodes {
			if s.C.Attaches(i) && s.Attached(n, i) {
				out.Claims = append(out.Claims, finding.ClaimSnapshot{Name: claim.Namespace + "/" + claim.Name, Node: node.Name})
			}
		}
	}
}

// load names the demand of an autoscaled workload; "" where there is none.
func load(s state.State, w int) string {
	if m := s.Manifest(w); m.HPA == nil {
		return ""
	}
	return s.Load(w).String()
}

// withPods adds pods to a list, to those that are like them: the ordinals of a StatefulSet
// are not distinguished here.
func withPods(list []finding.PodsSnapshot, more finding.PodsSnapshot) []finding.PodsSnapshot {
	for i := range list {
		o := list[i]
		if o.Count = more.Count; o == more {
			list[i].Count += more.Count
			return list
		}
	}
	return append(list, more)
}

func pods(s state.State, p int, phase string, n int) finding.PodsSnapshot {
	c := s.C.Pods[p]
	rev := ""
	switch {
	case c.InBase && !c.InHead:
		rev = "old"
	case c.InHead && !c.InBase && s.C.ByVersion[c.Workload][state.Base] >= 0:
		rev = "new"
	}
	return finding.PodsSnapshot{Workload: s.C.Spec.Workloads[c.Workload].ID, Revision: rev, Phase: phase, Count: n,
		Failing: s.Bad(p)}
}
