package locate

import (
	"fmt"
	"path"
	"strings"

	yaml3 "go.yaml.in/yaml/v3"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/kustomize"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/source"
)

// inKustomize finds the line that set a field of a built object. The folders between the root and the file that the
// object is from are searched from the outside in, in each the last applied part first: the first line that gives the
// field its value has won. Kustomize's own annotations name the kustomization, not the patch.
func (l *locator) inKustomize(d document.Document, p fieldpath.Path) object.Location {
	q := query{doc: d, path: p}
	q.value, q.exists = p.Get(d.Content)
	best := hit{depth: -1}
	if q.exists {
		if h := l.overlayHit(l.recipe.Release.Overlay, 0, q); h.exact {
			return h.at
		} else if h.depth > best.depth {
			best = h
		}
		for _, dir := range l.chain(d) {
			if h := l.folderHit(dir, q); h.exact {
				return h.at
			} else if h.depth > best.depth {
				best = h
			}
		}
	}
	base := l.baseHit(d, q)
	if base.exact || base.depth >= best.depth {
		return base.at
	}
	return best.at
}

// query is one field of one object.
type query struct {
	doc    document.Document
	path   fieldpath.Path
	value  any
	exists bool
}

// hit is a place that has to do with a query; exact where it sets the value.
type hit struct {
	at    object.Location
	depth int // steps of the path that it matches
	exact bool
}

// chainKey is what the folders that an object went through depend on.
type chainKey struct {
	origin    string
	generated bool
}

// chain lists the folders that an object went through, outermost first.
func (l *locator) chain(d document.Document) []string {
	key := chainKey{d.Origin, d.Generated}
	l.mu.Lock()
	dirs, ok := l.chains[key]
	l.mu.Unlock()
	if !ok {
		dirs = l.findChain(d)
		l.mu.Lock()
		l.chains[key] = dirs
		l.mu.Unlock()
	}
	return dirs
}

func (l *locator) findChain(d document.Document) []string {
	root := l.recipe.Release.Path
	var find func(dir string, seen map[string]bool) []string
	find = func(dir string, seen map[string]bool) []string {
		k := l.kustomization(dir)
		if k == nil || seen[dir] {
			return nil
		}
		seen[dir] = true
		if d.Generated && d.Origin == k.Path {
			return []string{dir}
		}
		for _, ref := range append(append([]string(nil), k.Resources...), k.Components...) {
			target, in := source.Inside(dir, ref)
			if !in {
				continue
			}
			if target == d.Origin {
				return []string{dir}
			}
			if below := find(target, seen); below != nil {
				return append([]string{dir}, below...)
			}
		}
		return nil
	}
	if c := find(root, map[string]bool{}); c != nil {
		return c
	}
	return []string{root}
}

// kustomization is the parsed kustomization of a folder, or nil.
func (l *locator) kustomization(dir string) *kustomize.File {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k, ok := l.kusts[dir]; ok {
		return k
	}
	var k *kustomize.File
	for _, name := range []string{"kustomization.yaml", "kustomization.yml", "Kustomization"} {
		b, ok := l.recipe.Files[path.Join(dir, name)]
		if !ok {
			continue
		}
		k = &kustomize.File{Path: path.Join(dir, name), Text: b}
		if k.Unmarshal(b) != nil {
			k = nil
		} else {
			k.FixKustomization()
			k.ReplaceRemote(l.recipe.Bases[k.Path])
		}
	}
	if ov := l.recipe.Release.Overlay; k != nil && ov != nil && dir == l.recipe.Release.Path {
		k.Components = append(k.Components, ov.Components...)
	}
	l.kusts[dir] = k
	return k
}

// folderHit searches one folder: its transformations, last first, then its components.
func (l *locator) folderHit(dir string, q query) hit {
	k := l.kustomization(dir)
	if k == nil {
		return hit{depth: -1}
	}
	root := document.Only(l.roots(k.Path))
	if root == nil {
		return hit{depth: -1}
	}
	best := l.hits(k, root, q)
	if best.exact {
		return best
	}
	for i := len(k.Components) - 1; i >= 0; i-- {
		target, in := source.Inside(dir, k.Components[i])
		if !in {
			continue
		}
		if h := l.folderHit(target, q); h.exact {
			return h
		} else if h.depth > best.depth {
			best = h
		}
	}
	return best
}

// hits searches the transformations of one kustomization, last first.
func (l *locator) hits(k *kustomize.File, root *yaml3.Node, q query) hit {
	best := hit{depth: -1}
	for _, try := range []func(*kustomize.File, *yaml3.Node, query) hit{
		l.replacementHit, l.imageHit, l.replicaHit, l.labelHit, l.nameHit, l.patchHits,
	} {
		if h := try(k, root, q); h.exact {
			return h
		} else if h.depth > best.depth {
			best = h
		}
	}
	return best
}

// imageHit is an entry of images that set a container's image.
func (l *locator) imageHit(k *kustomize.File, root *yaml3.Node, q query) hit {
	image, ok := q.value.(string)
	if !ok || len(q.path) == 0 || q.path[len(q.path)-1].Key != "image" {
		return hit{depth: -1}
	}
	for i, e := range k.Images {
		name := e.NewName
		if name == "" {
			name = e.Name
		}
		rest, ok := strings.CutPrefix(image, name)
		if !ok || (rest != "" && rest[0] != ':' && rest[0] != '@') {
			continue
		}
		for _, list := range []string{"images", "imageTags"} {
			node := document.Child(document.Child(root, fieldpath.Key(list)), fieldpath.At(i))
			for field, want := range map[string]string{"newTag": ":" + e.NewTag, "digest": "@" + e.Digest} {
				if n := document.Child(node, fieldpath.Key(field)); n != nil && strings.Contains(rest, want) {
					return hit{setRegion(k.Path, document.Region{Key: document.KeyNode(node, fieldpath.Key(field)), Value: n}),
						len(q.path), true}
				}
			}
			if n := document.Child(node, fieldpath.Key("newName")); n != nil && e.NewTag == "" && e.Digest == "" {
				return hit{setRegion(k.Path, document.Region{Key: document.KeyNode(node, fieldpath.Key("newName")), Value: n}),
					len(q.path), true}
			}
		}
	}
	return hit{depth: -1}
}

// setRegion is a field of a kustomization that sets another object's field.
func setRegion(file string, r document.Region) object.Location {
	loc := document.NodeRegion(file, r, true)
	loc.Rung = "patch"
	return loc
}

// replicaHit is an entry of replicas.
func (l *locator) replicaHit(k *kustomize.File, root *yaml3.Node, q query) hit {
	if q.path.String() != "spec.replicas" {
		return hit{depth: -1}
	}
	for i, e := range k.Replicas {
		if sameName(q.doc.Content, e.Name) && fmt.Sprint(e.Count) == fmt.Sprint(q.value) {
			node := document.Child(document.Child(root, fieldpath.Key("replicas")), fieldpath.At(i))
			if n := document.Child(node, fieldpath.Key("count")); n != nil {
				return hit{setRegion(k.Path, document.Region{Key: document.KeyNode(node, fieldpath.Key("count")), Value: n}),
					len(q.path), true}
			}
		}
	}
	return hit{depth: -1}
}

// sameName reports whether an object can have had a name before prefixes, suffixes and
// hashes were added to it.
func sameName(content map[string]any, name string) bool {
	now, _ := fieldpath.Path{fieldpath.Key("metadata"), fieldpath.Key("name")}.Get(content)
	text, _ := now.(string)
	return name != "" && strings.Contains(text, name)
}

// labelHit is a label or annotation that the kustomization adds to everything.
func (l *locator) labelHit(k *kustomize.File, root *yaml3.Node, q query) hit {
	if len(q.path) < 2 {
		return hit{depth: -1}
	}
	last, parent := q.path[len(q.path)-1].Key, q.path[len(q.path)-2].Key
	var fields []string
	switch parent {
	case "labels", "matchLabels", "selector":
		fields = []string{"commonLabels"}
	case "annotations":
		fields = []string{"commonAnnotations"}
	default:
		return hit{depth: -1}
	}
	var maps []*yaml3.Node
	for _, f := range fields {
		maps = append(maps, document.Child(root, fieldpath.Key(f)))
	}
	if parent != "annotations" {
		for i := range k.Labels {
			maps = append(maps, document.Child(document.Child(document.Child(root, fieldpath.Key("labels")), fieldpath.At(i)),
				fieldpath.Key("pairs")))
		}
	}
	for _, m := range maps {
		if n := document.Child(m, fieldpath.Key(last)); n != nil && n.Value == fmt.Sprint(q.value) {
			return hit{setRegion(k.Path, document.Region{Key: document.KeyNode(m, fieldpath.Key(last)), Value: n}), len(q.path),
				true}
		}
	}
	return hit{depth: -1}
}

// nameHit is the line that gives namespace, prefix or suffix.
func (l *locator) nameHit(k *kustomize.File, root *yaml3.Node, q query) hit {
	text, _ := q.value.(string)
	field := ""
	switch p := q.path.String(); {
	case p == "metadata.namespace" && k.Namespace == text:
		field = "namespace"
	case p == "metadata.name" && k.NamePrefix != "" && strings.HasPrefix(text, k.NamePrefix):
		field = "namePrefix"
	case p == "metadata.name" && k.NameSuffix != "" && strings.HasSuffix(text, k.NameSuffix):
		field = "nameSuffix"
	}
	if n := document.Child(root, fieldpath.Key(field)); field != "" && n != nil {
		return hit{setRegion(k.Path, document.Region{Key: document.KeyNode(root, fieldpath.Key(field)), Value: n}),
			len(q.path), true}
	}
	return hit{depth: -1}
}

// baseHit is the object's node in the file it is from.
func (l *locator) baseHit(d document.Document, q query) hit {
	if d.Origin == "" {
		return hit{at: object.LineOf(l.recipe.RootKustomization(), 1, "release"), depth: 0}
	}
	if c, ok := l.recipe.Inflate[d.Origin]; ok {
		at := object.LineOf(l.recipe.RootKustomization(), 1, "release")
		if k := l.kustomization(path.Dir(d.Origin)); k != nil {
			field := "helmCharts"
			if len(k.HelmCharts) == 0 {
				field = "generators"
			}
			at = object.LineOf(k.Path, document.KeyLine(k.Text, field), "release")
		}
		return hit{at: l.inflated(c, d, q, at)}
	}
	if d.Generated {
		return l.generatorHit(d)
	}
	list := l.documents(d.Origin)
	best, score := (*yaml3.Node)(nil), -1
	for _, n := range list {
		if s := likelyNode(n, d.Content); s > score {
			best, score = n, s
		}
	}
	if best == nil {
		return hit{at: object.LineOf(d.Origin, 1, "file"), depth: 0}
	}
	v := matchNode(best, q)
	return hit{document.NodeRegion(d.Origin, v.region, v.depth > 0), v.depth, v.exact}
}

// generatorHit is the generator's entry in its kustomization.
func (l *locator) generatorHit(d document.Document) hit {
	root := document.Only(l.roots(d.Origin))
	for _, field := range []string{"configMapGenerator", "secretGenerator"} {
		list := document.Child(root, fieldpath.Key(field))
		if list == nil {
			continue
		}
		for i := range list.Content {
			e := document.Child(list, fieldpath.At(i))
			if n := document.Child(e, fieldpath.Key("name")); n != nil && sameName(d.Content, n.Value) {
				return hit{document.NodeRegion(d.Origin,
					document.Region{Key: document.KeyNode(e, fieldpath.Key("name")), Value: n}, true), 1, false}
			}
		}
	}
	return hit{at: object.LineOf(d.Origin, 1, "file"), depth: 0}
}

// documents are all documents of a file, items of lists included.
func (l *locator) documents(file string) []*yaml3.Node {
	var out []*yaml3.Node
	var add func(n *yaml3.Node)
	add = func(n *yaml3.Node) {
		if n == nil {
			return
		}
		if items := document.Child(n, fieldpath.Key("items")); items != nil && items.Kind == yaml3.SequenceNode {
			for _, e := range items.Content {
				add(e)
			}
			return
		}
		out = append(out, n)
	}
	for _, n := range l.roots(file) {
		add(n)
	}
	return out
}

// likelyNode scores a node as the source of an object: same kind, and the longest name
// that is part of the object's.
func likelyNode(n *yaml3.Node, content map[string]any) int {
	kind := document.Child(n, fieldpath.Key("kind"))
	if kind == nil || kind.Value != document.GVK(content).Kind {
		return -1
	}
	name := document.Child(document.Child(n, fieldpath.Key("metadata")), fieldpath.Key("name"))
	if name == nil || !sameName(content, name.Value) {
		return 0
	}
	return 1 + len(name.Value)
}
