package render

import (
	"strings"
)

// settleNames gives GitOps releases the IDs that results show, on one side or on both at
// once. One that a single release declares has its plain name, "argocd:FOLDER:NAMESPACE/NAME";
// where several declare one of that name on either side, each has the release that declares
// it in the place of the folder. Those of one name whose settings are all alike, on both
// sides, are one.
func settleNames(sides ...*side) {
	apart := map[string]bool{}
	for _, s := range sides {
		first := map[string]string{}
		for _, r := range s.releases {
			if r.PlainID == "" {
				continue
			}
			of, seen := first[r.PlainID]
			if settings := r.Settings(); !seen {
				first[r.PlainID] = settings
			} else if settings != of {
				apart[r.PlainID] = true
			}
		}
	}
	for _, s := range sides {
		s.rename(apart)
	}
}

// rename gives releases their shown IDs. What declares a release stands before it.
func (s *side) rename(apart map[string]bool) {
	shown, taken := map[string]string{}, map[string]bool{}
	kept := s.without()
	for i, r := range s.releases {
		if r.PlainID == "" {
			taken[r.ID] = true
			kept.take(s, i)
			continue
		}
		id := r.PlainID
		parent := r.Parent
		if to, ok := shown[parent]; ok {
			parent = to
		}
		if apart[r.PlainID] {
			kind, rest, _ := strings.Cut(r.PlainID, ":")
			id = kind + ":" + parent + strings.TrimPrefix(rest, r.IDFolder)
		}
		shown[r.ID] = id
		if taken[id] { // alike in everything
			continue
		}
		taken[id] = true
		s.reword(i, r.ID, id, r.Parent, parent)
		s.releases[i].ID, s.releases[i].Parent = id, parent
		if s.recipes[i] != nil {
			s.recipes[i].Release.ID, s.recipes[i].Release.Parent = id, parent
		}
		kept.take(s, i)
	}
	kept.ignored = s.ignored
	*s = *kept
	s.byID = map[string]int{}
	for i, r := range s.releases {
		s.byID[r.ID] = i
	}
}

// reword puts shown IDs into what was said about a release.
func (s *side) reword(i int, pairs ...string) {
	replace := strings.NewReplacer(pairs...)
	list := func(texts []string) []string {
		out := make([]string, len(texts))
		for k, t := range texts {
			out[k] = replace.Replace(t)
		}
		return out
	}
	s.releases[i].Remarks = list(s.releases[i].Remarks)
	s.outputs[i].Notes = list(s.outputs[i].Notes)
	if f := s.outputs[i].Err; f != nil {
		said := *f
		said.Reason, said.Remedy = replace.Replace(f.Reason), replace.Replace(f.Remedy)
		s.outputs[i].Err = &said
	}
}

// without is a side like this one, without its releases.
func (s *side) without() *side {
	return &side{src: s.src, opt: s.opt, runner: s.runner, found: s.found, spent: s.spent, byID: map[string]int{}}
}

// take adds release i of another side.
func (s *side) take(from *side, i int) {
	s.byID[from.releases[i].ID] = len(s.releases)
	s.releases = append(s.releases, from.releases[i])
	s.recipes = append(s.recipes, from.recipes[i])
	s.failed = append(s.failed, from.failed[i])
	s.outputs = append(s.outputs, from.outputs[i])
}
