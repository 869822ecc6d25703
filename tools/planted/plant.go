package planted

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kubesettle/kubesettle/tools/corpus"
)

// A change is a mistake in a repository's own files.
type change struct {
	files map[string]*string
	lines map[string][]int // new lines of each file; the mistake is reported at one of them
}

func (c *change) put(file, text string, lines []int) {
	if c.files == nil {
		c.files, c.lines = map[string]*string{}, map[string][]int{}
	}
	c.files[file], c.lines[file] = &text, lines
}

var errNoPlace = errors.New("no place for it")

// changes are the ways to make a mistake in a target, the most usual first: a chart's
// values, or a file of its templates; a patch of an overlay, or a file of its resources;
// the manifest itself, or one beside it.
func changes(r *corpus.Repository, revision string, t target, m mistake) ([]change, error) {
	var out []change
	var why error
	keep := func(c change, err error) {
		if err == nil {
			out = append(out, c)
		} else {
			why = errors.Join(why, err)
		}
	}
	switch t.release.Kind {
	case "helm":
		turned, err := turn(r, revision, t, m.knobs)
		why = err
		out = append(out, turned...)
		if len(m.fields) == 0 {
			keep(besides(change{}, t, m.objects, nil))
		}
	case "kustomize":
		keep(overlay(r, revision, t, m))
	default:
		c := change{}
		for _, f := range m.fields {
			if err := edit(r, revision, &c, t.object.File, t.object.Line, f); err != nil {
				return nil, err
			}
		}
		keep(besides(c, t, m.objects, nil))
	}
	if len(out) == 0 {
		return nil, errors.Join(errNoPlace, why)
	}
	return out, nil
}

// besides adds objects as a new file of the release.
func besides(c change, t target, objects []map[string]any, head []string) (change, error) {
	if len(objects) == 0 {
		return c, nil
	}
	var b strings.Builder
	for i, o := range objects {
		if i > 0 {
			b.WriteString("---\n")
		}
		lines, err := ordered(o)
		if err != nil {
			return c, err
		}
		b.WriteString(strings.Join(lines, "\n") + "\n")
	}
	text := strings.Join(head, "\n") + b.String()
	c.put(path.Join(t.folder(), "planted.yaml"), text, all(text))
	return c, nil
}

func all(text string) []int {
	var out []int
	for i := range strings.Count(text, "\n") {
		out = append(out, i+1)
	}
	return out
}

// ordered is an object as people write it: kind and name first.
func ordered(o map[string]any) ([]string, error) {
	var out []string
	keys := []string{"apiVersion", "kind", "metadata"}
	for k := range o {
		if !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys[3:])
	for _, k := range keys {
		lines, err := block([]string{k}, o[k], 0)
		if err != nil {
			return nil, err
		}
		out = append(out, lines...)
	}
	return out, nil
}

// edit sets a field of the object that begins at a line of a file.
func edit(r *corpus.Repository, revision string, c *change, file string, line int, f field) error {
	text, err := r.Read(revision, file)
	var before []int
	if p := c.files[file]; p != nil {
		text, before, err = *p, c.lines[file], nil
	}
	if err != nil {
		return err
	}
	d, err := documentAt(text, line)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	after, lines, err := d.set(f.value, f.path...)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	moved := strings.Count(after, "\n") - strings.Count(text, "\n")
	for _, l := range before {
		if l >= lines[0] {
			l += moved
		}
		lines = append(lines, l)
	}
	c.put(file, after, lines)
	return nil
}

// overlay adds a patch and resources to a kustomization.
func overlay(r *corpus.Repository, revision string, t target, m mistake) (change, error) {
	c := change{}
	for _, name := range []string{"kustomization.yaml", "kustomization.yml", "Kustomization"} {
		file := path.Join(t.release.Path, name)
		text, err := r.Read(revision, file)
		if err != nil {
			continue
		}
		if len(m.fields) > 0 {
			patch := map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": t.name}}
			if ns := t.namespace; ns != "" {
				patch["metadata"] = map[string]any{"name": t.name, "namespace": ns}
			}
			for _, f := range m.fields {
				put(patch, f.path, f.value)
			}
			lines, err := ordered(patch)
			if err != nil {
				return c, err
			}
			body := strings.Join(lines, "\n") + "\n"
			c.put(path.Join(t.release.Path, "planted-patch.yaml"), body, all(body))
			if text, err = entry(text, "patches", map[string]any{"path": "planted-patch.yaml"}); err != nil {
				return c, err
			}
		}
		if len(m.objects) > 0 {
			if c, err = besides(c, t, m.objects, nil); err != nil {
				return c, err
			}
			if text, err = entry(text, "resources", "planted.yaml"); err != nil {
				return c, err
			}
		}
		c.put(file, text, nil)
		delete(c.lines, file)
		return c, nil
	}
	return c, errNoPlace
}

// put sets a value at a path of a tree of maps.
func put(m map[string]any, path []string, value any) {
	for _, p := range path[:len(path)-1] {
		next, ok := m[p].(map[string]any)
		if !ok {
			next = map[string]any{}
			m[p] = next
		}
		m = next
	}
	m[path[len(path)-1]] = value
}

// entry adds an element to a list at the top of a file.
func entry(text, key string, value any) (string, error) {
	var top map[string]yaml.Node
	if err := yaml.Unmarshal([]byte(text), &top); err != nil {
		return "", err
	}
	var elements []any
	if n, ok := top[key]; ok {
		if err := n.Decode(&elements); err != nil {
			return "", err
		}
	}
	d, err := documentAt(text, 1)
	if err != nil {
		return "", err
	}
	out, _, err := d.set(append(elements, value), key)
	return out, err
}

// turn sets a chart's values: each mapping of a knob's name, at most two levels deep, is
// one way.
func turn(r *corpus.Repository, revision string, t target, knobs []knob) ([]change, error) {
	var out []change
	var why error
	for _, file := range []string{"values.yaml", "values.yml"} {
		file = path.Join(t.release.Path, file)
		text, err := r.Read(revision, file)
		if err != nil {
			continue
		}
		d, err := documentAt(text, strings.Count(text, "\n"))
		if err != nil {
			return nil, err
		}
		for _, k := range knobs {
			for _, at := range d.find(k.names, 2) {
				c, err := change{}, error(nil)
				fields := []field{{at, k.value}}
				if k.sub != nil {
					if fields, err = sub(d, at, k.sub); err != nil {
						continue
					}
				}
				for _, f := range fields {
					err = errors.Join(err, edit(r, revision, &c, file, strings.Count(text, "\n"), f))
				}
				if err != nil {
					why = errors.Join(why, err)
					continue
				}
				out = append(out, c)
			}
		}
	}
	return out, why
}

// sub are the keys of a knob as fields; one that takes a value away is left out where
// there is none, and "enabled" where the chart calls it create.
func sub(d *document, at []string, keys map[string]any) ([]field, error) {
	n := d.root
	for _, p := range at {
		_, n = child(n, p)
	}
	if n == nil || n.Kind != yaml.MappingNode {
		return nil, errNoPlace
	}
	var out []field
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		key, _ := child(n, k)
		if keys[k] == nil && key == nil {
			continue
		}
		if create, _ := child(n, "create"); k == "enabled" && key == nil {
			if create == nil {
				continue
			}
			k = "create"
			out = append(out, field{append(slices.Clone(at), k), true})
			continue
		}
		out = append(out, field{append(slices.Clone(at), k), keys[k]})
	}
	return out, nil
}

// find gives the paths of keys of some names, down to a depth.
func (d *document) find(names []string, depth int) [][]string {
	var out [][]string
	var walk func(n *yaml.Node, at []string)
	walk = func(n *yaml.Node, at []string) {
		if n.Kind != yaml.MappingNode || len(at) > depth {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			here := append(slices.Clone(at), n.Content[i].Value)
			if slices.Contains(names, n.Content[i].Value) {
				out = append(out, here)
				continue
			}
			walk(n.Content[i+1], here)
		}
	}
	walk(d.root, nil)
	slices.SortStableFunc(out, func(a, b []string) int { return len(a) - len(b) })
	return out
}
