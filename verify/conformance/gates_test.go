package conformance

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/util/version"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	_ "k8s.io/kubernetes/pkg/features"

	"github.com/kubesettle/kubesettle/verify/state"
)

// TestGateDefaults: the defaults of feature gates by version are those of upstream's versioned specs.
func TestGateDefaults(t *testing.T) {
	all := utilfeature.DefaultMutableFeatureGate.GetAllVersioned()
	for _, g := range state.Gates() {
		specs, ok := all[featuregate.Feature(g.Name)]
		if !ok {
			t.Errorf("upstream has no gate %s", g.Name)
			continue
		}
		for minor := state.OldestMinor; minor <= state.ModeledMinor; minor++ {
			want, locked, at := false, false, version.MustParse(fmt.Sprintf("1.%d", minor))
			for _, s := range specs { // ascending
				if !s.Version.GreaterThan(at) {
					want, locked = s.Default, s.LockToDefault
				}
			}
			if got := (state.Gated{Minor: minor}).On(g.Name); got != want {
				t.Errorf("%s in 1.%d: %t, upstream %t", g.Name, minor, got, want)
			}
			if got := g.LockedSince > 0 && minor >= g.LockedSince; got != locked {
				t.Errorf("%s in 1.%d: locked %t, upstream %t", g.Name, minor, got, locked)
			}
		}
	}
}
