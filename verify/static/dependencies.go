package static

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/verify/judge"
)

// delivered are the releases of one side by what delivers them: a tool, and the namespace and name of its object.
func delivered(rev *render.Revision) map[string][]*render.Rendered {
	out := map[string][]*render.Rendered{}
	if rev == nil {
		return out
	}
	for _, r := range rev.Releases {
		if r.Delivery.Tool != "" {
			k := deliverer(r, r.Delivery.Name)
			out[k] = append(out[k], r)
		}
	}
	return out
}

func deliverer(r *render.Rendered, name string) string { return string(r.Delivery.Tool) + " " + name }

// dependencies says which releases wait for one that the change takes away, or in a circle.
//
// Upstream: kustomize-controller, (*KustomizationReconciler).checkDependencies; helm-controller the same; fluxcd/pkg,
// runtime/dependency: Sort, whose circles are never ready.
func dependencies(ch *render.Changes) []Remark {
	if ch.Base == nil {
		return nil
	}
	base, head := delivered(ch.Base), delivered(ch.Head)
	var out []Remark
	for _, r := range ch.Head.Releases {
		for i, name := range r.Delivery.DependsOn {
			on := deliverer(r, name)
			path := fmt.Sprintf("spec.dependsOn[%d]", i)
			switch {
			case len(head[on]) == 0 && len(base[on]) > 0:
				if o := declaringObject(ch.Head, r); o != nil {
					out = append(out, Remark{
						Rule: rules.ApplyStuck, release: o.Release, Object: o, status: judge.New, paths: []string{path},
						causes: removal(ch, base[on][0]),
						text:   fmt.Sprintf("%s waits for %s, which the change removes: it is no longer applied", o.ID, name),
					})
				}
			case circular(head, r, on) &&
				!slices.ContainsFunc(base[deliverer(r, r.Delivery.Name)], func(b *render.Rendered) bool {
					return slices.Contains(b.Delivery.DependsOn, name)
				}):
				if o := declaringObject(ch.Head, r); o != nil {
					out = append(out, Remark{
						Rule: rules.ApplyStuck, release: o.Release, Object: o, status: judge.New, paths: []string{path},
						text: fmt.Sprintf("%s waits for %s, which waits for it: neither is applied any longer", o.ID, name),
					})
				}
			}
		}
	}
	return out
}

// circular reports whether what a release depends on depends on it in turn.
func circular(all map[string][]*render.Rendered, r *render.Rendered, on string) bool {
	self := deliverer(r, r.Delivery.Name)
	seen, todo := map[string]bool{}, []string{on}
	for len(todo) > 0 {
		k := todo[0]
		todo = todo[1:]
		if k == self {
			return slices.ContainsFunc(all[self], func(x *render.Rendered) bool {
				return slices.ContainsFunc(x.Delivery.DependsOn, func(n string) bool { return deliverer(x, n) == on })
			})
		}
		if seen[k] {
			continue
		}
		seen[k] = true
		for _, x := range all[k] {
			for _, n := range x.Delivery.DependsOn {
				todo = append(todo, deliverer(x, n))
			}
		}
	}
	return false
}

// declaringObject is the GitOps object that declares a release; nil where it was not rendered.
func declaringObject(rev *render.Revision, r *render.Rendered) *render.Object {
	kind := map[render.Tool]string{render.ArgoCD: "Application", render.Flux: "Kustomization",
		render.FluxHelmRelease: "HelmRelease"}[r.Delivery.Tool]
	name := r.Delivery.Name
	if r.Delivery.Set != "" {
		kind, name = "ApplicationSet", setName(r.Delivery.Set)
	}
	for _, x := range rev.Releases {
		for _, o := range x.Objects {
			if o.ID.Kind == kind && strings.Contains(o.ID.Group, ".") && strings.HasSuffix(name, "/"+o.ID.Name) &&
				(x.ID == r.Parent || o.Source.File == r.By.File) {
				return o
			}
		}
	}
	return nil
}

// setName is "namespace/name" of an ApplicationSet, of the ID by which a release knows it.
func setName(id string) string { return id[strings.LastIndex(id, ":")+1:] }

// removal is what is blamed for a release that is gone: the object that declared it.
func removal(ch *render.Changes, r *render.Rendered) []cause {
	if o := declaringObject(ch.Base, r); o != nil {
		return []cause{{object: o}}
	}
	return nil
}
