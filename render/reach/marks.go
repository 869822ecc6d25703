package reach

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/gitops"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/side"
	"github.com/kubesettle/kubesettle/render/source"
)

// What a chart makes objects of that declare releases names a repository.
var (
	repositoryName = [][]byte{[]byte("repoURL"), []byte("GitRepository")}
	referredKinds  = [][]byte{[]byte("ConfigMap"), []byte("Secret"), []byte("configMapGenerator"),
		[]byte("secretGenerator")}
)

// concerns reports whether a text may be of objects that concern other releases.
func (r *reach) concerns(b []byte, kind object.ReleaseKind) bool {
	if declaresForArgo(b) || gitops.Versioned(b, gitops.FluxGroup, false) {
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
		for _, m := range r.base.Opt.Leftovers {
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
			return gitops.Versioned(b, []byte(m), false)
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
	if !gitops.Versioned(b, gitops.ArgoGroup, true) {
		return false
	}
	return slices.ContainsFunc(document.Split(b), func(doc document.Raw) bool {
		if !gitops.Versioned(doc.Text, gitops.ArgoGroup, true) {
			return false
		}
		versions, kinds := anyVersion.FindAllSubmatch(doc.Text, -1), anyKind.FindAllSubmatch(doc.Text, -1)
		return len(versions) == 0 || len(kinds) == 0 ||
			slices.ContainsFunc(versions, func(m [][]byte) bool { return !gitops.Versioned(m[1], gitops.ArgoGroup, true) }) ||
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

// refersToObjects reports whether anything in a tree takes settings from ConfigMaps or Secrets
// that another release may hold.
func refersToObjects(s *source.Source) bool {
	return s.AnyText(func(b []byte) bool { // discovery has read every manifest
		return bytes.Contains(b, []byte("valuesFrom")) || bytes.Contains(b, []byte("substituteFrom"))
	})
}

// configFilesDiffer reports whether two sides have other settings that concern all releases.
func configFilesDiffer(base, head *side.Side) bool {
	of := func(s *side.Side) []object.ConfigFile {
		return object.ConfigFiles(s.Ignored, s.Opt.Concerns, s.Src.Read)
	}
	return !slices.EqualFunc(of(base), of(head),
		func(a, b object.ConfigFile) bool { return a.File == b.File && bytes.Equal(a.Text, b.Text) })
}
