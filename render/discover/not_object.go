package discover

import (
	"bytes"
	"regexp"
	"slices"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/source"
)

// whyNoObject is [NotAnObject] of a text that a source has read.
func whyNoObject(m *source.Memo, b []byte) string {
	return source.Learn(m, "object", b, func() (string, bool) {
		if len(b) > 0 && plainlyObject(b) {
			return "", true
		}
		return NotAnObject(b), true
	})
}

// plainlyObject reports whether it is clear without decoding that [NotAnObject] says nothing against a text:
// definitions are megabytes, and one object in it is enough, whatever else is in it, be it broken.
func plainlyObject(b []byte) bool {
	if slices.ContainsFunc(templateMarks, func(m string) bool { return bytes.Contains(b, []byte(m)) }) ||
		len(b) < 64<<10 && bytes.IndexByte(b, '_') >= 0 && filledLine.Match(b) { // by hand one fills in a short text
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

// plainlyNamed reports whether a document is an object with a name, in the usual form: each of the three fields once,
// on a separate line.
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
		case plainKind.Match(line) && !bytes.HasSuffix(line, []byte("Kustomization")) &&
			!bytes.HasSuffix(line, []byte("Component")):
			kind++
		case string(line) == "metadata:":
			metadata++
		case !plainField.Match(line) || bytes.ContainsAny(line, `"'?{[&*!<|>%`) || bytes.HasPrefix(line, []byte("kind")) ||
			bytes.HasPrefix(line, []byte("metadata")) || bytes.HasPrefix(line, []byte("apiVersion")):
			return false // written in another way
		}
		within = string(line) == "metadata:"
	}
	return version == 1 && kind == 1 && metadata == 1 && name == 1
}
