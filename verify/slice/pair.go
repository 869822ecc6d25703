package slice

import (
	"slices"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Pair is one release on both sides.
type Pair struct {
	ID         string
	Base, Head *object.Rendered
	Instead    map[*object.Object]*object.Object // nil: nothing is there
}

// Pairs matches releases by ID, in order.
func Pairs(ch *object.Changes) []Pair {
	byID := map[string]*Pair{}
	var ids []string
	at := func(id string) *Pair {
		if byID[id] == nil {
			byID[id] = &Pair{ID: id}
			ids = append(ids, id)
		}
		return byID[id]
	}
	if ch.Base != nil {
		for _, x := range ch.Base.Releases {
			at(x.ID).Base = x
		}
	}
	for _, x := range ch.Head.Releases {
		at(x.ID).Head = x
	}
	slices.Sort(ids)
	out := make([]Pair, len(ids))
	for i, id := range ids {
		out[i] = *byID[id]
	}
	return out
}

// Anew reports whether all of a release counts as changed: it is new, or base has nothing to compare it with. For a new
// chart with an undeclared setting, only the objects that the setting shows count.
func (p Pair) Anew() bool {
	if p.Base != nil {
		return p.Base.Err != nil
	}
	return p.Head == nil || p.Head.Switched == ""
}

// Comparable reports whether head rendered; a base that did not is left out of account.
func (p Pair) Comparable() bool {
	if p.Head == nil { // the release was removed: nothing of it is left to check
		return false
	}
	return p.Head.Err == nil
}

func (p Pair) Objects(v state.Version) []*object.Object {
	side := p.Head
	if v == state.Base {
		side = p.Base
	}
	if side == nil || side.Err != nil {
		return nil
	}
	if !slices.ContainsFunc(side.Objects, func(o *object.Object) bool { _, other := p.Instead[o]; return other }) {
		return side.Objects
	}
	var out []*object.Object
	for _, o := range side.Objects {
		if there, other := p.Instead[o]; other {
			o = there
		}
		if o != nil {
			out = append(out, o)
		}
	}
	return out
}
