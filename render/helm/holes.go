package helm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"text/template/parse"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// A chart whose dependency cannot be had is rendered without it. The dependency's objects are unknown, and so is every
// template that reads one of its values or includes a template that no chart at hand defines. The others are rendered
// as usual.

// leaveOut makes holes of the dependencies that are missing, and keeps why the whole chart fails where nothing else of
// it is known. A dependency that gives the chart values leaves nothing known.
func (g *gatherer) leaveOut(rel release.Release, f *object.Failure) *object.Failure {
	vals, ok := g.valuesOf(rel, g.recipe.Chart)
	if !ok || slices.ContainsFunc(g.lost, func(d *chart.Dependency) bool { return len(d.ImportValues) > 0 }) {
		return f
	}
	meta, broken := g.metadata(rel.Path)
	if broken != nil {
		return f
	}
	c := g.recipe.Chart
	c.Lacks = f
	for _, d := range g.lost {
		key := d.Name
		if d.Alias != "" {
			key = d.Alias
		}
		c.Lost = append(c.Lost, key)
		where := g.dependencyLine(rel.Path, meta, d)
		where.Rung = "file"
		reason, remedy := fmt.Sprintf("dependency %s@%s is not vendored", d.Name, d.Version), f.Remedy
		if own := g.unfetched[d.Name+"@"+d.Version]; own != nil {
			reason, remedy = own.Reason, own.Remedy
		}
		g.recipe.Holes = append(g.recipe.Holes, object.Hole{Kind: object.Remote, Where: where, Remedy: remedy,
			What:   fmt.Sprintf("dependency %s@%s", d.Name, d.Version),
			Reason: reason,
			Own:    Digest(d, vals[key], vals["global"], vals["tags"], c.Name, c.Namespace)})
	}
	return nil
}

// Digest is one of some values, in order.
func Digest(of ...any) string {
	h := sha256.New()
	for _, v := range of {
		b, err := json.Marshal(v)
		if err != nil {
			b = []byte(err.Error())
		}
		fmt.Fprintf(h, "%d %s\n", len(b), b)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// prune takes the templates out of a chart that depend on a missing part, and names them.
func prune(c *release.Chart, ch *chart.Chart, vals map[string]any) []object.Hole {
	u := &uses{lost: c.Lost, defined: map[string]*parse.Tree{}, vals: MergeValues(ch.Values, vals)}
	u.define(ch)
	var holes []object.Hole
	var walk func(ch *chart.Chart, full string, top bool)
	walk = func(ch *chart.Chart, full string, top bool) {
		u.top = top
		ch.Templates = slices.DeleteFunc(ch.Templates, func(t *chart.File) bool {
			if strings.HasPrefix(path.Base(t.Name), "_") || path.Base(t.Name) == "NOTES.txt" {
				return false // it makes nothing
			}
			r := &reads{of: u, seen: map[string]bool{}}
			r.template(t.Data)
			if r.why == "" {
				return false
			}
			file := TemplateFile(c, path.Join(full, t.Name))
			holes = append(holes, object.Hole{Kind: object.Dependent, What: file, Where: object.FileStart(file),
				Reason: file + ": " + r.why, Remedy: c.Lacks.Remedy,
				Own: Digest(string(t.Data), slices.Sorted(maps.Keys(r.seen)), r.sources(), u.vals, ch.Metadata.AppVersion)})
			return true
		})
		for _, d := range ch.Dependencies() {
			walk(d, path.Join(full, "charts", d.Name()), false)
		}
	}
	walk(ch, ch.Name(), true)
	return holes
}

// uses knows what templates may refer to.
type uses struct {
	lost    []string // names that the values of missing dependencies stand under
	defined map[string]*parse.Tree
	vals    map[string]any // of the chart, with those of the release
	top     bool           // a template of the chart itself is read, whose values are vals
}

// define adds what the templates of a chart and of its dependencies define.
func (u *uses) define(ch *chart.Chart) {
	for _, d := range ch.Dependencies() {
		u.define(d)
	}
	for _, t := range ch.Templates {
		for name, tree := range parsed(t.Data) {
			if name != "" {
				u.defined[name] = tree
			}
		}
	}
}

// parsed are the trees of a template by name, its own as ""; none where it cannot be parsed.
func parsed(b []byte) map[string]*parse.Tree {
	t, set := parse.New(""), map[string]*parse.Tree{}
	t.Mode = parse.SkipFuncCheck
	if _, err := t.Parse(string(b), "", "", set); err != nil {
		return nil
	}
	set[""] = t
	return set
}

// reads is what one template refers to.
type reads struct {
	of   *uses
	seen map[string]bool // definitions that it includes
	why  string          // it depends on a missing part; "": it does not
}

// sources are the texts of what a template includes.
func (r *reads) sources() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(r.seen)) {
		if t := r.of.defined[name]; t != nil {
			io.WriteString(&b, t.Root.String())
		}
	}
	return b.String()
}

func (r *reads) template(b []byte) {
	tree := parsed(b)[""]
	if tree == nil {
		return // Helm says what is wrong with it
	}
	r.node(tree.Root)
}

func (r *reads) include(name string) {
	if r.seen[name] {
		return
	}
	r.seen[name] = true
	if t := r.of.defined[name]; t != nil {
		r.node(t.Root)
	} else if !strings.Contains(name, "/templates/") { // that is a template by its file
		r.because(fmt.Sprintf("includes %q, which is not defined by any chart at hand", name))
	}
}

func (r *reads) because(why string) {
	if r.why == "" {
		r.why = why
	}
}

// values notes a reference to values by its path.
func (r *reads) values(keys []string) {
	switch {
	case !r.of.top:
	case len(keys) == 0:
		r.because("reads all values at once, also those of a dependency that is not here")
	case slices.Contains(r.of.lost, keys[0]):
		v, err := chartutil.Values(r.of.vals).PathValue(strings.Join(keys, "."))
		if _, table := v.(map[string]any); err != nil || v == nil || table {
			r.because("reads ." + strings.Join(append([]string{"Values"}, keys...), ".") +
				", which a dependency that is not here may set")
		}
	}
}

// node walks through the nodes of a template.
func (r *reads) node(n parse.Node) {
	switch x := n.(type) {
	case *parse.ListNode:
		if x != nil {
			for _, n := range x.Nodes {
				r.node(n)
			}
		}
	case *parse.ActionNode:
		r.node(x.Pipe)
	case *parse.IfNode:
		r.branch(&x.BranchNode)
	case *parse.RangeNode:
		r.branch(&x.BranchNode)
	case *parse.WithNode:
		r.branch(&x.BranchNode)
	case *parse.TemplateNode:
		r.include(x.Name)
		r.node(x.Pipe)
	case *parse.PipeNode:
		if x != nil {
			for _, c := range x.Cmds {
				r.command(c)
			}
		}
	case *parse.ChainNode:
		r.node(x.Node)
	case *parse.FieldNode:
		r.field(x.Ident)
	case *parse.VariableNode:
		if x.Ident[0] == "$" {
			r.field(x.Ident[1:])
		}
	}
}

func (r *reads) branch(b *parse.BranchNode) {
	r.node(b.Pipe)
	r.node(b.List)
	if b.ElseList != nil {
		r.node(b.ElseList)
	}
}

func (r *reads) field(keys []string) {
	switch {
	case len(keys) == 0:
	case keys[0] == "Values":
		r.values(keys[1:])
	case keys[0] == "Subcharts":
		r.because("reads .Subcharts")
	}
}

// command notes what a call refers to: include by its name, index and its like by their keys, and tpl of any text that
// the values hold.
func (r *reads) command(c *parse.CommandNode) {
	id, _ := c.Args[0].(*parse.IdentifierNode)
	args := c.Args
	if id != nil && len(args) > 2 && (id.Ident == "index" || id.Ident == "dig" || id.Ident == "get") {
		if f, ok := args[1].(*parse.FieldNode); ok && f.Ident[0] == "Values" {
			keys := slices.Clone(f.Ident[1:])
			for _, a := range args[2:] {
				s, ok := a.(*parse.StringNode)
				if !ok {
					break
				}
				keys = append(keys, s.Text)
			}
			r.values(keys)
			args = args[2:]
		}
	}
	if id != nil && id.Ident == "include" && len(args) > 1 {
		if s, ok := args[1].(*parse.StringNode); ok {
			r.include(s.Text)
		}
	}
	if id != nil && id.Ident == "tpl" && r.of.top {
		b, err := json.Marshal(r.of.vals)
		if err != nil || strings.Contains(string(b), "{{") {
			r.because("fills in a text of the values")
		}
	}
	for _, a := range args {
		r.node(a)
	}
}
