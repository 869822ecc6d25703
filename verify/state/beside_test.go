package state

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// What is free for a pod is what pods of its priority and above leave; it is never less than
// nothing, and a resource that the node does not have stays absent.
func TestFreeBesidePods(t *testing.T) {
	list := func(cpu, memory string) corev1.ResourceList {
		return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)}
	}
	node := &corev1.Node{Status: corev1.NodeStatus{Allocatable: list("4", "1Gi")}}
	node.Status.Allocatable[corev1.ResourcePods] = resource.MustParse("10")
	extended := list("1500m", "2Gi")
	extended["nvidia.com/gpu"] = resource.MustParse("1")
	c := NodeClass{Node: node, Beside: &Beside{Pods: []BesidePods{
		{Priority: -5, Count: 2, Requests: list("1", "128Mi")},
		{Priority: 10, Count: 3, Requests: extended},
	}}}
	for priority, want := range map[int32][3]int64{EveryPriority: {1500, 0, 5}, 0: {2500, 0, 7}, 11: {4000, 1 << 30, 10}} {
		free := c.Free(priority)
		if got := [3]int64{free.Cpu().MilliValue(), free.Memory().Value(), free.Pods().Value()}; got != want {
			t.Errorf("above %d: %v, want %v", priority, got, want)
		}
		if _, ok := free["nvidia.com/gpu"]; ok {
			t.Errorf("above %d: a resource that the node does not have", priority)
		}
	}
	if cpu := node.Status.Allocatable.Cpu(); cpu.MilliValue() != 4000 {
		t.Errorf("the node itself has %s", cpu)
	}
	other := Beside{Pods: append([]BesidePods{}, c.Beside.Pods...), Mark: "here"}
	if c.Beside.Key() == other.Key() || (*Beside)(nil).Key() != "" {
		t.Error("keys do not tell nodes apart")
	}
}
