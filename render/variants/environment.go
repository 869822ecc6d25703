package variants

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template/parse"

	"github.com/Masterminds/semver/v3"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// Conditions of a template ask for more than values: under which name and namespace a chart is installed, and which
// APIs the cluster serves. An undeclared one may be anything, and is set like a value. If no setting can express the
// condition, such as how often it was upgraded, the part of the change behind it is unknown.

// Settings for the objects that Helm gives a template beside the values. No value has such a name, as a template cannot
// reach it.
const (
	releaseName      = "release-name"
	releaseNamespace = "release-namespace"
	apiVersions      = "api-versions"
	kubeVersion      = "kube-version"
)

// apply sets a chart's values, and what is beside them, otherwise.
func (t toggle) apply(set map[string]string, name, namespace, version *string, versions *[]string) {
	switch t.path {
	case releaseName:
		*name = t.value
	case releaseNamespace:
		*namespace = t.value
	case kubeVersion:
		*version = t.value
	case apiVersions:
		*versions = append(slices.Clone(*versions), t.value)
	default:
		set[t.path] = t.value
	}
}

// switchedOn is a release with a setting.
func switchedOn(r release.Release, set []toggle) release.Release {
	r.ID, r.Set, r.Switched = r.Path+":"+settingText(set), maps.Clone(r.Set), settingText(set)
	if r.Set == nil {
		r.Set = map[string]string{}
	}
	for _, t := range set {
		t.apply(r.Set, &r.Name, &r.Namespace, &r.KubeVersion, &r.APIVersions)
	}
	r.Selected = "Chart.yaml found, with " + r.Switched + ": without it a part of the change makes no difference"
	return r
}

// beside is the path of what a node names beside the values, such as Release and Name; nil for all else.
func beside(n parse.Node) []string {
	var ident []string
	switch x := innermost(n).(type) {
	case *parse.FieldNode:
		ident = x.Ident
	case *parse.VariableNode:
		ident = x.Ident[1:]
	}
	for i, k := range ident {
		if k == "Release" || k == "Capabilities" {
			return ident[i:]
		}
	}
	return nil
}

// besideIs are the settings by which what a node names beside the values is a text.
func besideIs(n parse.Node, text string) []toggle {
	p := beside(n)
	if len(p) != 2 || p[0] != "Release" || !plainSetting.MatchString(text) {
		return nil
	}
	switch p[1] {
	case "Name":
		return []toggle{{releaseName, text}}
	case "Namespace":
		return []toggle{{releaseNamespace, text}}
	}
	return nil
}

// holdsText are the settings by which hasPrefix and its like hold: their last argument is the text that is tested.
func holdsText(args []parse.Node) []toggle {
	if len(args) != 2 {
		return nil
	}
	if s, ok := args[0].(*parse.StringNode); ok {
		return besideIs(args[1], s.Text)
	}
	if out := besideIs(args[0], firstText(args[1])); out != nil {
		return out // has
	}
	return nil
}

// firstText is the first text that a node names.
func firstText(n parse.Node) string {
	p, ok := n.(*parse.PipeNode)
	if !ok {
		return ""
	}
	for _, c := range p.Cmds {
		for _, a := range c.Args {
			if s, ok := a.(*parse.StringNode); ok {
				return s.Text
			}
		}
	}
	return ""
}

// serves is the setting by which a cluster serves an API that a command asks for.
func serves(c *parse.CommandNode) []toggle {
	p := beside(c.Args[0])
	if len(c.Args) != 2 || len(p) < 3 || p[1] != "APIVersions" || p[2] != "Has" {
		return nil
	}
	if s, ok := c.Args[1].(*parse.StringNode); ok && servable(s.Text) {
		return []toggle{{apiVersions, s.Text}}
	}
	return nil
}

// servable reports whether a text is a group's version, or a kind in it.
func servable(s string) bool {
	parts := strings.Split(s, "/")
	odd := func(p string) bool { return !plainSetting.MatchString(p) }
	return len(parts) > 1 && len(parts) < 4 && !slices.ContainsFunc(parts, odd)
}

// compares is the setting by which semverCompare comes out as asked: another patch of the same Kubernetes.
func (r *reading) compares(args []parse.Node, truth bool) []toggle {
	if len(args) != 2 || r.texts.kube == "" {
		return nil
	}
	text, ok := args[0].(*parse.StringNode)
	p := beside(args[1])
	if !ok || len(p) < 2 || p[1] != "KubeVersion" {
		return nil
	}
	asked, err := semver.NewConstraint(text.Text)
	have, err2 := semver.NewVersion(r.texts.kube)
	if err != nil || err2 != nil {
		return nil
	}
	for _, patch := range []int{mostPatch, 0} {
		v := fmt.Sprintf("%d.%d.%d", have.Major(), have.Minor(), patch)
		if w, err := semver.NewVersion(v); err == nil && asked.Check(w) == truth && asked.Check(have) != truth {
			return []toggle{{kubeVersion, v}}
		}
	}
	return nil
}

// mostPatch is more than Kubernetes has of any minor.
const mostPatch = 99

// undecidable are the parts of a change that no setting shows and whose template depends on something that no setting
// can express. If the release is declared, that includes the APIs that the cluster serves.
func (s *switching) undecidable(declared bool) []object.Hole {
	var out []object.Hole
	for _, d := range s.found {
		for _, site := range d.sites {
			what, served := s.text.asks(site)
			first := what == "Release.Revision" && s.head.Chart.Template // it has no other
			if what == "" || first || served != nil && (!declared || !s.matters(served, d)) || s.shows(s.head, nil, d) {
				continue
			}
			hole := object.Hole{Kind: object.Cluster, What: "what ." + what + " decides in " + site.file,
				Where:  object.FileStart(site.file),
				Reason: site.file + ": ." + what + " decides whether the changed part is rendered",
				Remedy: "let a value decide it, or check both ways by hand", Own: s.head.Digest()}
			if served != nil {
				hole.Remedy = "declare in the policy what the cluster serves: apiVersions"
			}
			if !slices.Contains(out, hole) {
				out = append(out, hole)
			}
		}
	}
	return out
}

// matters reports whether a part of the change shows under a setting in objects of which something is claimed.
func (s *switching) matters(set []toggle, d part) bool {
	with, without := s.trial(s.head, set, "", nil), s.trial(s.base, set, "", nil)
	if !with.ok || !s.shows(s.head, set, d) {
		return false
	}
	for i, text := range with.texts {
		var about struct{ APIVersion string }
		if err := json.Unmarshal([]byte(text), &about); err != nil || d.template != "" && with.names[i] != d.template {
			continue
		}
		group, _, _ := strings.Cut(about.APIVersion, "/")
		core := !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io") // v1 is its own group here
		if !slices.Contains(without.texts, text) && (core || slices.Contains(ofControllers, group)) {
			return true
		}
	}
	return false
}

// ofControllers are groups beside those of Kubernetes whose kinds have a model.
var ofControllers = []string{"keda.sh", "argoproj.io", "karpenter.sh", "cilium.io", "networking.istio.io", "traefik.io",
	"serving.knative.dev"}

// undeclared are the objects that Helm gives a template and that no setting declares.
var undeclared = [][]string{{"Release", "Revision"}, {"Capabilities", "HelmVersion"}}

// asks names the undeclared object that a condition around a place, or at it, asks for, "" for none; served is the
// setting by which the cluster serves the API that it asks for.
func (t *chartTexts) asks(s templateSite) (what string, served []toggle) {
	side := 0
	if s.old {
		side = 1
	}
	trees := t.sides[side][s.file]
	if trees == nil {
		return "", nil
	}
	tree := trees.at(s.pos)
	if tree == nil {
		return "", nil
	}
	r := &reading{texts: t, side: side, tree: tree}
	var pipes []*parse.PipeNode
	for _, g := range r.guards(tree.Root, s.pos, len(trees.text)) {
		pipes = append(pipes, g.pipe)
	}
	each(tree.Root, func(n parse.Node) {
		if b := branchOf(n); b != nil && int(b.Pos) >= s.pos-4 && int(b.Pos) <= s.to {
			pipes = append(pipes, b.Pipe)
		}
	})
	for _, p := range pipes {
		calls(p, func(p *parse.PipeNode, i int) {
			if set := serves(p.Cmds[i]); set != nil && what == "" {
				what, served = "Capabilities.APIVersions", set
			}
			for _, a := range p.Cmds[i].Args {
				path := beside(a)
				for _, u := range undeclared {
					if len(path) >= len(u) && slices.Equal(path[:len(u)], u) {
						what, served = strings.Join(u, "."), nil
					}
				}
			}
		})
	}
	return what, served
}
