package validation

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubesettle/kubesettle/verify/definition"
)

// KnowsCustom reports whether an object that has no type is checked.
func KnowsCustom(content map[string]any) bool {
	kind := groupKind(content)
	if kind == scaledObject || kind == customDefinition {
		return true
	}
	_, misnamed := Meant(content)
	return misnamed || len(customMeta(content)) > 0
}

const scaledObject, customDefinition = "keda.sh/ScaledObject", "apiextensions.k8s.io/CustomResourceDefinition"

// CreateCustom is [Create] for objects without a type: CustomResourceDefinitions, and the checks of KEDA's admission
// webhook for a ScaledObject. Where that webhook is not installed, KEDA's operator refuses it, and
// leaves its autoscaler as it was.
func CreateCustom(content map[string]any) field.ErrorList {
	switch groupKind(content) {
	case scaledObject:
		return sorted(validateScaledObject(content))
	case customDefinition:
		return sorted(definition.Check(content, nil))
	}
	return append(noSuchKind(content), customMeta(content)...)
}

// plainName is a text that is not filled in later: no placeholder, template or variable.
var plainName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// noResources are API groups whose documents are no custom resources: files of tools, which are never applied, and
// objects of an aggregated API server, which has its own rules for names.
var noResources = regexp.MustCompile(`(^|\.)(backstage\.io|eksctl\.io|k3d\.io|kind\.x-k8s\.io|openshift\.io|projectcalico\.org|` +
	`helm\.sh|skaffold\.dev|score\.dev)$|(^|[^-])k8s\.io$`)

// customMeta is what the API server refuses of the name and labels of a custom resource, whatever its schema.
//
// Upstream: kubernetes v1.36.3, apiextensions-apiserver, pkg/registry/customresource:
// (*customResourceValidator).Validate (NameIsDNSSubdomain).
func customMeta(content map[string]any) field.ErrorList {
	version, _ := content["apiVersion"].(string)
	group, _, _ := strings.Cut(version, "/")
	meta, _ := content["metadata"].(map[string]any)
	if !strings.Contains(group, ".") || noResources.MatchString(group) {
		return nil
	}
	var out field.ErrorList
	at := field.NewPath("metadata")
	if name, _ := meta["name"].(string); plainName.MatchString(name) {
		for _, say := range apivalidation.NameIsDNSSubdomain(name, false) {
			out = append(out, field.Invalid(at.Child("name"), name, say))
		}
	}
	set, _ := meta["labels"].(map[string]any)
	for _, k := range slices.Sorted(maps.Keys(set)) {
		if v, _ := set[k].(string); plainName.MatchString(v) {
			for _, say := range utilvalidation.IsValidLabelValue(v) {
				out = append(out, field.Invalid(at.Child("labels"), v, say))
			}
		}
	}
	return out
}

// UpdateCustom is [Update] for the same kinds. With server-side apply, a field that another manager has written stays
// when the manifest drops it: a definition's CA bundle, where an injector is told to write one.
//
// Upstream: structured-merge-diff, merge: (*Updater).Apply, prune; cert-manager v1.20, pkg/controller/cainjector.
func UpdateCustom(content, old map[string]any, serverSide bool) field.ErrorList {
	if groupKind(content) != customDefinition {
		return CreateCustom(content)
	}
	if !serverSide || !injected(old) {
		return sorted(definition.Check(content, old))
	}
	conversion, _ := dig(content, "spec", "conversion").(map[string]any)
	if strategy, _ := conversion["strategy"].(string); strategy == "Webhook" ||
		dig(conversion, "webhook", "clientConfig") != nil {
		return sorted(definition.Check(content, old))
	}
	return field.ErrorList{field.Forbidden(conversionPath.Child("webhook", "clientConfig"),
		"should not be set when strategy is not set to Webhook; a server-side apply leaves the caBundle that another manager wrote")}
}

var conversionPath = field.NewPath("spec", "conversion")

// injectors are the annotations by which somebody else writes the CA bundle of a conversion webhook.
var injectors = []string{"cert-manager.io/inject-ca-from", "cert-manager.io/inject-ca-from-secret",
	"cert-manager.io/inject-apiserver-ca", "service.beta.openshift.io/inject-cabundle"}

// injected reports whether a definition with a conversion webhook has a CA bundle that its manifest does not write.
func injected(content map[string]any) bool {
	client, _ := dig(content, "spec", "conversion", "webhook", "clientConfig").(map[string]any)
	if client == nil || client["caBundle"] != nil {
		return false
	}
	annotations, _ := dig(content, "metadata", "annotations").(map[string]any)
	for _, k := range injectors {
		if annotations[k] != nil {
			return true
		}
	}
	return false
}

// validateScaledObject asks what is in a ScaledObject itself.
//
// Upstream: kedacore/keda v2, apis/keda/v1alpha1: CheckReplicaCountBoundsAreValid, CheckFallbackValid,
// GetHPAMinReplicas, GetHPAMaxReplicas, verifyCPUMemoryScalers.
func validateScaledObject(content map[string]any) field.ErrorList {
	var out field.ErrorList
	spec, _ := content["spec"].(map[string]any)
	low, hasLow, okLow := count(spec, "minReplicaCount")
	high, hasHigh, okHigh := count(spec, "maxReplicaCount")
	idle, hasIdle, okIdle := count(spec, "idleReplicaCount")
	if !okLow || !okHigh || !okIdle {
		return nil // a placeholder
	}
	toZero := hasLow && low == 0
	if hasLow {
		low = max(low, 1)
	}
	if !hasHigh {
		high = 100
	}
	switch {
	case low > high:
		where := specPath.Child("minReplicaCount")
		if !hasLow {
			where = specPath.Child("maxReplicaCount")
		}
		out = append(out, field.Invalid(where, low, fmt.Sprintf("MinReplicaCount=%d must be less than MaxReplicaCount=%d (KEDA)", low, high)))
	case hasIdle && idle >= low:
		out = append(out, field.Invalid(specPath.Child("idleReplicaCount"), idle,
			fmt.Sprintf("IdleReplicaCount=%d must be less than MinReplicaCount=%d (KEDA)", idle, low)))
	}
	if toZero && onlyResources(spec) {
		out = append(out, field.Invalid(specPath.Child("minReplicaCount"), 0, "scaledobject has only cpu/memory triggers AND "+
			"minReplica is 0 (scale to zero doesn't work in this case) (KEDA)"))
	}
	if fallback, _ := spec["fallback"].(map[string]any); fallback != nil && !canFallBack(spec) {
		out = append(out, field.Invalid(specPath.Child("fallback"), "", "at least one trigger (that is not cpu or memory) "+
			"has to have the `AverageValue` type for the fallback to be enabled (KEDA)"))
	}
	return out
}

// onlyResources reports whether all triggers are what pods use, of a workload whose pods the webhook reads.
func onlyResources(spec map[string]any) bool {
	kind, _ := dig(spec, "scaleTargetRef", "kind").(string)
	if kind != "" && kind != "Deployment" && kind != "StatefulSet" {
		return false
	}
	triggers, _ := spec["triggers"].([]any)
	return len(triggers) > 0 && !slices.ContainsFunc(triggers, func(x any) bool {
		t, _ := x.(map[string]any)
		return t["type"] != "cpu" && t["type"] != "memory"
	})
}

// canFallBack reports whether some trigger has a metric that a fallback can stand for.
func canFallBack(spec map[string]any) bool {
	if modifiers, _ := dig(spec, "advanced", "scalingModifiers").(map[string]any); len(modifiers) > 0 {
		return modifiers["metricType"] != "Value"
	}
	triggers, ok := spec["triggers"].([]any)
	if !ok {
		return true // not known
	}
	for _, x := range triggers {
		t, _ := x.(map[string]any)
		kind, target := t["type"], t["metricType"]
		if kind != "cpu" && kind != "memory" && (target == nil || target == "" || target == "AverageValue") {
			return true
		}
	}
	return false
}

// count is a number of pods; ok is false if it is no such number.
func count(spec map[string]any, name string) (n int64, has, ok bool) {
	switch x := spec[name].(type) {
	case nil:
		return 0, false, true
	case int64:
		return x, true, true
	case int:
		return int64(x), true, true
	case float64:
		return int64(x), true, x == math.Trunc(x)
	}
	return 0, true, false
}

// groupKind is the kind of an object with its group, as "keda.sh/ScaledObject".
func groupKind(content map[string]any) string {
	version, _ := content["apiVersion"].(string)
	kind, _ := content["kind"].(string)
	group, _, _ := strings.Cut(version, "/")
	return group + "/" + kind
}

// dig is a value in nested maps; nil: it is not there.
func dig(content map[string]any, path ...string) any {
	var v any = content
	for _, k := range path {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	return v
}
