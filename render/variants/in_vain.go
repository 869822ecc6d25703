package variants

import (
	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/kustomize"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/side"
)

// noteInVain notes the values that the change gives a chart and that nothing in the chart reads, and the entries that
// it gives a kustomization and that find nothing there.
func noteInVain(base, head *side.Side) {
	for i, r := range head.Releases {
		k, both := base.ByID[r.ID]
		if head.Opt.Clock.Over() {
			return
		}
		if head.Recipes[i] == nil || head.Outputs[i].Untouched || both && side.Same(base.Place(k), head.Place(i)) {
			continue
		}
		var was *release.Recipe
		if both {
			if was = base.Recipes[k]; was == nil {
				continue
			}
		}
		var docs []document.Document
		if both {
			docs = base.Outputs[k].Docs
		}
		out := &head.Outputs[i]
		out.Notes = append(out.Notes, helm.Unread(was, head.Recipes[i])...)
		if head.Failed[i] == nil && out.Err == nil && len(out.Lost)+len(out.Holes) == 0 {
			out.Notes = append(out.Notes, kustomize.InVain(was, head.Recipes[i], docs, out.Docs)...)
		}
	}
}
