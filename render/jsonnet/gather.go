package jsonnet

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// Limits on what a release imports.
const (
	maxFiles = 20_000
	maxBytes = 100 << 20
)

// Is reports whether a file is evaluated, and not read as it stands.
func Is(file string) bool { return path.Ext(file) == ".jsonnet" }

// importText is an import with the text that names the file: Jsonnet computes no such text. One in a comment is one
// file too many.
var importText = regexp.MustCompile(`\bimport(str|bin)?\s*@?(?:"([^"\\\n]*)"|'([^'\\\n]*)')`)

// imported is one import of a text.
type imported struct {
	path string
	code bool // a program, and not a text or bytes
}

func importsOf(text []byte) []imported {
	var out []imported
	for _, m := range importText.FindAllSubmatch(text, -1) {
		out = append(out, imported{string(m[2]) + string(m[3]), len(m[1]) == 0})
	}
	return out
}

// Gather adds everything that the Jsonnet files of a recipe may import, also where one of them cannot be read. What an
// import names and is not there is reported only when it is evaluated.
func Gather(s *source.Source, j *release.Recipe) *object.Failure {
	var texts [][]byte
	from := map[string]string{} // program to be read yet, to the file that imports it
	var queue []string
	for _, f := range j.Release.Files {
		if Is(f) {
			queue = append(queue, f)
		}
	}
	for _, v := range slices.Concat(j.Release.Jsonnet.Ext, j.Release.Jsonnet.TopLevel) {
		if v.Code {
			texts = append(texts, []byte(v.Value))
		}
	}
	var unread *object.Failure // the first file that cannot be read
	size := 0
	find := func(importer string, text []byte) *object.Failure {
		for _, one := range importsOf(text) {
			p := resolve(importer, one.path, j.Release.Jsonnet.Folders, s.HasFile)
			if p == "" {
				continue
			}
			if _, has := j.Files[p]; !has {
				b, err := s.Read(p)
				if err != nil {
					if unread == nil {
						unread = source.AsFailure(p, err)
					}
					continue
				}
				size += len(b)
				if j.Files[p] = b; len(j.Files) > maxFiles || size > maxBytes {
					return &object.Failure{Where: object.FileStart(importer), Remedy: "import less", Reason: fmt.Sprintf(
						"%s: it imports more than %d files, or %d MiB", j.Release.Path, maxFiles, maxBytes>>20)}
				}
			}
			if _, seen := from[p]; one.code && !seen {
				from[p] = importer
				queue = append(queue, p)
			}
		}
		return nil
	}
	for _, t := range texts {
		if f := find("", t); f != nil {
			return f
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		if f := find(queue[0], j.Files[queue[0]]); f != nil {
			return f
		}
	}
	return unread
}

// Imports lists what a text may import, as it names them.
func Imports(text []byte) []string {
	var out []string
	for _, one := range importsOf(text) {
		out = append(out, one.path)
	}
	return out
}

// resolve is the file of the repository that an import leads to: beside the importing file, or else in one of the
// folders; "" where it is in none. A snippet, which is in no file, has folders alone.
func resolve(importer, name string, folders []string, has func(string) bool) string {
	if importer != "" {
		folders = append([]string{path.Dir(importer)}, folders...)
	}
	for _, dir := range folders {
		if p, in := source.Inside(dir, name); in && has(p) {
			return p
		}
	}
	return ""
}

// leaves reports whether an import names a path outside the repository from wherever it is looked for.
func leaves(importer, name string) bool {
	return path.IsAbs(name) || strings.HasPrefix(path.Join(path.Dir(importer), name), "../")
}
