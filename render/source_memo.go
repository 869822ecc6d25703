package render

import (
	"bytes"
	"regexp"
	"slices"
	"sync"

	yaml3 "go.yaml.in/yaml/v3"

	"github.com/kubesettle/kubesettle/render/document"
)

// memo is what was learnt of texts, which both sides share where they are the same.
type memo struct {
	mu      sync.Mutex
	sound   map[textAt]bool   // YAML that decodes
	objects map[textAt]string // see [notAnObject]
	built   map[fileAt]*kustomization
	parsed  map[textAt][]*yaml3.Node // nobody changes them
}

// fileAt is a text of a file.
type fileAt struct {
	file string
	textAt
}

// textAt is a text by where it lies in memory: what was read once lies there once.
type textAt struct {
	first  *byte
	length int
}

func newMemo() *memo {
	return &memo{sound: map[textAt]bool{}, objects: map[textAt]string{}, built: map[fileAt]*kustomization{}, parsed: map[textAt][]*yaml3.Node{}}
}

// nodes is [document.Nodes] of a text that a source has read.
func (m *memo) nodes(b []byte) []*yaml3.Node {
	if len(b) == 0 {
		return nil
	}
	at := textAt{&b[0], len(b)}
	m.mu.Lock()
	list, ok := m.parsed[at]
	m.mu.Unlock()
	if ok {
		return list
	}
	list = document.Nodes(b)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.parsed[at] = list
	return list
}

// kustomization is [parseKustomization] of a text that a source has read.
func (m *memo) kustomization(file string, b []byte) (*kustomization, *document.Failure) {
	if len(b) == 0 {
		return parseKustomization(file, b)
	}
	at := fileAt{file, textAt{&b[0], len(b)}}
	m.mu.Lock()
	k := m.built[at]
	m.mu.Unlock()
	if k != nil {
		return k, nil
	}
	k, f := parseKustomization(file, b)
	if f != nil {
		return nil, f
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.built[at] = k
	return k, nil
}

// notAnObject is [notAnObject] of a text that a source has read.
func (m *memo) notAnObject(b []byte) string {
	if len(b) == 0 {
		return notAnObject(b)
	}
	if plainlyObject(b) {
		return ""
	}
	at := textAt{&b[0], len(b)}
	m.mu.Lock()
	why, ok := m.objects[at]
	m.mu.Unlock()
	if ok {
		return why
	}
	why = notAnObject(b)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.objects[at] = why
	return why
}

// checkYAML is [checkYAML] of a text that a source has read.
func (m *memo) checkYAML(p string, b []byte) *document.Failure {
	if len(b) == 0 {
		return checkYAML(p, b)
	}
	at := textAt{&b[0], len(b)}
	m.mu.Lock()
	sound := m.sound[at]
	m.mu.Unlock()
	if sound {
		return nil
	}
	f := checkYAML(p, b)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sound[at] = f == nil
	return f
}

// plainlyObject reports whether it can be told without decoding that [notAnObject] says
// nothing against a text: definitions are megabytes, and one object in it is enough, whatever
// else is in it, be it broken.
func plainlyObject(b []byte) bool {
	if slices.ContainsFunc(templateMarks, func(m string) bool { return bytes.Contains(b, []byte(m)) }) {
		return false
	}
	return slices.ContainsFunc(document.Split(b), func(d document.Raw) bool { return plainlyNamed(d.Text) })
}

var (
	plainVersion = regexp.MustCompile(`^apiVersion: +[A-Za-z]\S*$`)
	plainKind    = regexp.MustCompile(`^kind: +[A-Z][A-Za-z]*$`)
	plainField   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*:`)
	plainName    = regexp.MustCompile(`^  name: +[a-z0-9][a-z0-9.-]*$`)
)

// plainlyNamed reports whether a document is an object with a name that is written as it
// mostly is: each of the three fields once, on a line of its own.
func plainlyNamed(text []byte) bool {
	version, kind, metadata, name := 0, 0, 0, 0
	within := false // metadata
	begun := false  // at the margin, and not further in
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		switch {
		case len(bytes.TrimSpace(line)) == 0, line[0] == '#', begun && line[0] == ' ' && !within:
			continue
		case !begun && line[0] == ' ':
			return false
		}
		begun = true
		line = bytes.TrimRight(line, " \r")
		switch {
		case len(line) > 0 && line[0] == ' ':
			switch {
			case plainName.Match(line) && !bytes.HasSuffix(line, []byte(" null")):
				name++
			case bytes.HasPrefix(line, []byte("  name")):
				return false
			}
			continue
		case plainVersion.Match(line):
			version++
		case plainKind.Match(line) && !bytes.HasSuffix(line, []byte("Kustomization")) && !bytes.HasSuffix(line, []byte("Component")):
			kind++
		case string(line) == "metadata:":
			metadata++
		case !plainField.Match(line) || bytes.ContainsAny(line, `"'?{[&*!<|>%`) || bytes.HasPrefix(line, []byte("kind")) || bytes.HasPrefix(line, []byte("metadata")) || bytes.HasPrefix(line, []byte("apiVersion")):
			return false // written in another way
		}
		within = string(line) == "metadata:"
	}
	return version == 1 && kind == 1 && metadata == 1 && name == 1
}
