package render

import "testing"

// TestKustomizeErrorsAreTheSameEachTime: the library prints where it has things in memory, which is another place in
// each run.
func TestKustomizeErrorsAreTheSameEachTime(t *testing.T) {
	t.Parallel()
	files := map[string]string{"part/kustomization.yaml": "kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\n" +
		"configMapGenerator: [{name: values, behavior: merge, literals: [a=b]}]\n",
		"web/kustomization.yaml": "components: [../part]\n"}
	fails(t, renderWith(t, files, Options{}), "web",
		"path '/part': a generator merges into ConfigMap values, which the kustomization does not have", "")
}
