package variants

import (
	"fmt"
	"maps"
	"strings"

	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// shows reports whether head with some values comes out otherwise without a part of the change.
func (s *switching) shows(of *release.Recipe, set []toggle, d part) bool {
	with := s.trial(of, set, "", nil)
	if !with.ok {
		return false
	}
	for i, edit := range d.without {
		if without := s.trial(of, set, fmt.Sprint(d.number, " ", i), edit); without.ok {
			return with.of(d.template) != without.of(d.template)
		}
	}
	return set == nil // unknown: not hidden
}

// breaks reports whether head gives no YAML with some values, and does without a part of the change, as base does: what
// a value is replaced by is a text in any place.
func (s *switching) breaks(set []toggle, d part) bool {
	if with := s.trial(s.head, set, "", nil); with.ok || !with.noYAML || !s.renders(set) {
		return false
	}
	for i, edit := range d.without {
		if s.trial(s.head, set, fmt.Sprint(d.number, " ", i), edit).ok {
			return true
		}
	}
	return false
}

// renders reports whether base renders with a setting, too.
func (s *switching) renders(set []toggle) bool { return s.trial(s.base, set, "", nil).ok }

// trialled is what a chart rendered to, in texts, which take less memory than documents.
type trialled struct {
	ok     bool
	noYAML bool     // it fails, as a template's text is none
	names  []string // of templates, by document
	texts  []string
}

// of is what a template of the chart, or all of them for "", made.
func (t trialled) of(template string) string {
	var out strings.Builder
	for i, name := range t.names {
		if template == "" || name == template {
			out.WriteString(t.texts[i])
		}
	}
	return out.String()
}

// trial renders a chart with other values, and with an edit of some name: once, however often it is asked for, and
// under however many names.
func (s *switching) trial(of *release.Recipe, set []toggle, name string, edit func(*release.Recipe)) trialled {
	s.trials++
	key := fmt.Sprintf("%p %s %s", of, settingText(set), name)
	if t, ok := s.made[s.asked[key]]; ok {
		return t
	}
	j := s.recipe(of, set, edit)
	if s.asked == nil {
		s.asked = map[string]string{}
	}
	s.asked[key] = j.Digest()
	if t, ok := s.made[j.Digest()]; ok {
		return t
	}
	out := s.run.Run(j)
	t := trialled{ok: out.Err == nil, noYAML: out.Err != nil && helm.GivesNoYAML(out.Err)}
	for i := range out.Docs {
		_, file, _ := strings.Cut(out.Docs[i].File, "/")
		t.names, t.texts = append(t.names, file), append(t.texts, textOfDocs(out.Docs[i:i+1]))
	}
	if s.made == nil {
		s.made = map[string]trialled{}
	}
	s.made[j.Digest()] = t
	return t
}

// recipe is a chart's with other values, and with an edit.
func (s *switching) recipe(of *release.Recipe, set []toggle, edit func(*release.Recipe)) *release.Recipe {
	c := *of.Chart
	c.Once, c.Set = true, map[string]string{}
	maps.Copy(c.Set, of.Chart.Set)
	for _, t := range set {
		t.apply(c.Set, &c.Name, &c.Namespace, &c.KubeVersion, &c.APIVersions)
	}
	j := &release.Recipe{Release: release.Release{Release: object.Release{Kind: object.Helm, Path: c.Dir}},
		Files: maps.Clone(of.Files), Chart: &c}
	if edit != nil {
		edit(j)
	}
	return j
}
