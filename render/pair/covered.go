package pair

import (
	"fmt"
	"path"
	"slices"

	"github.com/kubesettle/kubesettle/render/discover"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/side"
)

// DropCovered removes discovered releases that a GitOps object declares with its own settings, with the releases that
// they declare: the covering release renders their files and declares those too. A release of base that nothing covers
// there is kept, unless it is covered unchanged.
func DropCovered(s *side.Side, base *side.Side) {
	c := Coverers(s)
	if base != nil {
		keepUncovered(s, c, base)
	}
	kept := s.Without()
	kept.Ignored, kept.Covered = s.Ignored, map[string]release.Release{}
	gone := orphans(s, c)
	for i, r := range s.Releases {
		switch k, covered := c[i]; {
		case covered:
			who := s.Releases[k]
			kept.Ignored = append(kept.Ignored, object.Ignored{Path: r.ID, Reason: "rendered by " + who.Selected})
			kept.Covered[r.ID] = who
		case !gone[i]:
			kept.Take(s, i)
		}
	}
	discover.SortIgnored(kept.Ignored)
	*s = *kept
}

// Coverers gives, for each discovered release that a declared one renders, which does.
func Coverers(s *side.Side) map[int]int {
	by, file := map[string]int{}, map[string]int{}
	for i, r := range s.Releases {
		if r.By.File != "" && r.Overlay != nil { // it has them wherever it fails: they are not applied alone
			for _, c := range r.Overlay.Components {
				by["kustomize "+path.Join(r.Path, c)] = i
			}
		}
		if r.By.File == "" || s.Outputs[i].Err != nil {
			continue
		}
		by[string(r.Kind)+" "+r.Path] = i
		if r.Kind == object.Helm {
			continue // its files are those that declare it
		}
		for _, f := range r.Files {
			file[f] = i
			if r.Kind == object.Kustomize {
				by["kustomize "+f] = i
			}
		}
	}
	out := map[int]int{}
	for i, r := range s.Releases {
		if r.By.File != "" || r.Declared {
			continue
		}
		k, ok := by[string(r.Kind)+" "+r.Path]
		if r.Kind == object.Manifests && !ok {
			k, ok = coveringAll(r.Files, file)
		}
		if ok {
			out[i] = k
		}
	}
	return out
}

// coveringAll is what renders the last of some files, where each is rendered by something.
func coveringAll(files []string, by map[string]int) (k int, ok bool) {
	for _, f := range files {
		if k, ok = by[f]; !ok {
			return 0, false
		}
	}
	return k, ok
}

// orphans are the releases that go with what declares them. Not those through which this is
// covered, as Flux's own Kustomization is declared in the folder that it renders; nor one whose
// object declares nothing elsewhere.
func orphans(s *side.Side, covered map[int]int) map[int]bool {
	gone := map[int]bool{}
	for i := range s.Releases {
		parent, ok := s.ByID[s.Releases[i].Parent]
		if !ok {
			continue
		}
		k, was := covered[parent]
		if was && !descends(s, k, i) || gone[parent] {
			gone[i] = true
		}
	}
	type line struct {
		file string
		at   int
	}
	there := map[line]bool{}
	for i, r := range s.Releases {
		if _, was := covered[i]; !was && !gone[i] && r.PlainID != "" {
			there[line{r.By.File, r.By.StartLine}] = true
		}
	}
	for i, r := range s.Releases {
		by := line{r.By.File, r.By.StartLine}
		if gone[i] && r.PlainID != "" && !there[by] {
			delete(gone, i)
			there[by] = true
		}
	}
	return gone
}

// descends reports whether release i is release of, or is declared in it at any depth.
func descends(s *side.Side, i, of int) bool {
	for range s.Releases {
		if i == of {
			return true
		}
		within, ok := s.ByID[s.Releases[i].Within]
		if !ok {
			return false
		}
		i = within
	}
	return false
}

// DropLeft removes what discovery finds on this side alone because the GitOps object that renders
// it on the other side is gone, with all that it declares: its removal takes it out of the
// cluster, and nothing here installs it again. One that is still here and does not render, as
// where it is declared in the very folder that it renders, is not gone.
func DropLeft(s *side.Side, other *side.Side) {
	kept, gone := s.Without(), map[string]bool{}
	kept.Ignored, kept.Covered = s.Ignored, s.Covered
	for i, r := range s.Releases {
		who, was := other.Covered[r.ID]
		_, still := s.Covered[r.ID]
		_, here := s.ByID[who.ID]
		switch {
		case was && !still && !here && r.By.File == "" && !r.Declared && !slices.Contains(s.Opt.Paths, r.Path):
			kept.Ignored = append(kept.Ignored,
				object.Ignored{Path: r.ID,
					Reason: fmt.Sprintf("nothing renders it on %s; on %s, %s does", s.Src.Tree.Name(),
						other.Src.Tree.Name(), who.Selected)})
			gone[r.ID] = true
		case gone[r.Parent]:
			gone[r.ID] = true
		default:
			kept.Take(s, i)
		}
	}
	discover.SortIgnored(kept.Ignored)
	*s = *kept
}
