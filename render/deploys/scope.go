package deploys

import (
	"maps"
	"strings"

	yaml3 "go.yaml.in/yaml/v3"

	"github.com/kubesettle/kubesettle/render/document"
)

// enter changes the folder, if one is given.
func (s *scope) enter(dir string) {
	if dir = shellText(dir); dir == "" {
		return
	}
	dirs := make([]string, len(s.dirs))
	for i, d := range s.dirs {
		dirs[i] = join(d, fit(flattened(maps.Clone(s.vars))).in(dir))
	}
	s.dirs = dirs
}

// take adds variables: of a mapping, or of a list of names and values.
func (s *scope) take(n *yaml3.Node) {
	n = document.ResolveAlias(n)
	switch {
	case n.Kind == yaml3.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if v := n.Content[i+1]; v.Kind == yaml3.ScalarNode {
				s.vars[named(n.Content[i].Value)] = shellText(v.Value)
			} else if v = child(v, "value"); v != nil && v.Kind == yaml3.ScalarNode { // GitLab's with a description
				s.vars[named(n.Content[i].Value)] = shellText(v.Value)
			}
		}
	case n.Kind == yaml3.SequenceNode:
		for _, e := range n.Content {
			if name := text(child(e, "name")); name != "" && child(e, "value") != nil {
				s.vars[named(name)] = shellText(text(child(e, "value")))
			}
		}
	}
}

// choices adds a row for each value that an input may have.
func (s *scope) choices(n *yaml3.Node, prefix string) {
	n = document.ResolveAlias(n)
	add := func(name string, input *yaml3.Node) {
		var rows []map[string]string
		for _, v := range append(texts(child(input, "options")), texts(child(input, "values"))...) {
			own := prefix + "_" + name
			rows = append(rows, map[string]string{named(own): v, named("github_event_" + own): v})
		}
		s.rows = product(s.rows, rows)
	}
	switch {
	case n == nil:
	case n.Kind == yaml3.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			add(n.Content[i].Value, n.Content[i+1])
		}
	case n.Kind == yaml3.SequenceNode:
		for _, e := range n.Content {
			add(text(child(e, "name")), e)
		}
	}
}

// rowsOf are the rows of a matrix: of lists, of named rows, or of a list of matrices.
func rowsOf(n *yaml3.Node, prefix string) []map[string]string {
	n = document.ResolveAlias(n)
	if n == nil {
		return nil
	}
	var rows, more, included []map[string]string
	row := func(e *yaml3.Node) map[string]string {
		out := map[string]string{}
		for i := 0; i+1 < len(e.Content) && e.Kind == yaml3.MappingNode; i += 2 {
			if v := e.Content[i+1]; v.Kind == yaml3.ScalarNode {
				out[named(prefix+e.Content[i].Value)] = shellText(v.Value)
				if prefix == "matrix_" { // Azure's have no prefix
					out[named(e.Content[i].Value)] = shellText(v.Value)
				}
			}
		}
		return out
	}
	for i := 0; i+1 < len(n.Content) && n.Kind == yaml3.MappingNode; i += 2 {
		k, v := n.Content[i].Value, document.ResolveAlias(n.Content[i+1])
		switch {
		case k == "exclude":
		case v.Kind == yaml3.MappingNode:
			more = append(more, row(v))
		case k == "include":
			for _, e := range v.Content {
				included = append(included, row(document.ResolveAlias(e)))
			}
		case v.Kind == yaml3.SequenceNode:
			var values []map[string]string
			for _, e := range v.Content {
				if e = document.ResolveAlias(e); e.Kind == yaml3.ScalarNode {
					values = append(values, map[string]string{named(prefix + k): shellText(e.Value)})
				} else {
					one := map[string]string{}
					for name, value := range row(e) {
						one[named(prefix+k+"_"+strings.TrimPrefix(name, prefix))] = value
					}
					values = append(values, one)
				}
			}
			rows = product(rows, values)
		}
	}
	if n.Kind == yaml3.SequenceNode {
		for _, e := range n.Content {
			more = append(more, rowsOf(e, prefix)...)
		}
	}
	for _, r := range included {
		if !includes(rows, r) {
			more = append(more, r)
		}
	}
	return append(rows, more...)
}

// includes adds a further row to those that it agrees with, as GitHub does; false: there are none.
func includes(rows []map[string]string, more map[string]string) bool {
	found := false
	for _, r := range rows {
		agrees := true
		for k, v := range more {
			was, has := r[k]
			agrees = agrees && (!has || was == v)
		}
		if agrees {
			found = true
			maps.Copy(r, more)
		}
	}
	return found
}

// product combines rows with others; none are one without variables.
func product(a, b []map[string]string) []map[string]string {
	switch {
	case len(b) == 0:
		return a
	case len(a) == 0:
		return b[:min(len(b), maxRows)]
	}
	var out []map[string]string
	for _, x := range a {
		for _, y := range b {
			one := maps.Clone(x)
			maps.Copy(one, y)
			if out = append(out, one); len(out) >= maxRows {
				return out
			}
		}
	}
	return out
}
