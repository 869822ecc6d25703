package rewrite

import (
	"bytes"
	"strings"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// Append writes an object behind the last one of another's file, where that holds manifests as they are applied.
func Append(j *release.Recipe, o, add *object.Object) []object.Rewrite {
	if j.Chart != nil {
		return nil
	}
	text := j.Files[o.Source.File]
	t, ok := readSource(j, o.Source.File)
	if !ok || o.Source.File == "" || len(release.DocOf(o).Items) > 0 || len(t.roots) == 0 {
		return nil
	}
	body := strings.TrimRight(string(text), " \t\r\n")
	end := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		end = "\r\n"
	}
	var b strings.Builder
	b.WriteString(body + end)
	if !strings.HasSuffix(body, "\n---") {
		b.WriteString("---" + end)
	}
	for _, key := range []string{"apiVersion", "kind", "metadata", "spec"} {
		if v, ok := add.Content[key]; ok {
			b.WriteString(strings.ReplaceAll(inBlock(map[string]any{key: v}, 0), "\n", end))
		}
	}
	return []object.Rewrite{{File: o.Source.File, Text: b.String()}}
}
