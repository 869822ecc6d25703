package static

import (
	"io/fs"
	"regexp"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// otherNamespace reports whether a needed object stands in a namespace that it names itself, beside an object that
// names none: whoever applies the release names it, as nothing else fits.
func (m *unmet) otherNamespace(n need) bool {
	if slice.ValueAt(m.o.Content, "metadata", "namespace") != nil || m.release.Head.Namespace != "" {
		return false
	}
	for _, o := range m.release.Head.Objects {
		if kindOf(o) == n.kind && o.ID.Name == n.name &&
			slice.ValueAt(o.Content, "metadata", "namespace") != nil {
			return true
		}
	}
	return false
}

// asked reports whether a chart that is analysed without values writes the missing key if some are given: its template
// names it. Users of the chart give them.
func (m *unmet) asked(n need) bool {
	r := m.release.Head
	if r.Kind != object.Helm || r.Declared || r.By.File != "" || m.where.ch.Head.Tree == nil {
		return false
	}
	o := m.head.get(m.o.ID.Namespace, n)
	if o == nil || o.Release != r.ID {
		return false
	}
	b, err := fs.ReadFile(m.where.ch.Head.Tree, o.Source.File)
	return err == nil && regexp.MustCompile(`(?m)^[ \t]*["']?`+regexp.QuoteMeta(n.key)+`["']?[ \t]*:`).Match(b)
}
