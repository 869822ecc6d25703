package pair

import (
	"github.com/kubesettle/kubesettle/render/side"
	"strings"
)

// SettleNames gives GitOps releases the IDs that results show, on one side or on both at
// once. One that a single release declares has its plain name, "argocd:FOLDER:NAMESPACE/NAME";
// where several declare one of that name on either side, each has the release that declares
// it in the place of the folder. Those of one name whose settings are all alike, on both
// sides, are one.
func SettleNames(sides ...*side.Side) {
	apart := map[string]bool{}
	for _, s := range sides {
		first := map[string]string{}
		for _, r := range s.Releases {
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
		rename(s, apart)
	}
}

// rename gives releases their shown IDs. The declaring release stands before it.
func rename(s *side.Side, apart map[string]bool) {
	shown, taken := map[string]string{}, map[string]bool{}
	kept := s.Without()
	for i, r := range s.Releases {
		if r.PlainID == "" {
			taken[r.ID] = true
			kept.Take(s, i)
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
		s.Reword(i, r.ID, id, r.Parent, parent)
		s.Releases[i].ID, s.Releases[i].Parent = id, parent
		if s.Recipes[i] != nil {
			s.Recipes[i].Release.ID, s.Recipes[i].Release.Parent = id, parent
		}
		kept.Take(s, i)
	}
	kept.Ignored = s.Ignored
	*s = *kept
	s.ByID = map[string]int{}
	for i, r := range s.Releases {
		s.ByID[r.ID] = i
	}
}
