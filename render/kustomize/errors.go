package kustomize

import (
	"fmt"
	"path"
	"regexp"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// missedPatch is the library's name of an object that a patch does not find: Kind.version.group/name.[namespace].
var missedPatch = regexp.MustCompile(`no matches for Id ([^.\s]+)\.\S*?/(\S+)\.\[`)

// patchFailure words a patch without a match, at the patch; nil for other errors.
func patchFailure(j *release.Recipe, said string) *object.Failure {
	m := missedPatch.FindStringSubmatch(said)
	if m == nil {
		return nil
	}
	kind, name := m[1], m[2]
	for _, file := range j.Reads() {
		if !source.IsKustomizationName(file) {
			continue
		}
		k := &File{Path: file, Text: j.Files[file]}
		if k.Unmarshal(k.Text) != nil {
			continue
		}
		for _, ref := range k.PatchFiles() {
			p, in := source.Inside(path.Dir(file), ref)
			docs, f := document.Decode(p, j.Files[p])
			if ref == "" || !in || f != nil {
				continue
			}
			for _, d := range docs {
				if document.Text(d.Content, "kind") == kind && document.Text(d.Content, "metadata", "name") == name {
					return missedPatchFailure(object.LineOf(p, d.Line, "file"), kind, name)
				}
			}
		}
		if line := k.inlinePatch(kind, name); line > 0 {
			return missedPatchFailure(object.LineOf(file, line, "file"), kind, name)
		}
	}
	return nil
}

func missedPatchFailure(at object.Location, kind, name string) *object.Failure {
	return &object.Failure{
		Reason: fmt.Sprintf("%s:%d: the patch is for %s %s, which the kustomization does not have", at.File,
			at.StartLine, kind, name),
		Where: at, Remedy: "correct its kind, name and namespace, or remove the patch",
	}
}

// inlinePatch is the line at which a patch that is written into the kustomization begins; 0: there is none.
func (k *File) inlinePatch(kind, name string) int {
	var inline []string
	for _, p := range k.Patches {
		inline = append(inline, p.Patch)
	}
	//lint:ignore SA1019 repositories still use the field
	for _, p := range k.PatchesStrategicMerge {
		inline = append(inline, string(p))
	}
	for _, patch := range inline {
		v, err := document.DecodeYAML([]byte(patch))
		if err == nil && document.Text(v, "kind") == kind && document.Text(v, "metadata", "name") == name {
			return max(1, k.line(patch))
		}
	}
	return 0
}
