package deploys

import (
	"bytes"
	"path"
	"strings"

	yaml3 "go.yaml.in/yaml/v3"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/source"
)

// callers are the inputs with which the workflows of a repository call those beside them, by the file that is called:
// one row for each call, and for each row of its matrix. Inputs that are not written there stay open.
func callers(s *source.Source) map[string][]map[string]string {
	var out map[string][]map[string]string
	for _, f := range s.Files {
		at, _, in := strings.Cut("/"+f, "/.github/workflows/")
		if ext := path.Ext(f); !in || ext != ".yml" && ext != ".yaml" || s.Links[f] || inTest(f) {
			continue
		}
		b, err := s.Read(f)
		if err != nil || len(b) > maxFile || !bytes.Contains(b, []byte("/.github/workflows/")) || deep(b) {
			continue
		}
		for _, n := range document.Nodes(b) {
			jobs := document.ResolveAlias(child(n, "jobs"))
			for i := 1; jobs != nil && i < len(jobs.Content); i += 2 {
				job := jobs.Content[i]
				name, local := strings.CutPrefix(text(child(job, "uses")), "./")
				if !local {
					continue
				}
				if out == nil {
					out = map[string][]map[string]string{}
				}
				called := path.Join(strings.TrimPrefix(at, "/"), name)
				rows := append(out[called], given(job)...)
				out[called] = rows[:min(len(rows), maxRows)]
			}
		}
	}
	return out
}

// given are the inputs that a job gives the workflow that it calls.
func given(job *yaml3.Node) []map[string]string {
	rows := rowsOf(child(child(job, "strategy"), "matrix"), "matrix_")
	if len(rows) == 0 {
		rows = []map[string]string{nil}
	}
	with := document.ResolveAlias(child(job, "with"))
	var out []map[string]string
	for _, row := range rows {
		inputs := map[string]string{}
		for i := 0; with != nil && i+1 < len(with.Content); i += 2 {
			v := with.Content[i+1]
			if v.Kind != yaml3.ScalarNode {
				continue
			}
			if said := fit(flattened(row)).in(shellText(v.Value)); Known(said) {
				inputs[named("inputs_"+with.Content[i].Value)] = said
			}
		}
		out = append(out, inputs)
	}
	return out
}

// readCalled reads a workflow that others call.
func readCalled(rows []map[string]string) func(string, []byte) []call {
	return func(file string, b []byte) []call {
		for _, n := range document.Nodes(b) {
			on := child(n, "on")
			if on == nil {
				on = child(n, "true")
			}
			if on != nil && (on.Kind != yaml3.MappingNode || len(on.Content) > 2) {
				return readRows(file, b, append(rows[:len(rows):len(rows)], map[string]string{})) // and is run by itself
			}
		}
		return readRows(file, b, rows)
	}
}
