package slice

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/descheduler"
	"github.com/kubesettle/kubesettle/verify/control/gitops"
	"github.com/kubesettle/kubesettle/verify/control/nodes"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/state"
)

// RunsBeside adds the controllers that the policy configures, with the properties by which they distinguish nodes.
func (sl *Slice) RunsBeside(p *policies.Policy) {
	c := p.Controllers
	for _, file := range []*string{&c.SchedulerConfig, &c.DeschedulerPolicy} {
		if dir := path.Dir(filepath.ToSlash(p.File)); *file != "" && !path.IsAbs(dir) {
			*file = path.Join(dir, *file)
		}
	}
	c.SchedulerConfig = cmp.Or(c.SchedulerAt, c.SchedulerConfig)
	c.DeschedulerPolicy = cmp.Or(c.DeschedulerAt, c.DeschedulerPolicy)
	sl.Controllers = c
	sl.Spec.Scheduler, sl.Spec.Descheduler = c.Scheduler, c.Descheduler
	sl.Spec.ClusterAutoscaler = c.ClusterAutoscaler || p.RunsKarpenter()
	sl.Spec.Autoscaler, sl.Spec.HPA = c.AutoscalerFlags, p.Cluster.HPA
	sl.Spec.GitOps = sl.resync(c.GitOps)
	sl.seenBy(c)
}

// resync is the configuration of a GitOps controller for the slice. One that was found among the manifests counts if an
// autoscaler and git disagree, or if a Pod has no controller: else it has nothing to heal.
func (sl *Slice) resync(g *policies.GitOps) *state.GitOps {
	if g == nil {
		return nil
	}
	ignored, scaled := slices.Contains(g.IgnoreDifferences, "/spec/replicas"), false
	bare := false
	for i := range sl.Spec.Workloads {
		for v := range sl.Spec.Workloads[i].Manifests {
			m := &sl.Spec.Workloads[i].Manifests[v]
			bare = bare || m.Kind().Bare()
			if m.HPA != nil || m.KEDA != nil || m.Bounds.Max > 0 {
				scaled = true
				ignored = ignored && (g.Of == nil || g.Of(sl.Spec.Workloads[i].ID))
			}
		}
	}
	if g.File != "" && !scaled && !bare {
		return nil
	}
	return &state.GitOps{SelfHeal: g.SelfHeal, IgnoreReplicas: ignored, KeepReplicas: ignored && g.RespectIgnore}
}

// seenBy notes the properties by which the controllers distinguish nodes.
func (sl *Slice) seenBy(c policies.Controllers) {
	if c.Scheduler != nil {
		named, topologies := c.Scheduler.NodeKeys()
		for _, key := range named {
			sl.Keys[key], sl.Values[key] = true, true
		}
		for _, key := range topologies {
			sl.Keys[key] = true
		}
	}
	if c.Descheduler == nil {
		return
	}
	for _, key := range c.Descheduler.NodeKeys() {
		sl.Keys[key], sl.Values[key] = true, true
	}
}

// RanBeside adds the controllers that run beside the slice on base, where they are others.
func (sl *Slice) RanBeside(p *policies.Policy) {
	sl.seenBy(p.Controllers)
	sl.Before = &state.Spec{
		Scheduler: p.Controllers.Scheduler, Descheduler: p.Controllers.Descheduler,
		ClusterAutoscaler: p.Controllers.ClusterAutoscaler || p.RunsKarpenter(), Autoscaler: p.Controllers.AutoscalerFlags,
		GitOps: sl.resync(p.Controllers.GitOps),
	}
}

// Configured resolves a reference into a controller's own configuration file.
func (sl *Slice) Configured(r actor.Ref) (file string, line int, ok bool) {
	if file, line, ok := sl.OwnConfigured(r); ok {
		return file, line, ok
	}
	if d := sl.Deliverer; d != nil && r.Object == d.ID.String() {
		at := d.Locate(r.Field)
		return at.File, max(at.StartLine, 1), at.File != ""
	}
	for _, k := range sl.Controllers.NodePools {
		if r.Object == nodes.KarpenterObject(k.NodePool) && k.Locate != nil {
			file, line := k.Locate(r.Field)
			return file, max(line, 1), true
		}
	}
	if g := sl.Controllers.GitOps; g != nil && g.File != "" && r.Object == gitops.Object {
		return g.File, max(g.Line, 1), true
	}
	lines := map[string]int(nil)
	switch c := &sl.Controllers; r.Object {
	case scheduler.Object:
		file, lines = c.SchedulerConfig, c.SchedulerLines
	case descheduler.DeschedulerObject:
		file, lines = c.DeschedulerPolicy, c.DeschedulerLines
	case nodes.AutoscalerObject:
		file, lines = c.AutoscalerAt, c.AutoscalerLines
	}
	if file == "" {
		return "", 0, false
	}
	return file, max(lines[r.Field], 1), true
}
