package render

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/release"
)

// takeTestValues renders base's charts with head's files of chart-testing where the change adds or edits them, and
// base renders with them: the two charts are asked the same, and what a test asks for anew is not what the chart has
// anew. Nobody upgrades an installation by them.
func (s *side) takeTestValues(head *side, needy map[string]bool) {
	for i := range len(s.releases) {
		r := s.releases[i]
		_, both := head.byID[r.ID]
		if !both || !isBare(r) || !needy[r.ID] || s.failed[i] != nil || s.recipes[i].Chart == nil {
			continue
		}
		for _, f := range testValues(head.src, r.Path) {
			text, err := head.src.Read(f)
			if err != nil || s.opt.Clock.Over() {
				continue
			}
			if own, err := s.src.Read(f); s.src.HasFile(f) && (err != nil || bytes.Equal(own, text)) {
				continue
			}
			if k, of := s.takeTest(head, i, f, text); of {
				head.remarkTest(k, f, s, head)
			}
		}
	}
}

// keepTestValues renders head's charts with the files of chart-testing that head takes away, where they still do: a
// test that goes takes nothing out of a cluster. One that does not render any more goes on both sides, as long as head
// has another that does.
func (s *side) keepTestValues(base *side, needy map[string]bool) {
	for i := range len(s.releases) {
		r := s.releases[i]
		_, both := base.byID[r.ID]
		if !both || !isBare(r) || !needy[r.ID] || s.failed[i] != nil || s.recipes[i].Chart == nil {
			continue
		}
		for _, f := range testValues(base.src, r.Path) {
			text, err := base.src.Read(f)
			k, has := base.byID[withTest(r, f).ID]
			if err != nil || !has || base.outputs[k].Err != nil || s.src.HasFile(f) || s.opt.Clock.Over() {
				continue
			}
			if _, ok := s.takeTest(base, i, f, text); ok {
				s.remarkTest(s.byID[base.releases[k].ID], f, s, base)
			} else if s.rendersSet(r.Path) {
				base.drop(k)
			}
		}
	}
}

// drop takes release i out.
func (s *side) drop(i int) {
	kept := s.without()
	kept.ignored, kept.waiting = s.ignored, s.waiting
	for k := range s.releases {
		if k != i {
			kept.take(s, k)
		}
	}
	*s = *kept
}

// remarkTest says of release k that a side is rendered with a file of chart-testing that only the other one has.
func (s *side) remarkTest(k int, file string, rendered, of *side) {
	s.outputs[k].Notes = append(slices.Clone(s.outputs[k].Notes),
		rendered.src.Tree.Name()+" is rendered with "+file+" of "+of.src.Tree.Name()+" too")
}

// takeTest renders the chart of release i with a file of chart-testing of the other side's, in the place of its own; k
// is the other side's release of it. false: the other has none, or it does not render.
func (s *side) takeTest(other *side, i int, file string, text []byte) (k int, ok bool) {
	one := withTest(s.releases[i], file)
	k, has := other.byID[one.ID]
	if !has {
		return 0, false
	}
	was := s.recipes[i]
	chart := *was.Chart
	chart.Values = append(slices.Clone(chart.Values), file)
	j := &release.Recipe{Release: one, Files: maps.Clone(was.Files), Chart: &chart, Notes: was.Notes, Fetched: was.Fetched,
		Declares: was.Declares, Later: was.Later}
	j.Files[file] = text
	out := s.runner.Run(j)
	if out.Err != nil {
		return 0, false
	}
	for n := range out.Docs {
		document.MaskVolatile(&out.Docs[n])
	}
	at, there := s.byID[one.ID]
	if !there {
		at = len(s.releases)
		s.byID[one.ID] = at
		s.releases, s.recipes = append(s.releases, one), append(s.recipes, nil)
		s.failed, s.outputs = append(s.failed, nil), append(s.outputs, release.Output{})
	}
	s.recipes[at], s.failed[at], s.outputs[at] = j, nil, out
	return k, true
}

// withTest is the release of a chart with a file of chart-testing beside its own values.
func withTest(r release.Release, file string) release.Release {
	r.ID = r.Path + ":" + strings.TrimPrefix(strings.TrimPrefix(file, r.Path), "/")
	r.Values = append(slices.Clone(r.Values), file)
	r.Selected = "Chart.yaml found, which needs values: with those of chart-testing, " + file
	return r
}
