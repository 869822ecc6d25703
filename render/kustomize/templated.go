package kustomize

import (
	"fmt"
	"path"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/source"
)

// templateMarks end the names of templates: the program that fills one in writes the file without it.
var templateMarks = []string{".j2", ".jinja", ".jinja2", ".tmpl", ".tpl", ".gotmpl", ".erb", ".mustache", ".envsubst"}

// missing is the failure of a file or folder that an entry names, and that is not here.
func (g *gatherer) missing(k *File, p, ref string) *object.Failure {
	if f := fromTemplate(g.src, p, object.LineOf(k.Path, k.line(ref), "file")); f != nil {
		return f
	}
	f := k.fail(ref, "does not exist", "commit it, or remove the line")
	secret := strings.Contains(strings.ToLower(path.Base(p)), "secret") // which no repository should hold in the clear
	if g.madeElsewhere(k, ref) {
		f.Skipped, f.Missing, f.Remedy = true, true, writtenByAJob
	}
	if secret {
		f.Remedy = "commit it, encrypted, or remove the line"
	}
	return f
}

const writtenByAJob = "commit it; where a job writes it before the build, run that job on both sides and then " +
	"kubesettle with --base-dir and --head-dir"

// fromTemplate is the failure of a file that a program writes from a template that is here: the file itself, or the
// kustomization file of the folder. The entry that names it is not at fault, as it is a part of that program's output.
// nil: there is none.
func fromTemplate(s *source.Source, p string, at object.Location) *object.Failure {
	names := []string{p}
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		names = append(names, path.Join(p, name))
	}
	for _, name := range names {
		if template := templateOf(s, name); template != "" {
			return &object.Failure{
				Skipped: true, Missing: true, Where: at,
				Reason: fmt.Sprintf("%s:%d: %s is written from the template %s; that program is not run",
					at.File, at.StartLine, name, template),
				Remedy: "run that program on both sides, and then kubesettle with --base-dir and --head-dir",
			}
		}
	}
	return nil
}

// templateOf is the template that a program writes a file from; "" if there is none.
func templateOf(s *source.Source, name string) string {
	for _, mark := range templateMarks {
		for _, template := range []string{name + mark, strings.TrimSuffix(name, path.Ext(name)) + mark} {
			if s.HasFile(template) {
				return template
			}
		}
	}
	return ""
}
