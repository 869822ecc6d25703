package render

import (
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// dropCovered removes discovered releases that a GitOps object declares with its own settings,
// with what they declare: what renders their files declares that too.
// What base has that nothing covers there is kept, unless it is covered as it is.
func (s *side) dropCovered(base *side) {
	c := s.coverers()
	if base != nil {
		s.keepUncovered(c, base)
	}
	kept := s.without()
	kept.ignored, kept.covered = s.ignored, map[string]release.Release{}
	gone := s.orphans(c)
	for i, r := range s.releases {
		switch k, covered := c[i]; {
		case covered:
			who := s.releases[k]
			kept.ignored = append(kept.ignored, object.Ignored{Path: r.ID, Reason: "rendered by " + who.Selected})
			kept.covered[r.ID] = who
		case !gone[i]:
			kept.take(s, i)
		}
	}
	sortIgnored(kept.ignored)
	*s = *kept
}

// coverers gives, for each discovered release that a declared one renders, which does.
func (s *side) coverers() map[int]int {
	by, file := map[string]int{}, map[string]int{}
	for i, r := range s.releases {
		if r.By.File == "" || s.outputs[i].Err != nil {
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
	for i, r := range s.releases {
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
func (s *side) orphans(covered map[int]int) map[int]bool {
	gone := map[int]bool{}
	for i := range s.releases {
		parent, ok := s.byID[s.releases[i].Parent]
		if !ok {
			continue
		}
		k, was := covered[parent]
		if was && !s.descends(k, i) || gone[parent] {
			gone[i] = true
		}
	}
	type line struct {
		file string
		at   int
	}
	there := map[line]bool{}
	for i, r := range s.releases {
		if _, was := covered[i]; !was && !gone[i] && r.PlainID != "" {
			there[line{r.By.File, r.By.StartLine}] = true
		}
	}
	for i, r := range s.releases {
		by := line{r.By.File, r.By.StartLine}
		if gone[i] && r.PlainID != "" && !there[by] {
			delete(gone, i)
			there[by] = true
		}
	}
	return gone
}

// descends reports whether release i is release of, or is declared in it at any depth.
func (s *side) descends(i, of int) bool {
	for range s.releases {
		if i == of {
			return true
		}
		within, ok := s.byID[s.releases[i].Within]
		if !ok {
			return false
		}
		i = within
	}
	return false
}

// dropLeft removes what discovery finds on this side alone because the GitOps object that renders
// it on the other side is gone, with all that it declares: its removal takes it out of the
// cluster, and nothing here installs it anew. One that is still here and does not render, as
// where it is declared in the very folder that it renders, is not gone.
func (s *side) dropLeft(other *side) {
	kept, gone := s.without(), map[string]bool{}
	kept.ignored, kept.covered = s.ignored, s.covered
	for i, r := range s.releases {
		who, was := other.covered[r.ID]
		_, still := s.covered[r.ID]
		_, here := s.byID[who.ID]
		switch {
		case was && !still && !here && r.By.File == "" && !r.Declared && !slices.Contains(s.opt.Paths, r.Path):
			kept.ignored = append(kept.ignored,
				object.Ignored{Path: r.ID,
					Reason: fmt.Sprintf("nothing renders it on %s; on %s, %s does", s.src.Tree.Name(),
						other.src.Tree.Name(), who.Selected)})
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
