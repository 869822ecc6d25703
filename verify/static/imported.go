package static

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
)

var imports = Analyzer{Name: "import", Rule: rules.ApplyRejected, Run: imported, Compares: true, Whole: true,
	Doc: "an object that comes into a release of Helm, and is in the cluster as another one's"}

// imported says which releases of Helm come to have an object that another release of base put into the cluster: under
// another name or namespace Helm takes it for somebody else's, and refuses the whole release.
//
// Upstream: helm v3.21, pkg/action: existingResourceConflict, checkOwnership. A helmfile and a script uninstall nothing
// that they no longer name.
func imported(p *Pass) []Remark {
	where := p.where()
	head, now := delivered(where.ch.Head), holdings(where.ch.Head)
	var out []Remark
	for _, h := range where.ch.Head.Releases {
		if h.Err != nil || h.Untouched || h.Delivery.Adopts || !helmNames(h) {
			continue
		}
		own, known := map[object.ID]bool{}, true
		for _, b := range where.ch.Base.Releases {
			if b.ID != h.ID && (!helmNames(b) || helmName(b) != helmName(h)) {
				continue
			}
			known = known && b.Err == nil && !b.Untouched
			for _, o := range b.Objects {
				own[keyOf(o)] = true
			}
		}
		for _, b := range where.ch.Base.Releases {
			if !known || b.ID == h.ID || !helmNames(b) || helmName(b) == helmName(h) || !where.alike(b, h) {
				continue
			}
			var list []*object.Object
			for _, o := range h.Objects {
				i := slices.IndexFunc(b.Objects, func(x *object.Object) bool { return keyOf(x) == keyOf(o) })
				if i >= 0 && !own[keyOf(o)] && !o.Hook && !b.Objects[i].Hook && !fromCRDs(o) && !marked(b.Objects[i], h) {
					list = append(list, o)
				}
			}
			if len(list) == 0 {
				continue
			}
			has, stays := now[b.ID]
			goes := stays && !has[keyOf(list[0])] || b.Delivery.Tool != "" && loses(b, head)
			out = append(out, refusedImport(h, b, list, goes))
		}
	}
	return out
}

// helmNames reports whether a release is one that a helmfile or a HelmRelease has Helm install, under a name and in a
// namespace that are known. Scripts do not say which cluster they are for.
func helmNames(r *object.Rendered) bool {
	return newSteps(r).helm && r.By.File != "" && r.Namespace != "" && !strings.Contains(r.ID+r.Name+r.Namespace, "*")
}

func helmName(r *object.Rendered) string { return r.Cluster + " " + r.Namespace + "/" + r.Name }

// alike reports whether a release of base and one of head are declared in one way for one cluster: by one helmfile for
// one environment and context, or as HelmReleases side by side.
func (w *whereabouts) alike(b, h *object.Rendered) bool {
	of := func(r *object.Rendered) string { return r.ID[:strings.LastIndexByte(r.ID, ':')+1] }
	return b.Delivery.Tool == h.Delivery.Tool && b.Delivery.Context == h.Delivery.Context && w.together(b, h) &&
		(b.Delivery.Tool != "" || of(b) == of(h))
}

// refusedImport is about what a release of Helm cannot take over from another release.
func refusedImport(h, b *object.Rendered, list []*object.Object, goes bool) Remark {
	more, unless := "", ", which nothing uninstalls"
	if n := len(list) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	if goes {
		unless = ", unless that one deletes it first"
	}
	return Remark{
		release: h.ID, Object: list[0], paths: []string{"metadata.name"}, Conditional: goes, race: goes, shape: "not owned",
		at: h.By,
		text: fmt.Sprintf("Helm refuses release %s/%s: %s%s is in the cluster and belongs to release %s/%s%s", h.Namespace, h.Name,
			list[0].ID, more, b.Namespace, b.Name, unless),
		remedies: byHand("keep the release's name and namespace, or move its objects by hand before: their annotations " +
			"meta.helm.sh/release-name and meta.helm.sh/release-namespace say whose they are"),
	}
}
