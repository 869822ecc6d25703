package validation

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// What is refused is compared with upstream in verify/conformance; here is what upstream
// does not say.

// TestSecretsAreNotNamed: no error of a Secret holds a value of it.
func TestSecretsAreNotNamed(t *testing.T) {
	meta := metav1.ObjectMeta{Name: "web", Namespace: "shop"}
	was := &corev1.Secret{ObjectMeta: meta, Immutable: ptr.To(true), Type: corev1.SecretTypeDockerConfigJson, Data: map[string][]byte{corev1.DockerConfigJsonKey: []byte("hunter2")}}
	now := &corev1.Secret{ObjectMeta: meta, StringData: map[string]string{"b": "hunter2"}}
	errs := append(Create(was), Update(now, was)...)
	if len(errs) < 4 {
		t.Fatalf("%d errors: %v", len(errs), errs)
	}
	for _, e := range errs {
		if strings.Contains(e.Error(), "hunter2") {
			t.Error(e)
		}
	}
}

// TestLive: a Service that is applied without an address keeps the one it has.
func TestLive(t *testing.T) {
	headless := &corev1.Service{Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeClusterIP, ClusterIP: corev1.ClusterIPNone}}
	plain := &corev1.Service{Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeClusterIP}}
	if got := Live(plain, headless).(*corev1.Service); len(got.Spec.ClusterIPs) != 1 || got.Spec.ClusterIPs[0] != corev1.ClusterIPNone {
		t.Errorf("live: %+v", got.Spec)
	}
	if Live(headless, plain) == nil || len(plain.Spec.ClusterIPs) > 0 {
		t.Error("an object was changed")
	}
}
