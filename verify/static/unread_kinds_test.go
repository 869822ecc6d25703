package static

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/kubesettle/kubesettle/render/object"
)

var (
	// readTyped are kinds that a model, a check or the comparison of workloads reads.
	readTyped = strings.Fields(`
		Pod Deployment ReplicaSet StatefulSet DaemonSet Job CronJob ReplicationController
		HorizontalPodAutoscaler PodDisruptionBudget ResourceQuota LimitRange PriorityClass RuntimeClass Namespace
		PersistentVolume PersistentVolumeClaim StorageClass ConfigMap Secret ServiceAccount
		Service Ingress IngressClass NetworkPolicy APIService CustomResourceDefinition
		ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding MutatingAdmissionPolicyBinding
		ValidatingWebhookConfiguration MutatingWebhookConfiguration`)
	// idleTyped are kinds that neither change pods, nor place, count or reach them.
	idleTyped = strings.Fields(`
		Role RoleBinding ClusterRole ClusterRoleBinding ClusterTrustBundle CertificateSigningRequest PodCertificateRequest
		ControllerRevision PodTemplate Event Lease LeaseCandidate ComponentStatus StorageVersion StorageVersionMigration
		FlowSchema PriorityLevelConfiguration CSIDriver VolumeAttributesClass ServiceCIDR IPAddress ResourcePoolStatusRequest`)
	// askedTyped are requests and answers, which no manifest declares.
	askedTyped = strings.Fields(`
		Binding Eviction Scale Status APIGroup APIVersions List RangeAllocation SerializedReference NodeProxyOptions ServiceProxyOptions
		TokenRequest TokenReview SelfSubjectReview SubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview
		LocalSubjectAccessReview AdmissionReview ConversionReview ImageReview NodeConfigSource PodStatusResult DeploymentRollback`)
)

// TestEveryKindIsReadOrNamed holds that each kind that the API server has is read, has no effect, or is named when it
// changes. A new version of Kubernetes with a new kind fails it: say which of these it is.
func TestEveryKindIsReadOrNamed(t *testing.T) {
	for gvk := range scheme.Scheme.AllKnownTypes() {
		if gvk.Version == "__internal" || strings.HasSuffix(gvk.Kind, "List") || strings.HasSuffix(gvk.Kind, "Options") ||
			gvk.Kind == "WatchEvent" || slices.Contains(askedTyped, gvk.Kind) {
			continue
		}
		typed, err := scheme.Scheme.New(gvk)
		if err != nil {
			t.Fatal(err)
		}
		o := &object.Object{ID: object.ID{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind, Name: "x"}, Typed: typed}
		if _, ok := typed.(metav1.Object); !ok {
			t.Errorf("%s: no object, and not in the list of those", gvk)
			continue
		}
		known := slices.Contains(readTyped, gvk.Kind) || slices.Contains(idleTyped, gvk.Kind)
		if unread := Unread(o); unread == known {
			t.Errorf("%s: named %v, read or idle %v", gvk, unread, known)
		}
	}
}
