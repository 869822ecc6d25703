package state

import (
	"strconv"
	"strings"
)

// Karpenter is what a NodePool of Karpenter (karpenter.sh/v1) says of how its nodes are
// disrupted, with upstream's defaults filled in.
type Karpenter struct {
	NodePool string // its name
	// Never says that nodes are not consolidated (consolidateAfter: Never, or a static
	// pool), and WhenEmpty that only empty ones are.
	Never, WhenEmpty bool
	Budgets          []DisruptionBudget // empty: no limit
	Expires          bool               // expireAfter is not Never
	// Patient says that there is no terminationGracePeriod: a pod that may not be evicted
	// keeps its node.
	Patient bool
}

// DisruptionBudget is one of a NodePool's spec.disruption.budgets that is always in force.
type DisruptionBudget struct {
	Nodes   string // a number, or a percentage of the pool's nodes, which is rounded up
	Reasons []string
}

// Reasons of a disruption, as budgets spell them.
const (
	DisruptEmpty         = "Empty"
	DisruptUnderutilized = "Underutilized"
)

// Allowed is how many of a pool's nodes may be disrupted at a time for a reason, of which
// it has so many; -1 is no limit.
//
// Upstream: sigs.k8s.io/karpenter v1.9.1, pkg/apis/v1: (*NodePool).GetAllowedDisruptionsByReason,
// (*Budget).GetAllowedDisruptions; a budget with a schedule is left out where it is read.
func (k *Karpenter) Allowed(reason string, nodes int) int {
	out := -1
	for i := range k.Budgets {
		b := &k.Budgets[i]
		if len(b.Reasons) > 0 && !contains(b.Reasons, reason) {
			continue
		}
		n := 0
		if share, ok := strings.CutSuffix(b.Nodes, "%"); ok {
			percent, err := strconv.Atoi(share)
			if err == nil {
				n = (percent*nodes + 99) / 100
			}
		} else if v, err := strconv.Atoi(b.Nodes); err == nil {
			n = v
		}
		if out < 0 || n < out {
			out = n
		}
	}
	return out
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
