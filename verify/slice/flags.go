package slice

import (
	"slices"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// toldFlags are the flags of the cluster autoscaler that decide which nodes come and go. Their values are numbers,
// durations and words of upstream's: no others are printed.
//
// Upstream: cluster-autoscaler, config/flags: createAutoscalingOptions.
var toldFlags = []string{
	"scale-down-enabled",
	"scale-down-utilization-threshold",
	"scale-down-unneeded-time",
	"scale-down-delay-after-add",
	"skip-nodes-with-local-storage",
	"skip-nodes-with-system-pods",
	"skip-nodes-with-custom-controller-pods",
	"expander",
	"balance-similar-node-groups",
	"max-nodes-total",
	"max-graceful-termination-sec",
	"expendable-pods-priority-cutoff",
}

// flagNotices says which flags of a cluster autoscaler the change sets otherwise than base. They concern nodes and not
// the objects of one release: where no pool that it scales is declared, their effect is not searched.
func (b *Besides) flagNotices(say func(finding.Note)) {
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
		n := is.say(finding.FlagsChanged)
		for _, name := range toldFlags {
			if before, now := was.flag(name), is.flag(name); before != now {
				n.Names = append(n.Names, name, before, now)
			}
		}
		if !scaled {
			n.Args = []string{"not searched"}
		}
		if len(n.Names) > 0 {
			say(n)
		}
	}
}

// flag is the value of a flag; "" for its default.
func (f *found) flag(name string) string {
	switch value, set := f.flags[name]; {
	case !set:
		return ""
	case value == "":
		return "true" // of yes or no
	default:
		return value
	}
}
