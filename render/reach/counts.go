package reach

import (
	"bytes"
	"maps"
	"path"
	"regexp"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/side"
	"github.com/kubesettle/kubesettle/render/source"
)

// countedObjects is in a quota that counts objects beside pods and what these ask for.
var countedObjects = regexp.MustCompile(
	`count/|services|configmaps|secrets|persistentvolumeclaims|replicationcontrollers|resourcequotas|storage`)

// count keeps of the namespaces in which something differs those in which a quota of some release counts it: what
// others have there takes of it, too.
func (e *effects) count(sides ...*side.Side) {
	if len(e.counted) == 0 {
		return
	}
	quotas := map[string]bool{} // by namespace: whether one counts objects as well
	for _, s := range sides {
		for _, j := range s.Recipes {
			if j == nil {
				continue
			}
			some, objects := false, false
			for p, b := range j.Files {
				if j.Declares[p] || !hasKind(b, quotaKinds) {
					continue
				}
				some = true
				for _, d := range document.Split(b) {
					objects = objects || hasKind(d.Text, quotaKinds) && countedObjects.Match(d.Text)
				}
			}
			if some {
				for ns := range e.namespaces(j) {
					quotas[ns] = quotas[ns] || objects
				}
			}
		}
	}
	maps.DeleteFunc(e.counted, func(ns string, runs bool) bool {
		objects, some := quotas[ns]
		return !some || !objects && !runs
	})
}

// takes reports whether a release may have objects in a namespace in which something that differs is counted.
func (e *effects) takes(j *release.Recipe) bool {
	if len(e.counted) == 0 {
		return false
	}
	for ns := range ownNamespaces(j) {
		if _, ok := e.counted[ns]; ok {
			return true
		}
	}
	return false
}

// ownNamespaces is [namespacesOf] without the namespaces of objects that others only name, where the texts are in the
// usual form.
func ownNamespaces(j *release.Recipe) map[string]bool {
	if j.Release.Kind == object.Helm {
		return namespacesOf(j)
	}
	out := map[string]bool{}
	if out[j.Release.Namespace] = true; j.Release.Overlay != nil {
		out[j.Release.Overlay.Namespace] = true
	}
	for _, p := range j.Reads() {
		if j.Declares[p] {
			continue
		}
		b := j.Files[p]
		if own, plain := ownNamespacesIn(b); plain && !source.IsKustomizationName(path.Base(p)) {
			for _, ns := range own {
				out[ns] = true
			}
		} else {
			for _, m := range namespaceText.FindAllSubmatch(b, -1) {
				out[string(m[1])] = true
			}
		}
		if hasKind(b, []string{namespaceKind}) {
			for _, m := range nameText.FindAllSubmatch(b, -1) {
				out[string(m[1])] = true
			}
		}
	}
	if delete(out, ""); len(out) == 0 {
		out["default"] = true
	}
	return out
}

// ownNamespacesIn are the namespaces in the metadata of the objects of a text; plain is false where these may not be in
// the usual form: a template, a list, flow style, quoted keys.
func ownNamespacesIn(b []byte) (out []string, plain bool) {
	if bytes.Contains(b, []byte("{{")) {
		return nil, false
	}
	within, child := false, -1 // metadata, and how far in its fields are
	for len(b) > 0 {
		line, rest, _ := bytes.Cut(b, []byte("\n"))
		b = rest
		text := bytes.TrimLeft(line, " ")
		indent := len(line) - len(text)
		switch {
		case len(bytes.TrimSpace(text)) == 0, text[0] == '#', bytes.HasPrefix(line, []byte("---")):
			continue
		case text[0] == '\t':
			return nil, false
		case indent == 0:
			key, value, _ := bytes.Cut(text, []byte(":"))
			if within, child = string(key) == "metadata", -1; bytes.ContainsAny(key, `"'{[-?&* `) || string(key) == "items" ||
				within && len(bytes.TrimSpace(value)) > 0 || bytes.Contains(value, []byte("List")) {
				return nil, false
			}
			continue
		case within && child < 0:
			child = indent
		}
		if within && indent == child {
			switch m := namespaceText.FindSubmatch(text); {
			case m != nil && bytes.HasPrefix(text, []byte("namespace:")):
				out = append(out, string(m[1]))
			case text[0] == '"' || text[0] == '\'' || text[0] == '<' || text[0] == '?':
				return nil, false
			}
		}
	}
	return out, true
}
