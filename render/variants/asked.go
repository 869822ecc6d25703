package variants

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/template/parse"

	"github.com/kubesettle/kubesettle/render/discover"
	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/side"
)

// A chart may demand values from its users: `required`, or `fail` below a condition. So that it is analysed all the
// same, it is rendered with values that only have the demanded type, the same ones on both sides. Findings then hold
// for users who give such values ([object.Release.Switched]).

// mostAsked bounds the values that one chart is given.
const mostAsked = 12

// placeholders are values that stand for one that a chart asks for, likelier types first. They are valid as a name, a
// host and a label.
var placeholders = []string{"example", "1", "true"}

// numbered is the name of a value that is likely a number.
var numbered = regexp.MustCompile(`(?i)(ports?|replicas|count|size|number|percent|seconds|timeout|min|max|limit|available)$`)

func placeholdersFor(path []string) []string {
	if len(path) > 0 && numbered.MatchString(path[len(path)-1]) { // it would render as a text, too
		return append([]string{"1"}, placeholders...)
	}
	return placeholders
}

// WithAsked gives the charts that ask for values on every side that has them placeholders, and renders them once more.
// One that base renders without values and head with none is left alone: its change asks for them. One
// for which there was no time to find placeholders was not rendered in time.
func WithAsked(ctx context.Context, base, head *side.Side) {
	for i, r := range head.Releases {
		if !discover.IsBare(r) && !r.Deployed || ctx.Err() != nil {
			continue
		}
		sides, at := []*side.Side{head}, []int{i}
		if base != nil {
			if k, both := base.ByID[r.ID]; both {
				sides, at = append(sides, base), append(at, k)
			}
		}
		if !allAsk(sides, at) {
			continue
		}
		set := askedOf(sides, at)
		for n, s := range sides {
			if set == nil && s.Opt.Clock.Over() {
				s.Outputs[at[n]].Err = s.Recipes[at[n]].Cut()
			}
		}
		if set == nil {
			continue
		}
		was := set
		if len(sides) > 1 {
			was = askedOf(sides[1:], at[1:])
		}
		for n, s := range sides {
			answer(s, at[n], set)
		}
		for _, t := range set {
			if was != nil && !slices.Contains(was, t) {
				head.Outputs[i].Notes = append(head.Outputs[i].Notes, object.Say(object.AsksMore, t.path))
			}
		}
	}
}

// allAsk reports whether a chart fails for a value that it asks for, on each side.
func allAsk(sides []*side.Side, at []int) bool {
	for n, s := range sides {
		if f := s.Outputs[at[n]].Err; f == nil || !helm.Asks(f) || s.Recipes[at[n]].Chart == nil {
			return false
		}
	}
	return true
}

// askedOf are the settings with which a chart renders on all sides; nil: none were found.
func askedOf(sides []*side.Side, at []int) []toggle {
	var set []toggle
	for n := 0; n < len(sides); {
		if sides[n].Opt.Clock.Over() {
			return nil
		}
		s, j := sides[n], sides[n].Recipes[at[n]]
		f := s.Runner.Run((&switching{}).recipe(j, set, nil)).Err
		if f == nil {
			n++
			continue
		}
		next := answerTo(s, j, set, f)
		if next == nil || len(next) > mostAsked {
			return nil
		}
		set, n = next, 0
	}
	return set
}

// answerTo is a setting with which a chart renders, or else does not fail as it does; nil: it was not found.
func answerTo(s *side.Side, j *release.Recipe, set []toggle, f *object.Failure) []toggle {
	if !helm.Asks(f) {
		return nil
	}
	var best []toggle
	for _, more := range answersTo(j, f) {
		all, ok := sortToggles(append(slices.Clone(set), more...))
		if !ok || len(all) == len(set) {
			continue
		}
		g := s.Runner.Run((&switching{}).recipe(j, all, nil)).Err
		if g == nil {
			return all
		}
		if best == nil && helm.Asks(g) && helm.Cause(g) != helm.Cause(f) {
			best = all
		}
	}
	return best
}

// answersTo are the settings under which a chart may not fail as it does.
func answersTo(j *release.Recipe, f *object.Failure) [][]toggle {
	if path := helm.AsksFor(f); path != nil {
		var out [][]toggle
		for _, v := range placeholdersFor(path) {
			out = append(out, setting(path, v))
		}
		for _, t := range setting(path, placeholders[0]) { // what a template ranges over
			out = append(out, []toggle{{t.path + "[0]", t.value}})
		}
		return out
	}
	_, said, ok := strings.Cut(f.Reason, "execution error at (")
	if _, said, _ = strings.Cut(said, "): "); !ok || said == "" {
		return nil
	}
	return newChartTexts(j, j).answers(said)
}

// answers are the settings under which a chart may not say what it says.
func (t *chartTexts) answers(said string) [][]toggle {
	var out [][]toggle
	for _, file := range slices.Sorted(maps.Keys(t.sides[0])) {
		for _, tree := range t.sides[0][file].trees {
			each(tree.Root, func(n parse.Node) {
				out = append(out, t.answersAt(file, tree, n, said)...)
			})
		}
	}
	return out
}

// answersAt are those of one node: of each call in it that says so.
func (t *chartTexts) answersAt(file string, tree *parse.Tree, n parse.Node, said string) [][]toggle {
	var out [][]toggle
	calls(pipeOf(n), func(p *parse.PipeNode, i int) {
		args := p.Cmds[i].Args
		id, ok := args[0].(*parse.IdentifierNode)
		if !ok || len(args) < 2 || id.Ident != "required" && id.Ident != "fail" || !maySay(args[1], said) {
			return
		}
		r := &reading{texts: t, tree: tree, given: true}
		guards := r.guards(tree.Root, int(p.Cmds[i].Position()), len(t.sides[0][file].text))
		if id.Ident == "fail" {
			for k := len(guards) - 1; k >= 0; k-- { // the nearest condition says most about the demand
				list := guards[k].in.pipe(guards[k].pipe, !guards[k].truth)
				out = append(out, list)
				for _, one := range list {
					out = append(out, []toggle{one})
				}
			}
			return
		}
		if n := len(guards); n > 0 {
			r = guards[n-1].in
		}
		var asked parse.Node
		switch {
		case len(args) > 2:
			asked = args[2]
		case i > 0:
			asked = &parse.PipeNode{NodeType: parse.NodePipe, Cmds: p.Cmds[:i]}
		}
		path := r.path(asked)
		for _, v := range placeholdersFor(path) {
			out = append(out, setting(path, v))
		}
	})
	return out
}

// maySay reports whether a message may be what a node says: its own words, up to the first that is filled in.
func maySay(n parse.Node, said string) bool {
	if p, ok := n.(*parse.PipeNode); ok && len(p.Cmds) > 0 && len(p.Cmds[0].Args) > 1 {
		n = p.Cmds[0].Args[1] // printf, or a function of one text
	}
	text, ok := n.(*parse.StringNode)
	if !ok {
		return true
	}
	own, _, _ := strings.Cut(strings.Join(strings.Fields(text.Text), " "), "%")
	return strings.HasPrefix(said, own)
}

// pipeOf is what a node computes, or nil.
func pipeOf(n parse.Node) *parse.PipeNode {
	switch x := n.(type) {
	case *parse.ActionNode:
		return x.Pipe
	case *parse.TemplateNode:
		return x.Pipe
	}
	if b := branchOf(n); b != nil {
		return b.Pipe
	}
	return nil
}

// calls gives f each command of a pipe and of the pipes within it.
func calls(p *parse.PipeNode, f func(p *parse.PipeNode, i int)) {
	if p == nil {
		return
	}
	for i, c := range p.Cmds {
		f(p, i)
		for _, a := range c.Args {
			if inner, ok := a.(*parse.PipeNode); ok {
				calls(inner, f)
			}
		}
	}
}

// answer renders a chart with settings for the values that it demands.
func answer(s *side.Side, i int, set []toggle) {
	r := &s.Releases[i]
	if r.Switched = settingText(set); !r.Deployed {
		r.Set, r.Selected = nil, "Chart.yaml found"
	}
	if r.Set = maps.Clone(r.Set); r.Set == nil {
		r.Set = map[string]string{}
	}
	for _, t := range set {
		r.Set[t.path] = t.value
	}
	r.Selected += ", with " + r.Switched + ": the chart asks for values"
	if s.Recipes[i], s.Failed[i] = helm.Gather(s.Src, *r); s.Failed[i] != nil {
		return
	}
	s.Run(i)
	out := &s.Outputs[i]
	for k := range set {
		other, ok := otherwise[set[k].value]
		if out.Err != nil || !ok {
			continue
		}
		with := (&switching{}).recipe(s.Recipes[i], []toggle{{set[k].path, other}}, nil)
		if got := s.Runner.Run(with); got.Err == nil {
			document.MarkOpen(out.Docs, got.Docs)
		}
	}
}

// otherwise are further placeholders, which show what hangs on a value.
var otherwise = map[string]string{"example": "sample", "1": "2"}
