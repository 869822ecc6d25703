package policies

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/kubesettle/kubesettle/verify/state"
)

// arguments reads the entry of one plugin in pluginConfig, which stands at path. The
// arguments of plugins that the model does not have are not looked at: whether such a
// plugin is one of upstream's is judged where it is enabled.
//
// Upstream: pkg/scheduler/apis/config/v1: the SetDefaults functions of arguments;
// validation: validation_pluginargs.go.
func (l *schedulerLoader) arguments(p *state.SchedulerProfile, plugin, path string) {
	entry, _ := locate(l.root, path)
	n := field(entry, "args")
	if n == nil {
		n = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: entry.Line, Column: entry.Column}
	}
	at := path + ".args"
	read := func(into any, meta *metav1.TypeMeta) bool {
		if !l.strictly(n, at, into) {
			return false
		}
		p.Fields[plugin] = at
		if want := plugin + "Args"; meta.Kind != "" && meta.Kind != want {
			l.wrong(at+".kind", "must be %s, not %s", want, quote(meta.Kind))
		}
		if want := configv1.SchemeGroupVersion.String(); meta.APIVersion != "" && meta.APIVersion != want {
			l.wrong(at+".apiVersion", "must be %s, not %s", want, quote(meta.APIVersion))
		}
		return true
	}
	switch plugin {
	case state.NodeResourcesFit:
		var a configv1.NodeResourcesFitArgs
		if read(&a, &a.TypeMeta) {
			l.fitArguments(p, &a, at)
		}
	case state.NodeResourcesBalancedAllocation:
		var a configv1.NodeResourcesBalancedAllocationArgs
		if read(&a, &a.TypeMeta) {
			l.balancedArguments(p, &a, at)
		}
	case state.PodTopologySpread:
		var a configv1.PodTopologySpreadArgs
		if read(&a, &a.TypeMeta) {
			l.spreadArguments(p, &a, at)
		}
	case state.InterPodAffinity:
		var a configv1.InterPodAffinityArgs
		if read(&a, &a.TypeMeta) {
			if a.HardPodAffinityWeight != nil {
				p.HardPodAffinityWeight = l.between(at+".hardPodAffinityWeight", int64(*a.HardPodAffinityWeight), 0, 100)
			}
			p.IgnorePreferredTermsOfExistingPods = a.IgnorePreferredTermsOfExistingPods
		}
	case state.NodeAffinity:
		var a configv1.NodeAffinityArgs
		if read(&a, &a.TypeMeta) {
			l.addedAffinity(p, &a, at+".addedAffinity")
		}
	case state.DefaultPreemption:
		var a configv1.DefaultPreemptionArgs
		if read(&a, &a.TypeMeta) {
			l.preemptionArguments(p, &a, at)
		}
	}
}

// between checks a number against its limits.
func (l *schedulerLoader) between(path string, v, low, high int64) int64 {
	if v < low || v > high {
		l.wrong(path, "must be from %d to %d, not %d", low, high, v)
	}
	return v
}

func (l *schedulerLoader) fitArguments(p *state.SchedulerProfile, a *configv1.NodeResourcesFitArgs, at string) {
	for i, name := range a.IgnoredResources {
		l.labelName(item(at+".ignoredResources", i), name)
		set(&p.IgnoredResources, name)
	}
	for i, group := range a.IgnoredResourceGroups {
		if strings.Contains(group, "/") {
			l.wrong(item(at+".ignoredResourceGroups", i),
				"a group is what stands before the slash; remove the slash and what follows")
		}
		l.labelName(item(at+".ignoredResourceGroups", i), group)
		set(&p.IgnoredResourceGroups, group)
	}
	s := a.ScoringStrategy
	if s == nil {
		return
	}
	at += ".scoringStrategy"
	known := []string{string(state.LeastAllocated), string(state.MostAllocated), string(state.RequestedToCapacityRatio)}
	if !slices.Contains(known, string(s.Type)) {
		l.wrong(at+".type", "%s is not a scoring strategy; %s", quote(string(s.Type)), hint(string(s.Type), known))
	}
	p.Strategy = state.ScoringStrategy(s.Type)
	if len(s.Resources) > 0 {
		p.Resources = l.resources(s.Resources, at+".resources", 100)
	}
	ratio := at + ".requestedToCapacityRatio"
	switch {
	case p.Strategy != state.RequestedToCapacityRatio:
		if s.RequestedToCapacityRatio != nil {
			l.wrong(ratio, "goes with type %s only; remove it", state.RequestedToCapacityRatio)
		}
	case s.RequestedToCapacityRatio == nil || len(s.RequestedToCapacityRatio.Shape) == 0:
		l.wrong(at, "requestedToCapacityRatio.shape is missing; give at least one point of utilization and score")
	default:
		p.Shape = l.points(s.RequestedToCapacityRatio.Shape, ratio+".shape")
	}
}

// resources reads weighted resources; a weight that is not given is 1.
func (l *schedulerLoader) resources(list []configv1.ResourceSpec, at string, most int64) []state.ResourceWeight {
	out := make([]state.ResourceWeight, len(list))
	for i, r := range list {
		if r.Weight == 0 {
			r.Weight = 1
		}
		l.between(item(at, i)+".weight", r.Weight, 1, most)
		out[i] = state.ResourceWeight{Name: corev1.ResourceName(r.Name), Weight: r.Weight}
	}
	return out
}

func (l *schedulerLoader) points(list []configv1.UtilizationShapePoint, at string) []state.ShapePoint {
	out := make([]state.ShapePoint, len(list))
	for i, s := range list {
		out[i].Utilization = l.between(item(at, i)+".utilization", int64(s.Utilization), 0, 100)
		out[i].Score = l.between(item(at, i)+".score", int64(s.Score), 0, 10)
		if i > 0 && out[i].Utilization <= out[i-1].Utilization {
			l.wrong(item(at, i)+".utilization", "must be above that of the point before, which is %d", out[i-1].Utilization)
		}
	}
	return out
}

func (l *schedulerLoader) balancedArguments(p *state.SchedulerProfile,
	a *configv1.NodeResourcesBalancedAllocationArgs, at string) {
	if len(a.Resources) == 0 {
		return
	}
	at += ".resources"
	p.Balanced = l.resources(a.Resources, at, 1)
	for i := range a.Resources {
		if first := slices.IndexFunc(a.Resources,
			func(r configv1.ResourceSpec) bool { return r.Name == a.Resources[i].Name }); first < i {
			l.wrong(item(at, i)+".name", "%s appears twice in the list; keep one", quote(a.Resources[i].Name))
		}
	}
}

func (l *schedulerLoader) spreadArguments(p *state.SchedulerProfile, a *configv1.PodTopologySpreadArgs, at string) {
	switch a.DefaultingType {
	case "", configv1.SystemDefaulting:
		if len(a.DefaultConstraints) > 0 {
			l.wrong(at+".defaultConstraints", "goes with defaultingType: List only; add that, or remove the constraints")
		}
		return
	case configv1.ListDefaulting:
	default:
		l.wrong(at+".defaultingType", "%s is not known here; use System or List", quote(string(a.DefaultingType)))
	}
	p.SystemDefaulting, p.DefaultConstraints = false, a.DefaultConstraints
	for i := range a.DefaultConstraints {
		l.defaultConstraint(a.DefaultConstraints, i, at+".defaultConstraints")
	}
}

func (l *schedulerLoader) defaultConstraint(list []corev1.TopologySpreadConstraint, i int, at string) {
	c := &list[i]
	if c.MaxSkew <= 0 {
		l.wrong(item(at, i)+".maxSkew", "must be above 0, not %d", c.MaxSkew)
	}
	if c.WhenUnsatisfiable != corev1.DoNotSchedule && c.WhenUnsatisfiable != corev1.ScheduleAnyway {
		l.wrong(item(at, i)+".whenUnsatisfiable", "must be DoNotSchedule or ScheduleAnyway, not %s",
			quote(string(c.WhenUnsatisfiable)))
	}
	if c.LabelSelector != nil {
		l.wrong(item(at, i)+".labelSelector", "has no place in a default constraint: it is made for each pod; remove it")
	}
	l.labelName(item(at, i)+".topologyKey", c.TopologyKey)
	for k := range i {
		if list[k].TopologyKey == c.TopologyKey && list[k].WhenUnsatisfiable == c.WhenUnsatisfiable {
			l.wrong(item(at, i), "has the topologyKey and whenUnsatisfiable of constraint %d; keep one of the two", k)
		}
	}
}

func (l *schedulerLoader) labelName(path, name string) {
	for _, why := range validation.IsQualifiedName(name) {
		l.wrong(path, "%s: %s", quote(name), why)
	}
}

func (l *schedulerLoader) addedAffinity(p *state.SchedulerProfile, a *configv1.NodeAffinityArgs, at string) {
	p.AddedAffinity = a.AddedAffinity
	if a.AddedAffinity == nil {
		return
	}
	if r := a.AddedAffinity.RequiredDuringSchedulingIgnoredDuringExecution; r != nil {
		if _, err := nodeaffinity.NewNodeSelector(r); err != nil {
			l.wrong(at+".requiredDuringSchedulingIgnoredDuringExecution", "%v", err)
		}
	}
	if terms := a.AddedAffinity.PreferredDuringSchedulingIgnoredDuringExecution; len(terms) > 0 {
		if _, err := nodeaffinity.NewPreferredSchedulingTerms(terms); err != nil {
			l.wrong(at+".preferredDuringSchedulingIgnoredDuringExecution", "%v", err)
		}
	}
}

func (l *schedulerLoader) preemptionArguments(p *state.SchedulerProfile, a *configv1.DefaultPreemptionArgs, at string) {
	if v := a.MinCandidateNodesPercentage; v != nil {
		p.MinCandidates.Percent = int(l.between(at+".minCandidateNodesPercentage", int64(*v), 0, 100))
	}
	if v := a.MinCandidateNodesAbsolute; v != nil {
		p.MinCandidates.Nodes = int(l.between(at+".minCandidateNodesAbsolute", int64(*v), 0, 1<<31-1))
	}
	if p.MinCandidates.Percent == 0 && p.MinCandidates.Nodes == 0 {
		l.wrong(at, "minCandidateNodesPercentage and minCandidateNodesAbsolute cannot both be 0; give one of them")
	}
}
