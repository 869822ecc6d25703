package locate

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	yaml3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/api/types"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/kustomize"
	"github.com/kubesettle/kubesettle/render/source"
)

// replacementHit is a replacement whose target is the field.
func (l *locator) replacementHit(k *kustomize.File, root *yaml3.Node, q query) hit {
	for i, r := range k.Replacements {
		node, file := document.Child(document.Child(root, fieldpath.Key("replacements")), fieldpath.At(i)), k.Path
		targets := r.Targets
		if r.Path != "" {
			p, in := source.Inside(path.Dir(k.Path), r.Path)
			if !in {
				continue
			}
			if h := l.externalReplacement(p, q); h.exact {
				return h
			}
			continue
		}
		if h := targetHit(file, node, targets, q); h.exact {
			return h
		}
	}
	return hit{depth: -1}
}

// externalReplacement searches a file of replacements: one, or a list.
func (l *locator) externalReplacement(file string, q query) hit {
	root := document.Only(l.roots(file))
	if root == nil {
		return hit{depth: -1}
	}
	nodes := []*yaml3.Node{root}
	if root.Kind == yaml3.SequenceNode {
		nodes = root.Content
	}
	for _, n := range nodes {
		var r types.Replacement
		if n.Decode(&r) != nil {
			continue
		}
		if h := targetHit(file, n, r.Targets, q); h.exact {
			return h
		}
	}
	return hit{depth: -1}
}

func targetHit(file string, node *yaml3.Node, targets []*types.TargetSelector, q query) hit {
	for t, target := range targets {
		if target == nil || (target.Select != nil && !selects(target.Select, q.doc.Content)) {
			continue
		}
		for f, fp := range target.FieldPaths {
			if !matchesDotted(fp, q) {
				continue
			}
			n := document.Child(document.Child(document.Child(document.Child(node, fieldpath.Key("targets")), fieldpath.At(t)),
				fieldpath.Key("fieldPaths")), fieldpath.At(f))
			if n != nil {
				return hit{setRegion(file, document.Region{Key: nil, Value: n}), len(q.path), true}
			}
		}
	}
	return hit{depth: -1}
}

func selects(s *types.Selector, content map[string]any) bool {
	gvk := document.GVK(content)
	return (s.Kind == "" || s.Kind == gvk.Kind) && (s.Name == "" || sameName(content, strings.Trim(s.Name, "^$.*")))
}

// matchesDotted reports whether a replacement's field path is a query's: elements may be chosen by index, by * or by
// [name=value].
func matchesDotted(text string, q query) bool {
	parts := splitDotted(text)
	if len(parts) != len(q.path) {
		return false
	}
	for i, part := range parts {
		s := q.path[i]
		switch {
		case part == "*":
		case strings.HasPrefix(part, "["):
			field, want, _ := strings.Cut(strings.Trim(part, "[]"), "=")
			v, _ := q.path[:i+1].With(fieldpath.Key(field)).Get(q.doc.Content)
			if s.Index < 0 || fmt.Sprint(v) != want {
				return false
			}
		case s.Index >= 0:
			if part != fmt.Sprint(s.Index) {
				return false
			}
		case part != s.Key:
			return false
		}
	}
	return true
}

var dotted = regexp.MustCompile(`\[[^\]]*\]|(?:\\\.|[^.\[])+`)

func splitDotted(text string) []string {
	parts := dotted.FindAllString(text, -1)
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], `\.`, ".")
	}
	return parts
}
