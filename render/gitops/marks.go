package gitops

import (
	"bytes"
)

// Objects that declare releases name the API group of Argo CD or Flux with a version, in which labels and annotations
// differ.
var (
	ArgoGroup = []byte("argoproj.io/")
	FluxGroup = []byte("toolkit.fluxcd.io/")
)

// Versioned reports whether an API group stands in a text with a version, or with a template's
// expression in its place; whole: and is no other group's end.
func Versioned(b, group []byte, whole bool) bool {
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
