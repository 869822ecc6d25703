package jsonnet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	gojsonnet "github.com/google/go-jsonnet"
	"github.com/google/go-jsonnet/ast"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// Evaluate gives the objects of one Jsonnet file of a recipe. It bounds the stack, as Jsonnet does; time and memory are
// bounded by whoever runs it.
func Evaluate(j *release.Recipe, file string) ([]document.Document, *object.Failure) {
	settings := j.Release.Jsonnet
	vm, from := gojsonnet.MakeVM(), &importer{recipe: j, known: map[string]gojsonnet.Contents{}}
	vm.SetTraceOut(io.Discard)
	vm.Importer(from)
	for _, v := range settings.Ext {
		if v.Code {
			vm.ExtCode(v.Name, v.Value)
		} else {
			vm.ExtVar(v.Name, v.Value)
		}
	}
	for _, v := range settings.TopLevel {
		if v.Code {
			vm.TLACode(v.Name, v.Value)
		} else {
			vm.TLAVar(v.Name, v.Value)
		}
	}
	if settings.Tanka {
		for _, f := range tankaFunctions(from) {
			vm.NativeFunction(f)
		}
	}
	node, err := gojsonnet.SnippetToAST(file, string(j.Files[file]))
	text := ""
	if err == nil {
		text, err = vm.Evaluate(node)
	}
	if err != nil {
		return nil, failure(j, file, from, err)
	}
	v, err := decode(text)
	if err != nil {
		return nil, &object.Failure{Reason: fmt.Sprintf("%s: %v", file, err), Where: object.FileStart(file),
			Remedy: "correct the program"}
	}
	objects, err := collect(v, settings.Tanka)
	if err == nil && settings.Guessed {
		objects, err = delivered(objects)
	}
	if err != nil {
		return nil, given(settings, &object.Failure{Reason: fmt.Sprintf("%s: %v", file, err), Where: object.FileStart(file),
			Remedy: "let the program give objects with apiVersion and kind"})
	}
	docs := make([]document.Document, len(objects))
	for i, o := range objects {
		docs[i] = document.Document{Content: o, File: file, Doc: i}
	}
	return docs, nil
}

// decode keeps integers apart from floats, as the decoder of manifests does.
func decode(text string) (any, error) {
	var v struct{ Value any }
	dec := json.NewDecoder(strings.NewReader(`{"value":` + text + `}`))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	return v.Value, utiljson.ConvertInterfaceNumbers(&v.Value, 0)
}

// collect lists the objects in the output of a program. Argo CD takes an object or a list of them; Tanka takes them out
// of maps and lists of any depth.
func collect(v any, deep bool) ([]map[string]any, error) {
	var out []map[string]any
	var walk func(v any, at string, more bool) error
	walk = func(v any, at string, more bool) error {
		switch x := v.(type) {
		case nil:
			if deep {
				return nil
			}
		case []any:
			if !more {
				break
			}
			for i, e := range x {
				if err := walk(e, fmt.Sprintf("%s[%d]", at, i), deep); err != nil {
					return err
				}
			}
			return nil
		case map[string]any:
			if items, list := x["items"].([]any); deep && list && x["kind"] != nil {
				return walk(items, at+".items", true)
			}
			if x["kind"] != nil && (x["apiVersion"] != nil || !deep) {
				out = append(out, x)
				return nil
			}
			if !deep {
				break
			}
			keys := make([]string, 0, len(x))
			for k := range x {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			for _, k := range keys {
				if err := walk(x[k], at+"."+k, true); err != nil {
					return err
				}
			}
			return nil
		}
		return fmt.Errorf("what it gives at %s is no object with apiVersion and kind", strings.TrimPrefix("$"+at, "$."))
	}
	return out, walk(v, "", true)
}

// given is a failure of a program. A program that nothing names is not at fault: others may evaluate it with more
// inputs.
func given(settings *release.Jsonnet, f *object.Failure) *object.Failure {
	if settings.Guessed {
		f.Skipped, f.Remedy = true, "render its output before and after, and compare the two: --base-dir and --head-dir"
	}
	return f
}

// delivered lists the objects of a program that nothing names: Argo CD's own, and those of Tanka's environments. For
// any other object it is unknown whether it is applied.
func delivered(objects []map[string]any) ([]map[string]any, error) {
	var out []map[string]any
	for _, o := range objects {
		switch gvk := document.GVK(o); {
		case gvk.Group == "argoproj.io":
			out = append(out, o)
		case gvk.Group == "tanka.dev" && gvk.Kind == "Environment":
			below, err := collect(o["data"], true)
			if err != nil {
				return nil, err
			}
			namespace := document.Text(o, "spec", "namespace")
			for _, b := range below {
				meta, _ := b["metadata"].(map[string]any)
				if meta != nil && meta["namespace"] == nil && namespace != "" {
					meta["namespace"] = namespace
				}
			}
			out = append(out, below...)
		default:
			return nil, fmt.Errorf("nothing says who applies its %s", gvk.Kind)
		}
	}
	return out, nil
}

// importer takes imports from a recipe alone.
type importer struct {
	recipe *release.Recipe
	known  map[string]gojsonnet.Contents
	lacks  string // the last import that was not there
	calls  string // the last function that was called and is not known
}

var errImport = errors.New("an import that is not in the repository")

// Import implements gojsonnet.Importer. Upstream: FileImporter, where any path is allowed.
func (i *importer) Import(from, name string) (gojsonnet.Contents, string, error) {
	has := func(p string) bool { _, ok := i.recipe.Files[p]; return ok && !i.recipe.Declares[p] }
	p := resolve(from, name, i.recipe.Release.Jsonnet.Folders, has)
	if p == "" {
		i.lacks = name
		return gojsonnet.Contents{}, "", errImport
	}
	if _, ok := i.known[p]; !ok {
		i.known[p] = gojsonnet.MakeContentsRaw(i.recipe.Files[p])
	}
	return i.known[p], p, nil
}

var nativeCall = regexp.MustCompile(`std\.native\(\s*['"]([^'"]*)['"]`)

// failure is that of a program: unknown where something is not in the repository or is made by whoever calls it, and
// otherwise the fault of the program.
func failure(j *release.Recipe, file string, from *importer, err error) *object.Failure {
	at, said := object.FileStart(file), err.Error()
	var static interface{ Loc() ast.LocationRange }
	var running gojsonnet.RuntimeError
	switch {
	case errors.As(err, &static):
		loc := static.Loc()
		at, said = place(j, at, loc), strings.TrimPrefix(said, loc.String()+" ")
	case errors.As(err, &running):
		said = running.Msg
		for i := len(running.StackTrace) - 1; i >= 0; i-- {
			if loc := place(j, at, running.StackTrace[i].Loc); loc.Rung != "file" {
				at = loc
				break
			}
		}
	}
	said = document.Shorten(strings.Join(strings.Fields(said), " "), 300)
	f := given(j.Release.Jsonnet, &object.Failure{Where: at, Remedy: "correct the program",
		Reason: fmt.Sprintf("%s:%d: %s", at.File, at.StartLine, said)})
	switch {
	case strings.Contains(said, errImport.Error()) && leaves(at.File, from.lacks):
		f.Skipped, f.Refused, f.Remedy = true, true, "import it from inside the repository"
		f.Reason = fmt.Sprintf("%s:%d: the import %s leads out of the repository", at.File, at.StartLine, from.lacks)
	case strings.Contains(said, errImport.Error()):
		f.Skipped, f.Remedy = true, "commit the library that holds it, such as what `jb install` puts into vendor"
		f.Reason = fmt.Sprintf("%s:%d: the import %s is not in the repository", at.File, at.StartLine, from.lacks)
	case from.calls != "":
		f.Skipped, f.Refused, f.Remedy = true, true, "commit its output, and import that"
		f.Reason = fmt.Sprintf("%s:%d: it calls %s, which runs another program", at.File, at.StartLine, from.calls)
	case strings.Contains(said, "expected function"):
		if m := nativeCall.FindSubmatch(line(j.Files[at.File], at.StartLine)); m != nil {
			f.Skipped, f.Refused, f.Remedy = true, true, "commit its output, and import that"
			f.Reason = fmt.Sprintf("%s:%d: the function %s is given by the program that evaluates it, and not known", at.File,
				at.StartLine, m[1])
		}
	}
	return f
}

// place is a range of a file of the repository, or a description of the place.
func place(j *release.Recipe, otherwise object.Location, loc ast.LocationRange) object.Location {
	if _, ours := j.Files[loc.FileName]; !ours || loc.Begin.Line == 0 {
		return otherwise
	}
	return object.LineOf(loc.FileName, loc.Begin.Line, "node")
}

func line(text []byte, n int) []byte {
	if lines := bytes.Split(text, []byte("\n")); n >= 1 && n <= len(lines) {
		return lines[n-1]
	}
	return nil
}
