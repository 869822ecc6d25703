// Package scheduler models kube-scheduler's default profile: which nodes a pod may go to, which of them score highest,
// and which pods it pushes away where none is left.
//
// Upstream: kubernetes v1.36.3, pkg/scheduler: schedule_one.go, framework/plugins (noderesources, nodeaffinity,
// tainttoleration, podtopologyspread, interpodaffinity, nodeports, imagelocality, nodeunschedulable, nodename,
// schedulinggates, volumezone, volumebinding, defaultpreemption) and apis/config for profiles and weights.
//
// A problem is compiled once ([Compile]): filters and scores that no state can move become tables by pod class and
// node; the rest is counted in a [View] of one state. Ties between nodes are choices of the search. Who only asks
// "would this pod fit", such as an autoscaler or the kubelet's own admission, uses the same [Compiled].
//
// It watches pods that are pending and everything that takes or frees room: pods on deletion among it, whose room is
// taken until they are gone.
package scheduler
