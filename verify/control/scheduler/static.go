package scheduler

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// reasonCode is the first plugin that keeps a pod from a node, in upstream's order.
type reasonCode uint8

const (
	reasonNone reasonCode = iota
	reasonUnschedulable
	reasonTaint
	reasonEnforcedAffinity
	reasonNodeAffinity
	reasonPorts
	reasonResources
	reasonOncePod
	reasonVolumeNode
	reasonVolumeBind
	reasonSpreadLabel
	reasonSpread
	reasonPodAffinity
	reasonPodAntiAffinity
	reasonExistingAntiAffinity
	reasonGone // the node is not there
)

// compileStatic runs for class p the plugins that depend on node and pod alone.
// Errors: [actor.ErrUnmodeled] for terms the API server would refuse, and for nodes of one
// class that the pod distinguishes.
func (k *Compiled) compileStatic(p int) error {
	class := &k.Classes[p]
	pod, filters := class.Pod, class.profile.filters
	required := nodeaffinity.GetRequiredNodeAffinity(pod)
	preferred, err := preferredTerms(pod.Spec.Affinity)
	if err != nil {
		return k.unmodeled(p, "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution", err.Error())
	}
	added, err := class.profile.addedAffinity()
	if err != nil {
		return k.unmodeled(p, "spec", "scheduler profile: addedAffinity: "+err.Error())
	}
	class.prefers = preferred != nil || added.preferred != nil
	class.stands = StandsService(pod)
	for n := range k.Nodes {
		node := k.Nodes[n].object
		code := reasonNone
		match, _ := required.Match(node) // upstream ignores parsing errors, too
		switch {
		case filters(state.NodeUnschedulable) && node.Spec.Unschedulable && !toleratesUnschedulable(pod):
			code = reasonUnschedulable
		case filters(state.TaintToleration) && hasUntolerated(pod, node):
			code = reasonTaint
		case filters(state.NodeAffinity) && added.required != nil && !added.required.Match(node):
			code = reasonEnforcedAffinity
		case filters(state.NodeAffinity) && !match:
			code = reasonNodeAffinity
		case filters(state.NodePorts) && k.portsHeld(p, n):
			code = reasonPorts
		}
		class.static = append(class.static, code)
		class.taints = append(class.taints, intolerable(pod, node))
		class.affinity = append(class.affinity, preferred.score(node)+added.preferred.score(node))
		class.images = append(class.images, k.scoreImages(pod, node))
	}
	for q := range k.Classes {
		if filters(state.NodePorts) && PortsClash(HostPorts(pod), HostPorts(k.Classes[q].Pod)) {
			class.conflict = append(class.conflict, q)
		}
	}
	return nil
}

// checkAlike refuses a pod that tells nodes of one class apart by name: exchanging them
// has to change nothing.
func (k *Compiled) checkAlike(p int) error {
	for c := range k.Cfg.Topology {
		first, end := k.Cfg.NodesOf(c)
		for n := first + 1; n < end; n++ {
			if !k.alike(p, first, n) {
				return k.unmodeled(p, "spec", "a rule that singles out one node of the class "+k.Cfg.Spec.Classes[c].Name)
			}
		}
	}
	return nil
}

// alike reports whether everything that class p reads of two nodes, except for their names, is equal.
func (k *Compiled) alike(p, n, m int) bool {
	class := &k.Classes[p]
	for _, terms := range [][]spreadTerm{class.hard, class.soft} {
		for i := range terms {
			if terms[i].eligible[n] != terms[i].eligible[m] {
				return false
			}
		}
	}
	if class.pinned != nil && class.pinned[n] != class.pinned[m] {
		return false
	}
	for _, c := range class.claims {
		if c.allowed[n] != c.allowed[m] {
			return false
		}
	}
	return class.static[n] == class.static[m] && class.affinity[n] == class.affinity[m]
}

// scoredTerms are preferred node affinity terms; nil has none.
type scoredTerms struct {
	*nodeaffinity.PreferredSchedulingTerms
}

func (t *scoredTerms) score(node *corev1.Node) int64 {
	if t == nil {
		return 0
	}
	return t.Score(node)
}

func preferredTerms(a *corev1.Affinity) (*scoredTerms, error) {
	if a == nil || a.NodeAffinity == nil || a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution == nil {
		return nil, nil
	}
	t, err := nodeaffinity.NewPreferredSchedulingTerms(a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution)
	if err != nil {
		return nil, err
	}
	return &scoredTerms{t}, nil
}

// addedTerms is the profile's addedAffinity, parsed.
type addedTerms struct {
	required  *nodeaffinity.NodeSelector
	preferred *scoredTerms
}

// addedAffinity parses the profile's addedAffinity (nodeaffinity: New).
func (p *profile) addedAffinity() (addedTerms, error) {
	var out addedTerms
	a := p.AddedAffinity
	if a == nil {
		return out, nil
	}
	var err error
	if r := a.RequiredDuringSchedulingIgnoredDuringExecution; r != nil {
		if out.required, err = nodeaffinity.NewNodeSelector(r); err != nil {
			return out, err
		}
	}
	if len(a.PreferredDuringSchedulingIgnoredDuringExecution) > 0 {
		out.preferred, err = preferredTerms(&corev1.Affinity{NodeAffinity: a})
	}
	return out, err
}

func toleratesUnschedulable(pod *corev1.Pod) bool {
	return corev1helpers.TolerationsTolerateTaint(objects.NoLog(), pod.Spec.Tolerations,
		&corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}, false)
}

// hasUntolerated is TaintToleration's Filter.
func hasUntolerated(pod *corev1.Pod, node *corev1.Node) bool {
	_, found := corev1helpers.FindMatchingUntoleratedTaint(objects.NoLog(), node.Spec.Taints, pod.Spec.Tolerations,
		func(t *corev1.Taint) bool {
			return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
		}, false)
	return found
}

// intolerable is TaintToleration's Score: countIntolerableTaintsPreferNoSchedule with
// the tolerations of getAllTolerationPreferNoSchedule.
func intolerable(pod *corev1.Pod, node *corev1.Node) int64 {
	var soft []corev1.Toleration
	for _, t := range pod.Spec.Tolerations {
		if t.Effect == "" || t.Effect == corev1.TaintEffectPreferNoSchedule {
			soft = append(soft, t)
		}
	}
	var count int64
	for i := range node.Spec.Taints {
		t := &node.Spec.Taints[i]
		if t.Effect == corev1.TaintEffectPreferNoSchedule &&
			!corev1helpers.TolerationsTolerateTaint(objects.NoLog(), soft, t, false) {
			count++
		}
	}
	return count
}

// HostPorts is upstream's util.GetHostPorts: ports of containers and sidecars.
func HostPorts(pod *corev1.Pod) []corev1.ContainerPort {
	var out []corev1.ContainerPort
	add := func(c *corev1.Container) {
		for _, p := range c.Ports {
			if p.HostPort > 0 {
				out = append(out, p)
			}
		}
	}
	for i := range pod.Spec.InitContainers {
		c := &pod.Spec.InitContainers[i]
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			add(c)
		}
	}
	for i := range pod.Spec.Containers {
		add(&pod.Spec.Containers[i])
	}
	return out
}

// PortsClash is upstream's fitsPorts and HostPortInfo.CheckConflict.
func PortsClash(want, used []corev1.ContainerPort) bool {
	const everywhere = "0.0.0.0"
	for _, w := range want {
		for _, u := range used {
			wip, uip := orDefault(w.HostIP, everywhere), orDefault(u.HostIP, everywhere)
			same := orDefault(string(w.Protocol), "TCP") == orDefault(string(u.Protocol), "TCP") && w.HostPort == u.HostPort
			if same && (wip == uip || wip == everywhere || uip == everywhere) {
				return true
			}
		}
	}
	return false
}

func orDefault(s, def string) string {
	if s == "" {
		return def
	}
	return s
}

// scoreImages is ImageLocality's Score.
//
// Upstream: imagelocality: sumImageScores, scaledImageScore, calculatePriority,
// normalizedImageName; backend/cache: createImageExistenceMap.
func (k *Compiled) scoreImages(pod *corev1.Pod, node *corev1.Node) int64 {
	const mb = 1024 * 1024
	const minThreshold, maxContainerThreshold int64 = 23 * mb, 1000 * mb
	var sum int64
	add := func(image string) {
		name := imageName(image)
		if size, ok := imageOn(node, name); ok {
			spread := float64(k.imageNodes[name]) / float64(len(k.Nodes))
			sum += int64(float64(size) * spread)
		}
	}
	for _, image := range podImages(&pod.Spec) {
		add(image)
	}
	most := maxContainerThreshold * int64(len(pod.Spec.InitContainers)+len(pod.Spec.Containers))
	sum = min(max(sum, minThreshold), most)
	return maxNodeScore * (sum - minThreshold) / (most - minThreshold)
}

// Images are the names of a pod's images as nodes list them, in the order in which
// ImageLocality adds them up.
func Images(pod *corev1.PodSpec) []string {
	out := podImages(pod)
	for i, name := range out {
		out[i] = imageName(name)
	}
	return out
}

func podImages(pod *corev1.PodSpec) []string {
	var out []string
	for i := range pod.InitContainers {
		out = append(out, pod.InitContainers[i].Image)
	}
	for i := range pod.Containers {
		out = append(out, pod.Containers[i].Image)
	}
	for i := range pod.Volumes {
		if v := pod.Volumes[i].Image; v != nil {
			out = append(out, v.Reference)
		}
	}
	return out
}

func imageName(name string) string {
	if strings.LastIndex(name, ":") <= strings.LastIndex(name, "/") {
		return name + ":latest"
	}
	return name
}

// imageOn gives the size of an image on a node; of several entries the last counts.
func imageOn(node *corev1.Node, name string) (size int64, ok bool) {
	for _, image := range node.Status.Images {
		for _, have := range image.Names {
			if have == name {
				size, ok = image.SizeBytes, true
			}
		}
	}
	return size, ok
}

// countImages counts the nodes that have each image.
func (k *Compiled) countImages() {
	k.imageNodes = map[string]int{}
	for n := range k.Nodes {
		seen := map[string]bool{}
		for _, image := range k.Nodes[n].object.Status.Images {
			for _, name := range image.Names {
				if !seen[name] {
					seen[name] = true
					k.imageNodes[name]++
				}
			}
		}
	}
}
