package kustomize

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	yaml3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/types"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/source"
)

// FileOf is the kustomization file of a folder, or "".
func FileOf(s *source.Source, dir string) string {
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		if p := path.Join(dir, name); s.HasFile(p) {
			return p
		}
	}
	return ""
}

// File is one file of the graph.
type File struct {
	Path string
	types.Kustomization
	Text []byte
}

// Read reads and checks the kustomization file of a folder. The result is shared by both sides and must not be written
// to, see [parse].
func Read(s *source.Source, file string) (*File, *object.Failure) {
	b, err := s.Read(file)
	if err != nil {
		return nil, source.AsFailure(file, err)
	}
	return parseOnce(s.Memo, file, b)
}

// wrongField is the library's name of a top-level field that it does not know, or whose value has another type.
var wrongField = regexp.MustCompile(`cannot unmarshal (\w+) into Go struct field Kustomization\.(\w+)|unknown field "(\w+)"`)

// parse gives the kustomization that a text is.
func parse(file string, b []byte) (*File, *object.Failure) {
	k := &File{Path: file, Text: b}
	if err := k.Unmarshal(b); err != nil {
		line, remedy := document.ErrorLine(err), "correct the kustomization"
		text := document.Backquoted.ReplaceAllString(err.Error(), "a value")
		if m := wrongField.FindStringSubmatch(text); m != nil {
			line = document.KeyLine(b, m[2]+m[3])
			if m[1] == "string" && m[2] == "patches" {
				remedy = "write each file as `- path: FILE`: Kustomize 5 refuses the form with names alone"
			}
		}
		return nil, &object.Failure{
			Reason: fmt.Sprintf("%s:%d: %s", file, line, strings.Join(strings.Fields(text), " ")),
			Where:  object.LineOf(file, line, "file"), Remedy: remedy,
		}
	}
	k.FixKustomization()
	return k, nil
}

// PatchFiles lists the files of patches, in the order in which they are applied.
func (k *File) PatchFiles() []string {
	var refs []string
	//lint:ignore SA1019 repositories still use the field
	for _, p := range k.PatchesStrategicMerge {
		if text := string(p); !IsInline(text) {
			refs = append(refs, text)
		}
	}
	for _, p := range k.Patches {
		refs = append(refs, p.Path)
	}
	//lint:ignore SA1019 repositories still use the field
	for _, p := range k.PatchesJson6902 {
		refs = append(refs, p.Path)
	}
	return refs
}

// IsInline reports whether an entry in a list of paths is YAML, and no path.
func IsInline(ref string) bool {
	return strings.Contains(ref, "\n") || strings.Contains(ref, ": ")
}

// line is where a scalar stands in the file, or 1.
func (k *File) line(value string) int {
	return k.lineWhere(func(s string) bool { return s == value })
}

// lineEnding is where a scalar of that end stands in the file, or 1.
func (k *File) lineEnding(end string) int {
	return k.lineWhere(func(s string) bool { return strings.HasSuffix(s, end) })
}

// has reports whether a scalar of the file is such.
func (k *File) has(is func(string) bool) bool { return k.find(is) > 0 }

func (k *File) lineWhere(is func(string) bool) int { return max(k.find(is), 1) }

// find is the line of the first scalar that is such, or 0.
func (k *File) find(is func(string) bool) int {
	var doc yaml3.Node
	if yaml3.Unmarshal(k.Text, &doc) != nil {
		return 0
	}
	line := 0
	document.Walk(&doc, func(n *yaml3.Node) {
		if n.Kind == yaml3.ScalarNode && is(n.Value) && line == 0 {
			line = n.Line
		}
	})
	return line
}
