package policies

import (
	"fmt"
	"maps"
	"regexp"
	"strconv"

	"github.com/kubesettle/kubesettle/verify/snapshot"
	"github.com/kubesettle/kubesettle/verify/state"
)

// served is how an API server writes its version: "v1.34.1", "v1.33.5-eks-113cf36", "v1.32.9-gke.1" or "1.31+".
var served = regexp.MustCompile(`^v?1\.([0-9]{1,3})\b`)

// setVersion takes the version and the feature gates of a snapshot's cluster, where the policy says
// nothing of them. Of a version that the models do not know they follow the nearest one.
func (p *Policy) setVersion(s *snapshot.Snapshot) {
	g := &p.Cluster.Gated
	if n, ok := minorOf(s); ok && g.Minor == 0 {
		g.Minor = min(max(n, state.OldestMinor), state.NewestMinor)
	}
	set := map[string]bool{}
	for _, x := range state.Gates() {
		if on, told := s.Server.FeatureGates[x.Name]; told {
			set[x.Name] = on
		}
	}
	maps.Copy(set, g.Set) // the policy's win
	if len(set) > 0 {
		g.Set = set
	}
}

func minorOf(s *snapshot.Snapshot) (int, bool) {
	m := served.FindStringSubmatch(s.Server.Version)
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(m[1])
	return n, err == nil
}

// KubeVersion is the minor version of the cluster's Kubernetes, such as "1.34", as the policy or else
// its snapshot has it; "" where neither does.
func (c *Cluster) KubeVersion() string {
	if c.Snapshot != nil {
		if n, ok := minorOf(c.Snapshot); ok &&
			(c.Gated.Minor == 0 || c.Gated.Minor == min(max(n, state.OldestMinor), state.NewestMinor)) {
			return fmt.Sprintf("1.%d", n)
		}
	}
	if c.Gated.Minor == 0 {
		return ""
	}
	return fmt.Sprintf("1.%d", c.Gated.Minor)
}
