package render

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// What a change cannot reach is not rendered: where a release's recipe, which is all that its
// output is a function of, is the same on both sides, so is the output. It is rendered all
// the same where its objects may concern other releases: they may declare some, or be what
// one refers to. Nothing is fetched before that is known.

// completeBoth renders of two sides what the change can reach, and what the rendered objects
// declare in turn. What is equal on both sides is rendered once, if at all.
func completeBoth(ctx context.Context, base, head *side) error {
	r := &reach{base: base, head: head, marks: base.opt.Concerns, asked: map[string]bool{}}
	base.found.Wake, head.found.Wake = r.wake, r.wake
	base.found.Await, head.found.Await = r.await, r.await
	r.hold()
	r.whole = base.opt.Whole || configFilesDiffer(base, head)
	if refersToObjects(base.src) || refersToObjects(head.src) {
		r.referred = true
	}
	for depth := 0; ; {
		nb, nh := len(base.releases), len(head.releases)
		base.src.Dry, head.src.Dry = false, false
		if err := r.render(ctx); err != nil {
			return err
		}
		base.src.Dry, head.src.Dry = true, true
		more := false
		for _, s := range []*side{base, head} {
			grew, err := s.declareMore(ctx, r.from(s), depth)
			if err != nil {
				return err
			}
			more = more || grew
		}
		if more {
			depth++
		}
		more = more || len(base.awake)+len(head.awake) > 0 || r.free()
		if !more {
			break
		}
		r.fromBase, r.fromHead = nb, nh
	}
	base.src.Dry, head.src.Dry = false, false
	base.watchSources()
	head.watchSources()
	return nil
}

// reach is a rendering of two sides, as far as it came.
type reach struct {
	base, head         *side
	fromBase, fromHead int      // releases that are yet to be rendered
	marks              []string // of objects that concern other releases
	lost               bool     // a release is gone on head
	referred           bool     // ConfigMaps and Secrets are such, too
	whole              bool     // all that either side has is rendered
	texts              changedTexts
	sleepers           []*sleeper
	asked              map[string]bool // what sleepers were woken for, by kind and name
	waits              map[string]bool // releases that something else is likely to cover, by ID
	freed              []string        // of them those that are rendered next
	missed             map[string]bool // what none of them holds, by kind and name
}

func (r *reach) from(s *side) int {
	if s == r.base {
		return r.fromBase
	}
	return r.fromHead
}

// sidePlace is a release of a side.
type sidePlace struct {
	side *side
	at   int
}

// render renders the releases that came last.
func (r *reach) render(ctx context.Context) error {
	for _, b := range r.base.releases {
		if _, ok := r.head.byID[b.ID]; !ok {
			r.lost = true
		}
	}
	r.compare()
	freshBase, freshHead := r.fresh(r.base, r.fromBase), r.fresh(r.head, r.fromHead)
	var run []sidePlace
	var pairs [][2]sidePlace // what is rendered once, and who shares it
	for _, i := range slices.Sorted(maps.Keys(freshHead)) {
		h := sidePlace{r.head, i}
		k, ok := r.base.byID[r.head.releases[i].ID]
		b := sidePlace{r.base, k}
		switch {
		case r.head.idle(i) && (!ok || r.base.idle(k)):
			r.head.outputs[i].Untouched = true
			if ok {
				r.base.outputs[k].Untouched = true
			}
		case !ok:
			run = append(run, h)
		case !alike(b, h):
			if freshBase[k] {
				run = append(run, b) // first, so that head's is held against it where the time ends
			}
			run = append(run, h)
		case !freshBase[k]:
			pairs = append(pairs, [2]sidePlace{b, h})
		case !r.whole && !r.beside(k) && r.quiet(r.base, k):
			r.base.outputs[k].Untouched, r.head.outputs[i].Untouched = true, true
		case !r.whole && !r.beside(k) && r.sleeps(k, i):
			r.base.outputs[k].Untouched, r.head.outputs[i].Untouched = true, true
		default:
			run = append(run, b)
			pairs = append(pairs, [2]sidePlace{b, h})
		}
	}
	for _, k := range slices.Sorted(maps.Keys(freshBase)) {
		b := sidePlace{r.base, k}
		switch i, ok := r.head.byID[r.base.releases[k].ID]; {
		case r.base.idle(k) && (!ok || r.head.idle(i)):
			r.base.outputs[k].Untouched = true
		case !ok, !freshHead[i] && !alike(b, sidePlace{r.head, i}):
			run = append(run, b)
		case !freshHead[i]:
			pairs = append(pairs, [2]sidePlace{{r.head, i}, b})
		}
	}
	err := parallel(ctx, r.base.opt.Workers, len(run), func(i int) {
		run[i].side.fetchLater(run[i].at)
		run[i].side.run(run[i].at)
	})
	if err != nil {
		return err
	}
	err = parallel(ctx, r.base.opt.Workers, len(pairs), func(i int) {
		r.share(pairs[i][0], pairs[i][1])
	})
	for _, id := range r.freed {
		for _, s := range []*side{r.base, r.head} {
			if i, ok := s.byID[id]; ok && !s.outputs[i].Untouched {
				s.awaken(i)
			}
		}
	}
	r.freed = nil
	return err
}

// share gives a release the output of the other side's.
func (r *reach) share(from, to sidePlace) {
	to.side.fetchLater(to.at) // for where its fields were set
	to.side.outputs[to.at] = from.side.outputs[from.at]
	to.side.outputs[to.at].Shared = true
}

// compare learns what the releases that came last and differ say to others, and wakes those
// that this concerns.
func (r *reach) compare() {
	for _, of := range []struct {
		side, other *side
		from        int
	}{{r.base, r.head, r.fromBase}, {r.head, r.base, r.fromHead}} {
		for i := of.from; i < len(of.side.releases); i++ {
			k, ok := of.other.byID[of.side.releases[i].ID]
			switch {
			case !ok:
				r.texts.learn(of.side.recipes[i], nil)
			case !alike(sidePlace{of.side, i}, sidePlace{of.other, k}):
				r.texts.learn(of.side.recipes[i], of.other.recipes[k])
			}
		}
	}
	for _, s := range r.sleepers {
		if r.wanted(r.base.recipes[s.onBase]) {
			r.rouse(s)
		}
	}
}

// renderAlone renders what the other side has not any more: a release that another one
// covers there; and what its objects declare in turn.
func (s *side) renderAlone(ctx context.Context, other *side) error {
	there := map[string]bool{}
	for _, r := range other.releases {
		there[r.ID] = true
	}
	s.awake = nil
	for i, r := range s.releases {
		if s.outputs[i].Untouched && !there[r.ID] && !s.idle(i) {
			s.awake = append(s.awake, i)
		}
	}
	err := parallel(ctx, s.opt.Workers, len(s.awake), func(k int) {
		i := s.awake[k]
		s.fetchLater(i)
		s.watchSource(i)
		s.run(i)
	})
	if err != nil || len(s.awake) == 0 {
		return err
	}
	return s.completeFrom(ctx, len(s.releases))
}

// alike reports whether two sides of a release depend on the same.
func alike(a, b sidePlace) bool {
	return a.side.releases[a.at].Delivery.Alike(b.side.releases[b.at].Delivery) &&
		a.side.failed[a.at] == nil && b.side.failed[b.at] == nil &&
		a.side.recipes[a.at].Digest() == b.side.recipes[b.at].Digest()
}

// fetchLater gathers a release once more where something of it was not fetched.
func (s *side) fetchLater(i int) {
	if s.failed[i] != nil || !s.recipes[i].Later {
		return
	}
	s.recipes[i], s.failed[i] = gather(s.src, s.releases[i])
	s.withDeclaration(i)
}

// withDeclaration makes the object that declares a release one of its files.
func (s *side) withDeclaration(i int) {
	if says := s.releases[i].Says; says != nil {
		for p, b := range says {
			s.recipes[i].Beside(p, b)
		}
		return
	}
	if by := s.releases[i].By.File; by != "" {
		if b, err := s.src.Read(by); err == nil {
			s.recipes[i].Beside(by, b)
		}
	}
}

// beside reports whether a release of base is rendered for what it puts beside others.
func (r *reach) beside(k int) bool {
	return r.base.opt.Beside != nil && r.base.opt.Beside(r.base.releases[k])
}

// quiet reports whether the objects of a release concern no other one, by what stands in
// everything that it is made of.
func (r *reach) quiet(s *side, i int) bool {
	j := s.recipes[i]
	settings, err := json.Marshal(&j.Release)
	if err != nil {
		return false
	}
	if ref := j.Release.Fetch; ref != nil {
		settings = append(settings, ref.Repository+" "+ref.Name...)
	}
	if r.concerns(settings, j.Release.Kind) {
		return false
	}
	for _, p := range j.Reads() {
		if !j.Declares[p] && r.concerns(helm.PlainText(p, j.Files[p]), j.Release.Kind) {
			return false
		}
	}
	return true
}

// declaring objects name the API group of Argo CD or Flux with a version, in which labels and
// annotations differ; what a chart makes them of names a repository.
var (
	declaringGroup = []byte("argoproj.io/")
	fluxGroup      = []byte("toolkit.fluxcd.io/")
	repositoryName = [][]byte{[]byte("repoURL"), []byte("GitRepository")}
	referredKinds  = [][]byte{[]byte("ConfigMap"), []byte("Secret"), []byte("configMapGenerator"),
		[]byte("secretGenerator")}
)

// concerns reports whether a text may be of objects that concern other releases.
func (r *reach) concerns(b []byte, kind release.Kind) bool {
	if declaresForArgo(b) || versioned(b, fluxGroup, false) {
		return true
	}
	for _, m := range repositoryName {
		if bytes.Contains(b, m) {
			return true
		}
	}
	if r.marked(b) {
		return true
	}
	if r.lost && kind != release.Helm {
		for _, m := range r.base.opt.Leftovers {
			if bytes.Contains(b, []byte(m)) {
				return true
			}
		}
	}
	if r.referred && kind != release.Helm {
		for _, m := range referredKinds {
			if bytes.Contains(b, m) {
				return true
			}
		}
	}
	return false
}

// marked reports whether a text may be of an object that says something about other releases. A label or annotation
// does not that begins as one of the marks: cluster-autoscaler.kubernetes.io/safe-to-evict, karpenter.sh/capacity-type.
func (r *reach) marked(b []byte) bool {
	return slices.ContainsFunc(r.marks, func(m string) bool {
		if strings.HasSuffix(m, "/") {
			return versioned(b, []byte(m), false)
		}
		for rest := b; ; {
			i := bytes.Index(rest, []byte(m))
			if i < 0 {
				return false
			}
			if rest = rest[i+len(m):]; !bytes.HasPrefix(rest, ownDomain) {
				return true
			}
		}
	})
}

// ownDomain follows the name of a component of Kubernetes in the labels and annotations that it reads.
var ownDomain = []byte(".kubernetes.io/")

// declaresForArgo reports whether a text may be of objects of Argo CD that declare releases. Where all documents with
// its API group say plainly that they are others of the group, such as Workflows, it is not.
func declaresForArgo(b []byte) bool {
	if !versioned(b, declaringGroup, true) {
		return false
	}
	return slices.ContainsFunc(document.Split(b), func(doc document.Raw) bool {
		if !versioned(doc.Text, declaringGroup, true) {
			return false
		}
		versions, kinds := anyVersion.FindAllSubmatch(doc.Text, -1), anyKind.FindAllSubmatch(doc.Text, -1)
		return len(versions) == 0 || len(kinds) == 0 ||
			slices.ContainsFunc(versions, func(m [][]byte) bool { return !versioned(m[1], declaringGroup, true) }) ||
			slices.ContainsFunc(kinds, func(m [][]byte) bool {
				kind := wordKind.FindSubmatch(m[1])
				return kind == nil || folderText[string(kind[1])] != nil || bytes.HasSuffix(kind[1], []byte("List"))
			})
	})
}

var (
	anyVersion = regexp.MustCompile(`(?m)^apiVersion:(.*)$`)
	anyKind    = regexp.MustCompile(`(?m)^kind:(.*)$`)
	wordKind   = regexp.MustCompile(`^[ \t]*["']?([A-Za-z]+)["']?[ \t\r]*(?:#.*)?$`)
)

// versioned reports whether an API group stands in a text with a version, or with a template's
// expression in its place; whole: and is no other group's end.
func versioned(b, group []byte, whole bool) bool {
	for {
		i := bytes.Index(b, group)
		if i < 0 {
			return false
		}
		end := i + len(group)
		if end < len(b) && (b[end] == 'v' || b[end] == '{') && !(whole && i > 0 && b[i-1] == '.') {
			return true
		}
		b = b[end:]
	}
}

// refersToObjects reports whether anything in a tree takes settings from ConfigMaps or Secrets
// that another release may hold.
func refersToObjects(s *source.Source) bool {
	return s.AnyText(func(b []byte) bool { // discovery has read every manifest
		return bytes.Contains(b, []byte("valuesFrom")) || bytes.Contains(b, []byte("substituteFrom"))
	})
}

var (
	definitionMark  = []byte("CustomResourceDefinition")
	definitionGroup = regexp.MustCompile(`^ {2}group: *["']?([A-Za-z0-9.-]+)`)
	definitionKind  = regexp.MustCompile(`^ {4}kind: *["']?([A-Za-z0-9]+)`)
	definitionScope = regexp.MustCompile(`^ {2}scope: *["']?(Cluster|Namespaced)`)
)

// learnUnread takes the scopes of custom kinds from the text of a release that is not
// rendered.
func (s scopes) learnUnread(j *release.Recipe) {
	for _, p := range j.Reads() {
		b := j.Files[p]
		if !bytes.Contains(b, definitionMark) {
			continue
		}
		for _, doc := range document.Split(document.UTF8(b)) {
			if !bytes.Contains(doc.Text, definitionMark) {
				continue
			}
			group, kind, scope := definitionNames(doc.Text)
			if group != "" && kind != "" && scope != "" {
				s[group+"/"+kind] = scope == "Cluster"
			} else if v, err := document.DecodeYAML(doc.Text); err == nil { // written in another way
				if m, ok := v.(map[string]any); ok {
					s.learn(expand([]document.Document{{Content: m}}))
				}
			}
		}
	}
}

// definitionNames reads what a definition says of its kind, where it is written as it mostly
// is: line by line, as definitions are the largest files that there are.
func definitionNames(text []byte) (group, kind, scope string) {
	for _, one := range []struct {
		into *string
		mark string
		line *regexp.Regexp
	}{
		{&group, "\n  group:", definitionGroup}, {&kind, "\n    kind:", definitionKind},
		{&scope, "\n  scope:", definitionScope},
	} {
		for rest := text; *one.into == ""; {
			i := bytes.Index(rest, []byte(one.mark))
			if i < 0 {
				break
			}
			rest = rest[i+1:]
			if m := one.line.FindSubmatch(rest); m != nil {
				*one.into = string(m[1])
			}
		}
	}
	return group, kind, scope
}
