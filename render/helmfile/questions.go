package helmfile

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/source"
)

// world assigns values to variables; one that it lacks is a placeholder.
type world map[string]string

// questions are what the templates of a helmfile ask for in any world.
type questions struct {
	required map[string]bool            // by variable: it is never empty
	with     map[string]map[string]bool // the texts that it is compared with, by its placeholder
	files    map[string]string          // a file of the repository that it may name, by its placeholder
	texts    map[string]string          // templates by digest, and what they first came to
	vary     map[string]bool            // those that came to something else in another world, or that failed
}

func newQuestions() *questions {
	return &questions{required: map[string]bool{}, with: map[string]map[string]bool{}, files: map[string]string{},
		texts: map[string]string{}, vary: map[string]bool{}}
}

// filled notes what a template came to.
func (q *questions) filled(text, out string, err error) {
	was, again := q.texts[text]
	if q.texts[text] = out; err != nil || again && was != out {
		q.vary[text] = true
	}
}

func placeholder(name string) string { return stood + notInVariable.ReplaceAllString(name, "_") + "}" }

// workspace stands for the folder that the repository is checked out in, and that helmfile is called in.
const workspace = "/KUBESETTLE-WORKSPACE"

// inside is a file that a text in a folder names, from the root of the repository, and whether it is inside.
func inside(dir, name string) (string, bool) {
	if rest, ok := strings.CutPrefix(name, workspace); ok {
		return source.Inside(".", strings.TrimLeft(rest, "/"))
	}
	return source.Inside(dir, name)
}

// ask is the text of a variable in the world at hand.
func (h *helmfile) ask(name string, required bool) string {
	switch name {
	case "PWD":
		return workspace
	case "exec_pwd":
		return path.Join(workspace, h.dir)
	}
	if was, asked := h.asked.required[name]; !asked || was {
		h.asked.required[name] = required
	}
	if text, known := h.world[name]; known {
		return text
	}
	return placeholder(name)
}

// derived stands for the result of a function of a placeholder.
func derived(function string, args []reflect.Value) string {
	var of []any
	for _, a := range args {
		of = append(of, fmt.Sprint(a.Interface()))
	}
	return stood + function + "_" + helm.Digest(of...)[:8] + "}"
}

// compared notes the texts that are compared with placeholders.
func (h *helmfile) compared(args []reflect.Value) {
	var names, texts []string
	var walk func(v any)
	walk = func(v any) {
		switch x := v.(type) {
		case string:
			if m := standing.FindString(x); m != "" && m == x {
				names = append(names, m)
			} else {
				texts = append(texts, x)
			}
		case []any:
			for _, e := range x {
				walk(e)
			}
		case map[string]any:
			for k := range x {
				texts = append(texts, k)
			}
		}
	}
	for _, a := range args {
		if v := a.Interface(); a.Kind() == reflect.Slice {
			for i := range a.Len() {
				walk(a.Index(i).Interface())
			}
		} else {
			walk(v)
		}
	}
	for _, n := range names {
		if h.asked.with[n] == nil {
			h.asked.with[n] = map[string]bool{}
		}
		for _, text := range texts {
			h.asked.with[n][text] = true
		}
	}
}

// namesFiles notes what a placeholder in a file's name may be, so that there is such a file: the first of these counts.
func (h *helmfile) namesFiles(dir, pattern string) {
	found := standing.FindAllString(pattern, -1)
	if len(found) == 0 || strings.HasSuffix(pattern, found[0]) ||
		slices.ContainsFunc(found, func(f string) bool { return f != found[0] }) {
		return
	}
	whole, _ := inside(dir, pattern)
	before, after, _ := strings.Cut(whole, found[0])
	for _, f := range h.Src.Files {
		rest, fits := strings.CutPrefix(f, before)
		if text, _, _ := strings.Cut(rest, cmp.Or(after[:min(1, len(after))], "/")); fits && text != "" &&
			!strings.Contains(text, "/") && f == strings.ReplaceAll(whole, found[0], text) {
			h.compared([]reflect.Value{reflect.ValueOf(found[0]), reflect.ValueOf(text)})
			if h.asked.files[found[0]] == "" {
				h.asked.files[found[0]] = text
			}
		}
	}
}

// candidates are the texts of a variable that the templates can tell apart.
func (h *helmfile) candidates(name string) []string {
	texts := maps.Clone(h.asked.with[placeholder(name)])
	if texts == nil {
		texts = map[string]bool{}
	}
	if texts[placeholder(name)] = true; !h.asked.required[name] {
		texts[""] = true
	} else {
		delete(texts, "")
	}
	return slices.Sorted(maps.Keys(texts))
}
