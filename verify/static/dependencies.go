package static

import (
	"strings"

	"github.com/kubesettle/kubesettle/render/object"
)

// delivered are the releases of one side by what delivers them: a tool, and the namespace and name of its object.
func delivered(rev *object.Revision) map[string][]*object.Rendered {
	out := map[string][]*object.Rendered{}
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

func deliverer(r *object.Rendered, name string) string { return string(r.Delivery.Tool) + " " + name }

// declaringObject is the GitOps object that declares a release; nil where it was not rendered.
func declaringObject(rev *object.Revision, r *object.Rendered) *object.Object {
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

// removal is the culprit for a release that is gone: the object that declared it.
func removal(ch *object.Changes, r *object.Rendered) []cause {
	if o := declaringObject(ch.Base, r); o != nil {
		return []cause{{object: o}}
	}
	return nil
}
