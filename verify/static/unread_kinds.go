package static

import (
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/celpolicy"
	"github.com/kubesettle/kubesettle/verify/kyverno"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/traffic"
)

// readGroups have kinds without a type of which rendering, a model or a check reads what matters.
var readGroups = []string{"helm.cattle.io", "apiextensions.k8s.io", "autoscaling.k8s.io",
	"kueue.x-k8s.io",
	"keda.sh", "karpenter.sh", "karpenter.k8s.aws", "kustomize.config.k8s.io", "descheduler",
	"kubescheduler.config.k8s.io"}

// readOf are the kinds of other groups of which that is so.
var readOf = map[string][]string{
	"argoproj.io": {"Application", "ApplicationSet", "AppProject", "Rollout"},
	"gateway.networking.k8s.io": {"GatewayClass", "Gateway", "ReferenceGrant", "HTTPRoute", "GRPCRoute", "TLSRoute",
		"TCPRoute", "UDPRoute"},
}

// idleGroups have kinds that place no pods, start none and send no requests their way: they watch, draw, or bring
// secrets and certificates.
var idleGroups = []string{"monitoring.coreos.com", "operator.victoriametrics.com", "grafana.integreatly.org",
	"cert-manager.io", "external-secrets.io", "generators.external-secrets.io", "bitnami.com", "secrets.hashicorp.com",
	"secrets-store.csi.x-k8s.io", "onepassword.com", "console.openshift.io", "notification.toolkit.fluxcd.io",
	"kubesettle.dev"}

// operands are the kinds of these groups that an operator makes pods of.
var operands = []string{"Prometheus", "Alertmanager", "ThanosRuler", "PrometheusAgent", "Grafana", "VMCluster",
	"VMSingle",
	"VMAgent", "VMAlert", "VMAlertmanager", "VLogs", "VMAuth"}

// unreadTyped are the API server's own kinds that no rendering, model or check reads, though they change pods, keep
// them from nodes, or send them requests.
var unreadTyped = []string{"MutatingAdmissionPolicy", "DeviceClass", "DeviceTaintRule", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice", "PodGroup", "Workload", "Node",
	"CSINode", "CSIStorageCapacity", "VolumeAttachment", "Endpoints", "EndpointSlice"}

// Unread reports whether an object's effect on pods and requests is unknown. The refusals of a policy in CEL are
// unknown if it asks for the sender of the request.
func Unread(o *object.Object) bool {
	if p, ok := o.Typed.(*admissionv1.ValidatingAdmissionPolicy); ok {
		return celpolicy.AsksSender(p)
	}
	switch {
	case slice.Mutates(o):
		return o.ID.Group == kyverno.Group && (o.ID.Kind == "PolicyException" || kyverno.DoesMore(o.Content))
	case o.Typed != nil:
		return slices.Contains(unreadTyped, o.ID.Kind)
	case slice.RunsPods(o), slice.AsksOfPods(o), slice.Scales(o), slice.IsTest(o),
		traffic.IsPolicy(o),
		slices.Contains(readGroups, o.ID.Group), slices.Contains(readOf[o.ID.Group], o.ID.Kind),
		!strings.Contains(o.ID.Group, "."):
		return false
	case slices.Contains(idleGroups, o.ID.Group):
		return slices.Contains(operands, o.ID.Kind)
	}
	return !strings.HasSuffix(o.ID.Group, "toolkit.fluxcd.io")
}
