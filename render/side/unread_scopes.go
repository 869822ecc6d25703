package side

import (
	"bytes"
	"regexp"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/release"
)

var (
	definitionMark  = []byte("CustomResourceDefinition")
	definitionGroup = regexp.MustCompile(`^ {2}group: *["']?([A-Za-z0-9.-]+)`)
	definitionKind  = regexp.MustCompile(`^ {4}kind: *["']?([A-Za-z0-9]+)`)
	definitionScope = regexp.MustCompile(`^ {2}scope: *["']?(Cluster|Namespaced)`)
)

// learnUnread takes the scopes of custom kinds from the text of a release that is not
// rendered.
func (s Scopes) learnUnread(j *release.Recipe) {
	for _, p := range j.Reads() {
		b := j.Files[p]
		if !bytes.Contains(b, definitionMark) {
			continue
		}
		for _, doc := range document.Split(document.UTF8(b)) {
			if !bytes.Contains(doc.Text, definitionMark) {
				continue
			}
			group, kind, scope := definitionNames(doc.Text)
			if group != "" && kind != "" && scope != "" {
				s[group+"/"+kind] = scope == "Cluster"
			} else if v, err := document.DecodeYAML(doc.Text); err == nil { // written in another way
				if m, ok := v.(map[string]any); ok {
					s.learn(document.Expand([]document.Document{{Content: m}}))
				}
			}
		}
	}
}

// definitionNames reads the names and scope of a definition's kind, if they are written in the usual form: line by
// line, as definitions are the largest files that there are.
func definitionNames(text []byte) (group, kind, scope string) {
	for _, one := range []struct {
		into *string
		mark string
		line *regexp.Regexp
	}{
		{&group, "\n  group:", definitionGroup}, {&kind, "\n    kind:", definitionKind},
		{&scope, "\n  scope:", definitionScope},
	} {
		for rest := text; *one.into == ""; {
			i := bytes.Index(rest, []byte(one.mark))
			if i < 0 {
				break
			}
			rest = rest[i+1:]
			if m := one.line.FindSubmatch(rest); m != nil {
				*one.into = string(m[1])
			}
		}
	}
	return group, kind, scope
}
