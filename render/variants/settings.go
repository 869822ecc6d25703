package variants

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/release"
)

// A toggle sets one value of a chart otherwise.
type toggle struct{ path, value string }

// demo installs a chart under a name that has nothing of the chart's. A release that is named like its chart hides
// where templates mix the chart's name up with the full one.
var demo = toggle{"release-name", "demo"}

// settingText is a setting as --set takes it.
func settingText(list []toggle) string {
	var out []string
	for _, t := range list {
		out = append(out, t.path+"="+t.value)
	}
	return strings.Join(out, ",")
}

// settings are the sets of toggles that show what is hidden, and those with which a condition that
// the change brings, or takes away, comes out otherwise than without.
func (s *switching) settings() [][]toggle {
	s.text = newChartTexts(s.head, s.base)
	var out [][]toggle
	for _, d := range s.parts() {
		seen := slices.ContainsFunc(s.values, func(j *release.Recipe) bool { return s.shows(j, nil, d) }) ||
			slices.ContainsFunc(out, func(set []toggle) bool { return s.shows(s.head, set, d) })
		plain, deciding := s.text.ways(d.sites)
		add := func(set []toggle) {
			if set != nil {
				out, seen = append(out, set), true
			}
		}
		if !seen {
			add(s.first(plain, d))
		}
		known := slices.ContainsFunc(out, func(set []toggle) bool {
			return slices.ContainsFunc(deciding, func(o []toggle) bool { return slices.Equal(o, set) })
		})
		if known {
			continue
		}
		if add(s.first(deciding, d)); !seen {
			add(s.first(together(plain, deciding), d))
		}
		if s.trials >= mostTrials || len(out) >= mostSettings {
			break
		}
	}
	return out[:min(len(out), mostSettings)]
}

// mostTogether bounds the settings that are made of others.
const mostTogether = 12

// together are settings for what no one of them shows: two of them at once, as where one condition takes the place of
// another, and each under another release's name.
func together(lists ...[][]toggle) [][]toggle {
	all := slices.Concat(lists...)
	out := [][]toggle{{demo}}
	for _, set := range all {
		out = append(out, append(slices.Clone(set), demo))
	}
	out = out[:min(len(out), mostTogether/2)]
	for i, a := range all {
		for _, b := range all[i+1:] {
			if set, ok := sortToggles(slices.Concat(a, b)); ok && len(set) > max(len(a), len(b)) && len(out) < mostTogether {
				out = append(out, set)
			}
		}
	}
	return out
}

// sortToggles orders a setting, and takes out what it says twice; false where it says two things.
func sortToggles(list []toggle) ([]toggle, bool) {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b toggle) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.value, b.value))
	})
	list = slices.Compact(list)
	for i := 1; i < len(list); i++ {
		if list[i].path == list[i-1].path {
			return nil, false
		}
	}
	return list, true
}
