package render

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
)

// budgetFiles are folders of some ConfigMaps each.
func budgetFiles(text string, folders map[string]int) map[string]string {
	out := map[string]string{}
	for dir, n := range folders {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s%d}\ndata: {a: %s}\n---\n", dir, i, text)
		}
		out[dir+"/a.yaml"] = b.String()
	}
	return out
}

// The budget of objects leaves out the same releases with any number of workers: what base has comes before what head
// adds, so that adding takes nothing away, and what does not fit any more is the change's doing unless base is full, too.
func TestObjectsAreRenderedUpToABudget(t *testing.T) {
	folders := map[string]int{}
	for i := range 40 {
		folders[fmt.Sprintf("m%02d", i)] = 2
	}
	base := budgetFiles("one", folders)
	with := func(more map[string]int) map[string]string {
		out := budgetFiles("two", folders)
		for f, text := range budgetFiles("two", more) {
			out[f] = text
		}
		return out
	}
	for name, c := range map[string]struct {
		head       map[string]string
		most       int
		left, both int // releases left out on head, and on base too
		broke      int // of them those that are the change's doing
	}{
		"all fit":               {with(nil), 100, 0, 0, 0},
		"head adds a large one": {with(map[string]int{"a": 100, "z": 1}), 90, 0, 0, 0},
		"head adds many":        {with(many(64)), 90, 48, 0, 48},
		"base itself is full":   {with(nil), 40, 8, 8, 0},
		"and head adds to it":   {with(map[string]int{"a": 1}), 40, 9, 8, 1},
		"a release grows on head": {func() map[string]string {
			h := with(nil)
			h["m00/a.yaml"] = budgetFiles("two", map[string]int{"m00": 60})["m00/a.yaml"]
			return h
		}(), 70, 24, 0, 24},
	} {
		var first string
		for _, workers := range []int{1, 4} {
			var revs []*object.Revision
			var trees []tree.Tree
			for _, files := range []map[string]string{base, c.head} {
				m, err := tree.Map("t", files)
				if err != nil {
					t.Fatal(err)
				}
				trees = append(trees, m)
			}
			b, h, err := RenderBoth(context.Background(), trees[0], trees[1], Options{Workers: workers, MaxObjects: c.most})
			if err != nil {
				t.Fatal(err)
			}
			ch, err := Diff(b, h)
			if err != nil {
				t.Fatal(err)
			}
			revs = append(revs, b, h)
			var left [2][]string
			broke := 0
			for i, rev := range revs {
				for _, r := range rev.Releases {
					if r.Err == nil {
						continue
					}
					if left[i] = append(left[i], r.ID); i == 1 {
						k := slices.IndexFunc(b.Releases, func(o *object.Rendered) bool { return o.ID == r.ID })
						var was *object.Rendered
						if k >= 0 {
							was = b.Releases[k]
						}
						if Broke(ch, was, r) {
							broke++
						}
					}
				}
			}
			if len(left[1]) != c.left || len(left[0]) != c.both || broke != c.broke {
				t.Errorf("%s, %d workers: left out on base %v, on head %v, %d by the change", name, workers, left[0], left[1], broke)
			}
			if first == "" {
				first = fmt.Sprint(left)
			} else if fmt.Sprint(left) != first {
				t.Errorf("%s: with %d workers %v, with one %s", name, workers, left, first)
			}
		}
	}
}

func many(n int) map[string]int {
	out := map[string]int{}
	for i := range n {
		out[fmt.Sprintf("a%02d", i)] = 1
	}
	return out
}
