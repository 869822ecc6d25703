package state_test

import (
	"testing"

	"github.com/kubesettle/kubesettle/verify/state"
)

// A path as every kind has it, and the same as the kind has it itself, lead to each other.
func TestFieldsOfKindsHaveTwoNames(t *testing.T) {
	for _, c := range []struct {
		id, common, own string
	}{
		{"apps/Deployment default/web", "spec.template.spec.affinity", "spec.template.spec.affinity"},
		{"batch/CronJob default/web", "spec.template.spec.containers[0].image", "spec.jobTemplate.spec.template.spec.containers[0].image"},
		{"batch/CronJob default/web", "spec.activeDeadlineSeconds", "spec.jobTemplate.spec.activeDeadlineSeconds"},
		{"batch/CronJob default/web", "spec.suspend", "spec.suspend"},
		{"Pod default/web", "spec.template.spec.containers[0].image", "spec.containers[0].image"},
		{"Pod default/web", "spec.template.metadata.labels[app]", "metadata.labels[app]"},
		{"Pod default/web", "metadata.name", "metadata.name"},
		{"policy/PodDisruptionBudget default/web", "spec.minAvailable", "spec.minAvailable"},
	} {
		kind := state.KindOf(c.id)
		if own := kind.Own(c.common); own != c.own {
			t.Errorf("%s: %s is %s there, not %s", c.id, c.common, own, c.own)
		}
		if common := kind.Common(c.own); common != c.common {
			t.Errorf("%s: %s is %s everywhere, not %s", c.id, c.own, common, c.common)
		}
	}
}
