package gitops

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/strvals"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fetch"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// helmRelease adds the release of a Flux HelmRelease.
//
// Upstream: helm-controller, api/v2: GetReleaseName and GetReleaseNamespace; fluxcd/pkg,
// chartutil: ChartValuesFromReferences.
func (o *declaring) helmRelease() {
	if o.partial("chart", "chartRef") {
		return
	}
	if len(document.Items(o.content, "spec", "valuesFrom")) > 0 ||
		document.Value(o.content, "spec", "chartRef") != nil || o.Src.CanFetch() {
		o.wait((*declaring).helmReleaseNow)
		return
	}
	o.helmReleaseNow()
}

func (o *declaring) helmReleaseNow() {
	h := o.content
	name := objectName(h, "default")
	r := release.Release{
		Release: object.Release{ID: "helmrelease:" + o.folder + ":" + name, Kind: object.Helm, Name: document.Text(h, "spec", "releaseName"), Namespace: document.Text(h, "spec", "targetNamespace"), Selected: "Flux HelmRelease " + name, Cluster: document.Text(h, "spec", "kubeConfig", "secretRef", "name")},
	}
	if r.Name == "" {
		if r.Name = document.Text(h, "metadata", "name"); r.Namespace != "" {
			r.Name = r.Namespace + "-" + r.Name
		}
	}
	if r.Namespace == "" {
		r.Namespace = document.Text(h, "metadata", "namespace")
	}
	r.SkipCRDs = document.Text(h, "spec", "install", "crds") == "Skip"
	both := func(field string) bool {
		return document.Value(h, "spec", "install", field) == true && document.Value(h, "spec", "upgrade", field) == true
	}
	r.SkipHooks, r.SkipSchema = both("disableHooks"), both("disableSchemaValidation")
	dir, spec, f := o.fluxChart(&r)
	if f != nil {
		_, _ = o.fluxValues(&r), o.postRenderers(&r) // a change of them changes an unknown value
		o.add(r, f)
		return
	}
	r.Path = dir
	if own := path.Join(dir, "values.yaml"); r.Fetch != nil || len(r.Git) == 0 && o.Src.HasFile(own) {
		r.Values = []string{own}
	}
	later := len(r.Git) > 0
	if !later {
		f = o.fluxValuesFiles(&r, spec)
	}
	if f == nil {
		f = o.fluxValues(&r)
	}
	if f == nil {
		f = o.postRenderers(&r)
	}
	if f == nil && later {
		o.settleChart(&r, spec)
	}
	o.add(r, f)
}

// fluxChart finds the chart's folder in the repository. Its specification is that of the
// HelmRelease, or of the HelmChart that it refers to.
func (o *declaring) fluxChart(r *release.Release) (dir string, spec any, f *object.Failure) {
	spec = document.Value(o.content, "spec", "chart", "spec")
	if ref := document.Value(o.content, "spec", "chartRef"); ref != nil {
		p, ok := o.Found.lookup(document.Text(ref, "kind"), o.refNamespace(ref), document.Text(ref, "name"))
		if document.Text(ref, "kind") != "HelmChart" || !ok {
			return o.fluxRemote(r, ref, nil, o.fluxSource(ref, document.Text(ref, "name"), ""))
		}
		spec = p.doc.Content["spec"]
	}
	chart := document.Text(spec, "chart")
	if document.Text(spec, "sourceRef", "kind") == "GitRepository" {
		if dir = fromRoot(chart); o.Src.HasFile(path.Join(dir, "Chart.yaml")) {
			return dir, spec, nil
		}
		if g, _, ok := o.remoteGit(document.Value(spec, "sourceRef"), false); ok {
			return o.chartFromGit(r, g, document.Value(spec, "sourceRef"), chart), spec, nil
		}
	}
	version := ""
	if v := document.Value(spec, "version"); v != nil {
		version = fmt.Sprint(v)
	}
	ref := document.Value(spec, "sourceRef")
	return o.fluxRemote(r, ref, spec, o.fluxSource(ref, chart, version))
}

// fluxRemote is the chart of a source that is not this repository.
func (o *declaring) fluxRemote(r *release.Release, ref, spec any,
	chart fetch.ChartRef) (string, any, *object.Failure) {
	r.Path, r.Files, r.ChartSource = o.by.File, o.specFiles(), o.sourceName(ref)
	kind, name := document.Text(ref, "kind"), document.Text(ref, "name")
	if _, ok := o.Found.lookup(kind, o.refNamespace(ref), name); !ok && kind != "" {
		f := o.failure("spec", "commit it, or render the objects before and after, and compare the two: --base-dir and --head-dir",
			"no %s %s/%s was found in the repository, which says where its chart is", kind, o.refNamespace(ref), name)
		f.Skipped, f.Where = true, o.by
		return "", spec, f
	}
	dir, f := o.chartOf(r, chart, document.Text(ref, "kind")+" "+document.Text(ref, "name"), "spec.chart.spec")
	if g, ok := o.gitRepository(ref); f != nil && ok && !g.open && overHTTPS(g.url) != "" {
		f.Remedy += ", or run without --offline"
	}
	if r.Fetch != nil && document.Value(o.content, "spec", "chartRef") != nil {
		r.FetchAt = o.versionOf(document.Value(o.content, "spec", "chartRef"))
	}
	return dir, spec, f
}

// versionOf is the line of the version of a chart in the object that a HelmRelease refers to.
func (o *declaring) versionOf(ref any) object.Location {
	p, ok := o.Found.lookup(document.Text(ref, "kind"), o.refNamespace(ref), document.Text(ref, "name"))
	for _, field := range []string{"spec.ref.digest", "spec.ref.semver", "spec.ref.tag", "spec.version", "spec.url",
		"spec.chart"} {
		if _, is := fieldpath.Parse(field).Get(p.doc.Content); ok && is {
			return o.Found.at(p, field)
		}
	}
	return o.by
}

func (o *declaring) refNamespace(ref any) string {
	if ns := document.Text(ref, "namespace"); ns != "" {
		return ns
	}
	return document.Text(o.content, "metadata", "namespace")
}

// sourceName is the key under which the side knows a source.
func (o *declaring) sourceName(ref any) string {
	return document.Text(ref, "kind") + " " + o.refNamespace(ref) + "/" + document.Text(ref, "name")
}

// fluxValuesFiles takes the files that stand in for the chart's own values.
func (o *declaring) fluxValuesFiles(r *release.Release, spec any) *object.Failure {
	for i, v := range document.Texts(document.Value(spec, "valuesFiles")) {
		p := fromRoot(v)
		if r.Fetch != nil { // a packaged chart is its own root, and not here yet
			p = path.Join(r.Path, p)
			if document.Value(spec, "ignoreMissingValuesFiles") == true {
				r.MayMiss = append(r.MayMiss, p)
			}
		} else if p, _ = source.Inside(rootOf(r), p); !o.Src.HasFile(p) {
			if document.Value(spec, "ignoreMissingValuesFiles") == true {
				continue
			}
			return o.failure(fmt.Sprintf("spec.chart.spec.valuesFiles[%d]", i), "add the file, or correct `valuesFiles`",
				"values file %s does not exist", p)
		}
		r.OwnValues = append(r.OwnValues, p)
	}
	return nil
}

// rootOf is the folder that the repository of a release's chart lies in.
func rootOf(r *release.Release) string {
	if len(r.Git) > 0 {
		return r.Git[0].Folder
	}
	return "."
}

// fluxValues merges valuesFrom and values. A Secret's values are used and not shown.
func (o *declaring) fluxValues(r *release.Release) *object.Failure {
	own, _ := document.Value(o.content, "spec", "values").(map[string]any)
	sources := []helm.ValuesSource{{Values: own, At: o.inlineAt("spec.values")}}
	result := map[string]any{}
	var secret []any
	for i, e := range document.Items(o.content, "spec", "valuesFrom") {
		field := fmt.Sprintf("spec.valuesFrom[%d]", i)
		if f := o.others(field, e, fluxValuesFrom); f != nil {
			return f
		}
		from, f := o.reference(field, e)
		if f != nil {
			return f
		}
		if from == nil {
			if document.Text(e, "kind") == "Secret" {
				r.Remarks = append(r.Remarks, o.leftOut(field, e))
			}
			r.Unknown = append(r.Unknown, o.unknownValues(field, e))
			continue
		}
		if target := document.Text(e, "targetPath"); target != "" {
			result = helm.MergeValues(result, own)
			if document.Text(e, "kind") == "Secret" {
				secret = append(secret, from.text)
			}
			if err := setTarget(result, target, from.text, document.Value(e, "literal") == true); err != nil {
				return o.failure(field+".targetPath", "correct the path or the value", "%s cannot be set", target)
			}
			one := map[string]any{}
			if setTarget(one, target, from.text, false) == nil {
				at := from.at
				sources = append(sources, helm.ValuesSource{Values: one, At: func(fieldpath.Path) object.Location { return at }})
			}
			continue
		}
		v, err := document.DecodeYAML([]byte(from.text))
		m, ok := v.(map[string]any)
		if err != nil || !ok && v != nil {
			return o.failure(field, "correct the values", "%s %s: its values are not a YAML map", document.Text(e, "kind"),
				document.Text(e, "name"))
		}
		if document.Text(e, "kind") == "Secret" {
			secret = append(secret, m)
		}
		result = helm.MergeValues(result, m)
		sources = append(sources, helm.ValuesSource{Values: m, At: from.place})
	}
	r.Inline, r.Hidden = helm.MergeValues(result, own), hiddenTexts(secret)
	r.InlineAt = func(p fieldpath.Path) object.Location {
		for _, i := range append([]int{0}, reversed(len(sources)-1)...) {
			if _, ok := p.Get(sources[i].Values); ok {
				return sources[i].At(p)
			}
		}
		return o.by
	}
	return nil
}

// reversed counts from n down to 1.
func reversed(n int) []int {
	out := make([]int, 0, n)
	for ; n > 0; n-- {
		out = append(out, n)
	}
	return out
}

// setTarget sets one value at a path of Helm's notation. Upstream: ReplacePathValue and
// ReplacePathLiteralValue.
func setTarget(values map[string]any, target, text string, literal bool) error {
	switch {
	case literal:
		escape := strings.NewReplacer(`\`, `\\`, `,`, `\,`, `[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`)
		return strvals.ParseIntoString(target+"="+escape.Replace(text), values)
	case strings.HasPrefix(text, "'") && strings.HasSuffix(text, "'"), strings.HasPrefix(text, `"`) &&
		strings.HasSuffix(text, `"`):
		return strvals.ParseIntoString(target+"="+strings.Trim(text, `'"`), values)
	}
	return strvals.ParseInto(target+"="+text, values)
}

// referred is what an entry of valuesFrom gives.
type referred struct {
	text  string
	at    object.Location // of the key
	place func(fieldpath.Path) object.Location
}

// reference resolves an entry of valuesFrom; nil for an optional one that is not there.
func (o *declaring) reference(field string, e any) (*referred, *object.Failure) {
	kind, name, k := document.Text(e, "kind"), document.Text(e, "name"), document.Text(e, "valuesKey")
	if k == "" {
		k = "values.yaml"
	}
	optional := document.Value(e, "optional") == true
	p, ok := o.Found.lookup(kind, document.Text(o.content, "metadata", "namespace"), name)
	missing := func(what string) (*referred, *object.Failure) {
		if optional {
			return nil, nil
		}
		f := o.failure(field, "commit it, set `optional: true`, or render the objects before and after, and compare the two: --base-dir and --head-dir",
			"%s %s %s", kind, name, what)
		f.Skipped = true
		return nil, f
	}
	if !ok {
		optional = optional || kind == "Secret" // no repository holds its Secrets in the clear
		return missing("is not in the repository")
	}
	text, ok, encrypted := p.data(k)
	switch {
	case encrypted && kind == "Secret":
		return nil, nil
	case !ok:
		return missing("has no key " + k)
	case encrypted:
		optional = false
		return missing("is encrypted")
	}
	data := fieldpath.Path{fieldpath.Key("data"), fieldpath.Key(k)}
	if _, has := data.Get(p.doc.Content); !has {
		data[0] = fieldpath.Key("stringData")
	}
	at := o.Found.at(p, data.String())
	src := o.Src
	return &referred{text, at, func(in fieldpath.Path) object.Location {
		if file := p.copyOf(text); file != "" {
			if root := document.Only(document.Nodes([]byte(text))); root != nil {
				r, _ := document.Descend(root, in)
				loc := document.NodeRegion(file, r, true)
				loc.Rung = "value"
				return loc
			}
		}
		return textPlace(src, at, text, in)
	}}, nil
}

// leftOut is the remark about a Secret whose values cannot be known: it is in the cluster
// alone, or encrypted.
func (o *declaring) leftOut(field string, e any) object.Note {
	n := object.Say(object.SecretUnknown, document.Text(e, "name"))
	if target := document.Text(e, "targetPath"); target != "" {
		n = object.Say(object.SecretTargetUnknown, target, document.Text(e, "name"))
	}
	return n.At(o.at(field))
}

// unknownValues is the entry of valuesFrom as far as the repository has it: two with equal ciphertexts are the same.
func (o *declaring) unknownValues(field string, e any) object.Hole {
	what := fmt.Sprintf("what %s %s gives the chart", document.Text(e, "kind"), document.Text(e, "name"))
	of := fmt.Sprint(e) + o.Found.maker(document.Text(e, "kind"), document.Text(o.content, "metadata", "namespace"),
		document.Text(e, "name"))
	if p, ok := o.Found.lookup(document.Text(e, "kind"), document.Text(o.content, "metadata", "namespace"),
		document.Text(e, "name")); ok {
		text, _, _ := p.data(cmp.Or(document.Text(e, "valuesKey"), "values.yaml"))
		of += text
	}
	return object.Hole{Kind: object.Values, What: what, Where: o.at(field),
		Reason: what + " is not in the repository in the clear",
		Remedy: "check its changes by hand", Own: helm.Digest(of)}
}

// postRenderers takes the overlays that are built over what the chart gave.
func (o *declaring) postRenderers(r *release.Release) *object.Failure {
	var fields []string
	for i, e := range document.Items(o.content, "spec", "postRenderers") {
		ov := release.Overlay{}
		field := fmt.Sprintf("spec.postRenderers[%d].kustomize", i)
		if f := o.others(field, document.Value(e, "kustomize"), fluxPostRender); f != nil {
			return f
		}
		if f := o.fluxKustomize(field, document.Value(e, "kustomize"), &ov); f != nil {
			return f
		}
		fields = append(fields, field+".")
		r.PostRender = append(r.PostRender, ov)
	}
	if m := document.Value(o.content, "spec", "commonMetadata"); m != nil {
		r.PostRender = append(r.PostRender, release.Overlay{Metadata: commonMetadata(m)})
		fields = append(fields, "spec.")
	}
	r.OverlayAt = o.overlayPlace(nil, fields...)
	return nil
}

// specFiles lists the files that set the object's spec, sorted.
func (o *declaring) specFiles() []string {
	return specFiles(document.Value(o.content, "spec"), o.place)
}

// specFiles lists the files that set a spec, sorted.
func specFiles(spec any, place func(string) object.Location) []string {
	set := map[string]bool{}
	fieldpath.Leaves(spec, fieldpath.Path{fieldpath.Key("spec")}, func(p fieldpath.Path, _ any) {
		if f := place(p.String()).File; f != "" {
			set[f] = true
		}
	})
	return slices.Sorted(maps.Keys(set))
}
