package variants

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/discover"
	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/side"
	"github.com/kubesettle/kubesettle/render/source"
	"github.com/kubesettle/kubesettle/render/worker"
)

// A chart that others install is not only what its own values make of it. Where a change to a
// chart makes no difference with any values that are known of it, because a condition of the
// templates keeps it out, the chart is rendered once more with what switches it on.

const (
	// mostSwitched bounds the charts of a change that are rendered so, mostSettings the settings of
	// one chart, and mostTrials the renders that find them out for one chart.
	mostSwitched, mostSettings, mostTrials = 6, 3, 60
	// mostHunks bounds the parts of one file that are looked at.
	mostHunks = 8
	// mostTexts is the most bytes of a template that is read for its conditions.
	mostTexts = 256 << 10
)

// WithSwitches adds the releases that show what of a change the known values of a chart hide.
// What GitOps or a policy declares has the values it has, and is not switched.
func WithSwitches(ctx context.Context, base, head *side.Side) error {
	noteInVain(base, head)
	var onBase, onHead []release.Release
	charts := 0
	for i, r := range head.Releases {
		k, both := base.ByID[r.ID]
		if charts == mostSwitched || ctx.Err() != nil {
			continue
		}
		if both && discover.IsBare(r) {
			head.Outputs[i].Notes = append(head.Outputs[i].Notes, absentParts(base.Recipes[k], head.Recipes[i])...)
		}
		var s *switching
		if both {
			s = newSwitching(base, head, k, i)
		} else if discover.IsBare(r) {
			s = newAddition(head, i)
		}
		if s == nil {
			continue
		}
		bare, late := discover.IsBare(r), func() bool {
			if head.Opt.Clock.Over() {
				onBase, onHead = append(onBase, tooLate(r)), append(onHead, tooLate(r))
			}
			return head.Opt.Clock.Over()
		}
		if late() {
			continue
		}
		head.Outputs[i].Holes = append(head.Outputs[i].Holes, s.undecidable(!bare)...)
		if open := declaredOpenly(head, r); !bare && !open || late() {
			continue
		} else if open { // no release is made of it: only what its values hide is said
			s.trials = s.most()
			_, hidden := s.settings()
			head.Outputs[i].Notes = append(head.Outputs[i].Notes, hidden...)
			continue
		}
		charts++
		sets, hidden := s.settings()
		if late() {
			continue
		}
		head.Outputs[i].Notes = append(head.Outputs[i].Notes, hidden...)
		for _, set := range sets {
			if both {
				onBase = append(onBase, switchedOn(base.Releases[k], set))
			}
			onHead = append(onHead, switchedOn(r, set))
		}
	}
	for _, x := range []struct {
		s    *side.Side
		list []release.Release
	}{{base, onBase}, {head, onHead}} {
		from := len(x.s.Releases)
		if err := x.s.Gather(ctx, x.list, nil); err != nil {
			return err
		}
		for i := from; i < len(x.s.Releases); i++ {
			x.s.Run(i)
		}
	}
	return nil
}

// tooLate stands for the releases that a chart was not rendered as to see what a change hides, for want of time.
func tooLate(r release.Release) release.Release {
	r.ID, r.Switched = r.ID+":with other values", "other values"
	r.Selected = "Chart.yaml found, where a part of the change makes no difference"
	r.By, r.Parent, r.Within = object.Location{}, "", ""
	return r
}

// switching looks for the values with which a chart shows what of it changes.
type switching struct {
	run        worker.Runner
	base, head *release.Recipe
	values     []*release.Recipe   // head's, with each of the values files that are known
	comes      bool                // the chart is new
	text       *chartTexts         // of both sides
	found      []part              // of the change
	trials     int                 // that were asked for
	asked      map[string]string   // the recipes of those, by digest
	made       map[string]trialled // and their outcomes
}

// newSwitching gives nil where a chart does not render on a side, or none of its templates and
// values changes.
func newSwitching(base, head *side.Side, k, i int) *switching {
	if base.Outputs[k].Err != nil || head.Outputs[i].Err != nil || head.Outputs[i].Untouched || base.Outputs[k].Untouched {
		return nil
	}
	s := &switching{run: head.Runner, base: base.Recipes[k], head: head.Recipes[i]}
	if s.base == nil || s.head == nil || s.base.Chart == nil || s.head.Chart == nil || len(s.changed()) == 0 {
		return nil
	}
	s.withValues(head, i)
	s.read()
	return s
}

// newAddition is of a chart that comes with head: each of its templates is a part of the change. It gives nil where the
// chart does not render.
func newAddition(head *side.Side, i int) *switching {
	j := head.Recipes[i]
	if head.Outputs[i].Err != nil || j == nil || j.Chart == nil {
		return nil
	}
	none := &release.Recipe{Release: j.Release, Files: maps.Clone(j.Files), Chart: j.Chart}
	for name, p := range j.Chart.Names {
		if _, own := inSubchart(name); strings.HasPrefix(own, "templates/") && !isHelper(p) {
			none.Files[p] = nil
		}
	}
	s := &switching{run: head.Runner, base: none, head: j, comes: true}
	s.withValues(head, i)
	s.read()
	return s
}

// read parses the templates of both sides, and finds the parts of the change.
func (s *switching) read() {
	s.text = newChartTexts(s.head, s.base)
	s.found = s.parts()
}

// isHelper reports whether a template writes nothing itself.
func isHelper(p string) bool {
	return strings.HasPrefix(path.Base(p), "_") || path.Ext(p) == ".tpl" || path.Ext(p) == ".txt"
}

// withValues adds the values files that are known of head's chart.
func (s *switching) withValues(head *side.Side, i int) {
	for n, r := range head.Releases {
		if discover.IsSet(r) && r.Path == head.Releases[i].Path && head.Outputs[n].Err == nil &&
			head.Recipes[n].Chart != nil {
			s.values = append(s.values, head.Recipes[n])
		}
	}
}

// most is how often the chart is rendered to find settings: a chart with many subcharts takes long each time.
func (s *switching) most() int {
	return max(mostTrials/5, min(mostTrials, 4000/max(len(s.head.Chart.Names), 1)))
}

// changed are the names of the templates and the values, of the chart and of its subcharts, that differ.
func (s *switching) changed() []string {
	var out []string
	add := func(j, other *release.Recipe) {
		for name, p := range j.Chart.Names {
			_, own := inSubchart(name)
			if !strings.HasPrefix(own, "templates/") && own != "values.yaml" || strings.HasPrefix(own, "templates/tests/") {
				continue
			}
			if !bytes.Equal(j.Files[p], other.Files[p]) && len(j.Files[p]) <= mostTexts && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	add(s.head, s.base)
	add(s.base, s.head)
	slices.Sort(out)
	return out
}

// A part of the change: head without it, and where it stands.
type part struct {
	template string                  // of the chart, whose documents it shows in; "" for all
	without  []func(*release.Recipe) // each takes it out of head: the first one with which that still renders
	sites    []templateSite          // of both sides
	number   int                     // in the list of them
	says     func() bool             // it is more than comments and space
	text     string                  // of its template, on head
}

// first is the first setting that shows a part of the change, and that base renders with as well.
func (s *switching) first(list [][]toggle, d part) []toggle {
	for _, set := range list {
		if s.trials >= s.most() {
			break
		}
		if s.shows(s.head, set, d) && s.renders(set) || s.breaks(set, d) {
			return set
		}
	}
	return nil
}

// parts are the parts of the change: the hunks of templates, and the values.
func (s *switching) parts() []part {
	var out []part
	subs := s.text.subs
	for _, name := range s.changed() {
		p, both := s.head.Chart.Names[name]
		if !both {
			p = s.base.Chart.Names[name]
		}
		folder, own := inSubchart(name)
		sub := subs[folder]
		if own == "values.yaml" {
			if both && sub != nil {
				out = append(out, s.changedValues(p, sub.scope)...)
			}
			continue
		}
		was, is := string(s.base.Files[p]), string(s.head.Files[p])
		if isHelper(p) || sub == nil || sub.aliased {
			name = ""
		}
		put := func(text string) func(*release.Recipe) { return func(j *release.Recipe) { j.Files[p] = []byte(text) } }
		for i, h := range source.Hunks(was, is) {
			d := part{template: name, text: is, without: []func(*release.Recipe){put(revert(is, h)), put(was)},
				says: func() bool { return saysMore(is, revert(is, h)) }}
			if i < mostHunks {
				d.sites = lineSites(p, is, h.HeadFirst, h.HeadLast, false)
				d.sites = append(d.sites, lineSites(p, was, h.BaseFirst, h.BaseLast, true)...)
				out = append(out, d)
			}
		}
	}
	for i := range out {
		out[i].number = i
	}
	return out
}

// comment matches a line of YAML that is only a comment, and one that is blank.
var comment = regexp.MustCompile(`(?m)^[ \t]*(#.*)?\n?`)

// saysMore reports whether two texts of a template differ in more than comments and blank lines.
func saysMore(a, b string) bool {
	plain := func(text string) string {
		var out strings.Builder
		for _, t := range parseTemplate("", text).trees {
			fmt.Fprintln(&out, t.Name, comment.ReplaceAllString(t.Root.String(), ""))
		}
		return out.String()
	}
	was, is := plain(a), plain(b)
	return was != is || was == ""
}

// revert puts base's lines of a hunk in the place of head's.
func revert(is string, h object.Hunk) string {
	lines := strings.SplitAfter(is, "\n")
	var mid []string
	for _, l := range h.Base {
		mid = append(mid, strings.TrimRight(l, "\r\n")+"\n")
	}
	from, to := h.HeadFirst-1, h.HeadLast
	if from < 0 || to > len(lines) || from > to {
		return is
	}
	return strings.Join(slices.Concat(lines[:from], mid, lines[to:]), "")
}

// changedValues are the leaves of a chart's own values that differ.
func (s *switching) changedValues(p string, scope []string) []part {
	old, err := document.DecodeYAML(s.base.Files[p])
	now, err2 := document.DecodeYAML(s.head.Files[p])
	if err != nil || err2 != nil {
		return nil
	}
	before, _ := old.(map[string]any)
	after, _ := now.(map[string]any)
	var was, is any = under(scope, before), under(scope, after)
	var out []part
	seen := map[string]bool{}
	add := func(from, to any) {
		fieldpath.Leaves(from, nil, func(at fieldpath.Path, v any) {
			old, ok := at.Get(to)
			if len(at) == 0 || len(out) == mostHunks || seen[at.String()] || ok && fmt.Sprint(old) == fmt.Sprint(v) {
				return
			}
			seen[at.String()] = true
			before, _ := at.Get(was)
			vals, _ := is.(map[string]any)
			out = append(out, part{
				says: func() bool { return true },
				without: []func(*release.Recipe){func(j *release.Recipe) {
					j.Chart.Inline = helm.MergeValues(helm.Nested(at, before, vals), j.Chart.Inline)
				}},
				sites: s.text.mentions(at),
			})
		})
	}
	add(is, was)
	add(was, is)
	return out
}

// textOfDocs are documents as text; hooks do not count.
func textOfDocs(docs []document.Document) string {
	var out strings.Builder
	for _, d := range docs {
		if !d.Hook {
			b, err := json.Marshal(d.Content)
			if err != nil {
				return err.Error()
			}
			out.Write(b)
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// WithoutRepeats leaves out changes that a chart shows with the switch on and off alike: the switch's part of the
// change are those that show only with it on.
func WithoutRepeats(list []object.Change, head *object.Revision) []object.Change {
	plain := map[string]string{} // release that another one repeats
	for _, r := range head.Releases {
		if r.Tried() {
			plain[r.ID] = r.Path
		}
	}
	if len(plain) == 0 {
		return list
	}
	type sameness struct {
		release string
		id      object.ID
	}
	known := map[sameness]*object.Change{}
	for i := range list {
		known[sameness{list[i].Release, list[i].ID()}] = &list[i]
	}
	return slices.DeleteFunc(slices.Clone(list), func(c object.Change) bool {
		k := known[sameness{plain[c.Release], c.ID()}]
		return plain[c.Release] != "" && k != nil && says(k) == says(&c)
	})
}

// says is the content of a change, wherever it is written.
func says(c *object.Change) string {
	text := fmt.Sprint(c.Kind, c.TemplateChanged)
	for _, f := range c.Fields {
		text += fmt.Sprintf("\n%s %v %v", f.Path, f.Old, f.New)
	}
	if c.Base == nil || c.Head == nil {
		for _, o := range []*object.Object{c.Base, c.Head} {
			if o != nil {
				text += textOfDocs([]document.Document{release.DocOf(o)})
			}
		}
	}
	return text
}
