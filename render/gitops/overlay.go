package gitops

import (
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
)

// overlayPlace locates fields of overlays in the object that declares them: prefixes are those of the overlays' fields
// there, and rename the names of fields.
func (o *declaring) overlayPlace(rename map[string]string, prefixes ...string) func(int,
	fieldpath.Path) object.Location {
	return func(i int, p fieldpath.Path) object.Location {
		if len(p) > 0 && p[0].Index < 0 && rename[p[0].Key] != "" {
			p = append(fieldpath.Path{fieldpath.Key(rename[p[0].Key])}, p[1:]...)
		}
		at := o.place(append(fieldpath.Parse(o.prefix+prefixes[i]), p...).String())
		at.Rung = "patch"
		return at
	}
}
