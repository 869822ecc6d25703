package locate

import (
	"fmt"
	"path"
	"strings"

	yaml3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/kustomize"
	"github.com/kubesettle/kubesettle/render/release"
)

// overlayHit searches the i-th overlay of a release: it is written out as a separate kustomization, and a line found
// there is looked up in the object that declares it.
func (l *locator) overlayHit(ov *release.Overlay, i int, q query) hit {
	place := l.recipe.Release.OverlayAt
	if ov == nil || place == nil || !q.exists {
		return hit{depth: -1}
	}
	if p, ok := metadataPath(ov, q); ok {
		return hit{place(i, p), len(q.path), true}
	}
	o := l.written(ov)
	if o == nil {
		return hit{depth: -1}
	}
	h := l.hits(o.k, o.root, q)
	if h.depth < 0 || h.at.File != o.k.Path {
		return h // in a file that a patch names
	}
	p, n := pathAtLine(o.root, h.at.StartLine)
	at := place(i, p)
	if n != nil && h.at.StartLine > n.Line {
		in := h.at
		in.StartLine -= n.Line
		in.EndLine -= n.Line
		if lines := strings.Split(string(o.k.Text), "\n"); n.Line < len(lines) {
			indent := len(lines[n.Line]) - len(strings.TrimLeft(lines[n.Line], " "))
			in.StartColumn, in.EndColumn = max(in.StartColumn-indent, 1), max(in.EndColumn-indent, 2)
		}
		at = InBlock(l.src, at, in)
	}
	at.Rung = "patch"
	h.at = at
	return h
}

// overlayText is an overlay as a kustomization.
type overlayText struct {
	k    *kustomize.File
	root *yaml3.Node
}

// written writes an overlay out, once; nil where it cannot be.
func (l *locator) written(ov *release.Overlay) *overlayText {
	l.mu.Lock()
	defer l.mu.Unlock()
	if o, ok := l.overlays[ov]; ok {
		return o
	}
	l.overlays[ov] = nil
	k := &kustomize.File{Path: path.Join(l.recipe.Release.Path, "overlay of "+l.recipe.Release.ID)}
	kustomize.Apply(ov, &k.Kustomization)
	var err error
	if k.Text, err = yaml.Marshal(&k.Kustomization); err != nil {
		return nil
	}
	if root := document.Only(document.Nodes(k.Text)); root != nil {
		l.overlays[ov] = &overlayText{k, root}
	}
	return l.overlays[ov]
}

// metadataPath is the field of commonMetadata that sets a field.
func metadataPath(o *release.Overlay, q query) (fieldpath.Path, bool) {
	if o.Metadata == nil || len(q.path) != 3 || q.path[0].Key != "metadata" {
		return nil, false
	}
	pairs := map[string]map[string]string{"labels": o.Metadata.Labels,
		"annotations": o.Metadata.Annotations}[q.path[1].Key]
	v, ok := pairs[q.path[2].Key]
	return fieldpath.Path{fieldpath.Key("commonMetadata"), q.path[1], q.path[2]}, ok && v == fmt.Sprint(q.value)
}

// pathAtLine is the path of the last node that begins at or before a line.
func pathAtLine(root *yaml3.Node, line int) (fieldpath.Path, *yaml3.Node) {
	var best fieldpath.Path
	var node *yaml3.Node
	var walk func(n *yaml3.Node, p fieldpath.Path)
	walk = func(n *yaml3.Node, p fieldpath.Path) {
		switch n.Kind {
		case yaml3.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				if n.Content[i].Line <= line {
					best, node = p.With(fieldpath.Key(n.Content[i].Value)), n.Content[i+1]
					walk(n.Content[i+1], best)
				}
			}
		case yaml3.SequenceNode:
			for i, e := range n.Content {
				if e.Line <= line {
					best, node = p.With(fieldpath.At(i)), e
					walk(e, best)
				}
			}
		}
	}
	walk(root, nil)
	return best, node
}
