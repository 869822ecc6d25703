package kustomize

import (
	"fmt"
	"path"
	"sort"
	"strings"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/redact"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// plugins follows generators, transformers and validators, and lets only the built-in
// ones pass: others are programs.
func (g *gatherer) plugins(k *File, dir string) *document.Failure {
	for _, list := range [][]string{k.Generators, k.Transformers, k.Validators} {
		for _, ref := range list {
			if IsInline(ref) {
				if f := g.plugin(k.Path, k.line(ref), []byte(ref), dir, k); f != nil {
					return f
				}
				continue
			}
			before := map[string]bool{}
			for p := range g.job.Files {
				before[p] = true
			}
			if f := g.include(k, dir, ref, false); f != nil {
				return f
			}
			if done, f := g.decryption(k, dir, ref); done || f != nil {
				if f != nil {
					return f
				}
				continue
			}
			for _, p := range g.job.Reads() {
				if before[p] || path.Base(p) == path.Base(FileOf(g.src, path.Dir(p))) {
					continue
				}
				if f := g.plugin(p, 1, g.job.Files[p], path.Dir(p), k); f != nil {
					return f
				}
			}
		}
	}
	return nil
}

// plugin checks one plugin configuration and adds the files it names.
func (g *gatherer) plugin(file string, line int, text []byte, dir string, k *File) *document.Failure {
	docs, f := document.Decode(file, text)
	if f != nil {
		return f
	}
	for _, d := range docs {
		kind, _ := d.Content["kind"].(string)
		if v, _ := d.Content["apiVersion"].(string); v != "builtin" || kind == "HelmChartInflationGenerator" {
			return &document.Failure{
				Skipped: true,
				Reason:  fmt.Sprintf("%s:%d: %s %s runs a program; plugins and functions are refused", file, line, v, kind),
				Where:   document.LineOf(file, line, "file"), Remedy: "commit what it generates, and list that under resources",
			}
		}
		var refs []string
		fieldpath.Leaves(d.Content, nil, func(p fieldpath.Path, v any) {
			if text, ok := v.(string); ok &&
				(RemoteRef.MatchString(text) || strings.Contains("path files paths envs env", p[len(p)-1].Key) || inFileList(p)) {
				refs = append(refs, text)
			}
		})
		sort.Strings(refs)
		for _, ref := range refs {
			if _, file, ok := strings.Cut(ref, "="); ok {
				ref = file
			}
			if RemoteRef.MatchString(ref) {
				return g.remote(k, ref)
			}
			if p, in := source.Inside(dir, ref); in && g.src.HasFile(p) {
				if f := g.add(k, p, ref); f != nil {
					return f
				}
			}
		}
	}
	return nil
}

// inFileList reports whether a path is an element of a list of files.
func inFileList(p fieldpath.Path) bool {
	if len(p) < 2 || p[len(p)-1].Index < 0 {
		return false
	}
	switch p[len(p)-2].Key {
	case "files", "paths", "envs":
		return true
	}
	return false
}

// charts prepares helmCharts for our own Helm: nothing is executed.
func (g *gatherer) charts(k *File, dir string) *document.Failure {
	home := types.HelmDefaultHome
	if k.HelmGlobals != nil && k.HelmGlobals.ChartHome != "" {
		home = k.HelmGlobals.ChartHome
	}
	for i, h := range k.HelmCharts {
		c, f := g.inflation(k, dir, home, h)
		if f != nil {
			return f
		}
		g.job.Inflate[inflatedFile(k.Path, i)] = c
	}
	return nil
}

// inflatedFile names the resources of the i-th chart of a kustomization.
func inflatedFile(file string, i int) string {
	return path.Join(path.Dir(file), fmt.Sprintf(".kubesettle-helm-%d.yaml", i))
}

// inflation gathers one entry of helmCharts.
func (g *gatherer) inflation(k *File, dir, home string, h types.HelmChart) (*release.Chart, *document.Failure) {
	base, in := source.Inside(dir, home)
	chartDir := path.Join(base, h.Name)
	if versioned := path.Join(base, h.Name+"-"+h.Version, h.Name); in && h.Version != "" && g.src.HasDir(versioned) {
		chartDir = versioned
	}
	vendored := in && g.src.HasFile(path.Join(chartDir, "Chart.yaml"))
	if !vendored && h.Repo != "" && g.src.CanFetch() && g.src.Dry {
		g.job.Later = true
		for _, v := range append([]string{h.ValuesFile}, h.AdditionalValuesFiles...) {
			if f := g.need(k, dir, v); f != nil {
				return nil, f
			}
		}
		return &release.Chart{}, nil
	}
	if !vendored && h.Repo != "" && g.src.CanFetch() {
		var f *document.Failure
		if chartDir, f = g.fetchInflated(k, h); f != nil {
			return nil, f
		}
		vendored = true
	}
	if !vendored {
		f := k.fail(h.Name, fmt.Sprintf("(chart %s@%s) is not vendored", h.Name, h.Version),
			fmt.Sprintf("run `helm pull --untar --untardir %s %s --repo %s --version %s` and commit it", base, h.Name,
				redact.URL(h.Repo), h.Version))
		f.Skipped = true
		return nil, f
	}
	rel := release.Release{ID: g.job.Release.ID, Kind: release.Helm, Path: chartDir, Name: h.ReleaseName,
		Namespace: h.Namespace, KubeVersion: h.KubeVersion}
	if rel.Namespace == "" {
		rel.Namespace = g.space
	}
	if rel.Name == "" {
		rel.Name = "release-name"
	}
	if rel.KubeVersion == "" {
		rel.KubeVersion = g.job.Release.KubeVersion
	}
	for _, v := range append([]string{h.ValuesFile}, h.AdditionalValuesFiles...) {
		if v == "" {
			continue
		}
		if f := g.need(k, dir, v); f != nil {
			return nil, f
		}
		rel.Values = append(rel.Values, path.Join(dir, v))
	}
	j, f := helm.Gather(g.src, rel)
	if f != nil {
		return nil, f
	}
	for p, b := range j.Files {
		g.job.Files[p] = b
	}
	for _, mount := range j.FetchedNames() {
		g.job.FetchedAt(mount, j.Fetched[mount])
	}
	g.job.Notes = append(g.job.Notes, j.Notes...)
	c := j.Chart
	if j.Later {
		g.job.Later = true
		return &release.Chart{}, nil
	}
	c.IncludeCRDs, c.SkipHooks, c.Inline = h.IncludeCRDs, h.SkipHooks, h.ValuesInline
	return c, nil
}
