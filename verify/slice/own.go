package slice

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/others"
	"github.com/kubesettle/kubesettle/verify/state"
)

// ownOn lists the controllers of the policy that act on a workload.
func ownOn(p *policies.Policy, o *object.Object) []*policies.OwnController {
	if p == nil {
		return nil
	}
	var out []*policies.OwnController
	for i := range p.Controllers.Own {
		c := &p.Controllers.Own[i]
		if c.On != nil && c.On.Selects(o.ID.Kind, o.ID.Namespace, o.ID.Name, labelsOf(o)) {
			out = append(out, c)
		}
	}
	return out
}

// labelsOf are the labels of the object itself.
func labelsOf(o *object.Object) map[string]string {
	out := map[string]string{}
	m, _ := ValueAt(o.Content, "metadata", "labels").(map[string]any)
	for k, v := range m {
		if s, ok := v.(string); ok {
			out[k] = s
		}
	}
	return out
}

// stirsOwn reports whether what a controller of the workload watches is another object on head than on base.
func stirsOwn(p *policies.Policy, o *object.Object, sides [2]side) bool {
	return slices.ContainsFunc(ownOn(p, o),
		func(c *policies.OwnController) bool { return c.Watches != "" && differs(sides, c.Watches) })
}

// differs reports whether both versions have an object, and not the same.
func differs(sides [2]side, id string) bool {
	b, h := sides[state.Base].byID[id], sides[state.Head].byID[id]
	return b != nil && h != nil && !reflect.DeepEqual(b.Content, h.Content)
}

// declare gives the slice the cluster's feature gates, and adds the controllers that the policy declares: one loop for
// each workload that a controller acts on, and those that write what the loops watch.
func (sl *Slice) declare(p *policies.Policy, sides [2]side) {
	if sl.own = p; p == nil {
		return
	}
	sl.takeDeclared(p)
	for i := range sl.Workloads {
		for v := range sl.Workloads[i].Manifests {
			p.Cluster.Gated.Apply(&sl.Workloads[i].Manifests[v])
		}
	}
	enter := func(c *policies.OwnController, workload string, acts [2]bool) {
		d := c.Declared(p, workload)
		d.Acts = acts
		for v, s := range sides {
			if o := s.byID[c.Watches]; o != nil {
				sl.keep(v, o)
			}
		}
		d.Differs = c.Watches != "" && differs(sides, c.Watches)
		sl.Spec.Declared = append(sl.Spec.Declared, d)
		keys, terminating := c.Looks()
		for _, key := range keys {
			sl.Keys[key], sl.Values[key] = true, true
		}
		sl.Spec.CountsTerminating = sl.Spec.CountsTerminating || terminating
	}
	for i := range sl.Workloads {
		w := &sl.Workloads[i]
		for _, c := range ownOf(p, w, sides) {
			var acts [2]bool
			for v, s := range sides {
				o := s.Workloads[w.ID]
				acts[v] = o != nil && slices.Contains(ownOn(p, o), c)
			}
			enter(c, w.ID, acts)
			for v := range w.Manifests {
				b := &w.Manifests[v].Bounds
				if c.Does != state.SetReplicas || !acts[v] {
					continue
				}
				if b.Max == 0 {
					b.Min = c.Min
				}
				b.Min, b.Max = min(b.Min, c.Min), max(b.Max, c.Max)
			}
		}
	}
	for i := range p.Controllers.Own {
		c := &p.Controllers.Own[i]
		if c.Does == state.WriteObject &&
			slices.ContainsFunc(sl.Spec.Declared, func(d state.Declared) bool { return d.Watches == c.Writes }) {
			enter(c, "", [2]bool{})
		}
	}
}

// ownOf lists the controllers of a workload in either version, each once, in the order of the file.
func ownOf(p *policies.Policy, w *state.Workload, sides [2]side) []*policies.OwnController {
	var out []*policies.OwnController
	for _, s := range sides {
		if o := s.Workloads[w.ID]; o != nil {
			for _, c := range ownOn(p, o) {
				if !slices.Contains(out, c) {
					out = append(out, c)
				}
			}
		}
	}
	slices.SortFunc(out,
		func(a, b *policies.OwnController) int { return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line) })
	return out
}

// OwnConfigured resolves a reference to a controller of the policy file.
func (sl *Slice) OwnConfigured(r actor.Ref) (file string, line int, ok bool) {
	if sl.own == nil || !strings.HasPrefix(r.Object, others.Object("")) {
		return "", 0, false
	}
	return sl.own.OwnLine(strings.TrimPrefix(r.Object, others.Object("")), r.Field)
}

// RestartsOn reports whether a declared controller restarts a workload when an object, by its ID, changes.
func RestartsOn(p *policies.Policy, o *object.Object, id string) bool {
	return slices.ContainsFunc(ownOn(p, o),
		func(c *policies.OwnController) bool { return c.Does == state.Restart && c.Watches == id })
}
