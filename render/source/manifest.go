package source

import (
	"bytes"
	"path"
	"regexp"

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

// LooksLikeManifest reports whether a file names an API version and a kind; JSON on one line
// counts too.
func LooksLikeManifest(b []byte) bool {
	b = document.UTF8(b)
	if !hasText(b, "apiVersion") || !hasText(b, "kind") {
		return false // most files end here, for a fraction of what the expressions cost
	}
	if t := bytes.TrimSpace(b); len(t) > 0 && t[0] == '{' {
		return bytes.Contains(b, []byte(`"apiVersion"`)) && bytes.Contains(b, []byte(`"kind"`))
	}
	return ApiVersionLine.Match(b) && KindLine.Match(b)
}

func hasText(b []byte, text string) bool { return bytes.Contains(b, []byte(text)) }

var (
	apiVersionKey = regexp.MustCompile(`(?m)^["']?apiVersion["']?\s*:`)
	kindKey       = regexp.MustCompile(`(?m)^["']?kind["']?\s*:`)
)

// IsObject reports whether a file itself names an API version and a kind, as an object does, and
// not something in it, as values do that hold objects.
func IsObject(b []byte) bool {
	b = document.UTF8(b)
	if !hasText(b, "apiVersion") || !hasText(b, "kind") {
		return false
	}
	if t := bytes.TrimSpace(b); len(t) > 0 && t[0] == '{' {
		return LooksLikeManifest(b)
	}
	return HasAPIVersion(b) && kindKey.Match(b)
}

// HasAPIVersion reports whether a file itself names an API version.
func HasAPIVersion(b []byte) bool { return apiVersionKey.Match(b) }
