package pair

import (
	"github.com/kubesettle/kubesettle/render/side"
)

// DropAbsent takes out of base what the policy declares in a folder that only head has: the release comes with it, and
// is none that does not render on base.
func DropAbsent(base, head *side.Side) {
	kept := base.Without()
	kept.Ignored, kept.Covered = base.Ignored, base.Covered
	for i, r := range base.Releases {
		comes := r.Declared && r.Path != "." && base.Outputs[i].Err != nil &&
			!base.Src.HasDir(r.Path) && !base.Src.HasFile(r.Path) && head.Src.HasDir(r.Path)
		if !comes {
			kept.Take(base, i)
		}
	}
	*base = *kept
}
