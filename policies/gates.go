package policies

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/kubesettle/kubesettle/verify/state"
)

// version reads the minor version of the cluster's Kubernetes.
func (d *decoder) version(g *state.Gated) read {
	return func(n *yaml.Node, at string) {
		text := ""
		d.text(&text, func(s string) string {
			if _, ok := state.MinorOf(s); !ok {
				return fmt.Sprintf("%s is not known: use 1.%d to 1.%d, in quotes; for another one, set featureGates", quote(s),
					state.OldestMinor, state.NewestMinor)
			}
			return ""
		})(n, at)
		g.Minor, _ = state.MinorOf(text)
	}
}

// featureGates reads which gates the cluster sets.
func (d *decoder) featureGates(g *state.Gated) read {
	return func(n *yaml.Node, at string) {
		var names []string
		for _, x := range state.Gates() {
			names = append(names, x.Name)
		}
		g.Set = map[string]bool{}
		fs := fields{}
		on := make([]bool, len(names))
		for i, name := range names {
			fs[name] = func(n *yaml.Node, at string) {
				d.flag(&on[i])(n, at)
				g.Set[name] = on[i]
			}
		}
		d.object(n, at, fs)
	}
}
