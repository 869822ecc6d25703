package side

import (
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
)

// Reword puts shown IDs into the messages about a release.
func (s *Side) Reword(i int, pairs ...string) {
	replace := strings.NewReplacer(pairs...)
	list := func(notes []object.Note) []object.Note {
		out := make([]object.Note, len(notes))
		for k, n := range notes {
			out[k] = n.Reworded(replace.Replace)
		}
		return out
	}
	s.Releases[i].Remarks = list(s.Releases[i].Remarks)
	s.Outputs[i].Notes = list(s.Outputs[i].Notes)
	if f := s.Outputs[i].Err; f != nil {
		said := *f
		said.Reason, said.Remedy = replace.Replace(f.Reason), replace.Replace(f.Remedy)
		s.Outputs[i].Err = &said
	}
}

// Without is a side like this one, without its releases.
func (s *Side) Without() *Side {
	return &Side{Src: s.Src, Opt: s.Opt, Runner: s.Runner, Found: s.Found, ByID: map[string]int{},
		Stands: s.Stands}
}

// Take adds release i of another side.
func (s *Side) Take(from *Side, i int) {
	s.ByID[from.Releases[i].ID] = len(s.Releases)
	s.Releases = append(s.Releases, from.Releases[i])
	s.Recipes = append(s.Recipes, from.Recipes[i])
	s.Failed = append(s.Failed, from.Failed[i])
	s.Outputs = append(s.Outputs, from.Outputs[i])
}

// Drop takes release i out.
func (s *Side) Drop(i int) {
	kept := s.Without()
	kept.Ignored, kept.Waiting, kept.Covered = s.Ignored, s.Waiting, s.Covered
	for k := range s.Releases {
		if k != i {
			kept.Take(s, k)
		}
	}
	*s = *kept
}

// Only lists the releases that another side does not have, of those that discovery found and that were rendered.
func (s *Side) Only(other *Side) []int {
	var out []int
	for i, r := range s.Releases {
		_, both := other.ByID[r.ID]
		o := &s.Outputs[i]
		if !both && r.By.File == "" && !r.Declared && r.PlainID == "" && o.Err == nil && !o.Untouched {
			out = append(out, i)
		}
	}
	return out
}

// Call gives a release another ID, in what it declares as well.
func (s *Side) Call(i int, id string) {
	was := s.Releases[i].ID
	s.Reword(i, was, id)
	s.Releases[i].ID = id
	if s.Recipes[i] != nil {
		s.Recipes[i].Release.ID = id
	}
	for k := range s.Releases {
		if s.Releases[k].Parent == was {
			s.Releases[k].Parent = id
		}
	}
	delete(s.ByID, was)
	s.ByID[id] = i
}

// Repeat adds release i once more, under another ID.
func (s *Side) Repeat(i int, id string) {
	r := s.Releases[i]
	r.ID, r.Kept = id, false
	s.ByID[id] = len(s.Releases)
	s.Releases, s.Recipes = append(s.Releases, r), append(s.Recipes, s.Recipes[i].As(r))
	s.Failed, s.Outputs = append(s.Failed, s.Failed[i]), append(s.Outputs, s.Outputs[i])
}

// Place is a release of a side.
type Place struct {
	Side *Side
	At   int
}

// Place is that of release i.
func (s *Side) Place(i int) Place { return Place{s, i} }

// Alike reports whether two sides of a release depend on the same, and all of that is known.
func Alike(a, b Place) bool { return a.Side.Failed[a.At] == nil && Same(a, b) }

// Same reports whether two sides of a release depend on the same, as far as it can be read: what fails for the same
// reason after the same reads does not differ. Where the time ended, little was read.
func Same(a, b Place) bool {
	f, g := a.Side.Failed[a.At], b.Side.Failed[b.At]
	return a.Side.Releases[a.At].Delivery.Alike(b.Side.Releases[b.At].Delivery) &&
		(f == nil) == (g == nil) && (f == nil || *f == *g && !f.Cut) &&
		a.Side.Recipes[a.At].Digest() == b.Side.Recipes[b.At].Digest()
}

// FetchLater gathers a release once more where something of it was not fetched.
func (s *Side) FetchLater(i int) {
	if s.Failed[i] != nil || !s.Recipes[i].Later {
		return
	}
	s.gather(i)
}

// gather reads what release i needs. One that was made of git repositories is known from then on.
func (s *Side) gather(i int) {
	s.Recipes[i], s.Failed[i] = gather(s.Src, s.Releases[i])
	if s.Releases[i].Settle != nil && s.Recipes[i].Release.Settle == nil {
		s.Releases[i] = s.Recipes[i].Release
	}
	s.withDeclaration(i)
}

// withDeclaration makes the object that declares a release one of its files.
func (s *Side) withDeclaration(i int) {
	if says := s.Releases[i].Says; says != nil {
		for p, b := range says {
			s.Recipes[i].Beside(p, b)
		}
		return
	}
	if by := s.Releases[i].By.File; by != "" {
		if b, err := s.Src.Read(by); err == nil {
			s.Recipes[i].Beside(by, b)
		}
	}
	if p := s.Releases[i].DefinedIn; p != "" {
		if b, err := s.Src.Read(p); err == nil {
			s.Recipes[i].Beside(p, b)
		}
	}
}

// Awaken notes that release i was rendered later than those around it.
func (s *Side) Awaken(i int) {
	s.Awake = append(s.Awake, i)
	if s.Outputs[i].Err == nil {
		s.Outputs[i].Docs = document.Expand(s.Outputs[i].Docs)
		s.Found.Remember(s.Releases[i], s.Recipes[i], s.Outputs[i].Docs)
	}
}
