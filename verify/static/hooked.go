package static

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
)

var hookChanges = Analyzer{Name: "hook-change", Rule: rules.ApplyRejected, Run: hooked, Compares: true,
	Doc: "an object that Helm does not own and comes to, or owns and deletes as it becomes a hook"}

// hooked says which objects become part of a release that Helm applied as hooks or from the folder crds: an upgrade
// refuses to take over what is there without the marks of the release. The reverse is an object that becomes a hook:
// the upgrade deletes what its manifest no longer has, after the hooks that come before it.
//
// Upstream: helm v3.21, pkg/action: existingResourceConflict, checkOwnership, (*Upgrade).prepareUpgrade (no check with
// TakeOwnership), (*Configuration).execHook and deleteHookByPolicy, (*Install).installCRDs; pkg/kube: (*Client).update.
// helm-controller, internal/action: newUpgrade (TakeOwnership unless disableTakeOwnership).
func hooked(p *Pass) []Remark {
	if p.Base == nil || !newSteps(p.Head).helm || forTests(p.Head) {
		return nil
	}
	before := map[object.ID]*object.Object{}
	for _, o := range p.Objects(state.Base) {
		before[keyOf(o)] = o
	}
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		b := before[keyOf(o)]
		switch {
		case b == nil || fromCRDs(o):
		case o.Hook && !b.Hook && !fromCRDs(b):
			out = append(out, p.deletedAsHook(b, o)...)
		case !o.Hook && (b.Hook || fromCRDs(b)) && !p.Head.Delivery.Adopts:
			out = append(out, p.unowned(b, o)...)
		}
	}
	return out
}

// fromCRDs reports whether an object is of the crds folder of a chart, which Helm installs once and never again.
func fromCRDs(o *object.Object) bool {
	return strings.Contains("/"+o.Source.File, "/crds/") && !strings.Contains(o.Source.File, "/templates/")
}

// helmMayApply is what a remark says where nobody declares that Helm applies a chart.
func (p *Pass) helmMayApply() (words string, unsure bool) {
	if p.Head.By.File != "" || p.Head.At.File != "" || p.Head.Declared {
		return "", false
	}
	return " where Helm applies the chart", true
}

// unowned is about an object that Helm left in the cluster without its marks, and that comes to be of the release.
func (p *Pass) unowned(b, o *object.Object) []Remark {
	where, unsure := p.helmMayApply()
	at, was := "metadata.name", "it is there from the folder crds"
	if b.Hook {
		events := hooksOf(b, "helm.sh/hook")
		ran := func(names ...string) bool {
			return slices.ContainsFunc(events, func(e string) bool { return slices.Contains(names, strings.ToLower(e)) })
		}
		if absent(p.Head.Delivery.Tool, b) || o.ID.Kind != "CustomResourceDefinition" &&
			slices.Contains(hooksOf(b, "helm.sh/hook-delete-policy"), "hook-succeeded") {
			return nil
		}
		at, was = "metadata.annotations[helm.sh/hook]", "it is there as a hook"
		if !ran("pre-install", "post-install", "pre-upgrade", "post-upgrade") {
			if !ran("test", "test-success", "pre-rollback", "post-rollback") {
				return nil
			}
			was, unsure = was+", if that ever ran", true
		}
	}
	if marked(b, p.Head) {
		return nil
	}
	say := "mark it as the release's before the upgrade (the label app.kubernetes.io/managed-by: Helm, the annotations " +
		"meta.helm.sh/release-name and meta.helm.sh/release-namespace)"
	if o.ID.Kind != "CustomResourceDefinition" { // with which all goes that it defines
		say = "delete " + shortID(o) + " before the upgrade, or " + say
	}
	return []Remark{{
		Object: o, paths: []string{at}, causes: []cause{{object: b, paths: []string{at}}}, Conditional: unsure,
		shape: "not owned", remedies: byHand(say),
		text: fmt.Sprintf("the upgrade is refused%s: %s exists and cannot be imported into the release, as %s, "+
			"without the marks of what Helm owns", where, o.ID, was),
	}}
}

// marked reports whether an object carries the marks by which Helm takes it for one of a release.
func marked(o *object.Object, of *object.Rendered) bool {
	labels, _ := o.Content["metadata"].(map[string]any)["labels"].(map[string]any)
	return labels["app.kubernetes.io/managed-by"] == "Helm" &&
		annotation(o, "meta.helm.sh/release-name") == of.Name &&
		annotation(o, "meta.helm.sh/release-namespace") == cmp.Or(of.Namespace, "default")
}

// deletedAsHook is about an object of the release that becomes a hook. What ends and is run again is not missed.
func (p *Pass) deletedAsHook(b, o *object.Object) []Remark {
	events := strings.ToLower(annotation(o, "helm.sh/hook"))
	live, how := b, "its new hook does not run in an upgrade"
	switch {
	case strings.Contains(events, "post-upgrade"), strings.HasPrefix(events, "test"), runsOnce(o):
		return nil
	case strings.Contains(events, "pre-upgrade"):
		live, how = o, "its new hook has run by then"
	}
	if kept(live) {
		return nil
	}
	where, unsure := p.helmMayApply()
	return []Remark{{
		Rule: rules.DeletedOnTheWay, Object: o, paths: []string{"metadata.annotations[helm.sh/hook]"}, Conditional: unsure,
		text: fmt.Sprintf("the upgrade deletes %s%s, as the manifest of the release no longer has it, and %s",
			o.ID, where, how),
		remedies: byHand("leave " + shortID(o) + " a part of the release, give the hook another name, or annotate it with " +
			"helm.sh/resource-policy: keep"),
	}}
}
