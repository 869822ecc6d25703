package verify

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// untold says of failures of tier 1 what has to be declared before they are told, and why.
var untold = map[string]string{
	"f06": "any rollout of base ends so, too, and no change is to blame but the one that plants it, which is told",
	"f07": "any rollout of base ends so, too, and no change is to blame but the one that plants it, which is told",
	"f09": "takes a bad revision and a revert; every ordered StatefulSet ends so, and each change would have a warning",
	"f20": "takes a bad revision behind a budget, as most have one; told where `AlwaysAllow` is dropped",
	"f23": "takes a lost node, and is so of every StatefulSet",
	"f29": "what a program keeps without load; F30's repaired variant has the same autoscaler. Told where one comes to use memory",
	"f31": "what a program keeps without load",
	"f43": "that a pool spans zones and may have fewer nodes than these",
	"f45": "how much room nodes have",
	"f50": "that nodes are full",
	"f60": "which nodes have the label that pods prefer",
	"g01": "what a program keeps without load",
	"g07": "takes two drains and a bad revision during the rollout",
	"g26": "takes a bad revision and a revert, as F09",
	"g37": "that another controller rewrites the Secret",
	"g40": "what the mutating webhook writes",
	"g44": "that zones have unequal numbers of nodes",
	"g47": "that nodes are drained while the Job runs",
	"g51": "the floor, as no budget names one, and that two nodes expire at once",
}

// writeUntold writes what of a list is told by a policy only, or by nodes only, and why. gaps are the failures of tier 1
// that some mode tells nothing of, with the mode.
func writeUntold(t *testing.T, page *bytes.Buffer, which string, gaps []gap) {
	t.Helper()
	fmt.Fprintf(page, "\n### Told %s only with more declared (tier 1)\n\n| | told from | what has to be declared, or why |\n|---|---|---|\n", which)
	for _, g := range gaps {
		why, ok := untold[g.id]
		if !ok {
			t.Errorf("%s: told from %s on, without a reason", g.id, g.from)
		}
		fmt.Fprintf(page, "| %s | %s | %s |\n", strings.ToUpper(g.id), g.from, why)
	}
}

// gap is a failure that is told from a mode on.
type gap struct{ id, from string }

// gapOf is where a failure of tier 1 begins to be told; false where it is told with nothing declared. words are what is
// told, by mode, "–" where nothing is.
func gapOf(t *testing.T, e entry, words []string) (gap, bool) {
	t.Helper()
	_, named := untold[e.id]
	switch {
	case e.tier != 1:
	case words[0] != "–":
		if named {
			t.Errorf("%s: told with nothing declared, and yet with a reason why it is not", e.id)
		}
	case words[1] != "–":
		return gap{e.id, "nodes"}, true
	default:
		return gap{e.id, "policy"}, true
	}
	return gap{}, false
}
