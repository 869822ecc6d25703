package kustomize

import (
	_ "embed"
	"maps"
	"sync"

	"sigs.k8s.io/kustomize/kyaml/openapi/kubernetesapi"
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
