package verify

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/descheduler"
	"github.com/kubesettle/kubesettle/verify/control/nodes"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/state"
)

// runsBeside adds the controllers that the policy configures, with what they can tell
// nodes apart by.
func (sl *slice) runsBeside(p *policies.Policy) {
	c := p.Controllers
	for _, file := range []*string{&c.SchedulerConfig, &c.DeschedulerPolicy} {
		if dir := path.Dir(filepath.ToSlash(p.File)); *file != "" && !path.IsAbs(dir) {
			*file = path.Join(dir, *file)
		}
	}
	c.SchedulerConfig = cmp.Or(c.SchedulerAt, c.SchedulerConfig)
	c.DeschedulerPolicy = cmp.Or(c.DeschedulerAt, c.DeschedulerPolicy)
	sl.controllers = c
	sl.spec.Scheduler, sl.spec.Descheduler = c.Scheduler, c.Descheduler
	sl.spec.ClusterAutoscaler = c.ClusterAutoscaler || p.RunsKarpenter()
	sl.spec.Autoscaler = c.AutoscalerFlags
	if g := c.GitOps; g != nil {
		ignored := slices.Contains(g.IgnoreDifferences, "/spec/replicas")
		sl.spec.GitOps = &state.GitOps{SelfHeal: g.SelfHeal, IgnoreReplicas: ignored, KeepReplicas: ignored && g.RespectIgnore}
	}
	sl.seenBy(c)
}

// seenBy notes what the controllers can tell nodes apart by.
func (sl *slice) seenBy(c policies.Controllers) {
	if c.Scheduler != nil {
		named, topologies := c.Scheduler.NodeKeys()
		for _, key := range named {
			sl.keys[key], sl.values[key] = true, true
		}
		for _, key := range topologies {
			sl.keys[key] = true
		}
	}
	if c.Descheduler == nil {
		return
	}
	for _, key := range c.Descheduler.NodeKeys() {
		sl.keys[key], sl.values[key] = true, true
	}
}

// ranBeside adds the controllers that run beside the slice on base, where they are others.
func (sl *slice) ranBeside(p *policies.Policy) {
	sl.seenBy(p.Controllers)
	sl.before = &state.Spec{
		Scheduler: p.Controllers.Scheduler, Descheduler: p.Controllers.Descheduler,
		ClusterAutoscaler: p.Controllers.ClusterAutoscaler || p.RunsKarpenter(), Autoscaler: p.Controllers.AutoscalerFlags,
	}
}

// configured resolves a reference into a controller's own configuration file.
func (sl *slice) configured(r actor.Ref) (Because, bool) {
	for _, k := range sl.controllers.NodePools {
		if r.Object == nodes.KarpenterObject(k.NodePool) && k.Locate != nil {
			file, line := k.Locate(r.Field)
			return Because{File: file, Line: max(line, 1), Field: r.Field}, true
		}
	}
	file, lines := "", map[string]int(nil)
	switch c := &sl.controllers; r.Object {
	case scheduler.Object:
		file, lines = c.SchedulerConfig, c.SchedulerLines
	case descheduler.DeschedulerObject:
		file, lines = c.DeschedulerPolicy, c.DeschedulerLines
	}
	if file == "" {
		return Because{}, false
	}
	return Because{File: file, Line: max(lines[r.Field], 1), Field: r.Field}, true
}
