package policies

import (
	"errors"
	"slices"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	apifield "k8s.io/apimachinery/pkg/util/validation/field"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	upstream "k8s.io/kubernetes/pkg/scheduler/apis/config/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"

	"github.com/kubesettle/kubesettle/verify/state"
)

// arguments reads the entry of one plugin in pluginConfig, which stands at path, with upstream's own defaults and
// validation. The arguments of plugins that the model does not have are not looked at: whether such a plugin is one of
// upstream's is judged where it is enabled.
func (l *schedulerLoader) arguments(p *state.SchedulerProfile, plugin, path string) {
	if !slices.Contains([]string{state.NodeResourcesFit, state.NodeResourcesBalancedAllocation, state.PodTopologySpread,
		state.InterPodAffinity, state.NodeAffinity, state.DefaultPreemption}, plugin) {
		return
	}
	entry, _ := locate(l.root, path)
	n := field(entry, "args")
	if n == nil {
		n = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: entry.Line, Column: entry.Column}
	}
	at, scheme := path+".args", upstream.GetPluginArgConversionScheme()
	want := configv1.SchemeGroupVersion.WithKind(plugin + "Args")
	given, err := scheme.New(want)
	if err != nil || !l.strictly(n, at, given) {
		return
	}
	p.Fields[plugin] = at
	version, kind := given.GetObjectKind().GroupVersionKind().ToAPIVersionAndKind()
	if kind != "" && kind != want.Kind {
		l.wrong(at+".kind", "must be %s, not %s", want.Kind, quote(kind))
	}
	if version != "" && version != want.GroupVersion().String() {
		l.wrong(at+".apiVersion", "must be %s, not %s", want.GroupVersion(), quote(version))
	}
	given.GetObjectKind().SetGroupVersionKind(want)
	scheme.Default(given)
	args, err := scheme.ConvertToVersion(given, config.SchemeGroupVersion)
	if err == nil {
		err = takeArguments(p, args, apifield.NewPath(at))
	}
	l.invalid(at, err)
}

// invalid says what upstream's validation has against a value at a path.
func (l *schedulerLoader) invalid(at string, err error) {
	all := utilerrors.Flatten(utilerrors.NewAggregate([]error{err}))
	if all == nil {
		return
	}
	for _, e := range all.Errors() {
		if one := (*apifield.Error)(nil); errors.As(e, &one) {
			l.wrong(one.Field, "%s", one.ErrorBody())
		} else {
			l.wrong(at, "%v", e)
		}
	}
}

// takeArguments has a profile take up the arguments of a plugin, and returns their errors.
func takeArguments(p *state.SchedulerProfile, args runtime.Object, at *apifield.Path) error {
	switch a := args.(type) {
	case *config.NodeResourcesFitArgs:
		p.IgnoredResources, p.IgnoredResourceGroups = setOf(a.IgnoredResources), setOf(a.IgnoredResourceGroups)
		s := a.ScoringStrategy
		p.Strategy, p.Resources = state.ScoringStrategy(s.Type), weights(s.Resources)
		if s.RequestedToCapacityRatio != nil {
			for _, x := range s.RequestedToCapacityRatio.Shape {
				p.Shape = append(p.Shape, state.ShapePoint{Utilization: int64(x.Utilization), Score: int64(x.Score)})
			}
		}
		return validation.ValidateNodeResourcesFitArgs(at, a)
	case *config.NodeResourcesBalancedAllocationArgs:
		p.Balanced = weights(a.Resources)
		return validation.ValidateNodeResourcesBalancedAllocationArgs(at, a)
	case *config.PodTopologySpreadArgs:
		if p.SystemDefaulting = a.DefaultingType == config.SystemDefaulting; !p.SystemDefaulting {
			p.DefaultConstraints = a.DefaultConstraints
		}
		return validation.ValidatePodTopologySpreadArgs(at, a)
	case *config.InterPodAffinityArgs:
		p.HardPodAffinityWeight = int64(a.HardPodAffinityWeight)
		p.IgnorePreferredTermsOfExistingPods = a.IgnorePreferredTermsOfExistingPods
		return validation.ValidateInterPodAffinityArgs(at, a)
	case *config.NodeAffinityArgs:
		p.AddedAffinity = a.AddedAffinity
		return validation.ValidateNodeAffinityArgs(at, a)
	case *config.DefaultPreemptionArgs:
		p.MinCandidates.Percent = int(a.MinCandidateNodesPercentage)
		p.MinCandidates.Nodes = int(a.MinCandidateNodesAbsolute)
		return validation.ValidateDefaultPreemptionArgs(at, a)
	}
	return nil
}

func weights(list []config.ResourceSpec) []state.ResourceWeight {
	out := make([]state.ResourceWeight, len(list))
	for i, r := range list {
		out[i] = state.ResourceWeight{Name: corev1.ResourceName(r.Name), Weight: r.Weight}
	}
	return out
}

// setOf is a set of some names; nil: of none.
func setOf(names []string) map[string]bool {
	var out map[string]bool
	for _, name := range names {
		set(&out, name)
	}
	return out
}
