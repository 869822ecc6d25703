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
			s.takeTest(head, i, f, text)
		}
	}
}

// takeTest renders the chart of release i with a file of chart-testing of head's, in the place of base's own.
func (s *side) takeTest(head *side, i int, file string, text []byte) {
	one := withTest(s.releases[i], file)
	k, has := head.byID[one.ID]
	if !has {
		return
	}
	was := s.recipes[i]
	chart := *was.Chart
	chart.Values = append(slices.Clone(chart.Values), file)
	j := &release.Recipe{Release: one, Files: maps.Clone(was.Files), Chart: &chart, Notes: was.Notes, Fetched: was.Fetched,
		Declares: was.Declares, Later: was.Later}
	j.Files[file] = text
	out := s.runner.Run(j)
	if out.Err != nil {
		return
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
	head.outputs[k].Notes = append(slices.Clone(head.outputs[k].Notes),
		s.src.Tree.Name()+" is rendered with "+file+" of "+head.src.Tree.Name()+" too")
}

// withTest is the release of a chart with a file of chart-testing beside its own values.
func withTest(r release.Release, file string) release.Release {
	r.ID = r.Path + ":" + strings.TrimPrefix(strings.TrimPrefix(file, r.Path), "/")
	r.Values = append(slices.Clone(r.Values), file)
	r.Selected = "Chart.yaml found, which needs values: with those of chart-testing, " + file
	return r
}
