package source

import (
	"bytes"
	"path"
	"regexp"
	"slices"

	"github.com/kubesettle/kubesettle/render/document"
)

// IsKustomizationName reports whether Kustomize takes a file of that name for a kustomization.
func IsKustomizationName(f string) bool {
	switch path.Base(f) {
	case "kustomization.yaml", "kustomization.yml", "Kustomization":
		return true
	}
	return false
}

var (
	ApiVersionLine = regexp.MustCompile(`(?m)^\s*(- )?["']?apiVersion["']?\s*:`)
	KindLine       = regexp.MustCompile(`(?m)^\s*(- )?["']?kind["']?\s*:`)
)

// LooksLikeManifest reports whether a file names an API version and a kind, as kubectl, Kustomize and Helm parse it: in
// flow style, quoted or escaped too. A file in the usual form is recognized without parsing.
func LooksLikeManifest(b []byte) bool {
	b = document.UTF8(b)
	if !mayName(b) {
		return false // most files end here, for a fraction of what the expressions cost
	}
	return ApiVersionLine.Match(b) && KindLine.Match(b) || holdsObject(b)
}

// mayName reports whether the keys of an object may stand in a text: plainly, or written with escapes.
func mayName(b []byte) bool {
	if bytes.Contains(b, []byte(`\u`)) || bytes.Contains(b, []byte(`\x`)) || bytes.Contains(b, []byte(`\U`)) {
		return true
	}
	return hasText(b, "apiVersion") && hasText(b, "kind")
}

// holdsObject reports whether a document of a text, or an item of a list in it, is an object.
func holdsObject(b []byte) bool {
	docs, f := document.Decode("", b)
	return f == nil && slices.ContainsFunc(docs, func(d document.Document) bool {
		gvk := document.GVK(d.Content)
		return gvk.Kind != "" && gvk.Version != ""
	})
}

func hasText(b []byte, text string) bool { return bytes.Contains(b, []byte(text)) }

var (
	apiVersionKey = regexp.MustCompile(`\A["']?apiVersion["']?\s*:`)
	kindKey       = regexp.MustCompile(`\A["']?kind["']?\s*:`)
)

// IsObject reports whether a file itself names an API version and a kind, as an object does, and
// not something in it, as values do that hold objects.
func IsObject(b []byte) bool {
	b = document.UTF8(b)
	if !mayName(b) {
		return false
	}
	return HasAPIVersion(b) && hasKey(b, "kind", kindKey) || holdsObject(b)
}

// HasAPIVersion reports whether a file itself names an API version.
func HasAPIVersion(b []byte) bool { return hasKey(b, "apiVersion", apiVersionKey) }

// hasKey reports whether a line begins with a key. It looks for the key's name first, as most texts have none.
func hasKey(b []byte, name string, key *regexp.Regexp) bool {
	for {
		i := bytes.Index(b, []byte(name))
		if i < 0 {
			return false
		}
		if key.Match(b[bytes.LastIndexByte(b[:i], '\n')+1:]) {
			return true
		}
		b = b[i+1:]
	}
}
