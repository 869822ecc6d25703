package helm

import (
	"fmt"
	"reflect"
	"sort"
	"strings"

	"helm.sh/helm/v3/pkg/chartutil"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/kubesettle/kubesettle/render/typed"
)

// era is when a group version was served by default, in minors of Kubernetes 1;
// 0 is no limit.
type era struct{ from, until int }

// eras lists what was not served by default in all of 1.16 to 1.36: stable versions that
// came, and others that went (until is the first minor without).
// Source: the deprecation guide and pkg/controlplane/instance.go.
var eras = map[string]era{
	"autoscaling/v2":                       {23, 0},
	"autoscaling/v2beta1":                  {0, 25},
	"autoscaling/v2beta2":                  {0, 26},
	"batch/v1beta1":                        {0, 25},
	"admissionregistration.k8s.io/v1beta1": {0, 22},
	"apiextensions.k8s.io/v1beta1":         {0, 22},
	"apiregistration.k8s.io/v1beta1":       {0, 22},
	"authentication.k8s.io/v1beta1":        {0, 22},
	"authorization.k8s.io/v1beta1":         {0, 22},
	"certificates.k8s.io/v1":               {19, 0},
	"certificates.k8s.io/v1beta1":          {0, 22},
	"coordination.k8s.io/v1beta1":          {0, 22},
	"discovery.k8s.io/v1":                  {21, 0},
	"discovery.k8s.io/v1beta1":             {17, 25},
	"events.k8s.io/v1":                     {19, 0},
	"events.k8s.io/v1beta1":                {0, 25},
	"extensions/v1beta1":                   {0, 22},
	"flowcontrol.apiserver.k8s.io/v1":      {29, 0},
	"flowcontrol.apiserver.k8s.io/v1beta1": {20, 26},
	"flowcontrol.apiserver.k8s.io/v1beta2": {23, 29},
	"flowcontrol.apiserver.k8s.io/v1beta3": {26, 32},
	"networking.k8s.io/v1":                 {0, 0},
	"networking.k8s.io/v1beta1":            {0, 22},
	"node.k8s.io/v1":                       {20, 0},
	"node.k8s.io/v1beta1":                  {0, 25},
	"policy/v1":                            {21, 0},
	"policy/v1beta1":                       {0, 25},
	"rbac.authorization.k8s.io/v1beta1":    {0, 22},
	"resource.k8s.io/v1":                   {34, 0},
	"scheduling.k8s.io/v1beta1":            {0, 22},
	"storage.k8s.io/v1beta1":               {0, 27},
}

// capabilities are what a chart sees of a cluster of a Kubernetes version such as
// "1.36" or "v1.36.3": all group versions it serves by default, each also with its
// kinds, as a live cluster's discovery gives them. The library's own defaults are those
// of 1.20 without kinds.
// Errors: a version that cannot be parsed.
func capabilities(kubeVersion string) (*chartutil.Capabilities, error) {
	if kubeVersion == "" {
		kubeVersion = typed.DefaultKubeVersion
	}
	kv, err := chartutil.ParseKubeVersion(kubeVersion)
	if err != nil {
		return nil, fmt.Errorf("kubernetes version %q: %w", kubeVersion, err)
	}
	sv, err := version.ParseGeneric(kubeVersion)
	if err != nil {
		return nil, fmt.Errorf("kubernetes version %q: %w", kubeVersion, err)
	}
	return &chartutil.Capabilities{
		KubeVersion: *kv,
		APIVersions: ServedVersions(int(sv.Minor())),
		HelmVersion: chartutil.DefaultCapabilities.HelmVersion,
	}, nil
}

// ServedVersions lists group versions and kinds, sorted.
func ServedVersions(minor int) chartutil.VersionSet {
	set := map[string]bool{}
	for gvk, t := range scheme.Scheme.AllKnownTypes() {
		if gvk.Version == "__internal" || !served(gvk.GroupVersion(), minor) || !isResource(gvk.Kind, t) {
			continue
		}
		set[gvk.GroupVersion().String()] = true
		set[gvk.GroupVersion().String()+"/"+gvk.Kind] = true
	}
	for _, extra := range []string{"apiregistration.k8s.io/v1", "apiregistration.k8s.io/v1/APIService"} {
		set[extra] = true // the aggregator's own API, which is not in client-go's scheme
	}
	list := make(chartutil.VersionSet, 0, len(set))
	for v := range set {
		list = append(list, v)
	}
	sort.Strings(list)
	return list
}

func served(gv schema.GroupVersion, minor int) bool {
	if e, ok := eras[gv.String()]; ok {
		return minor >= e.from && (e.until == 0 || minor < e.until)
	}
	return !strings.Contains(gv.Version, "alpha") && !strings.Contains(gv.Version, "beta")
}

// isResource reports whether a kind is one that a cluster serves: not one of the lists and options that the scheme
// registers beside them.
func isResource(kind string, t reflect.Type) bool {
	return strings.HasPrefix(t.PkgPath(), "k8s.io/api") && !strings.HasPrefix(t.PkgPath(), "k8s.io/apimachinery") &&
		!strings.HasSuffix(kind, "List") && !strings.HasSuffix(kind, "Options")
}
