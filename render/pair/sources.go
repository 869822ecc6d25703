package pair

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/side"
)

// sourceAt is the place of a source at the end of the ID of its release, where an Application has several.
var sourceAt = regexp.MustCompile(`^(argocd:.*?)(?::\d+)?$`)

// MatchSources compares the sources of an Application as what Argo CD makes of them: one set of objects. A source has
// the place in the list as its ID, so a release of base gets the ID of the source of head that has most of its objects,
// wherever that stands now, and an object that went from one source to another is compared with itself.
//
// Upstream: argo-cd, controller: (*appStateManager).CompareAppState joins the manifests of all sources.
func MatchSources(base, head *side.Side) {
	was, is := sourcesOf(base), sourcesOf(head)
	for i := range head.Releases {
		id := application(head, i)
		if from, to := was[id], is[id]; len(from) > 0 && len(to) > 0 && to[0] == i && len(from)+len(to) > 2 {
			matchSources(base, head, id, from, to)
		}
	}
}

// application is what the releases of one Application have in common; "" of others.
func application(s *side.Side, i int) string {
	if m := sourceAt.FindStringSubmatch(s.Releases[i].ID); m != nil && s.Releases[i].By.File != "" {
		return m[1]
	}
	return ""
}

func sourcesOf(s *side.Side) map[string][]int {
	out := map[string][]int{}
	for i := range s.Releases {
		if id := application(s, i); id != "" {
			out[id] = append(out[id], i)
		}
	}
	return out
}

func matchSources(base, head *side.Side, id string, from, to []int) {
	type match struct{ from, to, shared, rank int }
	var all []match
	for n, k := range from {
		had := named(base.Outputs[k].Docs)
		for m, i := range to {
			shared := 0
			for name := range named(head.Outputs[i].Docs) {
				if _, both := had[name]; both {
					shared++
				}
			}
			same := base.Releases[k].ID == head.Releases[i].ID
			moved := base.Releases[k].Path != head.Releases[i].Path
			all = append(all, match{k, i, shared, 2*len(to)*rank(moved) + len(to)*rank(!same) + max(n-m, m-n)})
		}
	}
	slices.SortStableFunc(all, func(a, b match) int { return cmp.Or(b.shared-a.shared, a.rank-b.rank) })
	ids, taken := map[int]string{}, map[int]bool{}
	for _, x := range all {
		if _, done := ids[x.from]; !done && !taken[x.to] {
			ids[x.from], taken[x.to] = head.Releases[x.to].ID, true
		}
	}
	for n, k := range from {
		if ids[k] == "" { // base has more of them
			ids[k] = fmt.Sprintf("%s:%d", id, len(from)+len(to)+n)
		}
		if ids[k] != base.Releases[k].ID {
			base.Call(k, ids[k]+" ") // which no other has, until all have theirs
		}
	}
	for _, k := range from {
		if base.Releases[k].ID != ids[k] {
			base.Call(k, ids[k])
		}
	}
	moveDocs(base, head, from, to)
}

// moveDocs has the objects of base in the source that has them on head.
func moveDocs(base, head *side.Side, from, to []int) {
	at := map[docName]int{}
	for _, i := range to {
		if head.Outputs[i].Err != nil || head.Outputs[i].Untouched {
			return // what it holds is not known
		}
		for name := range named(head.Outputs[i].Docs) {
			at[name] = i
		}
	}
	for _, k := range from {
		var stay []document.Document
		for _, d := range base.Outputs[k].Docs {
			i, there := at[nameOf(d.Content)]
			if !there || head.Releases[i].ID == base.Releases[k].ID {
				stay = append(stay, d)
				continue
			}
			to, has := base.ByID[head.Releases[i].ID]
			if !has {
				base.Repeat(k, head.Releases[i].ID)
				to = len(base.Releases) - 1
				base.Outputs[to].Docs = nil
			}
			if base.Outputs[to].Err != nil || base.Outputs[to].Untouched {
				stay = append(stay, d)
				continue
			}
			base.Outputs[to].Docs = append(slices.Clone(base.Outputs[to].Docs), d)
		}
		base.Outputs[k].Docs = stay
	}
}
