package pair

import (
	"cmp"
	"path"
	"slices"

	"github.com/kubesettle/kubesettle/render/diff"
	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/side"
)

// mostMoves is how many releases one that is gone is compared with: those with most objects of its names.
const mostMoves = 16

// move is a release of base that may be one of head in another place.
type move struct {
	from, to int  // places in the lists
	shared   int  // objects of one name
	like     int  // in thousandths
	renamed  bool // the last folder has another name
}

// FollowMoves gives a discovered release of base that head has no more the ID of one that only head has and that has
// its objects: its folder was renamed, and nothing of it is new or gone. Of several the likest counts, each is taken
// once.
func FollowMoves(base, head *side.Side) {
	at := map[docName][]int{} // releases of head alone, by what they hold
	for _, i := range head.Only(base) {
		for name := range named(head.Outputs[i].Docs) {
			at[name] = append(at[name], i)
		}
	}
	var moves []move
	for _, k := range base.Only(head) {
		moves = append(moves, movesOf(base, head, k, at)...)
	}
	slices.SortStableFunc(moves, func(a, b move) int {
		return cmp.Or(b.like-a.like, rank(a.renamed)-rank(b.renamed), a.from-b.from, a.to-b.to)
	})
	left, taken := map[int]bool{}, map[int]bool{}
	for _, m := range moves {
		if !left[m.from] && !taken[m.to] {
			left[m.from], taken[m.to] = true, true
			base.Call(m.from, head.Releases[m.to].ID)
		}
	}
}

// movesOf lists what release k of base may be now.
func movesOf(base, head *side.Side, k int, at map[docName][]int) []move {
	was, docs := base.Releases[k], named(base.Outputs[k].Docs)
	shared := map[int]int{}
	for name := range docs {
		for _, i := range at[name] {
			shared[i]++
		}
	}
	var out []move
	for i, n := range shared {
		if is := head.Releases[i]; is.Kind == was.Kind {
			out = append(out, move{from: k, to: i, shared: n, renamed: path.Base(is.Path) != path.Base(was.Path)})
		}
	}
	slices.SortFunc(out, func(a, b move) int {
		return cmp.Or(b.shared-a.shared, rank(a.renamed)-rank(b.renamed), a.to-b.to)
	})
	out = out[:min(len(out), mostMoves)]
	for n := range out {
		out[n].like = likeDocs(docs, named(head.Outputs[out[n].to].Docs))
	}
	return slices.DeleteFunc(out, func(m move) bool { return float64(m.like) < 1000*diff.RenameThreshold })
}

func rank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// docName is the identity of an object, without the version of its API.
type docName struct{ group, kind, namespace, name string }

// named are documents by name; of several of one the last counts.
func named(docs []document.Document) map[docName]map[string]any {
	out := map[docName]map[string]any{}
	for i := range docs {
		out[nameOf(docs[i].Content)] = docs[i].Content
	}
	return out
}

func nameOf(c map[string]any) docName {
	gv := document.GVK(c)
	return docName{gv.Group, gv.Kind, document.Text(c, "metadata", "namespace"), document.Text(c, "metadata", "name")}
}

// likeDocs is how much of two renderings is alike, in thousandths: the likeness of the objects of one name, of all.
func likeDocs(a, b map[docName]map[string]any) int {
	like := 0
	for name, x := range a {
		switch y, ok := b[name]; {
		case !ok:
		case document.SameJSON(x, y):
			like += 1000
		default:
			like += int(1000 * diff.Likeness(x, y))
		}
	}
	return 2 * like / max(len(a)+len(b), 1)
}
