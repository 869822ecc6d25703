package slice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies"
)

// flagWords are the flags of the cluster autoscaler that decide which nodes come and go, in order, with what each is
// about. Their values are numbers, durations and words of upstream's: no others are printed.
//
// Upstream: cluster-autoscaler, config/flags: createAutoscalingOptions.
var flagWords = []struct{ name, about string }{
	{"scale-down-enabled", "whether nodes are removed at all"},
	{"scale-down-utilization-threshold", "below which share of requested CPU and memory a node's pods are evicted and it is removed"},
	{"scale-down-unneeded-time", "how long a node is unneeded before it is removed"},
	{"scale-down-delay-after-add", "how long after a new node none is removed"},
	{"skip-nodes-with-local-storage", "whether nodes are kept for pods with an emptyDir or hostPath"},
	{"skip-nodes-with-system-pods", "whether nodes are kept for pods of kube-system without a budget"},
	{"skip-nodes-with-custom-controller-pods", "whether nodes are kept for pods of other controllers"},
	{"expander", "which group of nodes grows"},
	{"balance-similar-node-groups", "whether similar groups, as of several zones, are kept alike in size"},
	{"max-nodes-total", "how many nodes there are at most"},
	{"max-graceful-termination-sec", "how long evicted pods have to end"},
	{"expendable-pods-priority-cutoff", "below which priority pods neither keep a node nor bring one"},
}

// flagNotices says which flags of a cluster autoscaler the change sets otherwise than base. They concern nodes and not
// the objects of one release: where no pool that it scales is declared, nothing searches what comes of them.
func (b *Besides) flagNotices(say func(string)) {
	if !b.Compared {
		return
	}
	scaled := slices.ContainsFunc(b.policy.Cluster.Pools, func(p policies.NodePool) bool { return p.Autoscaled })
	for _, is := range b.Head.list {
		i := slices.IndexFunc(b.Base.list, func(was *found) bool {
			return was.controller == is.controller && was.release == is.release && was.object == is.object
		})
		if is.controller != foundAutoscaler || i < 0 {
			continue
		}
		was := b.Base.list[i]
		var changed []string
		about := ""
		for _, f := range flagWords {
			if before, now := was.flag(f.name), is.flag(f.name); before != now {
				changed, about = append(changed, fmt.Sprintf("--%s goes from %s to %s", f.name, before, now)), f.about
			}
		}
		if len(changed) == 0 {
			continue
		}
		text := "cluster autoscaler: " + strings.Join(changed, ", ") + ", in " + is.where()
		if len(changed) == 1 {
			text += " (" + about + ")"
		}
		if !scaled {
			text += ", for all nodes that it scales; not searched, as no pool of cluster.nodePools is autoscaled"
		}
		say(text)
	}
}

// flag words the value of a flag.
func (f *found) flag(name string) string {
	switch value, set := f.flags[name]; {
	case !set:
		return "its default"
	case value == "":
		return "true" // of yes or no
	default:
		return value
	}
}
