package conformance

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/klog/v2"
	descheduler "sigs.k8s.io/descheduler/pkg/descheduler"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

var (
	deschedCases = flag.Int("descheduler.cases", fromEnvironment("DESCHEDULER_CASES", 400), "number of clusters a plugin is compared on")
	deschedRuns  = flag.Int("descheduler.runs", 6, "number of runs of upstream on each of them")
	deschedSeed  = flag.Uint64("descheduler.seed", 36, "seed of the clusters")
)

// deschedPlugins gives generated arguments of each plugin.
func deschedPlugins(r *rand.Rand) map[string][2]string {
	either := func(words ...string) string { return words[r.IntN(len(words))] }
	low := 10 * (1 + r.IntN(4))
	return map[string][2]string{
		"RemoveDuplicates": {"balance", either("", "namespaces: {exclude: [other]}", "excludeOwnerKinds: [ReplicaSet]", "namespaces: {include: [default]}")},
		"RemovePodsViolatingTopologySpreadConstraint": {"balance", either("", "constraints: [ScheduleAnyway]", "constraints: [DoNotSchedule, ScheduleAnyway]",
			"constraints: [DoNotSchedule, ScheduleAnyway], topologyBalanceNodeFit: false", "constraints: [ScheduleAnyway], labelSelector: {matchLabels: {app: web}}")},
		"LowNodeUtilization": {"balance", fmt.Sprintf("thresholds: {cpu: %d, pods: %d}, targetThresholds: {cpu: %d, pods: %d}%s", low, low, low+10*r.IntN(4), low+10*r.IntN(4),
			either("", "", ", numberOfNodes: 1", ", useDeviationThresholds: true", ", evictionLimits: {node: 1}", ", evictableNamespaces: {exclude: [other]}"))},
		"HighNodeUtilization":             {"balance", fmt.Sprintf("thresholds: {cpu: %d}%s", low, either("", "", ", numberOfNodes: 1", ", evictionModes: [OnlyThresholdingResources]"))},
		"RemovePodsViolatingNodeAffinity": {"deschedule", "nodeAffinityType: [" + either("requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution", "requiredDuringSchedulingIgnoredDuringExecution, preferredDuringSchedulingIgnoredDuringExecution") + "]"},
		"RemovePodsViolatingNodeTaints": {"deschedule", either("", "includePreferNoSchedule: true", "excludedTaints: [dedicated]", "includedTaints: [dedicated=db]",
			"labelSelector: {matchExpressions: [{key: app, operator: NotIn, values: [web]}]}")},
		"RemovePodsViolatingInterPodAntiAffinity": {"deschedule", either("", "namespaces: {include: [default]}")},
	}
}

// TestDeschedulerPlugins: whatever upstream's descheduler does in a cycle is among the
// steps of the model, and where the model has no step upstream evicts nothing. Of the
// steps of the model upstream shows most in a few runs.
func TestDeschedulerPlugins(t *testing.T) {
	descheduler.SetupPlugins()
	klog.SetLogger(logr.Discard())
	for _, name := range sortedNames(deschedPlugins(rand.New(rand.NewPCG(1, 1)))) {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(*deschedSeed, uint64(len(name))))
			compareDescheduler(t, r, func() string { return deschedPolicy(r, []string{name}) })
		})
	}
	t.Run("several", func(t *testing.T) {
		r := rand.New(rand.NewPCG(*deschedSeed, 1))
		names := sortedNames(deschedPlugins(r))
		compareDescheduler(t, r, func() string {
			r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
			return deschedPolicy(r, names[:2])
		})
	})
}

func sortedNames(m map[string][2]string) []string {
	var out []string
	for name := range m {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// deschedPolicy is a policy that enables some plugins.
func deschedPolicy(r *rand.Rand, names []string) string {
	args := deschedPlugins(r)
	var configs strings.Builder
	enabled := map[string][]string{}
	for _, name := range names {
		fmt.Fprintf(&configs, "  - {name: %s, args: {%s}}\n", name, args[name][1])
		enabled[args[name][0]] = append(enabled[args[name][0]], name)
	}
	evictor := []string{"", "nodeFit: true", "minReplicas: 4", "priorityThreshold: {name: high}", "evictLocalStoragePods: true",
		"nodeFit: true, ignorePodsWithoutPDB: true", "labelSelector: {matchLabels: {tier: front}}", "priorityThreshold: {value: 0}"}[r.IntN(8)]
	limit := []string{"", "", "maxNoOfPodsToEvictTotal: 2", "maxNoOfPodsToEvictPerNode: 1", "maxNoOfPodsToEvictPerNamespace: 1"}[r.IntN(5)]
	return fmt.Sprintf("apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\n%s\nprofiles:\n- name: p\n  pluginConfig:\n  - {name: DefaultEvictor, args: {%s}}\n%s  plugins: {deschedule: {enabled: [%s]}, balance: {enabled: [%s]}}\n",
		limit, evictor, configs.String(), strings.Join(enabled["deschedule"], ", "), strings.Join(enabled["balance"], ", "))
}

func compareDescheduler(t *testing.T, r *rand.Rand, policy func() string) {
	var moved, steps, shown, few, fewShown int
	for i := range *deschedCases {
		text := policy()
		p, templates, cluster := deschedCluster(t, r, text)
		from := deschedState(p.cfg, r, cluster)
		var model [][]byte
		for _, a := range p.actors {
			if a.Name() == "descheduler" {
				for _, x := range actor.Successors(a, from) {
					p.cfg.Canon(x.To.B) // steps that only exchange like nodes count once
					model = append(model, x.To.B)
				}
			}
		}
		model = distinctStates(model)
		file := policyFile(t, text)
		seen := map[string]bool{}
		cluster.serve(from)
		for range *deschedRuns {
			cluster.deploy(from, templates, r)
			got := cluster.run(t, file, from)
			same := bytes.Equal(got.B, from.B)
			p.cfg.Canon(got.B)
			switch found := slices.ContainsFunc(model, func(b []byte) bool { return bytes.Equal(b, got.B) }); {
			case same && (len(model) == 0 || cluster.uncertain(from)):
			case !found:
				t.Fatalf("case %d: upstream leaves a state that is none of the model's %d\n%s\n%s", i, len(model), text, deschedDiff(p.cfg, from, got, model))
			default:
				seen[string(got.B)] = true
			}
		}
		if len(model) > 0 {
			moved++
		}
		steps, shown = steps+len(model), shown+len(seen)
		if len(model) == 1 && !cluster.uncertain(from) {
			few, fewShown = few+1, fewShown+len(seen)
		}
	}
	t.Logf("%d clusters, %d with evictions; the model has %d steps, upstream showed %d of them in %d runs each", *deschedCases, moved, steps, shown, *deschedRuns)
	if moved < *deschedCases/20 {
		t.Errorf("only %d of %d clusters have evictions: generate others", moved, *deschedCases)
	}
	if few != fewShown {
		t.Errorf("of %d clusters in which the model has one step, upstream took it in %d", few, fewShown)
	}
}

func distinctStates(states [][]byte) [][]byte {
	slices.SortFunc(states, bytes.Compare)
	return slices.CompactFunc(states, bytes.Equal)
}

// uncertain reports whether a budget covers a starting pod, whose eviction may be refused.
func (c *upstreamCluster) uncertain(s state.State) bool {
	for p := range s.C.Pods {
		if s.Count(p, state.Starting) > 0 && len(c.budgets) > 0 {
			return true
		}
	}
	return false
}

func deschedDiff(c *state.Config, from, got state.State, model [][]byte) string {
	var b strings.Builder
	line := func(title string, s state.State) {
		fmt.Fprintf(&b, "%s:", title)
		for n := range c.Nodes {
			for p := range c.Pods {
				if s.On(n, p, 0)+s.On(n, p, 1)+s.On(n, p, 2) > 0 {
					fmt.Fprintf(&b, " %s/%d=%d,%d,%d", c.Nodes[n].Name, p, s.On(n, p, 0), s.On(n, p, 1), s.On(n, p, 2))
				}
			}
		}
		b.WriteByte('\n')
	}
	line("from", from)
	line("upstream", got)
	for _, m := range model[:min(len(model), 8)] {
		line("model", state.State{C: c, B: m})
	}
	for w := range c.Spec.Workloads {
		spec, _ := json.Marshal(c.Spec.Workloads[w].Manifests[0].Deployment.Spec.Template)
		fmt.Fprintf(&b, "%s: %s\n", c.Spec.Workloads[w].ID, spec)
	}
	for _, n := range c.Spec.Classes {
		fmt.Fprintf(&b, "node %s: %v %v %v\n", n.Name, n.Node.Labels, n.Node.Spec, n.Node.Status.Allocatable.Cpu())
	}
	return b.String()
}

// deschedCluster generates a cluster: its problem, the pods of each class as upstream
// sees them, and the cluster without pods.
func deschedCluster(t *testing.T, r *rand.Rand, text string) (*loopProblem, []*corev1.Pod, *upstreamCluster) {
	t.Helper()
	return deschedClusterOf(t, r, text, func(*state.Spec) {})
}

// deschedClusterOf is [deschedCluster] with a change to the generated problem.
func deschedClusterOf(t *testing.T, r *rand.Rand, text string, change func(*state.Spec)) (*loopProblem, []*corev1.Pod, *upstreamCluster) {
	t.Helper()
	spec := &state.Spec{PriorityClasses: map[string]int32{"low": -10, "high": 1000}}
	cluster := &upstreamCluster{scale: map[string]int{}, objects: priorityClasses()}
	var topology []int
	for i := range 2 + r.IntN(2) {
		spec.Classes = append(spec.Classes, state.NodeClass{Name: string(rune('a' + i)), Node: deschedNode(r, i)})
		topology = append(topology, 1+r.IntN(2))
	}
	for i, app := range []string{"web", "db", "job"}[:1+r.IntN(3)] {
		d := deschedDeployment(r, app)
		if i == 2 && r.IntN(2) == 0 {
			d.Namespace = "other"
		}
		w := state.Workload{ID: "apps/Deployment " + d.Namespace + "/" + app, Namespace: d.Namespace, Name: app}
		for v := range w.Manifests {
			w.Manifests[v].Deployment = d
		}
		spec.Workloads = append(spec.Workloads, w)
	}
	if r.IntN(3) == 0 {
		deschedBudget(r, spec, cluster)
	}
	var err error
	if spec.Descheduler, err = policies.LoadDescheduler("descheduler.yaml", []byte(text)); err != nil {
		t.Fatal(err)
	}
	if r.IntN(2) == 0 { // nodes may be cordoned or lost
		spec.Events.Drain, spec.Events.NodeFailure = 2, 2
	}
	change(spec)
	p := newLoopProblem(t, spec, topology)
	for _, n := range p.cfg.Nodes {
		node := spec.Classes[n.Class].Node.DeepCopy()
		node.Name = n.Name
		node.Labels[corev1.LabelHostname] = n.Name
		cluster.nodes = append(cluster.nodes, node)
		cluster.objects = append(cluster.objects, node)
	}
	var templates []*corev1.Pod
	for i := range p.cfg.Pods {
		templates = append(templates, deschedTemplate(spec, p.cfg, i))
	}
	return p, templates, cluster
}

// deschedTemplate is a pod as admission leaves it. Generated templates have no
// matchLabelKeys and no limits, so that only priority and tolerations are to be added.
func deschedTemplate(spec *state.Spec, c *state.Config, class int) *corev1.Pod {
	t := c.Pods[class].Template.DeepCopy()
	pod := &corev1.Pod{ObjectMeta: t.ObjectMeta, Spec: t.Spec}
	pod.Namespace = c.Pods[class].Namespace
	pod.OwnerReferences = []metav1.OwnerReference{{Kind: "ReplicaSet", Name: pod.Labels["app"], UID: types.UID("rs-" + pod.Labels["app"])}}
	priority := spec.PriorityClasses[pod.Spec.PriorityClassName]
	pod.Spec.Priority = &priority
	for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute})
	}
	return pod
}

func deschedNode(r *rand.Rand, i int) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{}}}
	if r.IntN(5) > 0 {
		n.Labels[corev1.LabelTopologyZone] = string(rune('x' + r.IntN(2)))
	}
	if r.IntN(2) == 0 {
		n.Labels["disk"] = "ssd"
	}
	switch r.IntN(6) {
	case 0:
		n.Spec.Taints = []corev1.Taint{{Key: "dedicated", Value: "db", Effect: corev1.TaintEffectNoSchedule}}
	case 1:
		n.Spec.Taints = []corev1.Taint{{Key: "old", Value: "yes", Effect: corev1.TaintEffectPreferNoSchedule}}
	case 2:
		n.Spec.Unschedulable = r.IntN(2) == 0
	}
	n.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU:    *resource.NewMilliQuantity(int64(1000*(1+r.IntN(4))), resource.DecimalSI),
		corev1.ResourceMemory: resource.MustParse("16Gi"),
		corev1.ResourcePods:   *resource.NewQuantity(int64(6+r.IntN(20)), resource.DecimalSI),
	}
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	return n
}

func deschedDeployment(r *rand.Rand, app string) *appsv1.Deployment {
	replicas := int32(1 + r.IntN(6))
	set := map[string]string{"app": app, "tier": []string{"front", "back"}[r.IntN(2)]}
	own := &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
	tier := &metav1.LabelSelector{MatchLabels: map[string]string{"tier": set["tier"]}}
	quarter := intstr.FromString("25%")
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: app, Namespace: "default"}}
	d.Spec.Replicas, d.Spec.Selector, d.Spec.Template.Labels = &replicas, own, set
	d.Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType,
		RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &quarter, MaxUnavailable: &quarter}}
	c := corev1.Container{Name: "c", Image: app}
	if r.IntN(4) > 0 {
		c.Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: *resource.NewMilliQuantity(int64(100*(1+r.IntN(8))), resource.DecimalSI)}
	}
	pod := &d.Spec.Template.Spec
	pod.Containers = []corev1.Container{c}
	pod.PriorityClassName = []string{"", "", "low", "high"}[r.IntN(4)]
	if r.IntN(8) == 0 {
		pod.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
	}
	if r.IntN(4) == 0 {
		pod.Tolerations = []corev1.Toleration{{Key: "dedicated", Operator: corev1.TolerationOpExists}}
	}
	if r.IntN(8) == 0 {
		pod.NodeSelector = map[string]string{"disk": "ssd"}
	}
	for _, key := range []string{corev1.LabelHostname, corev1.LabelTopologyZone} {
		if r.IntN(2) == 0 {
			selector := []*metav1.LabelSelector{own, own, tier}[r.IntN(3)]
			honor := corev1.NodeInclusionPolicyHonor
			s := corev1.TopologySpreadConstraint{MaxSkew: int32(1 + r.IntN(2)), TopologyKey: key, LabelSelector: selector,
				WhenUnsatisfiable: []corev1.UnsatisfiableConstraintAction{corev1.DoNotSchedule, corev1.ScheduleAnyway}[r.IntN(2)]}
			if r.IntN(4) == 0 {
				s.NodeTaintsPolicy = &honor
			}
			pod.TopologySpreadConstraints = append(pod.TopologySpreadConstraints, s)
		}
	}
	pod.Affinity = deschedAffinity(r, own, tier)
	return d
}

func deschedAffinity(r *rand.Rand, own, tier *metav1.LabelSelector) *corev1.Affinity {
	a := &corev1.Affinity{}
	ssd := corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "disk", Operator: corev1.NodeSelectorOpIn, Values: []string{"ssd"}}}}
	switch r.IntN(4) {
	case 0:
		a.NodeAffinity = &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{ssd}}}
	case 1:
		a.NodeAffinity = &corev1.NodeAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{Weight: 10, Preference: ssd}}}
	}
	if r.IntN(3) == 0 {
		a.PodAntiAffinity = &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
			TopologyKey:   []string{corev1.LabelHostname, corev1.LabelTopologyZone}[r.IntN(2)],
			LabelSelector: []*metav1.LabelSelector{own, tier}[r.IntN(2)],
		}}}
	}
	if a.NodeAffinity == nil && a.PodAntiAffinity == nil {
		return nil
	}
	return a
}

func deschedBudget(r *rand.Rand, spec *state.Spec, cluster *upstreamCluster) {
	n := intstr.FromInt32(int32(r.IntN(3)))
	b := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: "b", Namespace: "default"}}
	if r.IntN(2) == 0 {
		b.Spec.MinAvailable = &n
	} else {
		b.Spec.MaxUnavailable = &n
	}
	if always := policyv1.AlwaysAllow; r.IntN(3) == 0 {
		b.Spec.UnhealthyPodEvictionPolicy = &always
	}
	key := []string{"app", "tier"}[r.IntN(2)]
	value := spec.Workloads[0].Manifests[0].Deployment.Spec.Template.Labels[key]
	b.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}
	cluster.budgets = append(cluster.budgets, b)
	for i := range spec.Workloads {
		w := &spec.Workloads[i]
		for v := range w.Manifests {
			if w.Namespace == "default" && w.Manifests[v].Deployment.Spec.Template.Labels[key] == value {
				w.Manifests[v].PDBs = append(w.Manifests[v].PDBs, b)
			}
		}
	}
}

// deschedState puts a few pods of every class on the nodes.
func deschedState(c *state.Config, r *rand.Rand, cluster *upstreamCluster) state.State {
	s := c.New()
	for n := range c.Nodes {
		if c.NodesMove() {
			s.SetMaintenance(n, state.Maintenance(r.IntN(5)%3))
			s.SetDown(n, r.IntN(6) == 0)
		}
	}
	for w := range c.Spec.Workloads {
		s.SetReplicas(w, 1+r.IntN(5))
		cluster.scale[c.Spec.Workloads[w].Namespace+"/"+c.Spec.Workloads[w].Name] = s.Replicas(w)
	}
	for p := range c.Pods {
		s.Set(c.Class[p].Pending, max(r.IntN(4)-2, 0))
		for n := range c.Nodes {
			s.SetAt(n, c.Class[p].Phase[state.Ready], max(r.IntN(5)-1, 0)*r.IntN(2))
			s.SetAt(n, c.Class[p].Phase[state.Starting], max(r.IntN(8)-6, 0))
			s.SetAt(n, c.Class[p].Phase[state.Terminating], max(r.IntN(8)-6, 0))
		}
	}
	return s
}
