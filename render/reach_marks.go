package render

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/source"
)

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
func (r *reach) concerns(b []byte, kind object.ReleaseKind) bool {
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
	if r.lost && kind != object.Helm {
		for _, m := range r.base.opt.Leftovers {
			if bytes.Contains(b, []byte(m)) {
				return true
			}
		}
	}
	if r.referred && kind != object.Helm {
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

// configFilesDiffer reports whether two sides have other settings that concern all releases.
func configFilesDiffer(base, head *side) bool {
	of := func(s *side) []object.ConfigFile { return object.ConfigFiles(s.ignored, s.opt.Concerns, s.src.Read) }
	return !slices.EqualFunc(of(base), of(head),
		func(a, b object.ConfigFile) bool { return a.File == b.File && bytes.Equal(a.Text, b.Text) })
}
