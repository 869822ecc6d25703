// Package definition validates custom resources as the API server does by their CustomResourceDefinition, with its own
// code: unknown fields, defaults, schema, list types and CEL.
package definition

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// UnknownField is the detail of the error of a field that the schema does not have.
const UnknownField = "unknown field"

// Definition is a CustomResourceDefinition, ready to validate resources of one of its versions.
type Definition struct {
	structural *schema.Structural
	validator  validation.SchemaValidator
	rules      *cel.Validator
	prunes     bool // fields that the schema does not have are unknown
}

// Read makes a definition of an object ready for a version. nil: it does not have the version, or no schema for it.
// Errors: an object that is no CustomResourceDefinition, or whose schema the API server would not take.
func Read(content map[string]any, version string) (*Definition, error) {
	data, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	var v1 apiextensionsv1.CustomResourceDefinition
	if err := json.Unmarshal(data, &v1); err != nil {
		return nil, fmt.Errorf("CustomResourceDefinition: %w", err)
	}
	i := slices.IndexFunc(v1.Spec.Versions,
		func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == version && v.Served })
	if i < 0 || v1.Spec.Versions[i].Schema == nil || v1.Spec.Versions[i].Schema.OpenAPIV3Schema == nil {
		return nil, nil
	}
	var props apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(
		v1.Spec.Versions[i].Schema.OpenAPIV3Schema, &props, nil); err != nil {
		return nil, err
	}
	out := &Definition{prunes: !v1.Spec.PreserveUnknownFields}
	if out.structural, err = schema.NewStructural(&props); err != nil {
		return nil, err
	}
	if out.validator, _, err = validation.NewSchemaValidator(&props); err != nil {
		return nil, err
	}
	out.rules = cel.NewValidator(out.structural, true, celconfig.PerCallLimit)
	return out, nil
}

// Refused are the errors for which the API server refuses a resource that is created, or, with was, updated: what was
// as wrong before is none then.
//
// Upstream: apiextensions-apiserver v0.36.3, pkg/apiserver: (*unstructuredDefaulter).Default, schemaCoercingDecoder;
// pkg/registry/customresource: (customResourceStrategy).Validate and ValidateUpdate (with CRDValidationRatcheting).
func (d *Definition) Refused(content, was map[string]any) field.ErrorList {
	now, err := d.decoded(content)
	if err != nil {
		return nil // see what reads it
	}
	var old map[string]any
	if was != nil {
		if old, err = d.decoded(was); err != nil {
			old = nil
		}
	}
	if old == nil {
		return d.errors(now, nil)
	}
	before := d.errors(old, nil)
	if len(before) > 0 {
		old = nil // it cannot be what the cluster has
	}
	out := d.errors(now, old)
	return slices.DeleteFunc(out, func(e *field.Error) bool {
		return slices.ContainsFunc(before, func(b *field.Error) bool { return b.Type == e.Type && b.Field == e.Field })
	})
}

// decoded is a copy in the types that the API server decodes JSON into.
func (d *Definition) decoded(content map[string]any) (map[string]any, error) {
	data, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	err = utiljson.Unmarshal(data, &out)
	return out, err
}

func (d *Definition) errors(now, old map[string]any) field.ErrorList {
	now = runtime.DeepCopyJSON(now)
	var out field.ErrorList
	if d.prunes {
		for _, path := range pruning.PruneWithOptions(now, d.structural, true,
			schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}) {
			out = append(out, &field.Error{Type: field.ErrorTypeForbidden, Field: path, Detail: UnknownField})
		}
	}
	defaulting.PruneNonNullableNullsWithoutDefaults(now, d.structural)
	defaulting.Default(now, d.structural)
	out = append(out, validation.ValidateCustomResource(nil, now, d.validator)...)
	out = append(out, listtype.ValidateListSetsAndMaps(nil, d.structural, now)...)
	if len(out) > 0 || d.rules == nil {
		return out
	}
	var before any
	if old != nil {
		before = old
	}
	list, _ := d.rules.Validate(context.Background(), nil, d.structural, now, before, celconfig.RuntimeCELCostBudget)
	return append(out, list...)
}
