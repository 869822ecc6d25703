package validation

import "testing"

// A name that the API server takes for no custom resource is refused, whatever its kind; what something still fills in,
// what no API server gets and what an aggregated one has its own rules for is not.
func TestNamesOfCustomResources(t *testing.T) {
	names := map[string]bool{"web": false, "web.example": false, "a-1": false, "": false, "jwtSecret": true, "web_a": true,
		"-web": true, "${APP}": false, "{{ name }}": false, "<name>": false}
	groups := map[string]bool{"external-secrets.io/v1": true, "cert-manager.io/v1": true, "gateway.x-k8s.io/v1": true,
		"backstage.io/v1alpha1": false, "user.openshift.io/v1": false, "openshift.io/v1": false, "kind.x-k8s.io/v1alpha4": false,
		"kustomize.config.k8s.io/v1beta1": false, "metrics.k8s.io/v1": false, "projectcalico.org/v3": false, "v1": false}
	for group, counts := range groups {
		for name, bad := range names {
			content := map[string]any{"apiVersion": group, "kind": "Some", "metadata": map[string]any{"name": name}}
			if got := len(CreateCustom(content)) > 0; got != (bad && counts) || got != KnowsCustom(content) {
				t.Errorf("%s Some %q: refused %t", group, name, got)
			}
		}
	}
}
