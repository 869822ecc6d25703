package verify

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/run"
	"github.com/kubesettle/kubesettle/verify/scenario"
)

// TestRecallChangesNothing runs random changes with every search remembered and with none: they give the same bytes,
// blame and fixes included. With -clusters there are more of them.
func TestRecallChangesNothing(t *testing.T) {
	found := int64(0)
	same := func(seed int, ch *object.Changes, pol *policies.Policy, workers int) {
		told := func(o Options) string {
			o.Policy, o.Workers, o.States = pol, workers, 3_000
			return text(t, verdict(t)(Check(context.Background(), ch, o)))
		}
		all := scenario.NewRecall(1)
		if a, b := told(Options{Part: run.Part{Recall: all}}), told(Options{Compare: run.Compare{Forgets: true}}); a != b {
			t.Errorf("pair %d: remembered\n%s\nnot\n%s", seed, a, b)
		}
		found += all.Found()
	}
	for seed := range max(6, *moreClusters) {
		p := newRandomPair(rand.New(rand.NewPCG(21, uint64(seed))))
		ch, _ := changeOf(t, p.manifests(p.base, plainDress), p.manifests(p.head, plainDress), "")
		same(seed, ch, p.policy(t, plainDress), 1+seed%2)
	}
	t.Logf("%d searches were not made again", found)
	if found < 20 {
		t.Errorf("%d searches were not made again: the test has lost its teeth", found)
	}
}
