package render

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// maxGitOpsDepth is how deep applications may declare applications.
const maxGitOpsDepth = 6

// declared are the releases that GitOps objects among rendered documents declare.
type declared struct {
	src      *source
	opt      Options
	parent   string // folder of the object at hand, or of the build that gives it
	releases []Release
	failed   map[string]*Failure // by release: what cannot be had
	ignored  []Ignored
	files    func(content map[string]any) []string // that set the fields of an object of the build
	sources  map[string]map[string]any             // Flux's sources, by kind, namespace and name
}

// declaredBy reads the Argo CD and Flux objects of a release's documents; place says
// where a field of a document was set.
func declaredBy(s *source, parent Release, opt Options, docs []document, place func(document, string) Location) *declared {
	d := &declared{src: s, opt: opt, failed: map[string]*Failure{}, sources: fluxSources(docs)}
	d.files = func(content map[string]any) []string { return specFiles(docs, content, place) }
	for _, doc := range docs {
		if doc.Hook {
			continue
		}
		by := func() Location {
			at := place(doc, "")
			if d.parent = parent.Path; parent.Kind == Manifests { // whoever else lists the file
				d.parent = path.Dir(at.File)
			}
			return at
		}
		switch gvk := gvkOf(doc.Content); gvk.Group + "/" + gvk.Kind {
		case "argoproj.io/Application":
			d.application(doc.Content, by())
		case "argoproj.io/ApplicationSet":
			d.applicationSet(doc.Content, by())
		case "kustomize.toolkit.fluxcd.io/Kustomization":
			d.fluxKustomization(doc.Content, by())
		case "helm.toolkit.fluxcd.io/HelmRelease":
			d.helmRelease(doc.Content, by())
		}
	}
	return d
}

func (d *declared) add(r Release, by Location, f *Failure) {
	r.By = by
	if r.KubeVersion = d.opt.KubeVersion; r.KubeVersion == "" {
		r.KubeVersion = DefaultKubeVersion
	}
	d.releases = append(d.releases, r)
	if f != nil {
		d.failed[r.ID] = f
	}
}

func (d *declared) ignore(by Location, format string, args ...any) {
	d.ignored = append(d.ignored, Ignored{fmt.Sprintf("%s:%d", by.File, by.StartLine), fmt.Sprintf(format, args...)})
}

// text reads a string at a path of keys.
func text(v any, keys ...string) string {
	s, _ := value(v, keys...).(string)
	return s
}

func value(v any, keys ...string) any {
	for _, k := range keys {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	return v
}

func texts(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, e := range list {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// objectName is "namespace/name" of a declaring object.
func objectName(content map[string]any, fallback string) string {
	ns := text(content, "metadata", "namespace")
	if ns == "" {
		ns = fallback
	}
	return ns + "/" + text(content, "metadata", "name")
}

// application adds the releases of an Argo CD Application, one per source.
func (d *declared) application(app map[string]any, by Location) {
	name := objectName(app, "argocd")
	sources, _ := value(app, "spec", "sources").([]any)
	if one, ok := value(app, "spec", "source").(map[string]any); ok && len(sources) == 0 {
		sources = []any{one}
	}
	var real []map[string]any
	for _, s := range sources {
		if m, ok := s.(map[string]any); ok && (text(m, "path") != "" || text(m, "chart") != "") {
			real = append(real, m)
		}
	}
	for i, s := range real {
		id := "argocd:" + d.parent + ":" + name
		if len(real) > 1 {
			id = fmt.Sprintf("%s:%d", id, i)
		}
		r := Release{
			ID: id, Name: text(s, "helm", "releaseName"), Namespace: text(app, "spec", "destination", "namespace"),
			Selected: "Argo CD Application " + name, Declared: false,
		}
		if r.Name == "" {
			r.Name = text(app, "metadata", "name")
		}
		d.argoSource(r, s, by)
	}
}

// argoSource resolves one source of an Application.
func (d *declared) argoSource(r Release, s map[string]any, by Location) {
	if chart := text(s, "chart"); chart != "" {
		r.Kind, r.Path = Helm, by.File
		d.add(r, by, remoteChart(chart, text(s, "targetRevision"), text(s, "repoURL"), by))
		return
	}
	dir := path.Clean(strings.TrimPrefix(text(s, "path"), "/"))
	if !d.src.hasDir(dir) {
		d.ignore(by, "%s: %s is not in this repository (%s)", r.Selected, dir, redactURL(text(s, "repoURL")))
		return
	}
	r.Path = dir
	switch {
	case d.src.hasFile(path.Join(dir, "Chart.yaml")):
		r.Kind = Helm
		d.argoHelm(&r, s)
	case d.src.kustomizationFile(dir) != "":
		r.Kind = Kustomize
		if value(s, "kustomize") != nil {
			r.Remarks = append(r.Remarks, "the kustomize options of the Application are not applied")
		}
	default:
		r.Kind = Manifests
		r.Files = d.folder(dir, value(s, "directory", "recurse") == true)
		if len(r.Files) == 0 {
			d.ignore(by, "%s: %s holds no manifests", r.Selected, dir)
			return
		}
	}
	d.add(r, by, nil)
}

// folder lists the manifests of a folder.
func (d *declared) folder(dir string, recurse bool) []string {
	var files []string
	for _, f := range d.src.below(dir) {
		if isManifestName(f) && !isKustomizationName(f) && (recurse || path.Dir(f) == dir) {
			if b, err := d.src.read(f); err != nil || looksLikeManifest(b) {
				files = append(files, f)
			}
		}
	}
	return files
}

// fluxResources lists what Flux puts into the kustomization that it generates for a
// folder without one: sub-folders that have one, and manifests elsewhere.
func (d *declared) fluxResources(dir string) []string {
	var out []string
	inner := map[string]bool{}
	for _, f := range d.src.below(dir) {
		if isKustomizationName(f) && d.src.kustomizationFile(path.Dir(f)) == f {
			if b, err := d.src.read(f); err == nil && !isForeignKustomization(b) {
				inner[path.Dir(f)] = true
			}
		}
	}
	listed := map[string]bool{}
	for _, f := range d.src.below(dir) {
		entry := f
		for at := path.Dir(f); under(at, dir) && at != dir; at = path.Dir(at) {
			if inner[at] {
				entry = at // the outermost one counts
			}
		}
		if listed[entry] {
			continue
		}
		if entry == f {
			if b, err := d.src.read(f); !isManifestName(f) || err == nil && !looksLikeManifest(b) {
				continue
			}
		}
		listed[entry] = true
		out = append(out, entry)
	}
	return out
}

// argoHelm takes values files, inline values and parameters, in Argo CD's order.
func (d *declared) argoHelm(r *Release, s map[string]any) {
	if own := path.Join(r.Path, "values.yaml"); d.src.hasFile(own) {
		r.Values = []string{own}
	}
	for _, v := range texts(value(s, "helm", "valueFiles")) {
		p := ""
		switch {
		case strings.HasPrefix(v, "$"):
			_, p, _ = strings.Cut(v, "/") // from the root of the repository the reference names
		case strings.HasPrefix(v, "/"):
			p = strings.TrimPrefix(v, "/")
		case remoteRef.MatchString(v):
			r.Remarks = append(r.Remarks, "values file "+redactURL(v)+" is remote and not read")
			continue
		default:
			p, _ = inside(r.Path, v)
		}
		p = path.Clean(p)
		if !d.src.hasFile(p) && value(s, "helm", "ignoreMissingValueFiles") == true {
			continue
		}
		r.Values = append(r.Values, p)
	}
	if m, ok := value(s, "helm", "valuesObject").(map[string]any); ok {
		r.Inline = m
	} else if block := text(s, "helm", "values"); block != "" {
		if v, err := decodeYAML([]byte(block)); err == nil {
			r.Inline, _ = v.(map[string]any)
		}
	}
	list, _ := value(s, "helm", "parameters").([]any)
	for _, e := range list {
		if name := text(e, "name"); name != "" {
			if r.Set == nil {
				r.Set = map[string]string{}
			}
			r.Set[name] = fmt.Sprint(value(e, "value"))
		}
	}
}

// remoteChart is the failure of a chart that lies in no repository at hand.
func remoteChart(chart, version, repo string, by Location) *Failure {
	if version != "" {
		chart += "@" + version
	}
	return &Failure{
		Skipped: true,
		Reason:  fmt.Sprintf("%s:%d: chart %s of %s is not vendored", by.File, by.StartLine, chart, redactURL(repo)),
		Where:   by, Remedy: "commit the chart and declare the release in the policy's `releases`",
	}
}

// fluxKustomization adds the release of a Flux Kustomization.
func (d *declared) fluxKustomization(k map[string]any, by Location) {
	name := objectName(k, "flux-system")
	dir := path.Clean(strings.TrimPrefix(text(k, "spec", "path"), "/"))
	r := Release{ID: "flux:" + d.parent + ":" + name, Kind: Kustomize, Path: dir, Namespace: text(k, "spec", "targetNamespace"), Selected: "Flux Kustomization " + name}
	if kind := text(k, "spec", "sourceRef", "kind"); kind != "" && kind != "GitRepository" {
		d.ignore(by, "%s: its source is a %s, not this repository", r.Selected, kind)
		return
	}
	if !d.src.hasDir(dir) {
		d.ignore(by, "%s: %s is not in this repository", r.Selected, dir)
		return
	}
	if d.src.kustomizationFile(dir) == "" {
		if r.Files = d.fluxResources(dir); len(r.Files) == 0 {
			d.ignore(by, "%s: %s holds no manifests", r.Selected, dir)
			return
		}
	}
	if m, ok := value(k, "spec", "postBuild", "substitute").(map[string]any); ok {
		r.Substitute = map[string]string{}
		for key, v := range m {
			r.Substitute[key] = fmt.Sprint(v)
		}
	}
	for _, f := range []string{"patches", "images", "components", "namePrefix", "nameSuffix", "commonMetadata", "targetNamespace"} {
		if value(k, "spec", f) != nil {
			r.Remarks = append(r.Remarks, "spec."+f+" of the Flux Kustomization is not applied to what sets it itself")
		}
	}
	if value(k, "spec", "postBuild", "substituteFrom") != nil {
		r.Remarks = append(r.Remarks, "variables of spec.postBuild.substituteFrom are not known")
	}
	d.add(r, by, nil)
}

// helmRelease adds the release of a Flux HelmRelease.
func (d *declared) helmRelease(h map[string]any, by Location) {
	name := objectName(h, "default")
	r := Release{
		ID: "helmrelease:" + d.parent + ":" + name, Kind: Helm, Name: text(h, "spec", "releaseName"), Namespace: text(h, "spec", "targetNamespace"),
		Selected: "Flux HelmRelease " + name,
	}
	if r.Name == "" {
		r.Name = text(h, "metadata", "name")
	}
	if r.Namespace == "" {
		r.Namespace = text(h, "metadata", "namespace")
	}
	r.Inline, _ = value(h, "spec", "values").(map[string]any)
	if value(h, "spec", "valuesFrom") != nil {
		r.Remarks = append(r.Remarks, "values of spec.valuesFrom are not known")
	}
	spec := value(h, "spec", "chart", "spec")
	chart := text(spec, "chart")
	dir := path.Clean(strings.TrimPrefix(chart, "/"))
	if text(spec, "sourceRef", "kind") != "GitRepository" || !d.src.hasFile(path.Join(dir, "Chart.yaml")) {
		version, source := fmt.Sprint(value(spec, "version")), text(spec, "sourceRef", "kind")+" "+text(spec, "sourceRef", "name")
		if ref := value(h, "spec", "chartRef"); ref != nil {
			chart, version, source = text(ref, "name"), "", text(ref, "kind")
		}
		r.Path = by.File
		r.Files = append(d.files(h), d.files(d.sourceOf(h))...)
		d.add(r, by, remoteChart(chart, strings.TrimSuffix(version, "<nil>"), source, by))
		return
	}
	r.Path = dir
	if own := path.Join(dir, "values.yaml"); d.src.hasFile(own) {
		r.Values = []string{own}
	}
	for _, v := range texts(value(spec, "valuesFiles")) {
		r.Values = append(r.Values, path.Clean(strings.TrimPrefix(v, "/")))
	}
	d.add(r, by, nil)
}

var fluxVariable = regexp.MustCompile(`(\$?)\$\{([A-Za-z_][A-Za-z0-9_]*)(?:(:?[-=])([^{}]*))?\}`)

// substituteVariables replaces ${name} and ${name:-default} as Flux does after a build,
// and reads a text that was nothing but a variable again as YAML.
func substituteVariables(d *document, vars map[string]string) {
	if text(d.Content, "metadata", "annotations", "kustomize.toolkit.fluxcd.io/substitute") == "disabled" {
		return
	}
	leaves(d.Content, nil, func(p fieldPath, v any) {
		was, ok := v.(string)
		if !ok || !strings.Contains(was, "${") {
			return
		}
		now := fluxVariable.ReplaceAllStringFunc(was, func(m string) string {
			sub := fluxVariable.FindStringSubmatch(m)
			value, known := vars[sub[2]]
			switch {
			case sub[1] != "":
				return m[1:] // $${name} stands for itself
			case known && (value != "" || !strings.HasPrefix(sub[3], ":")):
				return value
			case sub[3] != "":
				return sub[4]
			}
			return m
		})
		if now == was {
			return
		}
		if fluxVariable.FindString(was) == was {
			if typed, err := decodeYAML([]byte(now)); err == nil {
				p.set(d.Content, typed)
				return
			}
		}
		p.set(d.Content, now)
	})
}
