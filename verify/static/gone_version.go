package static

import (
	"fmt"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/typed"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/state"
)

var goneVersions = Analyzer{Name: "versions", Rule: rules.ApplyRejected, Run: goneVersion,
	Doc: "an API version that no API server serves any more"}

// goneAt are versions that k8s.io/api has no more, by the minor version that stopped serving them.
//
// Upstream: kubernetes.io/docs/reference/using-api/deprecation-guide.
var goneAt = map[schema.GroupVersionKind]int{
	{Group: "autoscaling", Version: "v2beta1", Kind: "HorizontalPodAutoscaler"}:                    25,
	{Group: "autoscaling", Version: "v2beta2", Kind: "HorizontalPodAutoscaler"}:                    26,
	{Group: "policy", Version: "v1beta1", Kind: "PodSecurityPolicy"}:                               25,
	{Group: "apiextensions.k8s.io", Version: "v1beta1", Kind: "CustomResourceDefinition"}:          22,
	{Group: "apiregistration.k8s.io", Version: "v1beta1", Kind: "APIService"}:                      22,
	{Group: "scheduling.k8s.io", Version: "v1alpha1", Kind: "PriorityClass"}:                       22,
	{Group: "rbac.authorization.k8s.io", Version: "v1alpha1", Kind: "ClusterRole"}:                 22,
	{Group: "rbac.authorization.k8s.io", Version: "v1alpha1", Kind: "ClusterRoleBinding"}:          22,
	{Group: "admissionregistration.k8s.io", Version: "v1alpha1", Kind: "InitializerConfiguration"}: 14,
}

// goneVersion says which objects come in a version that no API server serves from some version of Kubernetes on, which
// base had in another one, or not at all. What base had in such a version is no news.
func goneVersion(p *Pass) []Remark {
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		b := p.before().counterpart(o)
		now, was := goneSince(o), goneSince(b)
		switch {
		case o.Hook, now > 0 && was > 0, now == was:
			continue
		case was > 0:
			r := gone(b, was)
			r.status = finding.Fixed
			out = append(out, r)
			continue
		}
		r := gone(o, now)
		gv, ok := typed.ReadAs[writtenAs(o)]
		if o.ID.Kind == "Ingress" {
			gv, ok = networkingv1.SchemeGroupVersion, true
		}
		if ok {
			r.remedies = []Remedy{{Say: "set apiVersion: " + gv.String(), Object: o,
				Set: []object.Setting{{Path: "apiVersion", Value: gv.String()}}}}
			if newer := asNewer(o); newer != nil {
				r.remedies[0].Say += ", with the fields that it has"
				r.remedies[0].Set = append(r.remedies[0].Set, newer...)
			}
		}
		r.remedies = append(r.remedies, Remedy{Say: "write it in a version that is served"})
		out = append(out, r)
	}
	return out
}

// gone words an object in such a version.
func gone(o *object.Object, since int) Remark {
	return Remark{Object: o, paths: []string{"apiVersion"}, Conditional: true, since: since,
		text: fmt.Sprintf("%s: %s has no kind %s from Kubernetes 1.%d on", o.ID, writtenAs(o).GroupVersion(), o.ID.Kind,
			since)}
}

// writtenAs is the kind of an object in the version that it is written in.
func writtenAs(o *object.Object) schema.GroupVersionKind {
	version, _ := o.Content["apiVersion"].(string)
	gv, _ := schema.ParseGroupVersion(version)
	return gv.WithKind(o.ID.Kind)
}

// goneSince is the minor version that stopped serving the version of an object; 0: it is served, or is of a custom
// resource.
func goneSince(o *object.Object) int {
	if o == nil {
		return 0
	}
	gvk := writtenAs(o)
	if since, ok := goneAt[gvk]; ok {
		return since
	}
	newest, _ := state.MinorOf(typed.DefaultKubeVersion)
	obj, err := scheme.Scheme.New(gvk)
	if err != nil {
		return 0
	}
	if x, ok := obj.(interface{ APILifecycleRemoved() (major, minor int) }); ok {
		if _, minor := x.APILifecycleRemoved(); minor <= newest {
			return minor
		}
	}
	return 0
}
