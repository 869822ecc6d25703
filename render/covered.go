package render

import (
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/render/source"
)

// dropLeft removes what discovery finds on this side alone because the GitOps object that renders
// it on the other side is gone, with all that it declares: its removal takes it out of the
// cluster, and nothing here installs it anew.
func (s *side) dropLeft(other *side) {
	kept, gone := s.without(), map[string]bool{}
	kept.ignored, kept.covered = s.ignored, s.covered
	for i, r := range s.releases {
		who, was := other.covered[r.ID]
		_, still := s.covered[r.ID]
		switch {
		case was && !still && r.By.File == "" && !r.Declared && !slices.Contains(s.opt.Paths, r.Path):
			kept.ignored = append(kept.ignored, source.Ignored{Path: r.ID, Reason: fmt.Sprintf("nothing renders it on %s; on %s, %s does", s.src.Tree.Name(), other.src.Tree.Name(), who)})
			gone[r.ID] = true
		case gone[r.Parent]:
			gone[r.ID] = true
		default:
			kept.take(s, i)
		}
	}
	sortIgnored(kept.ignored)
	*s = *kept
}
