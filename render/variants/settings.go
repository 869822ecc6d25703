package variants

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// A toggle sets one value of a chart otherwise.
type toggle struct{ path, value string }

// demo installs a chart under a name that has nothing of the chart's. A release that is named like its chart hides
// where templates mix the chart's name up with the full one.
var demo = toggle{releaseName, "demo"}

// settingText is a setting as --set takes it.
func settingText(list []toggle) string {
	var out []string
	for _, t := range list {
		out = append(out, t.path+"="+t.value)
	}
	return strings.Join(out, ",")
}

// settings are the sets of toggles that show hidden places, and those that flip a condition that the change brings or
// takes away; hidden are the places that no set shows.
func (s *switching) settings() (out [][]toggle, hidden []object.Note) {
	for _, d := range s.found {
		if s.trials >= 2*s.most() {
			break
		}
		if s.comes && (s.shows(s.head, nil, d) || onlyOf([]byte(d.text), quiet...)) {
			continue // what a new chart shows as it is needs no further setting
		}
		seen := slices.ContainsFunc(s.values, func(j *release.Recipe) bool { return s.shows(j, nil, d) }) ||
			slices.ContainsFunc(out, func(set []toggle) bool { return s.shows(s.head, set, d) })
		add := func(set []toggle) {
			if set != nil {
				out, seen = append(out, set), true
			}
		}
		if s.trials < s.most() && len(out) < mostSettings {
			s.search(d, out, seen, add)
		}
		if !seen && !s.shows(s.head, nil, d) && len(d.sites) > 0 && d.says() {
			at := d.sites[0]
			text := s.head.Files[at.file]
			if at.old {
				text = s.base.Files[at.file]
			}
			if onlyOf(text, slices.Concat(quiet, monitors)...) {
				continue
			}
			line := 1 + bytes.Count(text[:min(at.pos, len(text))], []byte("\n"))
			hidden = append(hidden, object.Say(object.HiddenPart, fmt.Sprintf("%s:%d", at.file, line)))
		}
	}
	return out[:min(len(out), mostSettings)], hidden
}

// written matches the kind of an object in a template; quiet are kinds that place no pods, start none and send no
// requests their way.
var (
	written = regexp.MustCompile(`(?m)^[ \t]*kind:[ \t]*(\S+)`)
	quiet   = []string{"ConfigMap", "Secret", "ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding",
		"Probe", "PrometheusRule", "Certificate", "Issuer", "ExternalSecret"}
	// monitors ask pods for figures, and name their ports.
	monitors = []string{"ServiceMonitor", "PodMonitor"}
)

// onlyOf reports whether a template writes objects, all of some kinds.
func onlyOf(text []byte, some ...string) bool {
	kinds := written.FindAllSubmatch(text, -1)
	return len(kinds) > 0 && !slices.ContainsFunc(kinds, func(m [][]byte) bool {
		return !slices.Contains(some, string(m[1]))
	})
}

// search adds the settings that show a part, if it is not seen, and one that flips its own condition.
func (s *switching) search(d part, known [][]toggle, seen bool, add func([]toggle)) {
	plain, deciding := s.text.ways(d.sites)
	if !seen {
		set := s.first(plain, d)
		add(set)
		if set != nil {
			known, seen = append(slices.Clone(known), set), true
		}
	}
	if slices.ContainsFunc(known, func(set []toggle) bool {
		return slices.ContainsFunc(deciding, func(o []toggle) bool { return slices.Equal(o, set) })
	}) {
		return
	}
	set := s.first(deciding, d)
	if add(set); set == nil && !seen {
		add(s.first(together(plain, deciding), d))
	}
}

// mostTogether bounds the settings that are made of others.
const mostTogether = 12

// together are settings for places that no single toggle shows: two of them at once, as where one condition takes the
// place of another, and each under another release's name.
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

// sortToggles orders a setting, and takes out repetitions; false if it contradicts itself.
func sortToggles(list []toggle) ([]toggle, bool) {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b toggle) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.value, b.value))
	})
	list = slices.Compact(list)
	for i := 1; i < len(list); i++ {
		if list[i].path == list[i-1].path && list[i].path != apiVersions {
			return nil, false
		}
	}
	return list, true
}
