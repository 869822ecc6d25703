package kustomize

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	yaml3 "go.yaml.in/yaml/v3"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// kustomize says nothing of an image that no container has, nor of a patch or replacement whose target is not there.

// InVain are the entries of a root kustomization that the change brings, or edits, and that find nothing in what it
// builds: was is that of base, is that of head. base is nil for a release that comes.
//
// Upstream: kustomize api v0.21.1, filters/imagetag: (imageTagUpdater).Filter; internal/builtins:
// (*PatchTransformerPlugin).transformJson6902; filters/replacement: applyReplacement.
func InVain(base, head *release.Recipe, was, is []document.Document) []object.Note {
	if head.Release.Kind != object.Kustomize || len(head.Holes) > 0 || len(head.Lost) > 0 || head.Later || len(is) == 0 {
		return nil
	}
	file := head.RootKustomization()
	root := rootOf(head.Files[file])
	if root == nil || base != nil && bytes.Equal(base.Files[base.RootKustomization()], head.Files[file]) {
		return nil
	}
	v := vain{file: file, docs: append(slices.Clone(was), is...), root: root, old: map[string]bool{}}
	if base != nil {
		v.entries(rootOf(base.Files[base.RootKustomization()]), func(_ string, n *yaml3.Node) { v.old[written(n)] = true })
	}
	for _, p := range head.Reads() {
		for _, word := range [][]byte{[]byte("namePrefix"), []byte("nameSuffix"), []byte("transformers:"), []byte("vars:")} {
			v.renames = v.renames || bytes.Contains(head.Files[p], word)
		}
	}
	v.entries(root, v.entry)
	return v.out
}

type vain struct {
	file    string
	docs    []document.Document // of both sides
	root    *yaml3.Node
	old     map[string]bool // what base has
	renames bool            // something gives objects other names, or images
	tries   int
	out     []object.Note
}

// entries calls f with the entries of a kustomization that find what they act on.
func (v *vain) entries(root *yaml3.Node, f func(list string, n *yaml3.Node)) {
	for _, list := range []string{"images", "patches", "patchesJson6902", "replacements"} {
		if n := field(root, list); n != nil && n.Kind == yaml3.SequenceNode {
			for _, e := range n.Content {
				f(list, document.ResolveAlias(e))
			}
		}
	}
}

// mostEntries bounds the entries that are looked for.
const mostEntries = 50

func (v *vain) entry(list string, n *yaml3.Node) {
	if v.renames || v.old[written(n)] || v.tries >= mostEntries {
		return
	}
	v.tries++
	switch list {
	case "images":
		v.image(n)
	case "replacements":
		if targets := field(n, "targets"); targets != nil {
			for _, t := range targets.Content[:min(len(targets.Content), mostEntries)] {
				v.target("replacement", field(document.ResolveAlias(t), "select"))
			}
		}
	default:
		v.target("patch", field(n, "target"))
	}
}

func (v *vain) image(n *yaml3.Node) {
	name := scalar(n, "name")
	to := cmp.Or(scalar(n, "newName"), name)
	replacedAgain := slices.ContainsFunc(field(v.root, "images").Content, func(o *yaml3.Node) bool {
		return o != n && scalar(document.ResolveAlias(o), "name") == to
	})
	if name == "" || regexp.QuoteMeta(name) != strings.ReplaceAll(name, ".", `\.`) || replacedAgain ||
		field(v.root, "replacements") != nil {
		return
	}
	known, found := map[string]bool{}, false
	for _, d := range v.docs {
		fieldpath.Leaves(d.Content, nil, func(p fieldpath.Path, value any) {
			text, is := value.(string)
			if !is {
				return
			}
			repository := repositoryOf(text)
			found = found || repository == to || repository == name
			if strings.HasSuffix(p.String(), ".image") {
				known[repository] = true
			}
		})
	}
	if !found && len(known) > 0 {
		v.say(n, "no container has image "+name, "entry", name, known)
	}
}

// target looks for the objects that a patch or a replacement selects, by kind and name alone.
func (v *vain) target(what string, t *yaml3.Node) {
	kind, name := scalar(t, "kind"), scalar(t, "name")
	if kind == "" || kind == "ConfigMap" || kind == "Secret" {
		return
	}
	ofKind, err := regexp.Compile("^(?:" + kind + ")$")
	if err != nil {
		return
	}
	named, err := regexp.Compile("^(?:" + cmp.Or(name, ".*") + ")$")
	if err != nil {
		return
	}
	known := map[string]bool{}
	for _, d := range v.docs {
		if k := document.Text(d.Content, "kind"); ofKind.MatchString(k) || k == "List" {
			own := document.Text(d.Content, "metadata", "name")
			if named.MatchString(own) || k == "List" {
				return
			}
			known[own] = true
		}
	}
	v.say(t, strings.TrimSpace(fmt.Sprintf("there is no %s %s", kind, name)), what, name, known)
}

// say notes an entry in vain, with the nearest of the names that are known.
func (v *vain) say(n *yaml3.Node, why, what, name string, known map[string]bool) {
	near, least := "", max(1, len(name)/4)
	for k := range known {
		if d := levenshtein.Distance(name, k, nil); d <= least && (near == "" || d < least || k < near) {
			near, least = k, d
		}
	}
	v.out = append(v.out, object.Say(object.EntryInVain, what, why, near).At(object.LineOf(v.file, n.Line, what)))
}

func rootOf(b []byte) *yaml3.Node { return document.Only(document.Nodes(b)) }

func field(n *yaml3.Node, key string) *yaml3.Node {
	return document.ResolveAlias(document.Child(n, fieldpath.Key(key)))
}

func scalar(n *yaml3.Node, key string) string {
	if v := field(n, key); v != nil && v.Kind == yaml3.ScalarNode {
		return v.Value
	}
	return ""
}

// written is an entry as it stands, whatever its place and comments.
func written(n *yaml3.Node) string {
	var v any
	if n.Decode(&v) != nil {
		return ""
	}
	return fmt.Sprint(v)
}
