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
	if dir := path.Dir(filepath.ToSlash(p.File)); c.DeschedulerPolicy != "" && !path.IsAbs(dir) {
		c.DeschedulerPolicy = path.Join(dir, c.DeschedulerPolicy)
	}
	sl.controllers = c
	sl.spec.Descheduler = c.Descheduler
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
	if r.Object != control.DeschedulerObject || sl.controllers.DeschedulerPolicy == "" {
		return Because{}, false
	}
	return Because{File: sl.controllers.DeschedulerPolicy, Line: max(sl.controllers.DeschedulerLines[r.Field], 1), Field: r.Field}, true
}
