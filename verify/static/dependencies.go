package static

import (
	"strings"

	"github.com/kubesettle/kubesettle/render"
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

// declaringObject is the GitOps object that declares a release; nil where it was not rendered.
func declaringObject(rev *render.Revision, r *render.Rendered) *render.Object {
	kind, name := r.Delivery.Tool.Kind(), r.Delivery.Name
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
