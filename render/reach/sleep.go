package reach

import (
	"bytes"
	"encoding/json"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/gitops"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// A release that is the same on both sides and declares HelmReleases alone sleeps: all that
// those are made of stands in it, or in objects of other releases. It is woken, and rendered
// after all, where such an object may change, and where something that changes looks for an
// object that it may hold.

// sleeper is a release that is not rendered as long as none of its objects is looked for.
type sleeper struct {
	onBase, onHead int
	woken          bool
}

var (
	// nameText is a name as it stands in a file, also behind an anchor.
	nameText = regexp.MustCompile(`(?m)name["']?[ \t]*:[ \t]*(?:&\S+[ \t]+)?["']?([^\s"',{}\[\]]+)`)
	// kindLine is the kind of an object that stands by itself in a document.
	kindLine = regexp.MustCompile(`(?m)^kind:[ \t]*["']?([A-Za-z]+)`)
	// anchorText is a value with an anchor.
	anchorText = regexp.MustCompile(`&([^\s,\[\]{}]+)[ \t]+["']?([^\s"',{}\[\]]+)`)
	// renamers are the fields that give the objects of a kustomization other names than their files do.
	renamers = [][]byte{[]byte("namePrefix"), []byte("nameSuffix"), []byte("fixTransformer"), []byte("replacements"),
		[]byte("transformers"), []byte("generators"), []byte("/metadata/name")}
	helmGroup   = []byte("helm.toolkit.fluxcd.io/")
	sourceGroup = []byte("source.toolkit.fluxcd.io/")
	buildGroup  = []byte("kustomize.toolkit.fluxcd.io/")
	dataKinds   = []string{"ConfigMap", "Secret"}
)

// sleeps reports whether release i of head, which is k of base and equal to it, may sleep.
func (r *reach) sleeps(k, i int) bool {
	j := r.base.Recipes[k]
	if j.Release.Kind == object.Helm || j.Release.Kind == release.Templates || r.wanted(j) {
		return false
	}
	r.sleepers = append(r.sleepers, &sleeper{onBase: k, onHead: i})
	return true
}

// mayHold reports whether a recipe may give an object of a kind that others refer to by its name.
func mayHold(j *release.Recipe, kind, name string) bool {
	alters := sync.OnceValue(func() bool { return altersNames(j) })
	for _, p := range j.Reads() {
		b := j.Files[p]
		makes := slices.Contains(dataKinds, kind) && bytes.Contains(b, []byte("Generator"))
		if !makes && !bytes.Contains(b, []byte(kind)) {
			continue
		}
		for _, doc := range document.Split(b) {
			if !makes && !maybeOfKind(doc.Text, kind) {
				continue
			}
			names, altered := namesIn(doc.Text), alters()
			if altered && len(names) == 0 || slices.ContainsFunc(names, func(n string) bool {
				return n == name || strings.ContainsAny(n, "$*{") || (altered || makes) && strings.Contains(name, n)
			}) {
				return true
			}
		}
	}
	return false
}

// maybeOfKind reports whether a document may be an object of a kind, or hold some: it says so, or does not say plainly
// what it is.
func maybeOfKind(doc []byte, kind string) bool {
	m := kindLine.FindSubmatch(doc)
	if m == nil {
		return bytes.Contains(doc, []byte(kind))
	}
	return string(m[1]) == kind || bytes.HasSuffix(m[1], []byte("List"))
}

// altersNames reports whether what builds a recipe may put something before and behind names, or set others.
func altersNames(j *release.Recipe) bool {
	if j.Release.Kind == object.Helm || j.Release.Kind == release.Templates || len(j.Release.PostRender) > 0 {
		return true
	}
	if o := j.Release.Overlay; o != nil && (o.NamePrefix != "" || o.NameSuffix != "" || len(o.Patches) > 0) {
		return true
	}
	for _, b := range j.Files {
		if containsAny(b, renamers) {
			return true
		}
	}
	return false
}

// namesIn lists the names in a text; one that it cannot follow is "*".
func namesIn(b []byte) []string {
	var list []string
	for _, m := range nameText.FindAllSubmatch(b, -1) {
		n := string(m[1])
		if alias, is := strings.CutPrefix(n, "*"); is {
			n = "*"
			for _, a := range anchorText.FindAllSubmatch(b, -1) {
				if string(a[1]) == alias {
					n = string(a[2])
				}
			}
		}
		list = append(list, n)
	}
	return list
}

// wanted reports whether a release has to be rendered whoever looks: it declares more than
// HelmReleases of fetched charts, says something about other releases, or takes from objects
// that may change.
func (r *reach) wanted(j *release.Recipe) bool {
	settings, err := json.Marshal(&j.Release)
	if err != nil || containsAny(settings, repositoryName) || r.marked(settings) ||
		gitops.Versioned(settings, buildGroup, false) {
		return true
	}
	for _, p := range j.Reads() {
		b := j.Files[p]
		switch {
		case j.Declares[p]:
		case declaresForArgo(b), gitops.Versioned(b, buildGroup, false), bytes.Contains(b, []byte("HelmChart")),
			containsAny(b, repositoryName), r.marked(b), r.lost && containsText(b, r.base.Opt.Leftovers):
			return true
		case r.texts.data && bytes.Contains(b, []byte("valuesFrom")):
			return true
		case bytes.Contains(b, helmGroup) && containsText(b, r.texts.sources):
			return true
		}
	}
	return false
}

func containsAny(b []byte, marks [][]byte) bool {
	return slices.ContainsFunc(marks, func(m []byte) bool { return bytes.Contains(b, m) })
}

func containsText(b []byte, marks []string) bool {
	return slices.ContainsFunc(marks, func(m string) bool { return bytes.Contains(b, []byte(m)) })
}

// wake renders the sleepers that may hold an object which is looked for.
func (r *reach) wake(kind, name string) {
	if r.asked[kind+" "+name] {
		return
	}
	r.asked[kind+" "+name] = true
	for _, s := range r.sleepers {
		if !s.woken && mayHold(r.base.Recipes[s.onBase], kind, name) {
			r.rouse(s)
		}
	}
}

// rouse renders a sleeper, once for both sides.
func (r *reach) rouse(s *sleeper) {
	if s.woken {
		return
	}
	s.woken = true
	dry := r.base.Src.Dry
	r.base.Src.Dry, r.head.Src.Dry = false, false
	r.base.FetchLater(s.onBase)
	r.base.Run(s.onBase)
	r.share(r.base.Place(s.onBase), r.head.Place(s.onHead))
	r.base.Src.Dry, r.head.Src.Dry = dry, dry
	r.base.Awaken(s.onBase)
	r.head.Awaken(s.onHead)
}

// changedTexts is what the releases that differ between the sides may say to others.
type changedTexts struct {
	data    bool     // ConfigMaps or Secrets
	sources []string // names of Flux sources; "" is any
}

// learn reads a release that differs from the other side's, which is nil where that has none.
func (c *changedTexts) learn(j, twin *release.Recipe) {
	differs := func(p string) bool { return twin == nil || !bytes.Equal(twin.Files[p], j.Files[p]) }
	// Whether all that it builds may differ, and not the files that do alone.
	all := twin == nil || !reflect.DeepEqual(j.Release, twin.Release) || !slices.ContainsFunc(j.Reads(), differs)
	for p, b := range j.Files {
		c.data = c.data || containsAny(b, referredKinds)
		all = all || differs(p) && (source.IsKustomizationName(path.Base(p)) || !source.LooksLikeManifest(b)) ||
			bytes.Contains(b, []byte("replacements"))
	}
	for _, p := range j.Reads() {
		b := j.Files[p]
		if !bytes.Contains(b, sourceGroup) || !all && !differs(p) {
			continue
		}
		names := nameText.FindAllSubmatch(b, -1)
		if len(names) == 0 || j.Release.Kind == object.Helm {
			c.sources = append(c.sources, "")
		}
		for _, m := range names {
			if bytes.ContainsAny(m[1], "$") {
				m[1] = nil
			}
			c.sources = append(c.sources, string(m[1]))
		}
	}
}
