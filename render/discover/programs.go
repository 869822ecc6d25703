package discover

import (
	"bytes"
	"path"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/jsonnet"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// maxPrograms is how many programs are tried.
const maxPrograms = 500

// deliveries stand in the text of a program whose output says itself how it is delivered.
var deliveries = [][]byte{[]byte("argoproj.io/"), []byte("tanka.dev/")}

// programs adds the programs of Jsonnet that may give Argo CD's objects or Tanka's environments, which say how they are
// delivered. One that gives anything else, or does not evaluate by itself, stays unknown.
func (d *Found) programs() {
	delivers := func(b []byte) bool {
		return bytes.Contains(b, deliveries[0]) || bytes.Contains(b, deliveries[1])
	}
	var list []string
	any := false
	for _, f := range d.src.Files {
		if !strings.HasSuffix(f, "sonnet") || d.src.Links[f] || strings.Contains("/"+f, "/vendor/") ||
			strings.HasPrefix(f, ".") || TestFolder(f) != "" {
			continue
		}
		if b, err := d.src.Read(f); err == nil {
			any = any || delivers(b)
		}
		if jsonnet.Is(f) && len(list) < maxPrograms {
			list = append(list, f)
		}
	}
	if !any {
		return
	}
	for _, f := range list {
		if d.over() {
			return
		}
		r := release.Release{
			Release: object.Release{ID: f, Kind: object.Manifests, Path: f,
				Selected: "Jsonnet of what says how it is delivered"},
			Files:   []string{f},
			Jsonnet: &release.Jsonnet{Guessed: true, Folders: d.libraries(path.Dir(f))},
		}
		_, r.Jsonnet.Tanka = d.tankaRoot(path.Dir(f))
		b, err := d.src.Read(f)
		if err != nil || d.used[f] != "" || d.ids[path.Dir(f)] && path.Base(f) == "main.jsonnet" {
			continue
		}
		j := &release.Recipe{Release: r, Files: map[string][]byte{f: b}}
		_ = jsonnet.Gather(d.src, j) // an unreadable file is reported when it is rendered
		for _, text := range j.Files {
			if delivers(text) {
				d.add(r)
				break
			}
		}
	}
}

// libraries are the folders in which the imports of a program are looked for: those of its project, or else libraries
// beside a folder above it.
func (d *Found) libraries(dir string) []string {
	if root, is := d.tankaRoot(dir); is {
		return append(tankaFolders(dir, root), d.localLibraries(root, 0)...)
	}
	var out []string
	for at := dir; ; at = path.Dir(at) {
		for _, name := range []string{"lib", "vendor"} {
			if p := path.Join(at, name); d.src.HasDir(p) {
				out = append(out, p)
			}
		}
		if at == "." {
			return append(out, ".")
		}
	}
}

func tankaFolders(dir, root string) []string {
	return []string{dir, path.Join(root, "lib"), path.Join(dir, "vendor"), path.Join(root, "vendor")}
}

// localLibraries are the folders with the libraries of a project that lie in this repository: jb links each into
// vendor, under the name of its folder.
func (d *Found) localLibraries(root string, depth int) []string {
	b, err := d.src.Read(path.Join(root, "jsonnetfile.json"))
	if err != nil || depth > 5 {
		return nil
	}
	v, err := document.DecodeYAML(b)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range document.Items(v, "dependencies") {
		if local := document.Text(e, "source", "local", "directory"); local != "" {
			at := path.Join(root, local)
			out = append(append(out, path.Dir(at)), d.localLibraries(at, depth+1)...)
		}
	}
	return out
}
