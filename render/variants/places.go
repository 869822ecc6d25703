package variants

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/template/parse"

	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/release"
)

// A templateSite is a place in a text of a chart, by its repository path and offset.
type templateSite struct {
	file string
	pos  int
	old  bool // in base's text
	to   int  // the end of what changed there
}

// chartTexts are the templates of a chart, as far as they can be parsed, with its values.
type chartTexts struct {
	sides  [2]map[string]*templateTrees // head's and base's, by repository path
	values map[string]any               // head's, those of subcharts under their names
	scopes map[string][]string          // of the files of subcharts, by repository path
	needs  map[string][]toggle          // without which their parents leave them out
	subs   map[string]*subchart         // head's, by folder
	kube   string                       // the version of Kubernetes that head is rendered for
}

// templateTrees are a file's own tree and those that it defines.
type templateTrees struct {
	text  string
	trees []*parse.Tree
}

func newChartTexts(head, base *release.Recipe) *chartTexts {
	t := &chartTexts{kube: head.Chart.KubeVersion, scopes: map[string][]string{}, needs: map[string][]toggle{}}
	for n, j := range []*release.Recipe{base, head} {
		side := map[string]*templateTrees{}
		subs := subcharts(j)
		for name, p := range j.Chart.Names {
			folder, own := inSubchart(name)
			if strings.HasPrefix(own, "templates/") && len(j.Files[p]) <= mostTexts {
				side[p] = parseTemplate(p, string(j.Files[p]))
				t.scopes[p], t.needs[p] = subs[folder].scope, subs[folder].needs
			}
		}
		t.sides[1-n] = side
		t.values, t.subs = valuesOf(j, subs), subs
	}
	return t
}

func parseTemplate(file, text string) *templateTrees {
	out := &templateTrees{text: text}
	set := map[string]*parse.Tree{}
	t := parse.New(file)
	t.Mode = parse.SkipFuncCheck
	if _, err := t.Parse(text, "", "", set); err != nil {
		return out
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		out.trees = append(out.trees, set[name])
	}
	return out
}

// lineSites are the lines of a hunk that are not blank, at most a few. The line behind the last one belongs to it: a
// condition there is about the text that now stands before it.
func lineSites(file, text string, first, last int, old bool) []templateSite {
	var out []templateSite
	at := 0
	for i, l := range strings.SplitAfter(text, "\n") {
		if n := i + 1; n >= first && n <= last && strings.TrimSpace(l) != "" && len(out) < 4 {
			out = append(out, templateSite{file, at + len(l) - len(strings.TrimLeft(l, " \t")), old, at + len(l)})
		}
		if n := i + 1; n > last && strings.TrimSpace(l) != "" {
			if len(out) > 0 {
				out[len(out)-1].to = at + len(l)
			}
			break
		}
		at += len(l)
	}
	return out
}

// mentions are the places where templates of head name a value, or else a map that holds it.
func (t *chartTexts) mentions(p fieldpath.Path) []templateSite {
	var keys []string
	for _, s := range p {
		if s.Index >= 0 {
			break
		}
		keys = append(keys, s.Key)
	}
	for n := len(keys); n > 0; n-- {
		var out []templateSite
		for _, file := range slices.Sorted(maps.Keys(t.sides[0])) {
			scope := t.scopes[file]
			if len(scope) >= n || !slices.Equal(scope, keys[:len(scope)]) {
				continue
			}
			ref := regexp.MustCompile(`\.Values\.` + regexp.QuoteMeta(strings.Join(keys[len(scope):n], ".")) + `\b`)
			for _, at := range ref.FindAllStringIndex(t.sides[0][file].text, 4) {
				out = append(out, templateSite{file: file, pos: at[0], to: at[1]})
			}
		}
		if len(out) > 0 {
			return out[:min(len(out), 6)]
		}
	}
	return nil
}

// A guard is a condition of a template around a place, and what it has to come to.
type guard struct {
	pipe  *parse.PipeNode
	truth bool
	in    *reading
}

// A reading is a tree that is read, with the meaning of the dot at a guard: the path of the values that the innermost
// with is about.
type reading struct {
	texts *chartTexts
	side  int
	tree  *parse.Tree
	dot   []string
	depth int
	// given says that an empty value counts as one that was not given, which a text can stand for.
	given bool
	body  string // the text under the condition; "" if that is not known
}

// ways are the settings that may let a place show, likelier ones first; deciding are those under
// which a condition that stands there itself comes out otherwise.
func (t *chartTexts) ways(sites []templateSite) (plain, deciding [][]toggle) {
	add := func(to *[][]toggle, list []toggle) {
		set, ok := sortToggles(list)
		set = t.withStorage(t.withPaths(t.withRequests(set)))
		for _, set := range [][]toggle{t.withBounds(set), set} {
			known := slices.ContainsFunc(*to, func(o []toggle) bool { return slices.Equal(o, set) })
			if ok && len(set) > 0 && !known {
				*to = append(*to, set)
			}
		}
	}
	for _, s := range sites {
		own := t.on(s)
		for _, around := range t.around(s, 0) {
			add(&plain, around)
			for _, d := range own {
				add(&deciding, append(slices.Clone(around), entry(own, d)...))
			}
			if len(own) > 1 {
				add(&deciding, append(slices.Clone(around), own...))
			}
			for _, one := range around {
				add(&plain, entry(around, one))
			}
		}
	}
	return plain, deciding
}

// around are the settings under which a place is reached: one for each way that leads there.
func (t *chartTexts) around(s templateSite, depth int) [][]toggle {
	side := 0
	if s.old {
		side = 1
	}
	trees := t.sides[side][s.file]
	if trees == nil || depth > 3 {
		return [][]toggle{nil}
	}
	tree := trees.at(s.pos)
	if tree == nil {
		return [][]toggle{nil}
	}
	own := t.unmet(t.needs[s.file])
	r := &reading{texts: t, side: side, tree: tree, depth: depth}
	for _, g := range r.guards(tree.Root, s.pos, len(trees.text)) {
		own = append(own, g.in.pipe(g.pipe, g.truth)...)
	}
	if tree.Name == s.file {
		return [][]toggle{own}
	}
	var out [][]toggle
	calls := regexp.MustCompile(`\b(?:include|template)\s+"` + regexp.QuoteMeta(tree.Name) + `"`)
	for _, file := range slices.Sorted(maps.Keys(t.sides[side])) {
		for _, at := range calls.FindAllStringIndex(t.sides[side][file].text, 2) {
			for _, outer := range t.around(templateSite{file: file, pos: at[0], old: s.old}, depth+1) {
				if out = append(out, append(slices.Clone(outer), own...)); len(out) == 6 {
					return out
				}
			}
		}
	}
	return append(out, own)
}

// on are the settings by which conditions that stand at a place themselves come out otherwise.
func (t *chartTexts) on(s templateSite) []toggle {
	side := 0
	if s.old {
		side = 1
	}
	trees := t.sides[side][s.file]
	if trees == nil {
		return nil
	}
	tree := trees.at(s.pos)
	if tree == nil {
		return nil
	}
	var out []toggle
	r := &reading{texts: t, side: side, tree: tree}
	each(tree.Root, func(n parse.Node) {
		if b := branchOf(n); b != nil && int(b.Pos) >= s.pos-4 && int(b.Pos) <= s.to {
			r.body = b.String()[len(b.Pipe.String()):]
			for _, truth := range []bool{true, false} {
				out = append(out, r.pipe(b.Pipe, truth)...)
			}
		} else if a, ok := n.(*parse.ActionNode); ok && int(a.Pos) >= s.pos-4 && int(a.Pos) <= s.to {
			out = append(out, r.chosen(a.Pipe)...)
		}
	})
	return out
}

// chosen are the settings by which calls of ternary choose otherwise.
func (r *reading) chosen(p *parse.PipeNode) []toggle {
	var out []toggle
	calls(p, func(p *parse.PipeNode, i int) {
		args := p.Cmds[i].Args
		if id, ok := args[0].(*parse.IdentifierNode); ok && id.Ident == "ternary" && len(args) == 4 {
			for _, truth := range []bool{true, false} {
				out = append(out, r.node(args[3], truth)...)
			}
		}
	})
	return out
}

// at is the tree that a place is in: that whose nodes begin last before it, or else first after it, as an action's node
// begins behind its braces.
func (f *templateTrees) at(pos int) *parse.Tree {
	var best, after *parse.Tree
	last, next := -1, len(f.text)
	for _, t := range f.trees {
		if t.Root == nil {
			continue
		}
		for _, n := range t.Root.Nodes {
			if p := int(n.Position()); p <= pos && p > last {
				best, last = t, p
			} else if p > pos && p < next {
				after, next = t, p
			}
		}
	}
	if best == nil {
		return after
	}
	return best
}

// branchOf is a node's branch; nil for a node without one.
func branchOf(n parse.Node) *parse.BranchNode {
	switch b := n.(type) {
	case *parse.IfNode:
		return &b.BranchNode
	case *parse.WithNode:
		return &b.BranchNode
	case *parse.RangeNode:
		return &b.BranchNode
	}
	return nil
}

// each calls f with the nodes of a list and of the lists in it.
func each(list *parse.ListNode, f func(parse.Node)) {
	if list == nil {
		return
	}
	for _, n := range list.Nodes {
		f(n)
		if b := branchOf(n); b != nil {
			each(b.List, f)
			each(b.ElseList, f)
		}
	}
}

// guards are the conditions around a place in a list that ends at an offset.
func (r *reading) guards(list *parse.ListNode, pos, end int) []guard {
	if list == nil {
		return nil
	}
	for i, n := range list.Nodes {
		next := end
		if i+1 < len(list.Nodes) {
			next = int(list.Nodes[i+1].Position())
		}
		b := branchOf(n)
		if b == nil || pos < int(n.Position()) || pos >= next {
			continue
		}
		truth, in, until := true, b.List, next
		if b.ElseList != nil && len(b.ElseList.Nodes) > 0 {
			if first := int(b.ElseList.Nodes[0].Position()); pos >= first {
				truth, in = false, b.ElseList
			} else {
				until = first
			}
		}
		inner := *r
		switch n.(type) {
		case *parse.RangeNode:
			inner.dot = []string{"?"}
		case *parse.WithNode:
			if inner.dot = r.path(firstArg(b.Pipe)); inner.dot == nil {
				inner.dot = []string{"?"}
			}
		}
		around := *r
		around.body = in.String()
		return append([]guard{{b.Pipe, truth, &around}}, inner.guards(in, pos, until)...)
	}
	return nil
}
