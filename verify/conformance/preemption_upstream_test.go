package conformance

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"github.com/kubesettle/kubesettle/verify/state"
)

// nominator is the scheduling queue's memory of nominated pods, by node.
type nominator map[string][]fwk.PodInfo

func (nominator) AddNominatedPod(klog.Logger, fwk.PodInfo, *fwk.NominatingInfo) {}
func (nominator) DeleteNominatedPodIfExists(*corev1.Pod)                        {}
func (nominator) UpdateNominatedPod(klog.Logger, *corev1.Pod, fwk.PodInfo)      {}
func (n nominator) NominatedPodsForNode(node string) []fwk.PodInfo              { return n[node] }

// upstreamPreemption is the plugin DefaultPreemption of one profile. What it deletes is
// noted instead.
type upstreamPreemption struct {
	*upstreamScheduler
	plugin  *defaultpreemption.DefaultPreemption
	lock    sync.Mutex
	deleted map[types.UID]bool
}

func newUpstreamPreemption(u *upstreamScheduler) (*upstreamPreemption, error) {
	x := &upstreamPreemption{upstreamScheduler: u}
	args := &config.DefaultPreemptionArgs{MinCandidateNodesPercentage: 10, MinCandidateNodesAbsolute: 100}
	var err error
	// Without EnableAsyncPreemption, so that victims are deleted before Preempt returns.
	if x.plugin, err = defaultpreemption.New(u.ctx, args, u.framework, feature.Features{}); err != nil {
		return nil, err
	}
	x.plugin.Executor.PreemptPod = func(_ context.Context, _ preemption.Candidate, _ preemption.ExecutorPreemptor, victim *corev1.Pod, _ string) error {
		x.lock.Lock()
		defer x.lock.Unlock()
		x.deleted[victim.UID] = true
		return nil
	}
	return x, nil
}

// victims runs one scheduling cycle of a pending pod of class p, and its PostFilter
// where it fits nowhere. node is "" where nothing was nominated.
func (x *upstreamPreemption) victims(c *cluster, p int) (node string, fits bool, err error) {
	pod := c.classes[p].DeepCopy()
	pod.UID = "preemptor"
	pods := x.informers.Core().V1().Pods().Informer().GetIndexer()
	if err := pods.Replace([]any{pod}, ""); err != nil {
		return "", false, err
	}
	x.deleted = map[types.UID]bool{}
	cycle, statuses := framework.NewCycleState(), framework.NewDefaultNodeToStatus()
	only, status, _ := x.framework.RunPreFilterPlugins(x.ctx, cycle, pod)
	if !status.IsSuccess() {
		return "", false, status.AsError()
	}
	statuses.SetAbsentNodesStatus(fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "left out"))
	for _, n := range c.nodes {
		if !only.AllNodes() && !only.NodeNames.Has(n.Name) {
			continue
		}
		info, err := x.lister.NodeInfos().Get(n.Name)
		if err != nil {
			return "", false, err
		}
		status := x.framework.RunFilterPluginsWithNominatedPods(x.ctx, cycle, pod, info)
		if status.IsSuccess() {
			return "", true, nil
		}
		statuses.Set(n.Name, status)
	}
	result, status := x.plugin.PostFilter(x.ctx, cycle, pod, statuses)
	if status.IsSuccess() {
		return result.NominatedNodeName, false, nil
	}
	if !status.IsRejected() {
		return "", false, status.AsError()
	}
	return "", false, nil
}

// age gives every pod on a node a start time of its own, in the given order.
func (c *cluster) age(order []int) {
	for i, k := range order {
		at := metav1.NewTime(time.Unix(1_000_000+int64(k), 0))
		c.pods[i].Status.StartTime = &at
	}
}

// nominate puts the pods that a state nominates into upstream's queue.
func (n nominator) nominate(c *cluster, s state.State) error {
	clear(n)
	for p := range s.C.Pods {
		for i, node := range c.nodes {
			for k := range s.Nominated(i, p) {
				pod := c.classes[p].DeepCopy()
				pod.Name = fmt.Sprintf("%s-nominated-%d-%d", pod.Name, i, k)
				pod.UID = types.UID(pod.Name)
				pod.Status.NominatedNodeName = node.Name
				info, err := framework.NewPodInfo(pod)
				if err != nil {
					return err
				}
				n[node.Name] = append(n[node.Name], info)
			}
		}
	}
	return nil
}

// budget is a PodDisruptionBudget in upstream's cache, with its status.
func budget(b *policyv1.PodDisruptionBudget, allowed int) *policyv1.PodDisruptionBudget {
	b = b.DeepCopy()
	b.Status.DisruptionsAllowed = int32(allowed)
	return b
}
