package discover

import (
	"encoding/json"
	"path"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// tanka adds the environments of Tanka: folders with a spec.json that says where the main.jsonnet beside it goes, below
// one that holds the project. Environments that a program gives itself are not among them.
//
// Upstream: grafana/tanka, pkg/tanka: StaticLoader; pkg/jsonnet/jpath: Resolve and FindRoot.
func (d *Found) tanka() {
	for _, f := range d.src.Files {
		dir := path.Dir(f)
		main := path.Join(dir, "main.jsonnet")
		if path.Base(f) != "spec.json" || d.src.Links[f] || !d.src.HasFile(main) || d.used[dir] != "" {
			continue
		}
		b, err := d.src.Read(f)
		if err != nil {
			continue
		}
		v, err := document.DecodeYAML(b)
		root, is := d.tankaRoot(dir)
		if err != nil || !is || document.Text(v, "kind") != "Environment" ||
			document.GVK(mapOf(v)).Group != "tanka.dev" && document.Text(v, "apiVersion") != "v1alpha1" {
			continue
		}
		d.used[f] = "Tanka, as an environment"
		if test := TestFolder(f); test != "" && !d.opt.Paths.asked(f) {
			d.ignore(dir, "test data, in "+test)
			continue
		}
		r := tankaRelease(dir, root, main, d.libraries(dir), mapOf(v))
		r.Says = map[string][]byte{f: b}
		d.add(r)
	}
}

func tankaRelease(dir, root, main string, folders []string, spec map[string]any) release.Release {
	meta, _ := spec["metadata"].(map[string]any)
	if meta == nil {
		meta = map[string]any{}
	}
	rel := dir
	if root != "." {
		rel = dir[min(len(root)+1, len(dir)):]
	}
	meta["name"], meta["namespace"], spec["metadata"] = rel, path.Join(rel, "main.jsonnet"), meta
	code, err := json.Marshal(spec)
	if err != nil {
		code = []byte("{}")
	}
	return release.Release{
		Release: object.Release{ID: dir, Kind: object.Manifests, Path: dir, Selected: "spec.json of Tanka found",
			Namespace: document.Text(spec, "spec", "namespace"), Cluster: document.Text(spec, "spec", "apiServer")},
		Files: []string{main},
		Jsonnet: &release.Jsonnet{Tanka: true,
			Folders: folders,
			Ext:     []release.Variable{{Name: "tanka.dev/environment", Value: string(code), Code: true}}},
	}
}

// tankaRoot is the folder of the project that a folder is in.
func (d *Found) tankaRoot(dir string) (root string, is bool) {
	for ; ; dir = path.Dir(dir) {
		for _, name := range []string{"jsonnetfile.json", "tkrc.yaml"} {
			if d.src.HasFile(path.Join(dir, name)) {
				return dir, true
			}
		}
		if dir == "." {
			return "", false
		}
	}
}

func mapOf(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}
