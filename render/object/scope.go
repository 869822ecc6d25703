package object

import "strings"

// clusterScoped are the kinds of Kubernetes' own API that have no namespace.
var clusterScoped = map[string]bool{
	"/Namespace": true, "/Node": true, "/PersistentVolume": true, "/ComponentStatus": true,
	"admissionregistration.k8s.io/MutatingWebhookConfiguration":     true,
	"admissionregistration.k8s.io/ValidatingWebhookConfiguration":   true,
	"admissionregistration.k8s.io/ValidatingAdmissionPolicy":        true,
	"admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": true,
	"admissionregistration.k8s.io/MutatingAdmissionPolicy":          true,
	"admissionregistration.k8s.io/MutatingAdmissionPolicyBinding":   true,
	"apiextensions.k8s.io/CustomResourceDefinition":                 true, "apiregistration.k8s.io/APIService": true,
	"certificates.k8s.io/CertificateSigningRequest": true, "certificates.k8s.io/ClusterTrustBundle": true,
	"flowcontrol.apiserver.k8s.io/FlowSchema": true, "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration": true,
	"networking.k8s.io/IngressClass": true, "networking.k8s.io/IPAddress": true, "networking.k8s.io/ServiceCIDR": true,
	"node.k8s.io/RuntimeClass": true, "policy/PodSecurityPolicy": true,
	"rbac.authorization.k8s.io/ClusterRole": true, "rbac.authorization.k8s.io/ClusterRoleBinding": true,
	"resource.k8s.io/DeviceClass": true, "resource.k8s.io/ResourceSlice": true,
	"scheduling.k8s.io/PriorityClass": true,
	"storage.k8s.io/StorageClass":     true, "storage.k8s.io/CSIDriver": true, "storage.k8s.io/CSINode": true,
	"storage.k8s.io/VolumeAttachment": true, "storage.k8s.io/VolumeAttributesClass": true,
	// Well-known custom kinds, for repositories that do not hold their definitions.
	"karpenter.sh/NodePool": true, "karpenter.sh/NodeClaim": true, "karpenter.k8s.aws/EC2NodeClass": true,
	"gateway.networking.k8s.io/GatewayClass": true, "cilium.io/CiliumClusterwideNetworkPolicy": true,
	"policy.networking.k8s.io/AdminNetworkPolicy": true, "policy.networking.k8s.io/BaselineAdminNetworkPolicy": true,
	"policy.networking.k8s.io/ClusterNetworkPolicy": true,
}

// ClusterScoped reports whether a kind has no namespace, and whether that is known: of a custom kind that is not among
// the well-known ones, its name is all there is.
func ClusterScoped(group, kind string) (yes, known bool) {
	if clusterScoped[group+"/"+kind] {
		return true, true
	}
	builtin := group == "" || !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io")
	return !builtin && kind != "Cluster" && strings.HasPrefix(kind, "Cluster"), builtin
}
