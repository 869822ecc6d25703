package verify

import (
	"path"
	"path/filepath"
	"slices"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/control"
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
	sl.controllers = c
	sl.spec.Scheduler, sl.spec.Descheduler = c.Scheduler, c.Descheduler
	if c.Scheduler != nil {
		named, topologies := c.Scheduler.NodeKeys()
		for _, key := range named {
			sl.keys[key], sl.values[key] = true, true
		}
		for _, key := range topologies {
			sl.keys[key] = true
		}
	}
	sl.spec.ClusterAutoscaler = c.ClusterAutoscaler
	if g := c.GitOps; g != nil {
		ignored := slices.Contains(g.IgnoreDifferences, "/spec/replicas")
		sl.spec.GitOps = &state.GitOps{SelfHeal: g.SelfHeal, IgnoreReplicas: ignored, KeepReplicas: ignored && g.RespectIgnore}
	}
	if c.Descheduler == nil {
		return
	}
	for _, key := range c.Descheduler.NodeKeys() {
		sl.keys[key], sl.values[key] = true, true
	}
}

// configured resolves a reference into a controller's own configuration file.
func (sl *slice) configured(r control.Ref) (Because, bool) {
	file, lines := "", map[string]int(nil)
	switch c := &sl.controllers; r.Object {
	case control.SchedulerObject:
		file, lines = c.SchedulerConfig, c.SchedulerLines
	case control.DeschedulerObject:
		file, lines = c.DeschedulerPolicy, c.DeschedulerLines
	}
	if file == "" {
		return Because{}, false
	}
	return Because{File: file, Line: max(lines[r.Field], 1), Field: r.Field}, true
}
