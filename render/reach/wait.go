package reach

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/gitops"
	"github.com/kubesettle/kubesettle/render/kustomize"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/pair"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/side"
)

// A discovered release that a GitOps object renders is dropped in the end, with all that it declares
// ([pair.DropCovered]). So a release whose folder a text names as that of such an object waits until everything else is
// rendered. It is rendered only if it is not covered then, or if an object is looked for that no other release holds.

// folderText is the folder that an object of a kind renders.
var folderText = map[string]*regexp.Regexp{
	"Application":    valueText("path"),
	"ApplicationSet": valueText("path"),
	"Kustomization":  valueText("path"),
	"HelmRelease":    valueText("chart"),
}

// valueText is the value of a field, also behind an anchor.
func valueText(field string) *regexp.Regexp {
	return regexp.MustCompile(field + `["']?[ \t]*:[ \t]*(?:&\S+[ \t]+)?["']?([^\s"',{}\[\]]+)`)
}

// declaringKind is the kind of an object that declares releases.
var declaringKind = regexp.MustCompile(`kind["']?[ \t]*:[ \t]*["']?(Application|ApplicationSet|Kustomization|HelmRelease)\b`)

// hold lets discovered releases wait that are named so on each side that has them.
func (r *reach) hold() {
	r.waits, r.missed = map[string]bool{}, map[string]bool{}
	if r.base.Opt.Whole || len(r.base.Opt.Paths) > 0 {
		return
	}
	onBase, onHead := named(r.base), named(r.head)
	for _, id := range slices.Sorted(maps.Keys(onBase)) {
		if _, there := r.head.ByID[id]; !there || onHead[id] {
			r.waits[id] = true
		}
	}
	for id := range onHead {
		if _, there := r.base.ByID[id]; !there {
			r.waits[id] = true
		}
	}
}

// named are the releases of a side whose folder a text of another one names; of those that name
// each other in a circle one is not.
func named(s *side.Side) map[string]bool {
	to := make([][]int, len(s.Releases))
	isNamed := make([]bool, len(s.Releases))
	at := map[string][]int{} // releases by folder, and by all folders above
	for i, r := range s.Releases {
		if r.Declared || r.By.File != "" || s.Failed[i] != nil {
			continue
		}
		at[r.Path] = append(at[r.Path], i)
		if r.Kind == object.Helm {
			continue
		}
		for p := r.Path; p != "."; {
			p = path.Dir(p)
			at[p] = append(at[p], i)
		}
	}
	for i := range s.Releases {
		for _, dir := range folders(s.Recipes[i]) {
			built := kustomize.FileOf(s.Src, dir) != ""
			for _, k := range at[dir] {
				if k != i && (s.Releases[k].Path == dir || !built) {
					to[i], isNamed[k] = append(to[i], k), true
				}
			}
		}
	}
	return reachedBy(s, to, isNamed)
}

// folders are those that a text of a recipe names, where it may declare releases.
func folders(j *release.Recipe) []string {
	var list []string
	for _, p := range j.Reads() {
		if j.Declares[p] || !declares(j.Files[p]) {
			continue
		}
		for _, doc := range document.Split(j.Files[p]) {
			if kind := declaredKind(doc.Text); kind != "" {
				for _, m := range folderText[kind].FindAllSubmatch(doc.Text, -1) {
					list = append(list, path.Clean(strings.TrimPrefix(string(m[1]), "/")))
				}
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// declares reports whether a text may be of objects of Argo CD or Flux that declare releases.
func declares(b []byte) bool {
	return gitops.Versioned(b, gitops.ArgoGroup, true) || gitops.Versioned(b, buildGroup, false) ||
		gitops.Versioned(b, helmGroup, false)
}

// declaredKind is the kind of the object in a document that declares releases; "" for another one. In a document whose
// kind is not plain, the first such kind that it names counts.
func declaredKind(doc []byte) string {
	if !declares(doc) {
		return ""
	}
	if version := anyVersion.FindSubmatch(doc); version != nil && !declares(version[1]) {
		return ""
	}
	if kind := kindLine.FindSubmatch(doc); kind != nil {
		if folderText[string(kind[1])] == nil {
			return ""
		}
		return string(kind[1])
	}
	if kind := declaringKind.FindSubmatch(doc); kind != nil {
		return string(kind[1])
	}
	return ""
}

// reachedBy are the releases to which unnamed releases lead, in any number of steps. In a circle that they do not lead
// to, the first one counts as unnamed.
func reachedBy(s *side.Side, to [][]int, isNamed []bool) map[string]bool {
	seen, waits := make([]bool, len(to)), map[string]bool{}
	var walk func(i int)
	walk = func(i int) {
		for _, k := range to[i] {
			if !seen[k] {
				seen[k], waits[s.Releases[k].ID] = true, true
				walk(k)
			}
		}
	}
	for _, named := range []bool{false, true} {
		for i := range to {
			if isNamed[i] == named && !seen[i] {
				seen[i] = true
				walk(i)
			}
		}
	}
	return waits
}

// meet lets releases wait that one side declares and the other may declare later: what one is woken by, the other hears
// of a round later. Those that both have by now go on.
func (r *reach) meet() {
	for _, s := range []*side.Side{r.base, r.head} {
		for i := r.from(s); i < len(s.Releases) && r.from(s) > 0; i++ {
			r.single[s.Releases[i].ID] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r.single)) {
		_, onBase := r.base.ByID[id]
		if _, onHead := r.head.ByID[id]; onBase && onHead {
			r.freed = append(r.freed, id)
			delete(r.single, id)
		}
	}
}

// letGo lets the releases go on that only one side turned out to declare, and reports whether there are any. What
// sleeps and declares the same is woken: it tells which of the two is new.
func (r *reach) letGo() bool {
	files := map[string]bool{}
	for _, s := range []*side.Side{r.base, r.head} {
		for id := range r.single {
			if i, ok := s.ByID[id]; ok {
				files[s.Releases[i].By.File] = true
			}
		}
	}
	for _, s := range r.sleepers {
		if slices.ContainsFunc(r.base.Recipes[s.onBase].Reads(), func(f string) bool { return files[f] }) {
			r.rouse(s)
		}
	}
	r.freed = append(r.freed, slices.Sorted(maps.Keys(r.single))...)
	clear(r.single)
	return len(r.freed) > 0
}

// lose learns whether a release of base is gone. What is left of it elsewhere counts from then on.
func (r *reach) lose() {
	if r.lost {
		return
	}
	r.lost = slices.ContainsFunc(r.base.Releases, func(b release.Release) bool {
		_, there := r.head.ByID[b.ID]
		return !there && !r.single[b.ID]
	})
	if !r.lost {
		return
	}
	asleep := map[int]bool{}
	for _, s := range r.sleepers {
		asleep[s.onBase] = true
	}
	for k := range r.fromBase {
		id := r.base.Releases[k].ID
		i, both := r.head.ByID[id]
		if both && !asleep[k] && !r.waits[id] && r.base.Outputs[k].Untouched && r.head.Outputs[i].Untouched &&
			!r.base.Idle(k) && !r.quiet(r.base, k) {
			r.freed = append(r.freed, id)
		}
	}
}

// fresh are the releases of a side from an index on that do not wait, and those that did until now.
func (r *reach) fresh(s *side.Side, from int) map[int]bool {
	out := map[int]bool{}
	for i := from; i < len(s.Releases); i++ {
		if id := s.Releases[i].ID; r.waits[id] || r.single[id] {
			s.Outputs[i].Untouched = true
			continue
		}
		out[i] = true
	}
	for _, id := range r.freed {
		if i, ok := s.ByID[id]; ok {
			out[i], s.Outputs[i].Untouched = true, false
		}
	}
	return out
}

// free lets the waiting releases go on that are not covered on a side, and reports whether there are any.
func (r *reach) free() bool {
	for _, s := range []*side.Side{r.base, r.head} {
		covered := pair.Coverers(s)
		for i, one := range s.Releases {
			if k, ok := covered[i]; r.waits[one.ID] && (!ok || !allDeclaredBy(s, i, k)) {
				r.freed = append(r.freed, one.ID)
				delete(r.waits, one.ID)
			}
		}
	}
	slices.Sort(r.freed)
	return len(r.freed) > 0
}

// allDeclaredBy reports whether what the files of release i declare is declared without it, where
// release k covers it: that may leave an object out. Of one that is not rendered nothing is known to be.
func allDeclaredBy(s *side.Side, i, k int) bool {
	if s.Outputs[k].Untouched {
		return true
	}
	said := map[string]map[int]bool{} // lines by file
	note := func(file string, line int) {
		if said[file] == nil {
			said[file] = map[int]bool{}
		}
		said[file][line] = true
	}
	for _, r := range s.Releases {
		note(r.By.File, r.By.StartLine)
	}
	for _, g := range s.Ignored {
		file, at, _ := strings.Cut(g.Path, ":")
		var line int
		if _, err := fmt.Sscan(at, &line); err == nil {
			note(file, line)
		}
	}
	for _, p := range s.Recipes[i].Reads() {
		if !declares(s.Recipes[i].Files[p]) {
			continue
		}
		n := 0
		for _, raw := range document.Split(s.Recipes[i].Files[p]) {
			if declaredKind(raw.Text) != "" {
				n++
			}
		}
		if n > len(said[p]) {
			return false
		}
	}
	return true
}

// await renders what waits and may hold an object that is looked for, and reports whether there is any.
func (r *reach) await(kind, name string) bool {
	if r.missed[kind+" "+name] {
		return false
	}
	some := false
	for _, id := range slices.Sorted(maps.Keys(r.waits)) {
		k, onBase := r.base.ByID[id]
		i, onHead := r.head.ByID[id]
		if !(onBase && mayHold(r.base.Recipes[k], kind, name)) && !(onHead && mayHold(r.head.Recipes[i], kind, name)) {
			continue
		}
		delete(r.waits, id)
		some = true
		dry := r.base.Src.Dry
		r.base.Src.Dry, r.head.Src.Dry = false, false
		if onBase {
			r.runLate(r.base.Place(k))
		}
		switch {
		case onBase && onHead && side.Alike(r.base.Place(k), r.head.Place(i)):
			r.share(r.base.Place(k), r.head.Place(i))
			r.head.Awaken(i)
		case onHead:
			r.runLate(r.head.Place(i))
		}
		r.base.Src.Dry, r.head.Src.Dry = dry, dry
	}
	r.missed[kind+" "+name] = !some
	return some
}

// runLate renders a release while others are declared.
func (r *reach) runLate(p side.Place) {
	p.Side.FetchLater(p.At)
	p.Side.Run(p.At)
	p.Side.Awaken(p.At)
}
