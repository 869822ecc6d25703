package kustomize

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	openapi "github.com/google/gnostic-models/openapiv2"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"k8s.io/kube-openapi/pkg/validation/spec"
	upstream "sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/openapi/kubernetesapi/v1_21_2"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the lean schema")

const leanFile = "schema/definitions.pb"

// wholeSchema is the document that the library holds.
func wholeSchema(t *testing.T) *openapi.Document {
	t.Helper()
	doc := &openapi.Document{}
	if err := proto.Unmarshal(v1_21_2.MustAsset("kubernetesapi/v1_21_2/swagger.pb"), doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// shorten leaves of every description that it is there: a schema that says nothing else is not an empty one.
func shorten(m protoreflect.Message) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Name() == "description" && f.Kind() == protoreflect.StringKind && !f.IsList():
			m.Set(f, protoreflect.ValueOfString("."))
		case f.Kind() == protoreflect.MessageKind && f.IsList():
			for i := range v.List().Len() {
				shorten(v.List().Get(i).Message())
			}
		case f.Kind() == protoreflect.MessageKind:
			shorten(v.Message())
		}
		return true
	})
}

// The lean schema is made of the library's: a new version of it is noticed here.
func TestLeanSchemaIsTheLibrarys(t *testing.T) {
	doc := wholeSchema(t)
	doc.Paths, doc.Parameters, doc.Responses, doc.SecurityDefinitions, doc.Security = nil, nil, nil, nil, nil
	shorten(doc.ProtoReflect())
	want, err := proto.MarshalOptions{Deterministic: true}.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	if *rewrite {
		if err := os.WriteFile(leanFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
		definitions = want
	}
	if !bytes.Equal(definitions, want) {
		t.Errorf("%s is of another version of the library: rewrite it with -rewrite", leanFile)
	}
}

// Whatever the library looks up is the same by the lean schema as by the whole one: the schema of every kind and all
// that it refers to, its merge keys, and whether its objects are in namespaces.
func TestLeanSchemaSaysTheSame(t *testing.T) {
	leanSchema()
	upstream.ResetOpenAPI()
	var whole spec.Swagger
	if _, err := whole.FromGnostic(wholeSchema(t)); err != nil {
		t.Fatal(err)
	}
	if len(whole.Definitions) < 500 {
		t.Fatalf("the library has %d definitions", len(whole.Definitions))
	}
	lean := upstream.Schema()
	for name, w := range whole.Definitions {
		l, ok := lean.Definitions[name]
		if !ok {
			t.Errorf("%s is missing", name)
		}
		sameSchema(t, name, &w, &l)
	}
	namespaced := map[yaml.TypeMeta]bool{}
	for path, item := range whole.Paths.Paths {
		if item.Get == nil {
			continue
		}
		gvk, ok := item.Get.Extensions["x-kubernetes-group-version-kind"].(map[string]any)
		if !ok {
			continue
		}
		kind := yaml.TypeMeta{Kind: gvk["kind"].(string), APIVersion: gvk["version"].(string)}
		if g := gvk["group"].(string); g != "" {
			kind.APIVersion = g + "/" + kind.APIVersion
		}
		namespaced[kind] = namespaced[kind] || strings.Contains(path, "namespaces/{namespace}")
	}
	if len(namespaced) < 50 {
		t.Fatalf("the library's paths have %d kinds", len(namespaced))
	}
	for kind, want := range namespaced {
		if got, known := upstream.IsNamespaceScoped(kind); !known || got != want {
			t.Errorf("%v: in a namespace %v, known %v; by the paths %v", kind, got, known, want)
		}
	}
}

// sameSchema compares two schemas but for the words of their descriptions.
func sameSchema(t *testing.T, at string, whole, lean *spec.Schema) {
	t.Helper()
	a, b := withoutWords(whole), withoutWords(lean)
	if !bytes.Equal(a, b) {
		t.Errorf("%s differs:\n%s\n%s", at, a, b)
	}
}

func withoutWords(s *spec.Schema) []byte {
	var walk func(s *spec.Schema)
	walk = func(s *spec.Schema) {
		if s.Description != "" {
			s.Description = "."
		}
		for name, p := range s.Properties {
			walk(&p)
			s.Properties[name] = p
		}
		if s.Items != nil && s.Items.Schema != nil {
			walk(s.Items.Schema)
		}
		if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
			walk(s.AdditionalProperties.Schema)
		}
	}
	walk(s)
	b, err := s.MarshalJSON()
	if err != nil {
		panic(err)
	}
	return b
}
