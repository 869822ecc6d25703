package kustomize

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/redact"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// charts prepares helmCharts for our own Helm: nothing is executed.
func (g *gatherer) charts(k *File, dir string) {
	home := types.HelmDefaultHome
	if k.HelmGlobals != nil && k.HelmGlobals.ChartHome != "" {
		home = k.HelmGlobals.ChartHome
	}
	for i, h := range k.HelmCharts {
		if c, f := g.inflation(k, dir, home, h); f == nil {
			g.recipe.Inflate[inflatedFile(k.Path, i)] = c
		} else {
			g.entry(k, "helmCharts", h.Name, f)
		}
	}
}

// inflatedFile names the resources of the i-th chart of a kustomization.
func inflatedFile(file string, i int) string {
	return path.Join(path.Dir(file), fmt.Sprintf(".kubesettle-helm-%d.yaml", i))
}

// generatedFile names the resources of the i-th chart of a generator, by its entry in the list.
func generatedFile(file, ref string, i int) string {
	return path.Join(path.Dir(file), fmt.Sprintf(".kubesettle-helm-%x-%d.yaml", sha256.Sum256([]byte(ref)), i))
}

// inflator takes a generator that is the built-in HelmChartInflationGenerator for an entry of
// helmCharts, which says the same. done is false where it is another one, or does more.
//
// Upstream: kustomize api v0.21, internal/builtins.HelmChartInflationGeneratorPlugin.Config.
func (g *gatherer) inflator(k *File, dir, ref string) (done bool, f *object.Failure) {
	at, text := k.Path, []byte(ref)
	if !slices.Contains(k.Generators, ref) {
		return false, nil
	}
	if !IsInline(ref) {
		p, in := source.Inside(dir, ref)
		if !in || !g.src.HasFile(p) {
			return false, nil
		}
		b, err := g.src.Read(p)
		if err != nil {
			return false, nil
		}
		at, text = p, b
	}
	docs, broken := document.Decode(at, text)
	if broken != nil || len(docs) == 0 {
		return false, nil
	}
	type inflation struct {
		types.HelmGlobals
		types.HelmChart
	}
	var list []inflation
	for _, d := range docs {
		one := inflation{HelmGlobals: types.HelmGlobals{ChartHome: types.HelmDefaultHome}}
		b, err := yaml.Marshal(d.Content)
		if err != nil || d.Content["apiVersion"] != "builtin" || d.Content["kind"] != "HelmChartInflationGenerator" ||
			yaml.Unmarshal(b, &one) != nil {
			return false, nil
		}
		list = append(list, one)
	}
	if at != k.Path {
		if f := g.add(k, at, ref); f != nil {
			return false, f
		}
	}
	from := *k // where failures are
	if path.Dir(at) == path.Dir(k.Path) {
		from.Path, from.Text = at, text
	}
	for i, x := range list {
		c, f := g.inflation(&from, dir, x.ChartHome, x.HelmChart)
		if f != nil {
			return false, f
		}
		g.recipe.Inflate[generatedFile(k.Path, ref, i)] = c
	}
	return true, nil
}

// inflation gathers one entry of helmCharts.
func (g *gatherer) inflation(k *File, dir, home string, h types.HelmChart) (*release.Chart, *object.Failure) {
	base, in := source.Inside(dir, home)
	if !in {
		return nil, k.fail(home, "leaves the repository", "copy the chart into the repository")
	}
	if _, below := source.Inside(base, h.Name); !below {
		return nil, k.fail(h.Name, "leaves the repository", "copy the chart into the repository")
	}
	chartDir := path.Join(base, h.Name)
	if versioned := path.Join(base, h.Name+"-"+h.Version, h.Name); h.Version != "" && g.src.HasDir(versioned) {
		chartDir = versioned
	}
	vendored := g.src.HasFile(path.Join(chartDir, "Chart.yaml"))
	if !slices.Contains([]string{"", "merge", "override", "replace"}, h.ValuesMerge) {
		return nil, k.fail(h.ValuesMerge, "is no valuesMerge that kustomize knows", "write merge, override or replace")
	}
	var values []string
	for i, v := range append([]string{h.ValuesFile}, h.AdditionalValuesFiles...) {
		if v == "" || i == 0 && len(h.ValuesInline) > 0 && h.ValuesMerge == "replace" {
			continue
		}
		if f := g.need(k, dir, v); f != nil {
			return nil, f
		}
		values = append(values, path.Join(dir, v))
	}
	switch remote := h.Repo != "" && g.src.CanFetch(); {
	case vendored:
	case remote && g.src.Dry:
		g.recipe.Later = true
		return &release.Chart{}, nil
	case remote:
		var f *object.Failure
		if chartDir, f = g.fetchInflated(k, h); f != nil {
			return nil, f
		}
	default:
		f := k.fail(h.Name, fmt.Sprintf("(chart %s@%s) is not vendored", h.Name, h.Version),
			fmt.Sprintf("run `helm pull --untar --untardir %s %s` and commit it", base, pulled(h)))
		f.Skipped = true
		return nil, f
	}
	rel := release.Release{
		Release: object.Release{ID: g.recipe.Release.ID, Kind: object.Helm, Path: chartDir,
			Name: h.ReleaseName, Namespace: h.Namespace, Values: values},
		KubeVersion: h.KubeVersion, APIVersions: slices.Concat(h.ApiVersions, g.recipe.Release.APIVersions),
	}
	if rel.Namespace == "" {
		rel.Namespace = g.space
	}
	if strings.Contains(h.NameTemplate, "{{") {
		f := k.fail(h.Name, "has a nameTemplate, which is not filled in", "give it its releaseName")
		f.Skipped = true
		return nil, f
	}
	rel.Name = cmp.Or(rel.Name, h.NameTemplate, "release-name")
	if rel.KubeVersion == "" {
		rel.KubeVersion = g.recipe.Release.KubeVersion
	}
	j, f := helm.Gather(g.src, rel)
	for p, b := range j.Files {
		g.recipe.Files[p] = b
	}
	if f == nil && j.Chart != nil {
		f = cmp.Or(j.Chart.Lacks, j.Chart.Withheld)
	}
	if f != nil {
		return nil, f
	}
	for _, mount := range j.FetchedNames() {
		g.recipe.FetchedAt(mount, j.Fetched[mount])
	}
	g.recipe.Notes = append(g.recipe.Notes, j.Notes...)
	c := j.Chart
	if j.Later {
		g.recipe.Later = true
		return &release.Chart{}, nil
	}
	over := h.AdditionalValuesFiles
	if h.ValuesMerge == "merge" {
		over = append([]string{h.ValuesFile}, over...)
	}
	inline := h.ValuesInline
	for _, v := range over {
		p := path.Join(dir, v)
		if v == "" {
			p = path.Join(chartDir, "values.yaml")
		}
		inline = beneath(inline, j.Files[p])
	}
	c.IncludeCRDs, c.SkipHooks, c.Inline, c.Template = h.IncludeCRDs, h.SkipHooks, inline, true
	return c, nil
}

// beneath are inline values that a file of values does not set: those that it sets win.
//
// Upstream: kustomize, (*HelmChartInflationGeneratorPlugin).createNewMergedValuesFile and (HelmChart).AsHelmArgs.
func beneath(inline map[string]any, file []byte) map[string]any {
	var set map[string]any
	if yaml.Unmarshal(file, &set) != nil {
		return inline
	}
	return unset(inline, set)
}

func unset(values, set map[string]any) map[string]any {
	out := map[string]any{}
	for key, v := range values {
		own, both := set[key]
		deep, isMap := v.(map[string]any)
		ownMap, isToo := own.(map[string]any)
		switch {
		case !both:
			out[key] = v
		case isMap && isToo:
			out[key] = unset(deep, ownMap)
		}
	}
	return out
}

// pulled are the arguments by which Helm finds a chart: one of a registry is named by its address.
func pulled(h types.HelmChart) string {
	out := h.Name
	if repo := strings.TrimSuffix(redact.URL(h.Repo), "/"); strings.HasPrefix(repo, "oci://") {
		out = repo + "/" + h.Name
	} else if repo != "" {
		out += " --repo " + repo
	}
	if h.Version != "" {
		out += " --version " + h.Version
	}
	return out
}
