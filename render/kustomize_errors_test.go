package render

import "testing"

// TestAWrongFieldOfAKustomizationHasItsLine: the library names the field alone.
func TestAWrongFieldOfAKustomizationHasItsLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"patches:\n- patch.yaml\n":       {"web/kustomization.yaml:2: invalid Kustomization", "`- path: FILE`"},
		"namePrefix: a-\nresource: []\n": {"web/kustomization.yaml:3: invalid Kustomization", "correct the kustomization"},
		"images: {}\n":                   {"web/kustomization.yaml:2: invalid Kustomization", "correct the kustomization"},
	} {
		files := map[string]string{"web/kustomization.yaml": "resources: []\n" + text, "web/patch.yaml": "a: b\n"}
		fails(t, renderWith(t, files, Options{}), "web", want[0], want[1])
	}
}

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
