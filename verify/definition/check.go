package definition

import (
	"context"
	"encoding/json"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Check lists the errors for which the API server refuses a CustomResourceDefinition that is created, or, with was,
// updated: its resources are stored in the version that was the storage then, and its names are established.
// nil: it is taken, or is not written in apiextensions.k8s.io/v1.
//
// Upstream: apiextensions-apiserver v0.36.3, pkg/apis/apiextensions/validation: ValidateCustomResourceDefinition,
// ValidateCustomResourceDefinitionUpdate.
func Check(content, was map[string]any) field.ErrorList {
	now := internal(content)
	if now == nil {
		return nil
	}
	if now.Spec.Group == "" && len(now.Spec.Versions) == 0 {
		return nil // a patch of one
	}
	if was == nil {
		now.Status.StoredVersions = stored(now)
		return named(validation.ValidateCustomResourceDefinition(context.Background(), now))
	}
	old := internal(was)
	if old == nil {
		return nil
	}
	old.ResourceVersion, now.ResourceVersion = "1", "1"
	old.Status.StoredVersions = stored(old)
	old.Status.Conditions = []apiextensions.CustomResourceDefinitionCondition{
		{Type: apiextensions.Established, Status: apiextensions.ConditionTrue}}
	now.Status = old.Status
	return named(validation.ValidateCustomResourceDefinitionUpdate(context.Background(), now, old))
}

// internal is a definition in the type that upstream validates, with its defaults; nil: it is none of v1.
func internal(content map[string]any) *apiextensions.CustomResourceDefinition {
	if content["apiVersion"] != apiextensionsv1.SchemeGroupVersion.String() {
		return nil
	}
	data, err := json.Marshal(content)
	if err != nil {
		return nil
	}
	var v1 apiextensionsv1.CustomResourceDefinition
	if json.Unmarshal(data, &v1) != nil {
		return nil
	}
	scheme := runtime.NewScheme()
	install.Install(scheme)
	scheme.Default(&v1)
	var out apiextensions.CustomResourceDefinition
	if scheme.Convert(&v1, &out, nil) != nil {
		return nil
	}
	out.Status = apiextensions.CustomResourceDefinitionStatus{}
	return &out
}

// stored are the versions in which a definition has its resources stored.
func stored(d *apiextensions.CustomResourceDefinition) []string {
	for _, v := range d.Spec.Versions {
		if v.Storage {
			return []string{v.Name}
		}
	}
	return []string{""}
}

// asWritten are the fields of the internal type that stand elsewhere in a manifest of v1. What all versions have alike
// is one there.
var asWritten = strings.NewReplacer("spec.conversion.webhookClientConfig", "spec.conversion.webhook.clientConfig",
	"spec.conversion.conversionReviewVersions", "spec.conversion.webhook.conversionReviewVersions",
	"spec.validation", "spec.versions[0].schema", "spec.subresources", "spec.versions[0].subresources",
	"spec.additionalPrinterColumns", "spec.versions[0].additionalPrinterColumns",
	"spec.selectableFields", "spec.versions[0].selectableFields")

// named gives errors the fields of the manifest: one of the status is about the versions.
func named(list field.ErrorList) field.ErrorList {
	var out field.ErrorList
	for _, e := range list {
		if strings.HasPrefix(e.Field, "status.") {
			if e.BadValue == "" {
				continue // no version is the storage, which is told by itself
			}
			e.Field, e.Detail = "spec.versions", "must have the version that resources are stored in"
		}
		e.Field = asWritten.Replace(e.Field)
		out = append(out, e)
	}
	return out
}
