package conformance

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextinstall "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	apiextopenapi "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/managedfields/managedfieldstest"
	apiopenapi "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/kube-openapi/pkg/builder3"

	"github.com/kubesettle/kubesettle/verify/validation"
)

// TestDefinitions applies a CustomResourceDefinition, has an injector write the CA bundle of its conversion webhook as
// its annotation says, and applies another version of it: by server-side apply, with upstream's field managers, or as
// a whole. Whether the conversion is refused is what upstream's validation says of what comes of it.
func TestDefinitions(t *testing.T) {
	scheme := runtime.NewScheme()
	apiextinstall.Install(scheme)
	config := genericapiserver.DefaultOpenAPIV3Config(apiextopenapi.GetOpenAPIDefinitions, apiopenapi.NewDefinitionNamer(scheme))
	models, err := builder3.BuildOpenAPIDefinitionsForResources(config,
		apiextv1.CustomResourceDefinition{}.OpenAPIModelName())
	check(t, err)
	types, err := managedfields.NewTypeConverter(models, false)
	check(t, err)
	r := rand.New(rand.NewPCG(*loopSeed, 41))
	refused, kept := 0, 0
	for i := range loopCases(800) {
		base, head := definition(r), definition(r)
		if len(conversionErrors(t, scheme, base)) > 0 {
			if len(validation.CreateCustom(base)) == 0 {
				t.Fatalf("case %d: upstream refuses to create %v", i, base)
			}
			continue
		}
		if errs := validation.CreateCustom(base); len(errs) > 0 {
			t.Fatalf("case %d: upstream takes %v, we say %v", i, base, errs)
		}
		for _, serverSide := range []bool{true, false} {
			want := conversionErrors(t, scheme, head)
			if serverSide {
				want = conversionErrors(t, scheme, reapplied(t, types, base, head))
				if len(want) > 0 && len(conversionErrors(t, scheme, head)) == 0 {
					kept++
				}
			}
			got := validation.UpdateCustom(head, base, serverSide)
			if (len(got) > 0) != (len(want) > 0) {
				t.Fatalf("case %d, server-side %t: upstream says %v, we say %v\nbase %v\nhead %v",
					i, serverSide, want, got, base, head)
			}
			if len(got) > 0 {
				refused++
			}
		}
	}
	if refused < 50 || kept < 10 {
		t.Errorf("%d are refused, %d for what another manager wrote", refused, kept)
	}
	t.Logf("%d are refused, %d for what another manager wrote", refused, kept)
}

// definition is one with any conversion, which may be told to get a CA bundle.
func definition(r *rand.Rand) map[string]any {
	meta := map[string]any{"name": "widgets.acme.dev"}
	if r.IntN(2) == 0 {
		meta["annotations"] = map[string]any{"cert-manager.io/inject-ca-from": "acme/widgets"}
	}
	spec := map[string]any{
		"group": "acme.dev", "scope": "Namespaced",
		"names": map[string]any{"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
		"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true, "schema": map[string]any{
			"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}},
	}
	client := map[string]any{"service": map[string]any{"name": "widgets", "namespace": "acme"}}
	if r.IntN(6) == 0 {
		client = map[string]any{}
	}
	hook := map[string]any{"conversionReviewVersions": []any{"v1"}, "clientConfig": client}
	switch r.IntN(6) {
	case 0:
	case 1:
		spec["conversion"] = map[string]any{"strategy": "None"}
	case 2:
		spec["conversion"] = map[string]any{"strategy": "None", "webhook": hook}
	case 3:
		spec["conversion"] = map[string]any{"strategy": "Webhook"}
	default:
		spec["conversion"] = map[string]any{"strategy": "Webhook", "webhook": hook}
	}
	return map[string]any{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": meta, "spec": spec}
}

// reapplied is what server-side applies of base and head make of a definition, with the injector in between.
func reapplied(t *testing.T, types managedfields.TypeConverter, base, head map[string]any) map[string]any {
	t.Helper()
	m := managedfieldstest.NewTestFieldManager(types,
		apiextv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	copied := func(x map[string]any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: runtime.DeepCopyJSON(x)}
	}
	check(t, m.Apply(copied(base), "applier", true))
	live := func() *unstructured.Unstructured { return m.Live().(*unstructured.Unstructured).DeepCopy() }
	injects, _, _ := unstructured.NestedString(base, "metadata", "annotations", "cert-manager.io/inject-ca-from")
	strategy, _, _ := unstructured.NestedString(base, "spec", "conversion", "strategy")
	if injects != "" && strategy == "Webhook" { // cainjector: crdConversionTarget.SetCA
		x := live()
		check(t, unstructured.SetNestedField(x.Object, "Q0E=", "spec", "conversion", "webhook", "clientConfig", "caBundle"))
		check(t, m.Update(x, "cainjector"))
	}
	check(t, m.Apply(copied(head), "applier", true))
	return live().Object
}

// conversionErrors is what upstream says of the conversion of a definition.
func conversionErrors(t *testing.T, scheme *runtime.Scheme, content map[string]any) []string {
	t.Helper()
	text, err := json.Marshal(content)
	check(t, err)
	crd := &apiextv1.CustomResourceDefinition{}
	check(t, json.Unmarshal(text, crd))
	scheme.Default(crd)
	inner := &apiext.CustomResourceDefinition{}
	check(t, scheme.Convert(crd, inner, nil))
	var out []string
	for _, e := range apiextvalidation.ValidateCustomResourceDefinition(context.Background(), inner) {
		if strings.HasPrefix(e.Field, "spec.conversion") && !strings.HasSuffix(e.Field, "caBundle") {
			out = append(out, e.Error())
		}
	}
	return out
}
