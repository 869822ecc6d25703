package static

import (
	"maps"
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/state"
)

// trusts records an object that pods need from now on, that nothing here makes, and of which there is no sign that it
// is absent: a pass holds if the cluster has it.
func (m *unmet) trusts(n need) {
	ns := m.o.ID.Namespace
	if n.optional || n.doubtful || n.rule != "" && n.rule != rules.MissingConfig || m.written(n, state.Head) ||
		m.operated(n) || m.where.mentioned(n.name, m.beside) || m.where.ranWith(ns, n) {
		return
	}
	if m.facts.trusted == nil {
		m.facts.trusted = map[string]bool{}
	}
	m.facts.trusted[n.title(ns)] = true
}

// ranWith reports whether an object of base already names a needed object, so that the cluster seems to have it.
func (w *whereabouts) ranWith(namespace string, n need) bool {
	if w.ran == nil {
		w.ran = map[string]bool{}
		for _, o := range w.objects[state.Base] {
			for _, x := range wants(o) {
				w.ran[x.kind+" "+x.title(o.ID.Namespace)] = true
			}
		}
	}
	return w.ran[n.kind+" "+n.title(namespace)]
}

// assumed says which needed objects were taken to be there.
func (f *facts) assumed() []finding.Note {
	if len(f.trusted) == 0 {
		return nil
	}
	return []finding.Note{finding.Say(finding.NeedsTrusted).With(slices.Sorted(maps.Keys(f.trusted))...)}
}
