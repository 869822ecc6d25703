package kustomize

import (
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/source"
)

// parseOnce is [parse] of a text that a source has read.
func parseOnce(m *source.Memo, file string, b []byte) (k *File, f *object.Failure) {
	k = source.Learn(m, "kustomization "+file, b, func() (*File, bool) {
		var k *File
		k, f = parse(file, b)
		return k, f == nil
	})
	return k, f
}
