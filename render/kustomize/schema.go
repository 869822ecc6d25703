package kustomize

import (
	_ "embed"
	"maps"
	"sync"
	"sync/atomic"

	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/openapi/kubernetesapi"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// definitions is the library's own OpenAPI document of [kubernetesapi.DefaultOpenAPI] without its unread parts:
// descriptions, and the API's paths, which say no more of scopes than the library's own table. To read the whole one
// takes a quarter of what a small change to a kustomization costs.
//
//go:embed schema/definitions.pb
var definitions []byte

// leanSchema gives the library the lean document, once for a process and before it reads any.
var leanSchema = sync.OnceFunc(func() {
	assets := maps.Clone(kubernetesapi.OpenAPIMustAsset)
	assets[kubernetesapi.DefaultOpenAPI] = func(string) []byte { return definitions }
	kubernetesapi.OpenAPIMustAsset = assets
})

// AtOnce reads the library's document, for a process that builds several kustomizations at once: the library reads it
// when it is first asked for, while other builds look into it without a lock.
var AtOnce = sync.OnceFunc(func() {
	leanSchema()
	readSchema()
	atOnce.Store(true)
})

var atOnce atomic.Bool

func readSchema() { openapi.SchemaForResourceType(yaml.TypeMeta{}) }

// forgetSchema takes back the document of a kustomization's field openapi.
func forgetSchema() {
	openapi.ResetOpenAPI()
	if atOnce.Load() {
		readSchema()
	}
}
