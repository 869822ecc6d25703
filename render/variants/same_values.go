package variants

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/discover"
	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/side"
)

// takeTestValues renders base's charts with head's files of chart-testing where the change adds or edits them, and base
// renders with them: both charts get the same values, and a value that a test repeats is not one that the chart
// repeats. Test values are not used to upgrade an installation.
func takeTestValues(s *side.Side, head *side.Side, needy map[string]bool) {
	for i := range len(s.Releases) {
		r := s.Releases[i]
		_, both := head.ByID[r.ID]
		if !both || !discover.IsBare(r) || !needy[r.ID] || s.Failed[i] != nil || s.Recipes[i].Chart == nil {
			continue
		}
		for _, f := range discover.TestValues(head.Src, r.Path) {
			text, err := head.Src.Read(f)
			if err != nil {
				continue
			}
			if own, err := s.Src.Read(f); s.Src.HasFile(f) && (err != nil || bytes.Equal(own, text)) {
				continue
			}
			if k, of := takeTest(s, head, i, f, text); of {
				remarkTest(head, k, f, s, head)
			}
		}
	}
}

// keepTestValues renders head's charts with the files of chart-testing that head takes away, where they still do: a
// test that goes takes nothing out of a cluster. One that does not render any more goes on both sides, as long as head
// has another that does.
func keepTestValues(s *side.Side, base *side.Side, needy map[string]bool) {
	for i := range len(s.Releases) {
		r := s.Releases[i]
		_, both := base.ByID[r.ID]
		if !both || !discover.IsBare(r) || !needy[r.ID] || s.Failed[i] != nil || s.Recipes[i].Chart == nil {
			continue
		}
		for _, f := range discover.TestValues(base.Src, r.Path) {
			text, err := base.Src.Read(f)
			k, has := base.ByID[withTest(r, f).ID]
			if err != nil || !has || base.Outputs[k].Err != nil || s.Src.HasFile(f) {
				continue
			}
			if _, ok := takeTest(s, base, i, f, text); ok {
				remarkTest(s, s.ByID[base.Releases[k].ID], f, s, base)
			} else if rendersSet(s, r.Path) {
				base.Drop(k)
			}
		}
	}
}

// remarkTest says of release k that a side is rendered with a file of chart-testing that only the other one has.
func remarkTest(s *side.Side, k int, file string, rendered, of *side.Side) {
	s.Outputs[k].Notes = append(slices.Clone(s.Outputs[k].Notes),
		object.Say(object.TestValuesShared, rendered.Src.Tree.Name(), file, of.Src.Tree.Name()))
}

// takeTest renders the chart of release i with a file of chart-testing of the other side's, in the place of its own; k
// is the other side's release of it. false: the other has no such file, or it does not render. Where the time is up,
// it was cut: it is not one with other values, nor none.
func takeTest(s *side.Side, other *side.Side, i int, file string, text []byte) (k int, ok bool) {
	one := withTest(s.Releases[i], file)
	k, has := other.ByID[one.ID]
	if !has {
		return 0, false
	}
	was := s.Recipes[i]
	chart := *was.Chart
	chart.Values = append(slices.Clone(chart.Values), file)
	j := &release.Recipe{Release: one, Files: maps.Clone(was.Files), Chart: &chart, Notes: was.Notes, Fetched: was.Fetched,
		Declares: was.Declares, Later: was.Later}
	j.Files[file] = text
	out := release.Output{Err: j.Cut()}
	if !s.Opt.Clock.Over() {
		out = s.Runner.Run(j)
	}
	if out.Err != nil && !out.Err.Cut {
		return 0, false
	}
	for n := range out.Docs {
		document.MaskVolatile(&out.Docs[n])
	}
	at, there := s.ByID[one.ID]
	if !there {
		at = len(s.Releases)
		s.ByID[one.ID] = at
		s.Releases, s.Recipes = append(s.Releases, one), append(s.Recipes, nil)
		s.Failed, s.Outputs = append(s.Failed, nil), append(s.Outputs, release.Output{})
	}
	s.Recipes[at], s.Failed[at], s.Outputs[at] = j, nil, out
	return k, true
}

// withTest is the release of a chart with a file of chart-testing beside its own values.
func withTest(r release.Release, file string) release.Release {
	r.ID = r.Path + ":" + strings.TrimPrefix(strings.TrimPrefix(file, r.Path), "/")
	r.Values = append(slices.Clone(r.Values), file)
	r.Selected = "Chart.yaml found, which needs values: with those of chart-testing, " + file
	return r
}
