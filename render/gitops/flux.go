package gitops

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/resid"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/kustomize"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// fluxKustomization adds the release of a Flux Kustomization.
//
// Upstream: kustomize-controller, (*KustomizationReconciler).build; fluxcd/pkg,
// kustomize: (*Generator).GenerateManifest and LoadVariables.
func (o *declaring) fluxKustomization() {
	if o.partial("sourceRef") {
		return
	}
	elsewhere := o.Src.CanFetch() && !o.Src.HasDir(fromRoot(document.Text(o.content, "spec", "path")))
	if elsewhere || len(document.Items(o.content, "spec", "postBuild", "substituteFrom")) > 0 {
		o.wait((*declaring).fluxKustomizationNow)
		return
	}
	o.fluxKustomizationNow()
}

func (o *declaring) fluxKustomizationNow() {
	name := objectName(o.content, "flux-system")
	dir := fromRoot(document.Text(o.content, "spec", "path"))
	r := release.Release{
		Release: object.Release{ID: "flux:" + o.folder + ":" + name, Kind: object.Kustomize, Path: dir, Namespace: document.Text(o.content, "spec", "targetNamespace"), Selected: "Flux Kustomization " + name, Cluster: document.Text(o.content, "spec", "kubeConfig", "secretRef", "name")},
		AnyFile: true,
	}
	if kind := document.Text(o.content, "spec", "sourceRef", "kind"); kind != "" && kind != "GitRepository" {
		o.elsewhere("%s: its source is a %s, not this repository", r.Selected, kind)
		return
	}
	o.from = object.From{}
	ref := document.Value(o.content, "spec", "sourceRef")
	if g, ignore, ok := o.remoteGit(ref, o.onEither((*source.Source).HasDir, dir)); ok {
		o.fluxFromGit(r, g, ignore, dir)
		return
	}
	if fixed := o.fixedSource(); fixed != "" {
		g, _ := o.gitRepository(ref)
		o.elsewhereIn(g.followed(), g.revision, "%s: its source %s is another repository, as it is fixed", r.Selected, fixed)
		return
	}
	if !o.Src.HasDir(dir) && o.Src.Twin != nil && o.Src.Twin.HasDir(dir) {
		o.add(r, o.failure("spec.path", "keep the folder, or take the Kustomization away with it",
			"the folder %s is not in this repository any more: Flux fails to build it, and leaves the applied objects", dir))
		return
	}
	if !o.Src.HasDir(dir) {
		g, _ := o.gitRepository(ref)
		o.elsewhereIn(g.followed(), g.revision, "%s: %s is not in this repository", r.Selected, dir)
		return
	}
	if kustomize.FileOf(o.Src, dir) == "" {
		if r.Files = FluxResources(o.Src, dir); len(r.Files) == 0 {
			o.ignore("%s: %s holds no manifests", r.Selected, dir)
			return
		}
	}
	if document.Value(o.content, "spec", "decryption") != nil {
		r.Remarks = append(r.Remarks, object.Say(object.ValuesEncrypted))
	}
	f := o.fluxOverlay(&r)
	if f == nil {
		f = o.fluxVariables(&r)
	}
	o.add(r, f)
}

// fixedSource names the GitRepository of a Kustomization if it stays at a tag, a version or a commit and therefore is
// not this repository: a merge here could not reach it. Else it is remembered.
func (o *declaring) fixedSource() string {
	ref := document.Value(o.content, "spec", "sourceRef")
	namespace := document.Text(ref, "namespace")
	if namespace == "" {
		namespace = document.Text(o.content, "metadata", "namespace")
	}
	p, ok := o.Found.lookup("GitRepository", namespace, document.Text(ref, "name"))
	if !ok {
		return ""
	}
	for _, field := range []string{"tag", "semver", "commit"} {
		if at := document.Text(p.doc.Content, "spec", "ref", field); at != "" {
			return document.Text(ref, "name") + " at " + at
		}
	}
	at := document.Value(p.doc.Content, "spec", "ref")
	o.from = object.FromGit(document.Text(p.doc.Content, "spec", "url"),
		cmp.Or(document.Text(at, "name"), document.Text(at, "branch")))
	o.from.At, o.from.RevisionAt = o.at("spec.sourceRef"), o.at("spec.sourceRef")
	return ""
}

// fluxOverlay reads what the Kustomization adds to the folder's own.
func (o *declaring) fluxOverlay(r *release.Release) *object.Failure {
	spec := document.Value(o.content, "spec")
	ov := &release.Overlay{
		Namespace: document.Text(spec, "targetNamespace"), NamePrefix: document.Text(spec, "namePrefix"),
		NameSuffix: document.Text(spec, "nameSuffix"),
		Components: document.Texts(document.Value(spec, "components")),
	}
	if len(r.Git) == 0 && document.Value(spec, "ignoreMissingComponents") == true {
		ov.Components = presentComponents(o.Src, r.Path, ov.Components)
	}
	if m := document.Value(spec, "commonMetadata"); m != nil {
		ov.Metadata = commonMetadata(m)
	}
	if f := o.fluxKustomize("spec", spec, ov); f != nil {
		return f
	}
	if fmt.Sprint(*ov) == fmt.Sprint(release.Overlay{}) {
		return nil
	}
	r.Overlay = ov
	r.OverlayAt = o.overlayPlace(map[string]string{"namespace": "targetNamespace"}, "spec.")
	return nil
}

// fluxKustomize reads patches and images as Flux's objects hold them. Betas had two more fields for patches.
func (o *declaring) fluxKustomize(field string, from any, ov *release.Overlay) *object.Failure {
	beta := strings.Contains(document.Text(o.content, "apiVersion"), "beta")
	for _, old := range []string{"patchesStrategicMerge", "patchesJson6902"} {
		list := document.Items(from, old)
		if len(list) > 0 && !beta {
			return o.unread(field, old)
		}
		for i, e := range list {
			patch, target := e, any(nil)
			if old == "patchesJson6902" {
				patch, target = document.Value(e, "patch"), document.Value(e, "target")
			}
			text, err := yaml.Marshal(patch)
			if err != nil {
				return o.failure(fmt.Sprintf("%s.%s[%d]", field, old, i), "correct the patch", "%s: %v", old, err)
			}
			ov.Patches = append(ov.Patches, types.Patch{Patch: string(text), Target: fluxTarget(target)})
		}
	}
	for i, e := range document.Items(from, "patches") {
		p, err := fluxPatch(e)
		if err != nil {
			return o.failure(fmt.Sprintf("%s.patches[%d]", field, i), "correct the patch", "patches: %v", err)
		}
		ov.Patches = append(ov.Patches, p)
	}
	for i, e := range document.Items(from, "images") {
		var image types.Image
		if err := convert(e, &image); err != nil {
			return o.failure(fmt.Sprintf("%s.images[%d]", field, i), "correct the entry", "images: %v", err)
		}
		ov.Images = append(ov.Images, image)
	}
	return nil
}

// fluxPatch reads one patch; Flux's selector is flat.
func fluxPatch(e any) (types.Patch, error) {
	patch := document.Text(e, "patch")
	if patch == "" {
		return types.Patch{}, fmt.Errorf("an entry without `patch`")
	}
	return types.Patch{Patch: patch, Target: fluxTarget(document.Value(e, "target"))}, nil
}

// fluxTarget reads a patch's selector; nil for none.
func fluxTarget(t any) *types.Selector {
	if t == nil {
		return nil
	}
	return &types.Selector{
		ResId: resid.ResId{
			Gvk: resid.Gvk{Group: document.Text(t, "group"), Version: document.Text(t, "version"),
				Kind: document.Text(t, "kind")},
			Name: document.Text(t, "name"), Namespace: document.Text(t, "namespace"),
		},
		LabelSelector: document.Text(t, "labelSelector"), AnnotationSelector: document.Text(t, "annotationSelector"),
	}
}

// fluxVariables reads postBuild. A source that is not in the repository leaves variables
// open, as it exists in the cluster alone.
func (o *declaring) fluxVariables(r *release.Release) *object.Failure {
	build := document.Value(o.content, "spec", "postBuild")
	if build == nil {
		return nil
	}
	if f := o.others("spec.postBuild", build, fluxPostBuild); f != nil {
		return f
	}
	s := &release.Substitution{Vars: map[string]string{},
		Always: document.Text(build, "substituteStrategy") == "Always" ||
			document.Text(o.content, "spec", "substituteStrategy") == "Always"}
	var hidden []any
	set := func(k, v string) { s.Vars[k] = strings.ReplaceAll(v, "\n", "") }
	for i, e := range document.Items(build, "substituteFrom") {
		kind, name := document.Text(e, "kind"), document.Text(e, "name")
		space := document.Text(o.content, "metadata", "namespace")
		field := fmt.Sprintf("spec.postBuild.substituteFrom[%d]", i)
		p, ok := o.Found.lookup(kind, space, name)
		if !ok {
			if recipe := o.Found.maker(kind, space, name); recipe != "" {
				s.Sources = append(s.Sources, o.unknownVariables(field, kind+" "+name, recipe))
			}
			if document.Value(e, "optional") != true {
				s.Open = true
				r.Remarks = append(r.Remarks, object.Say(object.VariablesUnknown, kind, name).
					At(o.at(field)))
			}
			continue
		}
		locked := false
		for _, k := range p.keys() {
			v, has, encrypted := p.data(k)
			if encrypted || !has {
				if s.Locked == nil {
					s.Locked = map[string]object.Hole{}
				}
				locked, s.Locked[k] = true, o.unknownVariables(field, k+" of "+kind+" "+name, v)
				v = "${" + k + "}"
			} else if kind == "Secret" {
				hidden = append(hidden, v)
			}
			set(k, v)
		}
		if locked {
			r.Remarks = append(r.Remarks, object.Say(object.VariablesEncrypted, kind, name))
		}
	}
	for k, v := range document.TextMap(document.Value(build, "substitute")) {
		delete(s.Locked, k)
		set(k, v)
	}
	for k := range s.Vars {
		if !kustomize.VariableName.MatchString(k) {
			return o.failure("spec.postBuild", "rename it: letters, digits and underscores", "%q is not the name of a variable", k)
		}
	}
	r.Substitute, r.Hidden = s, hiddenTexts(hidden)
	return nil
}

// unknownVariables is a variable, or a source of some, as far as the repository has it: two of one text are the same.
func (o *declaring) unknownVariables(field, what, text string) object.Hole {
	return object.Hole{Kind: object.Values, What: what, Where: o.at(field),
		Reason: what + " is not in the repository in the clear", Remedy: "check its changes by hand", Own: helm.Digest(text)}
}

// FluxResources lists what Flux puts into the kustomization that it generates for a
// folder without one: sub-folders that have one, and manifests elsewhere.
func FluxResources(src *source.Source, dir string) []string {
	var out []string
	inner := map[string]bool{}
	for _, f := range src.Below(dir) {
		if source.IsKustomizationName(f) && kustomize.FileOf(src, path.Dir(f)) == f {
			if b, err := src.Read(f); err == nil && !source.IsForeignKustomization(b) {
				inner[path.Dir(f)] = true
			}
		}
	}
	listed := map[string]bool{}
	for _, f := range src.Below(dir) {
		entry := f
		for at := path.Dir(f); source.Under(at, dir) && at != dir; at = path.Dir(at) {
			if inner[at] {
				entry = at // the outermost one counts
			}
		}
		if listed[entry] {
			continue
		}
		if entry == f {
			if b, err := src.Read(f); !source.IsManifestName(f) || err == nil && !src.Memo.LooksLikeManifest(b) {
				continue
			}
		}
		listed[entry] = true
		out = append(out, entry)
	}
	return out
}

// commonMetadata reads the labels and annotations that Flux sets on everything.
func commonMetadata(m any) *release.CommonMetadata {
	return &release.CommonMetadata{Labels: document.TextMap(document.Value(m, "labels")),
		Annotations: document.TextMap(document.Value(m, "annotations"))}
}
