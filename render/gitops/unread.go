package gitops

import (
	"maps"
	"slices"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
)

// The fields of upstream's types in the places where every field affects rendering. Any other field is misspelt, or of
// an older or a future version, so that its effect is unknown.
//
// Upstream: argo-cd 3.2, pkg/apis/application/v1alpha1: ApplicationSourceHelm, ApplicationSourceKustomize,
// ApplicationSourceDirectory and ApplicationSourceJsonnet; helm-controller, api/v2: ValuesReference and PostRenderer;
// kustomize-controller, api/v1: PostBuild.
var (
	argoHelm = []string{"valueFiles", "parameters", "releaseName", "values", "fileParameters", "version",
		"passCredentials", "ignoreMissingValueFiles", "skipCrds", "valuesObject", "namespace", "kubeVersion", "apiVersions",
		"skipTests", "skipSchemaValidation"}
	argoKustomize = []string{"namePrefix", "nameSuffix", "images", "commonLabels", "version", "commonAnnotations",
		"forceCommonLabels", "forceCommonAnnotations", "namespace", "commonAnnotationsEnvsubst", "replicas", "patches",
		"components", "ignoreMissingComponents", "labelWithoutSelector", "labelIncludeTemplates", "kubeVersion",
		"apiVersions"}
	argoDirectory  = []string{"recurse", "jsonnet", "exclude", "include"}
	argoJsonnet    = []string{"extVars", "tlas", "libs"}
	fluxPostRender = []string{"patches", "images", "patchesStrategicMerge", "patchesJson6902"}
	fluxPostBuild  = []string{"substitute", "substituteFrom", "substituteStrategy"}
	fluxValuesFrom = []string{"kind", "name", "valuesKey", "targetPath", "optional", "literal"}
)

// others is a failure for the first field of a map that is not among those known; nil for none.
func (o *declaring) others(field string, v any, known []string) *object.Failure {
	m, _ := v.(map[string]any)
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if !slices.Contains(known, k) {
			return o.unread(field, k)
		}
	}
	return nil
}

// unread is a failure for a field whose effect is unknown.
func (o *declaring) unread(field, name string) *object.Failure {
	f := o.failure(field+"."+name, "correct its name, or render the objects before and after, and compare the two: --base-dir and --head-dir",
		"%s has no field %s in %s, so the applied objects are unknown", document.Text(o.content, "kind"), name, field)
	f.Skipped = true
	return f
}
