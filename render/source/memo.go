package source

import (
	"path"
	"strings"
	"sync"

	yaml3 "go.yaml.in/yaml/v3"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
)

// CheckYAML decodes a YAML file and returns its error, with the place.
func CheckYAML(p string, b []byte) *object.Failure {
	if ext := path.Ext(p); ext != ".yaml" && ext != ".yml" {
		return nil
	}
	_, f := document.Decode(p, b)
	if f != nil && strings.Contains(f.Reason, "is not an object") {
		return nil // a list, as a JSON patch is
	}
	return f
}

// Memo holds facts about texts that a source has read. Both sides share the facts about equal texts.
type Memo struct {
	mu     sync.Mutex
	learnt map[lesson]any
}

// lesson holds the facts about a text, by where the text lies in memory: a text that was read once lies there once.
type lesson struct {
	what   string
	first  *byte
	length int
}

func newMemo() *Memo { return &Memo{learnt: map[lesson]any{}} }

// Learn returns a fact about a text, or works it out; keep says whether to remember it.
func Learn[T any](m *Memo, what string, b []byte, work func() (v T, keep bool)) T {
	if len(b) == 0 {
		v, _ := work()
		return v
	}
	at := lesson{what, &b[0], len(b)}
	m.mu.Lock()
	kept, ok := m.learnt[at]
	m.mu.Unlock()
	if ok {
		return kept.(T)
	}
	v, keep := work()
	if keep {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.learnt[at] = v
	}
	return v
}

// CheckYAML is [CheckYAML] of a text that a source has read.
func (m *Memo) CheckYAML(p string, b []byte) *object.Failure {
	return Learn(m, "yaml", b, func() (*object.Failure, bool) {
		f := CheckYAML(p, b)
		return f, f == nil
	})
}

// LooksLikeManifest is [LooksLikeManifest] of a text that a source has read.
func (m *Memo) LooksLikeManifest(b []byte) bool {
	return Learn(m, "manifest", b, func() (bool, bool) { return LooksLikeManifest(b), true })
}

// Nodes is [document.Nodes] of a text that a source has read; they must not be changed.
func (m *Memo) Nodes(b []byte) []*yaml3.Node {
	return Learn(m, "nodes", b, func() ([]*yaml3.Node, bool) { return document.Nodes(b), true })
}
