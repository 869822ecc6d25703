package admission

import (
	"fmt"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelpers "k8s.io/component-helpers/resource"

	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Quotas says how many pods the API server lets a controller create. It is read-only and
// safe for concurrent use; [Quotas.Room] does not allocate.
//
// Upstream: kubernetes v1.36.3, staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota:
// CheckRequest; pkg/quota/v1/evaluator/core: PodUsageFunc, podComputeUsageHelper, Constraints.
//
// Abstraction:
//   - exact: pods, count/pods, requests, limits and extended resources, of several quotas, and their scopes.
//   - may invent: a pod on deletion counts until it has stopped, where upstream forgets it
//     when its grace period is over.
//   - may hide: a quota that only the cluster has refuses nothing if it has scopes, and no
//     pod for want of a request, which a LimitRange of the cluster may fill in; the usage that a
//     quota's status holds is never behind.
type Quotas struct {
	cfg       *state.Config
	List      [2][]quota
	admission bool    // something else may refuse pods; see admission.go
	queues    *queues // nil: there are none
}

// quota is one ResourceQuota, in one version.
type quota struct {
	Name, Object string
	index        int // in [state.Spec.Quotas]
	Limits       []quotaLimit
	Classes      []int    // pod classes of its namespace
	Unsaid       []string // the resource whose amount a pod must state and does not, by place in Classes; "": none
}

// quotaLimit is one resource of a quota, in thousandths of its unit.
type quotaLimit struct {
	Resource     corev1.ResourceName
	Hard, others int64
	Use          []int64 // of one pod, by place in quota.classes
}

// NewQuotas reads the ResourceQuotas of a problem.
func NewQuotas(c *state.Config) *Quotas {
	q := &Quotas{cfg: c, admission: c.Admits(), queues: newQueues(c)}
	for i := range c.Spec.Quotas {
		spec := &c.Spec.Quotas[i]
		for v, object := range spec.Objects {
			if object == nil {
				continue
			}
			one := quota{Name: spec.Namespace + "/" + spec.Name,
				Object: "ResourceQuota " + spec.Namespace + "/" + spec.Name, index: i}
			var uses []corev1.ResourceList
			refuses := false
			for p := range c.Pods {
				if c.Pods[p].Namespace != spec.Namespace {
					continue
				}
				if pod := objects.Admitted(c, p); Counts(object, pod, c.Spec.DefaultPriority[v]) {
					one.Classes, uses = append(one.Classes, p), append(uses, QuotaUse(pod))
					text := ""
					if !spec.Found {
						text = Unsaid(pod, object.Spec.Hard)
					}
					one.Unsaid = append(one.Unsaid, text)
					refuses = refuses || text != ""
				}
			}
			for _, name := range sortedResources(object.Spec.Hard) {
				l := quotaLimit{Resource: name, Hard: milli(object.Spec.Hard[name]), others: milli(spec.Others[v][name])}
				counted := false
				for _, use := range uses {
					l.Use = append(l.Use, milli(use[name]))
					counted = counted || l.Use[len(l.Use)-1] > 0
				}
				if counted {
					one.Limits = append(one.Limits, l)
				}
			}
			if len(one.Limits) > 0 || refuses {
				q.List[v] = append(q.List[v], one)
			}
		}
	}
	return q
}

// QuotaUse is the use of ResourceQuotas by one pod.
//
// Upstream: PodUsageFunc, podComputeUsageHelper.
func QuotaUse(pod *corev1.Pod) corev1.ResourceList {
	one := *resource.NewQuantity(1, resource.DecimalSI)
	out := corev1.ResourceList{corev1.ResourcePods: one, "count/pods": one}
	for name, q := range resourcehelpers.PodRequests(pod, resourcehelpers.PodResourcesOptions{}) {
		switch {
		case name == corev1.ResourceCPU || name == corev1.ResourceMemory || name == corev1.ResourceEphemeralStorage ||
			strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix):
			out[name], out[corev1.DefaultResourceRequestsPrefix+name] = q, q
		case strings.Contains(string(name), "/"): // an extended resource
			out[corev1.DefaultResourceRequestsPrefix+name] = q
		}
	}
	for name, q := range resourcehelpers.PodLimits(pod, resourcehelpers.PodResourcesOptions{}) {
		if name == corev1.ResourceCPU || name == corev1.ResourceMemory || name == corev1.ResourceEphemeralStorage {
			out["limits."+name] = q
		}
	}
	return out
}

// demanded are the resources of which each container has to say how much it takes, where a quota counts
// them.
//
// Upstream: validationSet.
var demanded = []corev1.ResourceName{
	corev1.ResourceCPU, corev1.ResourceLimitsCPU, corev1.ResourceLimitsMemory, corev1.ResourceMemory,
	corev1.ResourceRequestsCPU, corev1.ResourceRequestsMemory,
}

// Unsaid words of which resources that a quota counts some container does not say how much it takes; ""
// where there are none.
//
// Upstream: Constraints, enforcePodContainerConstraints.
func Unsaid(pod *corev1.Pod, hard corev1.ResourceList) string {
	if resourcehelpers.IsPodLevelResourcesSet(pod) {
		return ""
	}
	var out []string
	for _, name := range demanded {
		if _, counts := hard[name]; !counts {
			continue
		}
		var of []string
		for _, c := range slices.Concat(pod.Spec.Containers, pod.Spec.InitContainers) {
			list, resource := c.Resources.Requests, corev1.ResourceName(strings.TrimPrefix(string(name), "requests."))
			if rest, limit := strings.CutPrefix(string(name), "limits."); limit {
				list, resource = c.Resources.Limits, corev1.ResourceName(rest)
			}
			if _, says := list[resource]; !says && !slices.Contains(of, c.Name) {
				of = append(of, c.Name)
			}
		}
		if len(of) > 0 {
			slices.Sort(of)
			out = append(out, fmt.Sprintf("%s for: %s", name, strings.Join(of, ",")))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return "must specify " + strings.Join(out, "; ")
}

func sortedResources(list corev1.ResourceList) []corev1.ResourceName {
	var out []corev1.ResourceName
	for name := range list {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// milli is a quantity in thousandths of its unit, at most the largest that an int64 holds.
func milli(q resource.Quantity) int64 {
	if q.Value() > math.MaxInt64/1000-1 {
		return math.MaxInt64
	}
	return q.MilliValue()
}

// Left is what a quota leaves of one of its resources.
func (q *quota) Left(s state.State, l *quotaLimit) int64 {
	left := l.Hard - l.others
	for i, p := range q.Classes {
		left -= l.Use[i] * int64(s.Existing(p))
	}
	return left
}

// InForce reports whether a quota, as version v has it, is the one in the API server.
func (q *quota) InForce(s state.State, v state.Version) bool { return s.VersionOfQuota(q.index) == v }

// Room is how many pods of class p may be created in s, at most limit.
func (x *Quotas) Room(s state.State, p, limit int) int {
	if x.admission && s.Forbidden(p) {
		return 0
	}
	for v := range x.List {
		for i := range x.List[v] {
			q := &x.List[v][i]
			if !q.InForce(s, state.Version(v)) {
				continue
			}
			at := slices.Index(q.Classes, p)
			if at < 0 {
				continue
			}
			if q.Unsaid[at] != "" {
				return 0
			}
			for j := range q.Limits {
				l := &q.Limits[j]
				if use := l.Use[at]; use > 0 {
					limit = int(min(int64(limit), max(q.Left(s, l), 0)/use))
				}
			}
		}
	}
	if x.queues != nil && limit > 0 {
		limit, _ = x.queues.most(s, p, limit)
	}
	return limit
}

// Gated words why Kueue lets no pod of class p in, and gives the ClusterQueue and its version in force; "": it does.
func (x *Quotas) Gated(s state.State, p int) (text string, queue *state.Quota, v state.Version) {
	if x.queues == nil {
		return "", nil, 0
	}
	n, r := x.queues.most(s, p, 1)
	if n > 0 || r < 0 {
		return "", nil, 0
	}
	k := x.queues.in[p]
	i, name := x.queues.index[k], x.queues.names[r]
	queue, v = &s.C.Spec.Quotas[i], s.VersionOfQuota(i)
	if queue.Queues[v].Limit(name) == nil {
		return fmt.Sprintf("resource %s unavailable in ClusterQueue %s", name, queue.Name), queue, v
	}
	where := ""
	if queue.Queues[v].Cohort != "" {
		where = " here and in its cohort"
	}
	told := objects.Quantities(name, x.queues.uses[p][r], max(x.queues.left(s, r, p), 0))
	return fmt.Sprintf("ClusterQueue %s: insufficient unused quota for %s, requested: %s, unused%s: %s",
		queue.Name, name, told[0], where, told[1]), queue, v
}

func oneOf() *resource.Quantity { return resource.NewQuantity(1, resource.DecimalSI) }
