package static

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
)

// misspelt enters a class or another object of the cluster that the repository does not have, if nothing else names it
// and others name one that is a letter away. Base's own name does not count: it may be the slip that this mends.
func (m *unmet) misspelt(n need) {
	by := m.where.namedBy(n.kind)
	if len(by[n.name]) > 1 {
		return
	}
	meant := map[string]bool{}
	for name, who := range by {
		if len(who) > 1 || !who[identity(m.o)] {
			meant[name] = name != n.name && slip(name, n.name) && typos(name, n.name) == 1
		}
	}
	maps.DeleteFunc(meant, func(_ string, yes bool) bool { return !yes })
	if len(meant) != 1 {
		return
	}
	to := slices.Collect(maps.Keys(meant))[0]
	r := m.remark(n, fmt.Sprintf("%s, which nothing else names, and others name %s", m.needs(n), to))
	r.Conditional, r.text = true, r.text+" (unless the cluster has it)"
	r.remedies = []Remedy{{Say: "name " + to, Object: m.o, Set: []object.Setting{{Path: n.path, Value: to}}}}
	m.enter(n, r)
}

// namedBy are the names of a kind that objects of head name, each with the identities of these objects.
func (w *whereabouts) namedBy(kind string) map[string]map[string]bool {
	if w.names == nil {
		w.names = map[string]map[string]map[string]bool{}
		for _, o := range w.objects[state.Head] {
			for _, n := range names(o) {
				of := w.names[n.kind]
				if of == nil {
					of = map[string]map[string]bool{}
					w.names[n.kind] = of
				}
				if of[n.name] == nil {
					of[n.name] = map[string]bool{}
				}
				of[n.name][identity(o)] = true
			}
		}
	}
	return w.names[kind]
}
