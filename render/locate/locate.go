package locate

import (
	"sync"

	yaml3 "go.yaml.in/yaml/v3"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/jsonnet"
	"github.com/kubesettle/kubesettle/render/kustomize"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
	"github.com/kubesettle/kubesettle/render/worker"
)

// Options says how counterfactual renders run: where the first one ran.
type Options struct {
	Run    worker.Options
	Keeper *Keeper // of the renders of both sides; nil: of this release's alone
}

// New gives the function that finds the source of each document's fields.
func New(s *source.Source, j *release.Recipe, opt Options) func(d document.Document) func(string) object.Location {
	l := &locator{src: s, recipe: j, opt: opt, nodes: map[string][]*yaml3.Node{}, kusts: map[string]*kustomize.File{},
		chains: map[chainKey][]string{},
		trials: map[string]*trials{},
		leaves: map[leavesKey][]valuesLeaf{}, overlays: map[*release.Overlay]*overlayText{},
		inline: map[string][]*yaml3.Node{}}
	return func(d document.Document) func(string) object.Location {
		var mu sync.Mutex
		cache := map[string]object.Location{}
		return func(path string) object.Location {
			mu.Lock()
			defer mu.Unlock()
			if at, ok := cache[path]; ok {
				return at
			}
			at := j.Placed(l.locate(d, fieldpath.Parse(path)))
			at.File = s.Real(at.File)
			cache[path] = at
			return at
		}
	}
}

// locator finds where fields of one release's objects were set.
type locator struct {
	src    *source.Source
	recipe *release.Recipe
	opt    Options
	mu     sync.Mutex
	nodes  map[string][]*yaml3.Node // documents of a file
	kusts  map[string]*kustomize.File
	chains map[chainKey][]string // folders from the root to an object's file
	// trials are the counterfactual renders of each chart, by its folder.
	trials   map[string]*trials
	leaves   map[leavesKey][]valuesLeaf
	overlays map[*release.Overlay]*overlayText
	inline   map[string][]*yaml3.Node // documents of a text in a kustomization
}

func (l *locator) locate(d document.Document, p fieldpath.Path) object.Location {
	switch l.recipe.Release.Kind {
	case object.Helm:
		return l.inHelm(d, p)
	case object.Kustomize:
		return l.inKustomize(d, p)
	default:
		if l.recipe.Release.Jsonnet != nil && jsonnet.Is(d.File) {
			return l.inJsonnet(d, p)
		}
		return l.inPlain(d, p)
	}
}

// inPlain is the node of a plain manifest.
func (l *locator) inPlain(d document.Document, p fieldpath.Path) object.Location {
	root := l.node(d.File, d.Doc)
	for _, i := range d.Items {
		list := document.Child(root, fieldpath.Key("items"))
		if list == nil {
			list = document.Child(root, fieldpath.Key("objects")) // of a Template
		}
		root = document.Child(list, fieldpath.At(i))
	}
	if root == nil {
		return object.LineOf(d.File, d.Line, "node")
	}
	n, depth := document.Descend(root, p)
	return document.NodeRegion(d.File, n, depth > 0)
}

// node is the root node of a document, or nil.
func (l *locator) node(file string, doc int) *yaml3.Node {
	list := l.roots(file)
	if doc < 0 || doc >= len(list) {
		return nil
	}
	return list[doc]
}

// roots are the root nodes of the documents of a file, nil for one that is empty.
func (l *locator) roots(file string) []*yaml3.Node {
	l.mu.Lock()
	defer l.mu.Unlock()
	list, ok := l.nodes[file]
	if !ok {
		list = l.src.Memo.Nodes(l.recipe.Files[file])
		l.nodes[file] = list
	}
	return list
}

// within are the documents of a text that stands in a kustomization.
func (l *locator) within(text string) []*yaml3.Node {
	l.mu.Lock()
	defer l.mu.Unlock()
	list, ok := l.inline[text]
	if !ok {
		list = document.Nodes([]byte(text))
		l.inline[text] = list
	}
	return list
}
