package static

import (
	"fmt"
	"strings"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/state"
	"github.com/kubesettle/kubesettle/verify/validation"
)

var forced = Analyzer{Name: "forced", Rule: rules.DeletedOnTheWay, Run: anew,
	Doc: "what a forced apply deletes to make it again"}

// again says what an apply that forces deletes to make it again, as the change edits what cannot be changed in place:
// all pods of a workload go at once, and a volume goes with its claim.
//
// Upstream: fluxcd/pkg, ssa: (*ResourceManager).Apply, shouldForceApply (spec.force, or the annotation force): an
// object that a dry run refuses as immutable is deleted, and applied once it is gone.
func anew(p *Pass) []Remark {
	before := map[object.ID]*object.Object{}
	for _, o := range p.Objects(state.Base) {
		before[o.ID] = o
	}
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		b := before[o.ID]
		if b == nil || b == o || o.Hook || b.Hook || o.Typed == nil || b.Typed == nil || o.ID.Kind == "Job" {
			continue
		}
		claim := o.ID.Group == "" && o.ID.Kind == "PersistentVolumeClaim"
		at, forced := forces(p.Head, o)
		spec, _ := podSpec(o)
		if !forced || !claim && spec == nil {
			continue
		}
		errs := steadyErrors(o, validation.Update(o.Typed, b.Typed))
		if len(refused(o)) > 0 {
			continue
		}
		if len(errs) == 0 {
			if madeAgain(p.Head.Delivery.Tool, o) && !madeAgain(p.Head.Delivery.Tool, b) {
				out = append(out, Remark{
					Object: o, paths: []string{"metadata.annotations"}, Conditional: true, recovers: true, anew: true,
					text: fmt.Sprintf("%s is deleted and created again by each change of it (Replace=true and Force=true of "+
						"Argo CD): all its pods go at once", o.ID),
					remedies: byHand("leave out Replace=true: Force=true alone deletes only what cannot be changed in place")})
			}
			continue
		}
		field := errs[0].Field
		for _, e := range errs {
			if !strings.HasPrefix(e.Field, "metadata") {
				field = e.Field
				break
			}
		}
		x := Remark{Object: o, paths: []string{sourceField(field)}, Conditional: !claim, recovers: !claim, anew: !claim}
		loss := "all its pods go at once"
		if claim {
			loss = "its volume goes with it"
		}
		x.text = fmt.Sprintf("%s is deleted and created again (%s), as %s cannot be changed in place: %s", o.ID, at, field, loss)
		x.remedies = byHand("leave " + field + " as it is, and make an object of another name beside it")
		out = append(out, x)
	}
	return out
}

// NotRolled are the workloads of which no forecast holds, as "release workload": they are deleted and created again, no
// pod of them becomes ready, or they stay as they are, as their apply is refused.
func NotRolled(list []Remark, refused []Applied) map[string]bool {
	out := map[string]bool{}
	for i := range refused {
		if x := &refused[i]; len(x.Refused) > 0 && !x.again && !x.Drops(x.Refused) {
			out[x.release+" "+x.Head.ID.String()] = true
		}
	}
	for _, x := range list {
		if x.status == finding.New && (x.anew || x.unready && !x.Conditional) {
			out[x.release+" "+x.Object.ID.String()] = true
		}
	}
	return out
}

// forces reports whether an apply deletes an object of release r that it cannot change in place, and what says so.
func forces(r *object.Rendered, o *object.Object) (at string, yes bool) {
	if at, yes = asksForForce(r.Delivery.Tool, o); yes {
		return at, yes
	}
	return "spec.force of Kustomization " + r.Delivery.Name, r.Delivery.Forces
}
