package slice

import (
	"encoding/json"
	"maps"
	"slices"
	"sort"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/admission"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/state"
)

// KueueGroup is the API group of Kueue, and the labels of its workloads those of queues and priorities.
const (
	KueueGroup    = "kueue.x-k8s.io"
	queueLabel    = KueueGroup + "/queue-name"
	priorityLabel = KueueGroup + "/priority-class"
)

// kueue is what a version declares of Kueue.
type kueue struct {
	queues     map[string]*object.Object    // ClusterQueues, by name
	local      map[[2]string]*object.Object // LocalQueues, by namespace and name
	cohorts    map[string]bool              // those with an object
	priorities map[string]*object.Object
	fair       bool // some ClusterQueue or Cohort has a weight for fair sharing
	ready      *state.ReadyWait
	config     *object.Object // the ConfigMap that ready stands in
}

// add takes an object of Kueue.
func (k *kueue) add(o *object.Object) {
	if w := readyWait(o); w != nil {
		k.ready, k.config = w, o
	}
	if o.ID.Group != KueueGroup {
		return
	}
	if k.queues == nil {
		k.queues, k.local = map[string]*object.Object{}, map[[2]string]*object.Object{}
		k.cohorts, k.priorities = map[string]bool{}, map[string]*object.Object{}
	}
	k.fair = k.fair || ValueAt(o.Content, "spec", "fairSharing") != nil
	switch o.ID.Kind {
	case "ClusterQueue":
		k.queues[o.ID.Name] = o
	case "LocalQueue":
		k.local[[2]string{o.ID.Namespace, o.ID.Name}] = o
	case "Cohort":
		k.cohorts[o.ID.Name] = true
	case "WorkloadPriorityClass":
		k.priorities[o.ID.Name] = o
	}
}

// QueueName is the LocalQueue that a workload's pods wait in; "" is none. The namespaces that Kueue's own configuration
// leaves out have none.
func QueueName(o *object.Object) string {
	if o.ID.Namespace == "kube-system" || o.ID.Namespace == "kueue-system" {
		return ""
	}
	if name, _ := ValueAt(o.Content, "metadata", "labels", queueLabel).(string); name != "" {
		return name
	}
	if o.ID.Kind != string(state.Deployment) {
		return ""
	}
	name, _ := ValueAt(o.Content, "spec", "template", "metadata", "labels", queueLabel).(string)
	return name
}

// queued gives the ClusterQueue that a workload's pods wait in; nil: it is not declared.
func (s side) queued(o *object.Object) (queue, local *object.Object) {
	local = s.kueue.local[[2]string{o.ID.Namespace, QueueName(o)}]
	if local == nil {
		return nil, nil
	}
	name, _ := ValueAt(local.Content, "spec", "clusterQueue").(string)
	return s.kueue.queues[name], local
}

// queuesOf are the objects that decide when a workload's pods are admitted.
func (s side) queuesOf(o *object.Object) []*object.Object {
	queue, local := s.queued(o)
	if queue == nil {
		return nil
	}
	out := []*object.Object{queue, local}
	if s.kueue.config != nil && o.ID.Kind == string(state.Job) {
		out = append(out, s.kueue.config)
	}
	own := s.queueOf(queue)
	for _, name := range sortedIDs(s.kueue.queues) {
		if q := s.queueOf(s.kueue.queues[name]); own != nil && q != nil && own.Cohort != "" && q.Cohort == own.Cohort {
			out = append(out, s.kueue.queues[name])
		}
	}
	return out
}

// displaces reports whether Kueue may preempt q's pods for p's. Jobs that it preempts come back; a Deployment that
// others keep from its pods does not, and neither may a Job, where who preempts borrows.
func displaces(p *object.Object, of side, q *object.Object, in side) bool {
	high, _ := of.queued(p)
	low, _ := in.queued(q)
	if high == nil || low == nil {
		return false
	}
	own, theirs := of.queueOf(high), in.queueOf(low)
	if !own.Orders() || !theirs.Orders() || q.ID.Kind != string(state.Deployment) && !own.WhileBorrowing {
		return false
	}
	policy := own.Within
	if high.ID.Name != low.ID.Name {
		if policy = own.Reclaim; own.Cohort == "" || own.Cohort != theirs.Cohort {
			return false
		}
	}
	a, known := of.queuePriority(p)
	b, also := in.queuePriority(q)
	return known && also && policy.Allows(a, b, 0, 0)
}

// blocks reports whether Kueue may admit nothing for good, as pods of a Job that it has admitted are not all ready.
func (s side) blocks(o *object.Object) bool {
	queue, _ := s.queued(o)
	ready := s.kueue.ready
	return queue != nil && o.ID.Kind == string(state.Job) && ready != nil && ready.Block && ready.NoRecovery
}

// queuePriority is how important Kueue takes a workload to be.
//
// Upstream: pkg/util/priority: Priority; pkg/controller/jobframework: ExtractPriority.
func (s side) queuePriority(o *object.Object) (value int32, known bool) {
	class := s.priorities.of(&templateOf(o).Spec)
	name, _ := ValueAt(o.Content, "metadata", "labels", priorityLabel).(string)
	if name != "" {
		class = s.kueue.priorities[name]
	}
	if class == nil {
		return 0, name == "" && templateOf(o).Spec.PriorityClassName == ""
	}
	text, err := json.Marshal(ValueAt(class.Content, "value"))
	return value, err == nil && json.Unmarshal(text, &value) == nil
}

// enqueue notes which ClusterQueue a workload's pods wait in, and how important they are there. A Job's spec.suspend is
// Kueue's then, which clears it when it admits the Job.
//
// Upstream: kueue v0.19.2, pkg/controller/jobframework: (*JobReconciler).startJob; pkg/controller/jobs/job:
// (*Job).RunWithPodSetsInfo.
func (sl *Slice) enqueue(v int, o *object.Object, s side, m *state.Manifest) {
	queue, local := s.queued(o)
	if queue == nil {
		return
	}
	sl.keep(v, local)
	if s.kueue.config != nil && m.Kind() == state.Job {
		sl.keep(v, s.kueue.config)
	}
	m.Queue = queue.ID.Name
	if rank, known := s.queuePriority(o); known {
		m.QueuePriority = &rank
	}
	if m.Kind() == state.Job && m.Suspended() && !stopped(queue) && !stopped(local) {
		m.OwnObject() // others read it, too
		m.Job.Spec.Suspend = new(bool)
	}
}

// stopped reports whether a ClusterQueue or LocalQueue admits nothing, until somebody says otherwise.
//
// Upstream: kueue v0.19.2, apis/kueue/v1beta2: StopPolicy.
func stopped(queue *object.Object) bool {
	policy, _ := ValueAt(queue.Content, "spec", "stopPolicy").(string)
	return policy != "" && policy != "None"
}

// clusterQueue is what of kueue.x-k8s.io/v1beta1 and v1beta2 is read.
type clusterQueue struct {
	Spec struct {
		Cohort         string `json:"cohort"`     // v1beta1
		CohortName     string `json:"cohortName"` // v1beta2
		ResourceGroups []struct {
			CoveredResources []corev1.ResourceName `json:"coveredResources"`
			Flavors          []struct {
				Resources []struct {
					Name           corev1.ResourceName `json:"name"`
					NominalQuota   resource.Quantity   `json:"nominalQuota"`
					BorrowingLimit *resource.Quantity  `json:"borrowingLimit"`
					LendingLimit   *resource.Quantity  `json:"lendingLimit"`
				} `json:"resources"`
			} `json:"flavors"`
		} `json:"resourceGroups"`
		Preemption struct {
			WithinClusterQueue  string `json:"withinClusterQueue"`
			ReclaimWithinCohort string `json:"reclaimWithinCohort"`
			BorrowWithinCohort  *struct {
				Policy               string `json:"policy"`
				MaxPriorityThreshold *int32 `json:"maxPriorityThreshold"`
			} `json:"borrowWithinCohort"`
		} `json:"preemption"`
	} `json:"spec"`
}

// queueOf reads a ClusterQueue; nil where it cannot be read, or has an unlimited flavor.
func (s side) queueOf(o *object.Object) *state.Queue {
	var c clusterQueue
	text, err := json.Marshal(o.Content)
	if err != nil || json.Unmarshal(text, &c) != nil {
		return nil
	}
	q := &state.Queue{Object: o.ID.String(), Cohort: c.Spec.CohortName}
	if q.Cohort == "" {
		q.Cohort = c.Spec.Cohort
	}
	preemption := &c.Spec.Preemption
	q.Within = state.PreemptionOf(preemption.WithinClusterQueue)
	q.Reclaim = state.PreemptionOf(preemption.ReclaimWithinCohort)
	if b := preemption.BorrowWithinCohort; b != nil && b.Policy != "" && b.Policy != "Never" {
		q.WhileBorrowing, q.Threshold = true, b.MaxPriorityThreshold
	}
	q.Ready = s.kueue.ready
	q.Endless, q.Fair = s.kueue.cohorts[q.Cohort], s.kueue.fair
	limits := map[corev1.ResourceName]*state.QueueLimit{}
	for _, g := range c.Spec.ResourceGroups {
		for _, f := range g.Flavors {
			for _, r := range f.Resources {
				if r.NominalQuota.Sign() < 0 || r.NominalQuota.Value() > 1<<50 {
					return nil
				}
				n := r.NominalQuota.MilliValue()
				if l := limits[r.Name]; l != nil {
					l.Nominal += n
					l.Borrowing, l.Lending = plus(l.Borrowing, r.BorrowingLimit), plus(l.Lending, r.LendingLimit)
					continue
				}
				zero := int64(0)
				limits[r.Name] = &state.QueueLimit{
					Resource: r.Name, Nominal: n, Borrowing: plus(&zero, r.BorrowingLimit), Lending: plus(&zero, r.LendingLimit),
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		q.Limits = append(q.Limits, *limits[name])
	}
	return q
}

// plus adds a quantity to a sum in thousandths; nil, which is no limit, stays.
func plus(sum *int64, q *resource.Quantity) *int64 {
	if sum == nil || q == nil {
		return nil
	}
	out := *sum + q.MilliValue()
	return &out
}

// queue enters the ClusterQueues that pods of the slice wait in, and those of their cohorts. What other workloads take
// is as for a ResourceQuota.
func (sl *Slice) queue(sides [2]side) {
	names := map[string]bool{}
	for v, s := range sides {
		cohorts := map[string]bool{}
		for i := range sl.Workloads {
			m := &sl.Workloads[i].Manifests[v]
			if !m.Exists() || m.Queue == "" {
				continue
			}
			names[m.Queue] = true
			if q := s.queueOf(s.kueue.queues[m.Queue]); q != nil && q.Cohort != "" {
				cohorts[q.Cohort] = true
			}
		}
		for name, o := range s.kueue.queues {
			if q := s.queueOf(o); len(cohorts) > 0 && q != nil && cohorts[q.Cohort] {
				names[name] = true
			}
		}
	}
	members := map[string]bool{}
	for i := range sl.Workloads {
		members[sl.Workloads[i].ID] = true
	}
	for _, name := range sortedIDs(names) {
		q := state.Quota{Name: name}
		for v, s := range sides {
			o := s.kueue.queues[name]
			if o == nil {
				continue
			}
			if q.Queues[v] = s.queueOf(o); q.Queues[v] != nil {
				q.Queues[v].Fair = q.Queues[v].Fair || sl.unranked(v)
				q.Others[v] = s.othersIn(o, members)
				sl.keep(v, o)
			}
		}
		if q.Queues[state.Base] == nil && q.Queues[state.Head] == nil {
			continue
		}
		sl.Spec.Quotas = append(sl.Spec.Quotas, q)
		sl.Notes = append(sl.Notes, finding.Say(finding.QueueAlone, name))
	}
}

// unranked reports whether the priority of some workload that Kueue lets in is not among the objects.
func (sl *Slice) unranked(v int) bool {
	return slices.ContainsFunc(sl.Workloads, func(w state.Workload) bool {
		m := &w.Manifests[v]
		return m.Exists() && m.Queue != "" && m.QueuePriority == nil
	})
}

// othersIn is what workloads of the release that are no members take of a ClusterQueue.
func (s side) othersIn(queue *object.Object, members map[string]bool) corev1.ResourceList {
	out := corev1.ResourceList{}
	var ids []string
	for id := range s.Workloads {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	for _, id := range ids {
		o := s.Workloads[id]
		if in, _ := s.queued(o); members[id] || in != queue {
			continue
		}
		m, _ := state.ManifestOf(o.Typed)
		if m.ReplicasField() == nil {
			continue
		}
		addTimes(out, admission.QueueUse(&corev1.Pod{Spec: *m.Pod()}), int64(m.Replicas()))
	}
	return out
}
