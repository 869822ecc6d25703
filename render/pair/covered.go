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
	s.Stands = map[string]release.Release{}
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

// DropFailed removes the discovered releases that render on neither side where what a GitOps object declares of the
// same folder does not render either: that is one failure, and the folder is applied as it is declared.
func DropFailed(sides ...*side.Side) {
	twice, once := map[string]bool{}, map[string]bool{}
	for _, s := range sides {
		declared := map[string]bool{}
		for i, r := range s.Releases {
			if r.By.File != "" && s.Outputs[i].Err != nil {
				declared[string(r.Kind)+" "+r.Path] = true
			}
		}
		for i, r := range s.Releases {
			switch {
			case r.By.File != "" || r.Declared:
			case s.Outputs[i].Err != nil && declared[string(r.Kind)+" "+r.Path] &&
				!slices.Contains(s.Opt.Paths, r.Path):
				twice[r.ID] = true
			default:
				once[r.ID] = true
			}
		}
	}
	for _, s := range sides {
		for i := len(s.Releases) - 1; i >= 0; i-- {
			if r := s.Releases[i]; r.By.File == "" && twice[r.ID] && !once[r.ID] {
				s.Drop(i)
				s.Ignored = append(s.Ignored,
					object.Ignored{Path: r.ID, Reason: "declared, and does not render as that either"})
			}
		}
		discover.SortIgnored(s.Ignored)
	}
}

// DropLeft removes the releases that discovery finds on this side alone because the GitOps object that renders them on
// the other side is gone, or leaves them out here, with all that they declare: that takes them out of the cluster, and
// nothing here installs them again. An object that is still here and does not render, as where it is declared in the
// very folder that it renders, is not gone; what it declared is here with the other side's settings, and not once more.
func DropLeft(s *side.Side, other *side.Side) {
	kept, gone := s.Without(), map[string]bool{}
	kept.Ignored, kept.Covered = s.Ignored, s.Covered
	carried := map[object.Location]bool{}
	for _, r := range s.Releases {
		by, here := s.ByID[r.Parent]
		if _, both := other.ByID[r.ID]; both && r.By.File != "" && here && s.Outputs[by].Err != nil {
			carried[r.By] = true
		}
	}
	for i, r := range s.Releases {
		_, both := other.ByID[r.ID]
		who, left := leaver(s, other, i)
		switch {
		case left:
			kept.Ignored = append(kept.Ignored,
				object.Ignored{Path: r.ID,
					Reason: fmt.Sprintf("nothing renders it on %s; on %s, %s does", s.Src.Tree.Name(),
						other.Src.Tree.Name(), who.Selected)})
			gone[r.ID] = true
		case gone[r.Parent], !both && r.By.File != "" && carried[r.By]:
			gone[r.ID] = true
		default:
			kept.Take(s, i)
		}
	}
	discover.SortIgnored(kept.Ignored)
	*s = *kept
}

// leaver is the GitOps object that renders a discovered release on the other side, and here is gone or leaves it out.
func leaver(s, other *side.Side, i int) (release.Release, bool) {
	r := s.Releases[i]
	if r.By.File != "" || r.Declared || slices.Contains(s.Opt.Paths, r.Path) {
		return r, false
	}
	if who, was := other.Covered[r.ID]; was {
		_, still := s.Covered[r.ID]
		_, here := s.ByID[who.ID]
		if !still && !here {
			return who, true
		}
	}
	if _, both := other.ByID[r.ID]; both || r.At.File != "" || len(s.Recipes[i].Files) == 0 {
		return r, false
	}
	for k, who := range other.Releases {
		here, is := s.ByID[who.ID]
		if who.By.File != "" && is && s.Outputs[here].Err == nil && s.Recipes[here].Release.Kind == object.Kustomize &&
			within(s.Recipes[i].Files, other.Recipes[k].Files) && !meets(s.Recipes[i].Files, s.Recipes[here].Files) {
			return who, true
		}
	}
	return r, false
}

// within reports whether all files of a recipe are another's, and meets whether some are.
func within(files, of map[string][]byte) bool {
	for f := range files {
		if _, has := of[f]; !has {
			return false
		}
	}
	return true
}

func meets(files, of map[string][]byte) bool {
	for f := range files {
		if _, has := of[f]; has {
			return true
		}
	}
	return false
}
